#!/usr/bin/env bash
# Makes the pictures of the documentation from the samples: make-images.sh VERNIER
set -eu
vernier=$(realpath "$1")
cd "$(dirname "$0")/../samples"
"$vernier" compare gpt/golden gpt/target -o ../docs/images/graph.png --exit-zero --quiet
"$vernier" monitor monitor -o ../docs/images/monitor.svg --exit-zero --quiet
