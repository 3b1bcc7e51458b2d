#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A sweep as a Slurm job array: each task makes a part of the runs, in a directory that all nodes share.
#     sbatch --array=1-16 slurm.sh --core 'skylake,l2={256K/4,1M/16}' -- ./program
# When all have ended, the same `barepmu sweep` without --part prints the table.
#SBATCH --job-name=barepmu-sweep
#SBATCH --cpus-per-task=1
#SBATCH --mem=2G
set -eu
exec barepmu sweep -j 1 --part "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT" "$@"
