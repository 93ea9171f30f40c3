#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#SBATCH --job-name=vernier-part
#SBATCH --cpus-per-task=1
#SBATCH --time=01:00:00
# One element of the array: slurm-part.sh GOLDEN TARGET PARTS. A difference is no failure of the element.
exec vernier compare "$1" "$2" --shard "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT" -o "$3" --exit-zero --quiet
