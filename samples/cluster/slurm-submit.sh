#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compares on many nodes: slurm-submit.sh GOLDEN TARGET OUT [ELEMENTS]
# An array of ELEMENTS jobs compares one part of the pairs each; a last job joins them. All paths lie on a file
# system that every node sees. An element takes about a second to start: give it hundreds of ranks.
set -eu
golden=$1 target=$2 out=$3 elements=${4:-8}
here=$(dirname "$0")
rm -rf "$out/parts"  # of the last night
mkdir -p "$out/parts"
array=$(sbatch --parsable --array="1-$elements" --output="$out/part-%a.log" \
    "$here/slurm-part.sh" "$golden" "$target" "$out/parts")
sbatch --parsable --dependency="afterany:$array" --output="$out/merge.log" \
    "$here/slurm-merge.sh" "$out/parts" "$out/report" "$out/nights.db" "$(basename "$target")"
