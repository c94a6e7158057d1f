#!/usr/bin/env bash
# Shows that a class graded by an array of Slurm's jobs gets the report that one run writes: tools/try_slurm.sh
#
# Three students, two parts and the job that merges them, through tools/slurm_grade.sh on a Slurm of one node. TUTOR
# is the program that grades, ./tutor if it is not set.
#
# Exit: 0 the reports are the same to the byte, 1 they are not, 77 there is no Slurm here, or no right to start it.
set -euo pipefail
cd "$(dirname "$0")/.."
export TUTOR=${TUTOR:-./tutor}
if [ "${1:-}" != inside ]; then
  status=0
  tools/one_node_slurm.sh "$0" inside || status=$?
  [ $status != 3 ] || exit 77
  exit $status
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder"/class/{right,stub,racy}
"$TUTOR" author 05.2 >"$folder/class/right/block_sum.cu"
"$TUTOR" author 05.2 --wrong no_barrier_after_load >"$folder/class/racy/block_sum.cu"
cp exercises/05_reduction/block_sum/stub.cu "$folder/class/stub/"
options=(--exercise 05.2 --seed 7)
"$TUTOR" grade "$folder/class" --out "$folder/one.csv" --jobs 1 "${options[@]}" >/dev/null

submit() {
  sbatch --parsable --wait --cpus-per-task=1 --mem-per-cpu=1 --output="$folder/%A.%a.log" "$@" tools/slurm_grade.sh \
    "$folder/class" "$folder/slurm.csv" "${options[@]}" || { cat "$folder"/*.log; exit 1; }
}
parts=$(submit --array=1-2)
submit --dependency=afterok:"$parts" >/dev/null
cmp "$folder/one.csv" "$folder/slurm.csv" || { cat "$folder"/*.log; exit 1; }
echo "the same report: $(wc -l <"$folder/slurm.csv") lines"
