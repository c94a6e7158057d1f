#!/usr/bin/env bash
# How long the time model takes for the chapters' steps at the size of a GPU: seconds of wall and of CPU, and the most
# memory, PTX and predictions together, on a quiet machine. Exits 1 where a chapter takes more than 20 s or 4 GiB.
# What it measures it also writes to build/times/seconds.json, as docs/results/prediction_seconds.json has it.
#
#   tools/time_predictions.sh [CHAPTER...]
#   tools/time_predictions.sh FILE.cu...    what times add to observing a program, its PTX made anew: at most 3 s of CPU
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
rows=()
write_rows() { # of a list of this name
  local IFS=,
  printf '{"%s": [%s]}\n' "$1" "${rows[*]}" | python3 -m json.tool --indent 1 >build/times/seconds.json
}

# Seconds of CPU that a command takes.
cpu_of() {
  /usr/bin/time -f '%U %S' -o build/times/used "$@" >build/times/log 2>&1 || true # a program may end as it likes
  tail -n 1 build/times/used | awk '{ print $1 + $2 }'
}

if [[ ${1-} == *.cu ]]; then
  printf '%-28s %8s %12s %8s %8s\n' program observed 'with times' more kernels
  for file; do
    ./tutor observe "$file" --on h200 >build/times/log 2>&1 || true # builds it
    touch "$file"
    with=$(cpu_of ./tutor observe "$file" --on h200)
    kernels=$(grep -c '^  .*<<<.*>>>: ' build/times/log) || {
      printf '%s: no kernel of it was predicted\n' "$file" >&2
      exit 1
    }
    touch "$file"
    without=$(cpu_of ./tutor observe "$file")
    awk -v f="$(basename "$file")" -v a="$without" -v b="$with" -v k="$kernels" \
      'BEGIN { printf "%-28s %8.2f %12.2f %8.2f %8d\n", f, a, b, b - a, k; exit b - a > 3 * k }' || status=1
    rows+=("$(awk -v f="$(basename "$file")" -v a="$without" -v b="$with" -v k="$kernels" \
      'BEGIN { printf "{\"name\": \"%s\", \"observed_s\": %.2f, \"more_s\": %.2f, \"kernels\": %d}", f, a, b - a, k }')")
  done
  write_rows programs
  exit $status
fi

printf '%-8s %8s %8s %8s\n' chapter 'wall, s' 'CPU, s' MiB
while read -r chapter n; do
  if [ $# -gt 0 ] && [[ " $* " != *" $chapter "* ]]; then
    continue
  fi
  ./tutor run "$chapter" --backend cpu -- --list >build/times/log 2>&1 || true # builds it
  rm -rf build/cpu/model/"$chapter"_* # its PTX is made anew
  /usr/bin/time -f '%e %U %S %M' -o build/times/used \
    ./tutor run "$chapter" --on h200 --times build/times/steps.json -- --n "$n" >build/times/log 2>&1 || {
    tail -n 5 build/times/log >&2
    exit 1
  }
  read -r wall user system kib <<<"$(tail -n 1 build/times/used)"
  awk -v c="$chapter" -v w="$wall" -v u="$user" -v s="$system" -v k="$kib" -v most="$most_seconds" -v mib="$most_mib" \
    'BEGIN { printf "%-8s %8.1f %8.1f %8.0f\n", c, w, u + s, k / 1024; exit w > most || k / 1024 > mib }' || status=1
  rows+=("$(awk -v c="$chapter" -v w="$wall" -v u="$user" -v s="$system" -v k="$kib" \
    'BEGIN { printf "{\"name\": \"%s\", \"wall_s\": %.1f, \"cpu_s\": %.1f, \"mib\": %.0f}", c, w, u + s, k / 1024 }')")
done <<<"$sizes"
write_rows chapters
exit $status
