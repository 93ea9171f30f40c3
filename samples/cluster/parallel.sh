#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Parts side by side on one machine, with xargs: parallel.sh GOLDEN TARGET OUT [PARTS]. For several machines, GNU
# parallel takes the same line: parallel --sshloginfile hosts vernier compare … --shard {}/8 ::: 1 2 3 4 5 6 7 8
set -eu
golden=$1 target=$2 out=$3 parts=${4:-4}
rm -rf "$out/parts"  # of the last night
seq 1 "$parts" | xargs -P "$parts" -I '{}' \
    vernier compare "$golden" "$target" --shard "{}/$parts" -o "$out/parts" --exit-zero --quiet
exec vernier merge "$out/parts" -o "$out/report" --quiet
