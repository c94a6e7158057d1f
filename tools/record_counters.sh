#!/usr/bin/env bash
# Records what the hardware's counters say: tools/record_counters.sh OUT [BUILD] [PROGRAM…]
#
#   OUT      the JSON file to write, such as emulator/tests/golden/nvidia-h200.json
#   BUILD    build folder of the gpu preset (default: build/gpu). It may come from another machine
#   PROGRAM  golden, or a chapter such as 05_reduction (default: golden and the chapters that have
#            options below). What OUT already holds of other programs stays
#
# Runs the golden kernels, and every step and most demos of the chapters at a small size, once each
# under Nsight Compute (ncu), and sums up requests, sectors and wavefronts of each run. The emulator
# is held against them by compare_counters (tools/compare_counters/), whose table stands in
# emulator/README.md.
#
# Exit: 0 recorded, 1 a program or ncu failed, 2 wrong usage, 3 no GPU or no ncu.
set -u

if [ $# -lt 1 ] || [ "${1#-}" != "$1" ]; then
  sed -n '2,/^set -u/{/^set -u/d;s/^# \{0,1\}//;p}' "$0" >&2
  exit 2
fi
out=$1
build=${2:-build/gpu}
shift; [ $# -gt 0 ] && shift
everything=(golden 01_hello_threads 02_memory_hierarchy 03_coalescing_transpose
  04_shared_memory_banks 05_reduction 06_atomics 07_streams 08_unified_memory
  09_matmul 10_warp_primitives 11_occupancy)
programs=("$@")
[ ${#programs[@]} -gt 0 ] || programs=("${everything[@]}")

fail() { # fail CODE MESSAGE
  printf 'record_counters: %s\n' "$2" >&2
  exit "$1"
}
nvidia-smi -L >/dev/null 2>&1 || fail 3 "nvidia-smi finds no GPU here; record on a machine that has one"
ncu=$(command -v ncu || echo /usr/local/cuda/bin/ncu)
[ -x "$ncu" ] || fail 3 "ncu is not here; it comes with the CUDA toolkit (package nsight-compute)"

path_of() { # path_of PROGRAM
  [ "$1" = golden ] && echo "$build/emulator/tests/golden/golden" || echo "$build/chapters/$1/$1"
}
# The size of a chapter's steps: small, and a multiple of little.
options_of() {
  case $1 in
  01_hello_threads) echo '--n 10007 --block 256' ;;
  02_memory_hierarchy | 07_streams) echo '--n 100003' ;;
  03_coalescing_transpose) echo '--n 500x1028' ;;
  04_shared_memory_banks) echo '--n 127x250' ;;
  05_reduction | 06_atomics | 08_unified_memory | 10_warp_primitives) echo '--n 100003 --block 256' ;;
  09_matmul) echo '--n 132x260' ;;
  11_occupancy) echo '--n 8191' ;; # no more blocks than fit on either device
  *) return 1 ;;
  esac
}
# Demos whose launches are the same on every device. (bandwidth launches nothing, shared_limit what
# the device just allows; finish, waves and registers have another grid on the emulator; how often a
# thread tries again, or looks at a flag, is another number each time; and a demo of a race is a hazard.)
demos_of() {
  case $1 in
  02_memory_hierarchy) echo latency constants statics local read_only textures filtering clocks transfer ;;
  03_coalescing_transpose) echo strides offsets walks structures partition_camping ;;
  04_shared_memory_banks) echo bank_map strides broadcast reduction_rounds ;;
  06_atomics) echo block_mean aggregated ;;
  07_streams) echo callbacks ;;
  08_unified_memory) echo first_touch orders advice passes ;;
  10_warp_primitives) echo shuffles votes segments groups ;;
  11_occupancy) echo sweep gaps carveout ;;
  esac
}
# The same for one step: tiles that look back at one another do so another number of times each time,
# so there is but one tile.
options_of_step() {
  case $1:$2 in
  10_warp_primitives:v[4-8]_*) echo '--n 251 --block 256' ;;
  *) options_of "$1" ;;
  esac
}
# Steps that are left out: those that measure before they decide.
left_out_of() {
  case $1 in
  07_streams) echo '^v[56]_' ;;
  *) echo '^$' ;;
  esac
}
for program in "${programs[@]}"; do
  [ "$program" = golden ] || options_of "$program" >/dev/null ||
    fail 2 "there are no options for $program: use golden or one of ${everything[*]:1}"
  [ -x "$(path_of "$program")" ] ||
    fail 2 "$(path_of "$program") is not built; run: cmake --preset gpu && cmake --build --preset gpu"
done

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# Our name of a quantity, then the hardware's: of several, the first one that this GPU has is taken.
# Sums over several counters are written with +.
# (Wavefronts of instructions come before those of the pipe, which also has those that were repeated
# because data arrived in the L1, in the same banks, at that moment: another number each time.)
quantities='
global_load_requests    l1tex__t_requests_pipe_lsu_mem_global_op_ld
global_load_sectors     l1tex__t_sectors_pipe_lsu_mem_global_op_ld
global_store_requests   l1tex__t_requests_pipe_lsu_mem_global_op_st
global_store_sectors    l1tex__t_sectors_pipe_lsu_mem_global_op_st
global_atomic_requests  l1tex__t_requests_pipe_lsu_mem_global_op_atom+l1tex__t_requests_pipe_lsu_mem_global_op_red
global_atomic_sectors   l1tex__t_sectors_pipe_lsu_mem_global_op_atom+l1tex__t_sectors_pipe_lsu_mem_global_op_red
shared_load_requests    smsp__sass_inst_executed_op_shared_ld smsp__inst_executed_op_shared_ld
shared_load_wavefronts  smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld
shared_store_requests   smsp__sass_inst_executed_op_shared_st smsp__inst_executed_op_shared_st
shared_store_wavefronts smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st
shared_atomic_requests  smsp__sass_inst_executed_op_shared_atom smsp__inst_executed_op_shared_atom
shared_atomic_wavefronts smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_atom l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom
'
"$ncu" --query-metrics 2>/dev/null | awk '{ print $1 }' >"$work/known"
[ -s "$work/known" ] || fail 1 "ncu --query-metrics lists nothing"

chosen=() # "name counter+counter"
while read -r name candidates; do
  for candidate in $candidates; do
    all=1
    for counter in ${candidate//+/ }; do
      grep -qx "$counter" "$work/known" || all=0
    done
    if [ $all -eq 1 ]; then
      chosen+=("$name $candidate")
      continue 2
    fi
  done
  [ -z "$name" ] || printf 'record_counters: this GPU counts no %s\n' "$name" >&2
done <<<"$quantities"
metrics=$(printf '%s\n' "${chosen[@]}" | cut -d ' ' -f 2 | tr '+' '\n' | sed 's/$/.sum/' | paste -sd ,)

# Reads ncu's CSV (a row of names, one of units, a row for each launch); prints the launches as the
# elements of a JSON array.
cat >"$work/to_json.awk" <<'AWK'
function fields(line, into,    n, rest) { # splits "a","b, c",… ; returns how many
  n = 0
  rest = substr(line, 2, length(line) - 2)
  return split(rest, into, /","/)
}
function number(text) { gsub(/,/, "", text); return text + 0 }
BEGIN { count = split(chosen, quantity, "|") }
/^"ID"/ { n = fields($0, header); for (i = 1; i <= n; ++i) column[header[i]] = i; next }
!/^"[0-9]/ { next }
{
  fields($0, value)
  kernel = value[column["Kernel Name"]]
  gsub(/["\\]/, "", kernel)
  row = sprintf("{\"kernel\": \"%s\"", kernel)
  for (q = 1; q <= count; ++q) {
    split(quantity[q], part, " ")
    sum = 0
    m = split(part[2], counter, "+")
    for (c = 1; c <= m; ++c) sum += number(value[column[counter[c] ".sum"]])
    row = row sprintf(", \"%s\": %d", part[1], sum)
  }
  printf "%s      %s}", (rows++ ? ",\n" : ""), row
}
END { if (!rows) exit 1 }
AWK

mkdir -p "$work/runs"
# What is kept of an older record: one file of runs for each program, its golden cases, its device's
# multiprocessors.
sms=0
if [ -s "$out" ]; then
  sed -n '/^  "cases": \[/,/^  \]/{/^    "/p}' "$out" >"$work/cases"
  sms=$(sed -n 's/^  "sms": \([0-9]*\),$/\1/p' "$out")
  awk -v folder="$work/runs/" '
    /^    {"program": "/ { split($0, part, "\""); file = folder part[4] }
    file != "" { sub(/^    \]},$/, "    ]}"); print > file }
    /^    \]}/ { file = "" }' "$out"
fi

number=0
# profile PROGRAM STEP COMMAND…: one run, as $work/run_NUMBER. ncu has the GPU one run after the
# other; what it found is read meanwhile.
profile() {
  local program=$1 step=$2 run
  shift 2
  number=$((number + 1))
  run=$work/run_$(printf %03d $number)
  "$ncu" --clock-control none --metrics "$metrics" -f -o "$run" "$@" >"$run.log" 2>&1 ||
    { cat "$run.log" >&2; fail 1 "$* failed under ncu"; }
  {
    "$ncu" --import "$run.ncu-rep" --csv --page raw --print-units base >"$run.csv" 2>"$run.log"
    printf '    {"program": "%s", "step": "%s", "args": "%s", "launches": [\n' "$program" "$step" "${*:2}"
    LC_ALL=C awk -v chosen="$(printf '%s|' "${chosen[@]}" | sed 's/|$//')" -f "$work/to_json.awk" \
      "$run.csv" || echo "$program $step" >>"$work/failed"
    printf '\n    ]}\n'
  } >"$run.json" &
  printf '%s %s\n' "$program" "$step"
}

for program in "${programs[@]}"; do
  path=$(path_of "$program")
  first=$((number + 1))
  if [ "$program" = golden ]; then
    profile golden "" "$path"
    "$path" | sed 's/.*/    "&"/;$!s/$/,/' >"$work/cases"
  else
    for step in $("$path" --list | awk '$2 == "step" { print $1 }' | grep -v "$(left_out_of "$program")"); do
      # shellcheck disable=SC2046 # options are words
      profile "$program" "$step" "$path" --check-only $(options_of_step "$program" "$step") --only "$step"
    done
    for demo in $(demos_of "$program"); do
      profile "$program" "$demo" "$path" --check-only --only "$demo"
    done
    sms=$("$path" --check-only --only "$step" | sed -n 's/.*[^0-9]\([0-9]*\) SMs.*/\1/p')
  fi
  wait
  if [ -e "$work/failed" ]; then
    head -n 5 "$work"/run_*.csv >&2
    fail 1 "no launch in ncu's report of $(paste -sd , "$work/failed")"
  fi
  for ((run = first; run <= number; ++run)); do
    cat "$work/run_$(printf %03d $run).json"
  done >"$work/runs/$program"
done

mkdir -p "$(dirname "$out")" || exit 1
{
  printf '{\n  "device": "%s",\n' "$(nvidia-smi --query-gpu=name --format=csv,noheader | head -n 1)"
  printf '  "driver": "%s",\n' "$(nvidia-smi --query-gpu=driver_version --format=csv,noheader | head -n 1)"
  printf '  "ncu": "%s",\n' "$("$ncu" --version | sed -n 's/^Version \([^ ]*\).*/\1/p')"
  printf '  "sms": %s,\n' "${sms:-0}"
  printf '  "cases": [\n%s\n  ],\n' "$(cat "$work/cases" 2>/dev/null)"
  printf '  "runs": [\n'
  # golden first, then the chapters by number
  for program in golden $(cd "$work/runs" && ls | grep -vx golden); do
    [ ! -e "$work/runs/$program" ] || cat "$work/runs/$program"
  done | sed 's/^    \]}$/&,/;$s/,$//'
  printf '  ]\n}\n'
} >"$work/record" && cp "$work/record" "$out" || fail 1 "cannot write $out"
echo "counters: $out"
