#!/usr/bin/env bash
# Records what the hardware's counters say: tools/record_counters.sh [--reasons] OUT [BUILD] [PROGRAM…]
#
#   OUT      the JSON file to write, such as emulator/tests/golden/nvidia-h200.json, or with --reasons
#            docs/results/nvidia-h200_reasons.json
#   BUILD    build folder of the gpu preset (default: build/gpu). It may come from another machine
#   PROGRAM  golden, or a chapter such as 05_reduction (default: golden and the chapters that have
#            options below). What OUT already holds of other programs stays
#
# Runs the golden kernels, and every step and most demos of the chapters at a small size, once each
# under Nsight Compute (ncu), and sums up requests, sectors and wavefronts of each run. The emulator
# is held against them by compare_counters (tools/compare_counters/), whose table stands in
# docs/emulator_counters.md.
#
# With --reasons: every step at the size of its timed run, and of its launches the longest: what its
# warps wait for, how busy each unit is, registers, occupancy, bytes. Lessons show these (marker
# "evidence").
#
# RECORD_STEPS='^v6_|^v7_' records these steps (and demos) alone; what OUT holds of the others stays.
#
# Exit: 0 recorded, 1 a program or ncu failed, 2 wrong usage, 3 no GPU or no ncu.
set -u

if [ $# -lt 1 ] || { [ "${1#-}" != "$1" ] && { [ "$1" != --reasons ] || [ $# -lt 2 ]; }; }; then
  sed -n '2,/^set -u/{/^set -u/d;s/^# \{0,1\}//;p}' "$0" >&2
  exit 2
fi
mode=counters
if [ "$1" = --reasons ]; then
  mode=reasons
  shift
fi
out=${1:-}
build=${2:-build/gpu}
shift; [ $# -gt 0 ] && shift
everything=(golden 01_hello_threads 02_memory_hierarchy 03_coalescing_transpose
  04_shared_memory_banks 05_reduction 06_atomics 07_streams 08_unified_memory
  09_matmul 10_warp_primitives 11_occupancy)
[ $mode = counters ] || everything=("${everything[@]:1}") # golden has no timed run
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
# The size of a chapter's steps: with --reasons that of its (first) timed run, else small, and a
# multiple of little.
options_of() {
  if [ $mode = reasons ]; then
    timed_options_of "$1"
    return
  fi
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
# What the program takes by itself where the timed run names no size; given, so that nothing smaller
# is checked besides.
timed_options_of() {
  local size=
  [ -x "$(path_of "$1")" ] || return 0
  case $1 in
  02_memory_hierarchy) size=2^25 ;;
  03_coalescing_transpose) size=8192 ;;
  12_multi_gpu) size=2^26 ;;
  esac
  "$(path_of "$1")" --help | sed -n "s/^  --\(n\) N .*(default \([0-9]*\))\$/--\1 ${size:-\\2}/p
    s/^  --\(block\) B .*(default \([0-9]*\))\$/--\1 \2/p" | paste -sd ' '
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
  case $mode:$1:$2 in
  counters:10_warp_primitives:v[4-8]_*) echo '--n 251 --block 256' ;;
  reasons:10_warp_primitives:v[78]_*) options_of "$1" | sed 's/--block .*/--block 1024/' ;; # as timed
  *) options_of "$1" ;;
  esac
}
# Steps that are left out: those that measure before they decide.
left_out_of() {
  case $mode:$1 in
  counters:07_streams) echo '^v[56]_' ;;
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
# Sums over several counters are written with +. Without a suffix it is the counter's .sum.
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
# Stalls: cycles that a warp spends in each state per instruction issued; together they are the cycles
# between two instructions of one warp. Units: percent of what each can do at most.
if [ $mode = reasons ]; then
  quantities='
ns gpu__time_duration.sum
registers launch__registers_per_thread
threads launch__thread_count
blocks launch__grid_size
block launch__block_size
occupancy sm__warps_active.avg.pct_of_peak_sustained_active
instructions smsp__inst_executed.sum
lanes smsp__thread_inst_executed_per_inst_executed.ratio
ipc sm__inst_executed.avg.per_cycle_active
eligible smsp__warps_eligible.avg.per_cycle_active
l1_hit l1tex__t_sector_hit_rate.pct
l2_hit lts__t_sector_hit_rate.pct
dram_read dram__bytes_read.sum
dram_written dram__bytes_write.sum
l2_sectors lts__t_sectors.sum
unit_dram dram__throughput.avg.pct_of_peak_sustained_elapsed gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed
unit_l2 lts__throughput.avg.pct_of_peak_sustained_elapsed
unit_l1 l1tex__throughput.avg.pct_of_peak_sustained_elapsed
unit_shared l1tex__data_pipe_lsu_wavefronts_mem_shared.avg.pct_of_peak_sustained_elapsed
unit_lsu sm__inst_executed_pipe_lsu.avg.pct_of_peak_sustained_elapsed
unit_issue sm__inst_issued.avg.pct_of_peak_sustained_elapsed
unit_fma sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_elapsed sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_elapsed
unit_alu sm__pipe_alu_cycles_active.avg.pct_of_peak_sustained_elapsed sm__inst_executed_pipe_alu.avg.pct_of_peak_sustained_elapsed
unit_fp64 sm__pipe_fp64_cycles_active.avg.pct_of_peak_sustained_elapsed sm__inst_executed_pipe_fp64.avg.pct_of_peak_sustained_elapsed
unit_xu sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_elapsed
unit_atomics lts__d_atomic_input_cycles_active.avg.pct_of_peak_sustained_elapsed
'
  for reason in selected not_selected long_scoreboard short_scoreboard barrier membar wait \
    mio_throttle lg_throttle tex_throttle math_pipe_throttle dispatch_stall branch_resolving \
    no_instruction imc_miss drain sleeping misc; do
    metric=smsp__average_warps_issue_stalled_$reason
    quantities+="stall_${reason%_stall} ${metric}_per_issue_active.ratio
"
  done
fi
"$ncu" --query-metrics 2>/dev/null | awk '{ print $1 }' >"$work/known"
[ -s "$work/known" ] || fail 1 "ncu --query-metrics lists nothing"

chosen=() # "name counter+counter"
while read -r name candidates; do
  for candidate in $candidates; do
    all=1
    for counter in ${candidate//+/ }; do
      [[ $counter == launch__* ]] || grep -qx "${counter%%.*}" "$work/known" || all=0
    done
    if [ $all -eq 1 ]; then
      chosen+=("$name $candidate")
      continue 2
    fi
  done
  [ -z "$name" ] || printf 'record_counters: this GPU counts no %s\n' "$name" >&2
done <<<"$quantities"
metrics=$(printf '%s\n' "${chosen[@]}" | cut -d ' ' -f 2 | tr '+' '\n' |
  sed '/^launch__/!{/\./!s/$/.sum/}' | paste -sd ,)

# Reads ncu's CSV (a row of names, one of units, a row for each launch); prints the launches as the
# elements of a JSON array.
cat >"$work/to_json.awk" <<'AWK'
function fields(line, into,    n, rest) { # splits "a","b, c",… ; returns how many
  n = 0
  rest = substr(line, 2, length(line) - 2)
  return split(rest, into, /","/)
}
function number(text) { gsub(/,/, "", text); return text + 0 }
function full(name) { return name ~ /^launch__|\./ ? name : name ".sum" }
function as_text(x) { return x == int(x) ? sprintf("%d", x) : sprintf("%.6g", x) }
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
    for (c = 1; c <= m; ++c) {
      if (!(full(counter[c]) in column)) exit rows = 0 # END says so
      sum += number(value[column[full(counter[c])]])
    }
    row = row sprintf(", \"%s\": %s", part[1], as_text(sum))
    if (part[1] == "ns") time = sum
  }
  if (!longest_only)
    printf "%s      %s}", (rows ? ",\n" : ""), row
  else if (!rows || time > longest) {
    longest = time
    kept = row
  }
  ++rows
}
END {
  if (!rows) exit 1
  if (longest_only) printf "      %s}", kept
}
AWK

mkdir -p "$work/runs"
# What is kept of an older record: a file for each run, their order, its golden cases, its device's
# multiprocessors.
sms=0
if [ -s "$out" ]; then
  sed -n '/^  "cases": \[/,/^  \]/{/^    "/p}' "$out" >"$work/cases" # none where reasons are kept
  sms=$(sed -n 's/^  "sms": \([0-9]*\),$/\1/p' "$out")
  awk -v folder="$work/runs/" '
    /^    {"program": "/ {
      split($0, part, "\"")
      file = folder part[4] ":" part[8]
      print part[8] >(folder part[4])
    }
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
  # With --reasons what the step itself launches (lab::ObservedPart names it), not its check; and the
  # first launches are enough: a step that makes dozens makes the same ones again.
  local scope=()
  [ $mode = counters ] || scope=(--nvtx --nvtx-include "$step/" --launch-count 12)
  "$ncu" --clock-control none "${scope[@]}" --metrics "$metrics" -f -o "$run" "$@" >"$run.log" 2>&1 ||
    grep -q 'No kernels were profiled' "$run.log" ||
    { cat "$run.log" >&2; fail 1 "$* failed under ncu"; }
  if [ $mode = reasons ] && grep -q 'No kernels were profiled' "$run.log"; then # it copies, or the host works
    printf '    {"program": "%s", "step": "%s", "args": "%s", "launches": [\n    ]}\n' \
      "$program" "$step" "${*:2}" >"$work/runs/$program:$step"
    printf '%s %s, no kernel\n' "$program" "$step"
    return
  fi
  {
    "$ncu" --import "$run.ncu-rep" --csv --page raw --print-units base >"$run.csv" 2>"$run.log"
    printf '    {"program": "%s", "step": "%s", "args": "%s", "launches": [\n' "$program" "$step" "${*:2}"
    LC_ALL=C awk -v longest_only=$([ $mode = counters ] || echo 1) -f "$work/to_json.awk" \
      -v chosen="$(printf '%s|' "${chosen[@]}" | sed 's/|$//')" "$run.csv" || echo "$program $step" >>"$work/failed"
    printf '\n    ]}\n'
  } >"$work/runs/$program:$step" &
  printf '%s %s\n' "$program" "$step"
}

wanted() { grep -E "${RECORD_STEPS:-.}" || :; }
for program in "${programs[@]}"; do
  path=$(path_of "$program")
  if [ "$program" = golden ]; then
    echo >"$work/runs/golden" # one run, which has no name
    profile golden "" "$path"
    "$path" | sed 's/.*/    "&"/;$!s/$/,/' >"$work/cases"
  else
    steps=$("$path" --list | awk '$2 == "step" { print $1 }' | grep -v "$(left_out_of "$program")")
    demos=
    [ $mode = reasons ] || demos=$(demos_of "$program" | tr ' ' '\n')
    printf '%s\n' $steps $demos >"$work/runs/$program"
    for step in $(wanted <<<"$steps"); do
      # shellcheck disable=SC2046 # options are words
      profile "$program" "$step" "$path" --check-only $(options_of_step "$program" "$step") --only "$step"
    done
    for demo in $(wanted <<<"$demos"); do
      profile "$program" "$demo" "$path" --check-only --only "$demo"
    done
    [ $mode = reasons ] || sms=$("$path" --check-only --only "${steps%%$'\n'*}" |
      sed -n 's/.*[^0-9]\([0-9]*\) SMs.*/\1/p')
  fi
  wait
  if [ -e "$work/failed" ]; then
    head -n 5 "$work"/run_*.csv >&2
    fail 1 "no launch in ncu's report of $(paste -sd , "$work/failed")"
  fi
done

mkdir -p "$(dirname "$out")" || exit 1
{
  printf '{\n  "device": "%s",\n' "$(nvidia-smi --query-gpu=name --format=csv,noheader | head -n 1)"
  printf '  "driver": "%s",\n' "$(nvidia-smi --query-gpu=driver_version --format=csv,noheader | head -n 1)"
  printf '  "ncu": "%s",\n' "$("$ncu" --version | sed -n 's/^Version \([^ ]*\).*/\1/p')"
  if [ $mode = counters ]; then
    printf '  "sms": %s,\n' "${sms:-0}"
    printf '  "cases": [\n%s\n  ],\n' "$(cat "$work/cases" 2>/dev/null)"
  else
    printf '  "date": "%s",\n' "$(date -u +%F)"
  fi
  printf '  "runs": [\n'
  # golden first, then the chapters by number
  for program in golden $(cd "$work/runs" && ls | grep -v -e : -e '^golden$'); do
    [ ! -e "$work/runs/$program" ] || while IFS= read -r step; do
      [ ! -e "$work/runs/$program:$step" ] || cat "$work/runs/$program:$step"
    done <"$work/runs/$program"
  done | sed 's/^    \]}$/&,/;$s/,$//'
  printf '  ]\n}\n'
} >"$work/record" && cp "$work/record" "$out" || fail 1 "cannot write $out"
echo "counters: $out"
