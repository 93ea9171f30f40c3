#!/usr/bin/env bash
# Runs the main job on the samples: demo.sh VERNIER OUT
set -eu
vernier=$(realpath "$1")
out=$2
here=$(dirname "$0")
mkdir -p "$out"
out=$(realpath "$out")
cd "$here"
for sample in gpt ranks; do
    echo
    echo "vernier compare samples/$sample/golden samples/$sample/target"
    "$vernier" compare "$sample/golden" "$sample/target" -o "$out/$sample" --exit-zero
done
echo
echo "The report: $out/gpt/index.html"
echo "Four ranks: $out/ranks/index.html"
echo "A picture:  $out/gpt/graph-step0-rank0.png"
