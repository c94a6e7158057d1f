#!/usr/bin/env bash
# Records results on a GPU: tools/record_gpu.sh OUT [BUILD] [CHAPTER…]
#
#   OUT      folder for the results: one DEVICE_CHAPTER.json for each chapter, and record.log
#   BUILD    build folder of the gpu preset (default: build/gpu). It may come from another machine:
#            the programs need an NVIDIA driver here and nothing else
#   CHAPTER  folder names such as 05_reduction (default: all that are built), or 12_ranks: chapter 12's
#            program of several processes, one for each GPU, which needs mpirun
#
# Each chapter is checked, checked again under compute-sanitizer's four tools where that is installed
# (RECORD_SANITIZER=0 leaves this out), timed, and its traps and demos are run. Copy the JSON files
# to docs/results/ and run ./tutor lessons to bring the tables up to date.
#
# Exit: 0 everything was right, 1 something was not (record.log says what), 2 wrong usage, 3 no GPU.
set -u

if [ $# -lt 1 ] || [ "${1#-}" != "$1" ]; then
  sed -n '2,/^set -u/{/^set -u/d;s/^# \{0,1\}//;p}' "$0" >&2
  exit 2
fi
out=$1
build=${2:-build/gpu}
shift; [ $# -gt 0 ] && shift
chapters=("$@")

if ! nvidia-smi -L >/dev/null 2>&1; then
  echo "record_gpu: nvidia-smi finds no GPU here; record on a machine that has one" >&2
  exit 3
fi
if [ ${#chapters[@]} -eq 0 ]; then
  for program in "$build"/chapters/*/*; do
    name=$(basename "$program")
    [ -x "$program" ] && [ -f "$program" ] && [ "$(basename "$(dirname "$program")")" = "$name" ] &&
      chapters+=("$name")
  done
fi
if [ ${#chapters[@]} -eq 0 ]; then
  echo "record_gpu: no chapter is built in $build; run: cmake --preset gpu && cmake --build --preset gpu" >&2
  exit 2
fi

mkdir -p "$out" || exit 1
log=$out/record.log
parts=$(mktemp -d) || exit 1
trap 'rm -rf "$parts"' EXIT
failures=0
: >"$log"

# run TITLE COMMAND…: runs it into the log, counts and names a failure.
run() {
  local title=$1 start=$SECONDS code
  shift
  printf '\n=== %s\n' "$title" >>"$log"
  "$@" >>"$log" 2>&1
  code=$?
  if [ $code -eq 0 ]; then
    printf '%-60s ok, %d s\n' "$title" $((SECONDS - start))
  else
    printf '%-60s FAILED (exit code %d, see %s)\n' "$title" $code "$log"
    failures=$((failures + 1))
  fi
  return $code
}

# joined FILE…: the files' JSON objects as the elements of an array.
joined() {
  local first=1 file
  for file in "$@"; do
    [ -s "$file" ] || continue
    [ $first -eq 1 ] || printf ',\n'
    first=0
    cat "$file"
  done
}

sanitize() {
  local chapter=$1 program=$2 tool sanitizer only= n=1025
  [ "$chapter" = 09_matmul ] && n=260 # n cubed multiply-adds
  sanitizer=$(command -v compute-sanitizer || echo /usr/local/cuda/bin/compute-sanitizer)
  if [ "${RECORD_SANITIZER:-1}" = 0 ] || [ ! -x "$sanitizer" ]; then
    echo "$chapter: compute-sanitizer left out"
    return
  fi
  # Launches that CUDA must refuse are part of what is shown, and checked there: no errors of the tool.
  for tool in "memcheck --report-api-errors no" racecheck initcheck synccheck; do
    # NCCL's own kernels read memory that nobody has written: initcheck sees the steps without it.
    [ "$chapter $tool" = "12_multi_gpu initcheck" ] &&
      only=$("$program" --list | awk '/ step$|demo:/ && !/^(nccl|sizes|in_a_row)/ {print "--only " $1}')
    # A small ragged size: the tools slow kernels down by a factor of a hundred and more.
    # shellcheck disable=SC2086 # a tool and its options, and names of steps, are words
    # Without strips behind the buffers, which would take small overruns for themselves.
    LAB_STRIPS=0 run "$chapter under ${tool%% *}" "$sanitizer" --tool $tool --error-exitcode 9 \
      "$program" --check-only --n $n $only
    only=
  done
}

# The timed runs of a chapter, one line of options each.
timed_runs() {
  case $1 in
  02_memory_hierarchy) printf '%s\n' '--n 2^25' '--n 2^20' ;;
  03_coalescing_transpose)
    printf '%s\n' '--n 8192 --l2 cold' '--n 4096 --l2 cold' '--n 16384 --l2 cold' \
      '--n 1023x1025 --l2 cold' '--n 8190x8194 --l2 cold' '--n 4096x65536 --l2 cold'
    ;;
  05_reduction)
    printf '%s\n' '--n 2^28' '--n 2^22' '--n 2^25' '--n 2^30' '--n 2^22 --l2 warm' '--n 2^25 --l2 warm'
    ;;
  09_matmul) printf '%s\n' '--n 4096' '--n 1000' '--n 1024' '--n 2048' '--n 8192' '--n 1023x1025' ;;
  12_ranks) ;; # it has demos only
  12_multi_gpu) printf '%s\n' '--n 2^26' '--n 2^24 --l2 warm' '--n 2^20 --l2 warm' ;;
  10_warp_primitives) printf '%s\n' '--n 2^28' '--n 2^25' '--n 2^22' '--n 33554393' ;;
  *) echo '' ;;
  esac
}

record() {
  local chapter=$1 program=("$2") number=0 options demo
  rm -f "$parts"/*
  if [ "$chapter" = 12_ranks ]; then # several processes at a time: mpirun starts them
    program=(timeout 100 mpirun -n "$(nvidia-smi -L | wc -l)" "$2")
  fi
  run "$chapter checked" "${program[@]}" --check-only
  [ "$chapter" = 12_ranks ] || sanitize "$chapter" "${program[@]}"
  while read -r options; do
    number=$((number + 1))
    # shellcheck disable=SC2086 # options are words
    run "$chapter timed $options" "${program[@]}" $options --json "$parts/run_$number.json"
  done < <(timed_runs "$chapter")
  if "${program[@]}" --list | grep -q ' trap$'; then
    run "$chapter traps" "${program[@]}" --traps --json "$parts/other_traps.json"
  fi
  for demo in $("${program[@]}" --list | sed -n 's/^\([^ ]*\) .*demo: .*/\1/p'); do
    run "$chapter $demo" "${program[@]}" --only "$demo" --json "$parts/other_$demo.json"
  done
  local device
  device=$(sed -n 's/^  "device": "\(.*\)",$/\1/p' "$parts"/*.json | head -n 1 |
    tr 'A-Z' 'a-z' | tr -cs 'a-z0-9\n' '-' | sed 's/-$//')
  # What several devices did says how many: nvidia-h200-x2. (CUDA_VISIBLE_DEVICES chooses them.)
  device+=$(sed -n 's/^.*"devices": \([2-9]\).*$/-x\1/p' "$parts"/other_{devices,ranks}.json 2>/dev/null)
  {
    printf '{\n"chapter": "%s",\n"date": "%s",\n"runs": [\n' "$chapter" "$(date -u +%F)"
    joined "$parts"/run_*.json
    printf '],\n"traps_and_demos": [\n'
    joined "$parts"/other_*.json
    printf ']\n}\n'
  } >"$out/${device:-unknown}_$chapter.json"
}

for chapter in "${chapters[@]}"; do
  program=$build/chapters/$chapter/$chapter
  [ "$chapter" = 12_ranks ] && program=$build/chapters/12_multi_gpu/12_multi_gpu.ranks
  if [ ! -x "$program" ]; then
    echo "record_gpu: $program is not built" >&2
    exit 2
  fi
  record "$chapter" "$program"
done

grep -h -e 'runs .* x as fast as' -e '^measured in this run' -e '^n = ' "$log" || true
echo "results: $out"
[ $failures -eq 0 ]
