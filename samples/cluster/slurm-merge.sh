#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#SBATCH --job-name=vernier-merge
#SBATCH --cpus-per-task=1
#SBATCH --time=00:10:00
# Joins the parts: slurm-merge.sh PARTS REPORT HISTORY NIGHT. The exit code is the verdict's: a difference fails the job.
exec vernier merge "$1" -o "$2" --history "$3" --title "$4" --quiet
