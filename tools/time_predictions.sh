#!/usr/bin/env bash
# How long the time model takes for the chapters' steps at the size of a GPU: seconds of wall and of CPU, and the most
# memory, PTX and predictions together, on a quiet machine. Exits 1 where a chapter takes more than 20 s or 4 GiB.
#
#   tools/time_predictions.sh [CHAPTER...]
set -euo pipefail
cd "$(dirname "$0")/.."

# A chapter, and the size of which its largest recorded prediction is.
sizes="01 16777216
02 33554432
03 8192
04 8192
05 268435456
06 1073741824
09 4096
10 268435456
11 268435456"
most_seconds=20 most_mib=4096

mkdir -p build/times
status=0
printf '%-8s %8s %8s %8s\n' chapter 'wall, s' 'CPU, s' MiB
while read -r chapter n; do
  if [ $# -gt 0 ] && [[ " $* " != *" $chapter "* ]]; then
    continue
  fi
  ./tutor run "$chapter" --backend cpu -- --list >build/times/log 2>&1 || true # builds it
  /usr/bin/time -f '%e %U %S %M' -o build/times/used \
    ./tutor run "$chapter" --on h200 --times build/times/steps.json -- --n "$n" >build/times/log 2>&1 || {
    tail -n 5 build/times/log >&2
    exit 1
  }
  read -r wall user system kib <<<"$(tail -n 1 build/times/used)"
  awk -v c="$chapter" -v w="$wall" -v u="$user" -v s="$system" -v k="$kib" -v most="$most_seconds" -v mib="$most_mib" \
    'BEGIN { printf "%-8s %8.1f %8.1f %8.0f\n", c, w, u + s, k / 1024; exit w > most || k / 1024 > mib }' || status=1
done <<<"$sizes"
exit $status
