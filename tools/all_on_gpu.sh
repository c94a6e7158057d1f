#!/usr/bin/env bash
# All that only a GPU can show, packed into one archive: tools/all_on_gpu.sh ARCHIVE.tar.gz [PART…]
#
#   conformance  what CUDA promises (emulator/tests/conformance): the same outcome as on the emulator, and
#                nothing that compute-sanitizer reports
#   answers      the exercises' stored answers, with their checkers and compute-sanitizer
#   chapters     each chapter checked, under compute-sanitizer, timed: record_gpu.py
#   counters     the hardware's counters, of small and of timed runs: record_counters.py
#
# Without a PART all of them. It builds what it needs in build/gpu (BUILD: elsewhere; CMAKE_ARGS: words for CMake).
# ANSWERS and CHAPTERS are words for check_exercises_gpu.py and record_gpu.py: where a GPU is at hand for minutes, a
# part of a part.
#
# Exit: 0 all as it should be, 1 something was not (the archive's log.txt says what), 2 wrong usage, 3 no GPU.
set -uo pipefail
self=$(realpath "$0")
usage() { sed -n '2,/^set -u/{/^set -u/d;s/^# \{0,1\}//;p}' "$self" >&2; exit 2; }
case ${1:-} in '' | -*) usage ;; esac
archive=$(realpath -m "$1")
shift
[ $# -gt 0 ] || set -- conformance answers chapters counters
for part; do case $part in conformance | answers | chapters | counters) ;; *) usage ;; esac; done
nvidia-smi -L >/dev/null 2>&1 || { echo "all_on_gpu: nvidia-smi finds no GPU here; run this on a machine that has one" >&2; exit 3; }

cd "$(dirname "$self")/.." || exit 3
build=${BUILD:-build/gpu}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
faults=0
step() { # step TITLE COMMAND…: into the log; a failure is named, and the rest goes on
  local title=$1 began=$SECONDS
  shift
  printf '\n=== %s\n' "$title" >>"$out/log.txt"
  if "$@" >>"$out/log.txt" 2>&1; then
    printf '%-50s ok, %d s\n' "$title" $((SECONDS - began))
  else
    printf '%-50s FAILED (exit code %d), %d s\n' "$title" $? $((SECONDS - began))
    faults=$((faults + 1))
  fi
}
build() { step "building $*" cmake --build "$build" --target "$@"; }

# shellcheck disable=SC2086
sanitized() { # sanitized TOOL SOURCES: the conformance tests but for those in these sources, and one
  # Its library reads address 0 when a pool's memory is taken back from a device, if there is a __managed__ variable.
  step "conformance under ${1%% *}" timeout 300 compute-sanitizer --tool $1 --error-exitcode 9 "$tests" --no-intro \
    --source-file-exclude="$2" --test-case-exclude="a pool says itself who reaches its memory"
}
conformance() {
  tests=$build/emulator/tests/conformance/emulator_tests
  build emulator_tests
  step "conformance" "$tests" --no-intro
  step "a sticky error" "$tests" --no-intro --no-skip "--test-case=a crashed kernel's error is sticky"
  sanitized "memcheck --report-api-errors no" none
  # It sees no order in named barriers, tiles of several warps, and phases of an mbarrier.
  sanitized racecheck "*/bulk_test.cu,*/phases_test.cu,*/groups_test.cu,*/group_collectives_test.cu"
  # It misses the wait() of cuda::barrier's tokens, and waits for barriers that cp.async tells.
  sanitized synccheck "*/async_copies_test.cu,*/barriers_test.cu,*/phases_test.cu"
  # Tests copy arrays to the host of which a part was not written, to see that.
  sanitized "initcheck --check-api-memory-access no" none
}
answers() {
  build exercise_programs
  # shellcheck disable=SC2086
  step "answers" tools/check_exercises_gpu.py "$out/exercises.json" "$build" ${ANSWERS:-}
}
chapters() {
  build all
  # shellcheck disable=SC2086
  step "chapters" tools/record_gpu.py "$out/results" "$build" ${CHAPTERS:-}
}
counters() {
  build all
  step "counts" tools/record_counters.py "$out/counts.json" "$build"
  step "reasons" tools/record_counters.py "$out/reasons.json" "$build" --reasons
}

nvidia-smi >"$out/log.txt"
# shellcheck disable=SC2086
step "configuring" cmake --preset gpu -B "$build" ${CMAKE_ARGS:-}
for part; do "$part"; done
mkdir -p "$(dirname "$archive")" && tar -C "$out" -czf "$archive" . || exit 1
echo "packed: $archive"
[ "$faults" -eq 0 ]
