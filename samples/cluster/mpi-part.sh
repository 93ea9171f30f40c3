#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# One MPI process, one part, into a folder that is empty at the start:
#   rm -rf PARTS && mpirun -n 8 mpi-part.sh GOLDEN TARGET PARTS && vernier merge PARTS -o REPORT
# The variables of Open MPI, of PMI (MPICH, Intel MPI) and of srun are known.
set -eu
rank=${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-${SLURM_PROCID:-0}}}
size=${OMPI_COMM_WORLD_SIZE:-${PMI_SIZE:-${SLURM_NTASKS:-1}}}
exec vernier compare "$1" "$2" --shard "$((rank + 1))/$size" -o "$3" --exit-zero --quiet
