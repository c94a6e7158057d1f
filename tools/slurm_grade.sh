#!/bin/sh
# Grades a class on a cluster: each task of the array takes a part, and the last step writes the report.
#
#   sbatch --array=1-8 tools/slurm_grade.sh submissions grades.csv [OPTION...]
#   sbatch --dependency=afterok:JOB tools/slurm_grade.sh submissions grades.csv [OPTION...]
#
# The second line's job has no array: it merges what the parts have found. The course is built before, once,
# by `./tutor check 05.2` say; its folder and that of the report lie on a file system that all nodes share.
#SBATCH --job-name=grade
#SBATCH --cpus-per-task=4
#SBATCH --mem-per-cpu=4G
#SBATCH --output=grade.%A.%a.log
set -eu
if [ $# -lt 2 ]; then
  echo "slurm_grade.sh: name the folder of submissions and the report to write" >&2
  exit 2
fi
submissions=$1
report=$2
shift 2
# Slurm runs a copy of this file from a folder of its own.
cd "${SLURM_SUBMIT_DIR:-.}"
if [ -n "${SLURM_ARRAY_TASK_ID:-}" ]; then
  set -- --shard "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT" "$@"
else
  set -- --merge "$@"
fi
exec "${TUTOR:-./tutor}" grade "$submissions" --out "$report" --jobs "${SLURM_CPUS_PER_TASK:-1}" "$@"
