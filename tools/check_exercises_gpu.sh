#!/usr/bin/env bash
# Runs the exercises' solutions and wrong answers on a GPU: tools/check_exercises_gpu.sh OUT.json [BUILD]
#
#   OUT.json  what each program got
#   BUILD     build folder of the gpu preset (default: build/gpu) in which the target exercise_programs
#             was built. It may come from another machine: the programs need an NVIDIA driver here, and
#             compute-sanitizer finds more mistakes where it is installed
#
# A solution has to pass, and to be clean under compute-sanitizer; so has a wrong answer that says
# "GPU: passes". A wrong answer that says "GPU: fail" has to be found out by its checker or by
# compute-sanitizer. Those of chapter 12 are left out where there is a single GPU: many of its mistakes are
# none there.
#
# Exit: 0 every program got what it should, 1 one did not, 2 wrong usage, 3 no GPU.
set -u

if [ $# -lt 1 ] || [ "${1#-}" != "$1" ]; then
  sed -n '2,/^set -u/{/^set -u/d;s/^# \{0,1\}//;p}' "$0" >&2
  exit 2
fi
out=$1
folder=${2:-build/gpu}/exercises
if ! nvidia-smi -L >/dev/null 2>&1; then
  echo "check_exercises_gpu: nvidia-smi finds no GPU here; run this on a machine that has one" >&2
  exit 3
fi
if [ ! -s "$folder/programs.txt" ]; then
  echo "check_exercises_gpu: no $folder/programs.txt; run: cmake --preset gpu && cmake --build --preset gpu --target exercise_programs" >&2
  exit 2
fi
sanitizer=$(command -v compute-sanitizer || command -v /usr/local/cuda/bin/compute-sanitizer)
device=$(nvidia-smi --query-gpu=name --format=csv,noheader | head -n 1)
devices=$(nvidia-smi -L | wc -l)

sanitize() { # sanitize PROGRAM: the name of the tool that finds something; nothing if none does
  local tool said
  [ -n "$sanitizer" ] || return 0
  # An error that a call returns is the checker's to judge: to allow what is allowed already is one. NCCL's
  # kernels read words of NCCL's buffers that nobody has written.
  for tool in "memcheck --report-api-errors no" racecheck synccheck \
    "initcheck --kernel-regex-exclude kns=ncclDevKernel"; do
    # shellcheck disable=SC2086
    said=$(CHECKER_UNTIMED=1 timeout -k 5 120 "$sanitizer" --tool $tool --error-exitcode 99 "$1" 2>&1) && continue
    case $said in *"before first instrumented API call"*) return ;; esac # it is about the host alone
    echo "${tool%% *}"
    return
  done
}

faults=0
entries=
while IFS=$'\t' read -r name expected; do
  program=$folder/$name
  if [ "$devices" -lt 2 ] && [ "${name%%/*}" = 12_multi_gpu ]; then
    printf '%-60s needs two GPUs\n' "$name"
    continue
  fi
  if [ ! -x "$program" ]; then
    echo "check_exercises_gpu: $program is not built; build the target exercise_programs" >&2
    exit 2
  fi
  verdict=$(timeout -k 5 60 "$program" 2>/dev/null | sed -n 's/^verdict: //p')
  [ -n "$verdict" ] || verdict="no verdict" # it crashed, or did not come to an end
  found_by=checker
  if [ "$verdict" = pass ]; then
    found_by=$(sanitize "$program")
  fi
  got=fail
  [ "$verdict" = pass ] && [ -z "$found_by" ] && got=pass
  note=
  if [ "$got" != "$expected" ]; then
    faults=$((faults + 1))
    note="  <- expected: $expected"
  fi
  printf '%-60s %s%s%s\n' "$name" "$verdict" "${found_by:+ ($found_by)}" "$note"
  entries="$entries${entries:+,}
    {\"name\": \"$name\", \"expected\": \"$expected\", \"verdict\": \"$verdict\", \"found_by\": \"$found_by\"}"
done <"$folder/programs.txt"

mkdir -p "$(dirname "$out")"
printf '{\n  "device": "%s",\n  "sanitizer": %s,\n  "programs": [%s\n  ]\n}\n' \
  "$device" "$([ -n "$sanitizer" ] && echo true || echo false)" "$entries" >"$out"
[ "$faults" -eq 0 ] || { echo "$faults programs got something else than they should" >&2; exit 1; }
