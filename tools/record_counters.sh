#!/usr/bin/env bash
# Records what the hardware's counters say: tools/record_counters.sh OUT [BUILD]
#
#   OUT    the JSON file to write, such as emulator/tests/golden/nvidia-h200.json
#   BUILD  build folder of the gpu preset (default: build/gpu). It may come from another machine
#
# Runs the golden kernels, and every step of chapters 01 and 05 at a small size, once each under
# Nsight Compute (ncu), and sums up requests, sectors and wavefronts of each run. The emulator is held
# against them by compare_counters (tools/compare_counters/), whose table stands in
# emulator/README.md.
#
# Exit: 0 recorded, 1 a program or ncu failed, 2 wrong usage, 3 no GPU or no ncu.
set -u

if [ $# -lt 1 ] || [ $# -gt 2 ] || [ "${1#-}" != "$1" ]; then
  sed -n '2,/^set -u/{/^set -u/d;s/^# \{0,1\}//;p}' "$0" >&2
  exit 2
fi
out=$1
build=${2:-build/gpu}

fail() { # fail CODE MESSAGE
  printf 'record_counters: %s\n' "$2" >&2
  exit "$1"
}
nvidia-smi -L >/dev/null 2>&1 || fail 3 "nvidia-smi finds no GPU here; record on a machine that has one"
ncu=$(command -v ncu || echo /usr/local/cuda/bin/ncu)
[ -x "$ncu" ] || fail 3 "ncu is not here; it comes with the CUDA toolkit (package nsight-compute)"
golden=$build/emulator/tests/golden/golden
[ -x "$golden" ] || fail 2 "$golden is not built; run: cmake --preset gpu && cmake --build --preset gpu"

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# Our name of a quantity, then the hardware's: of several, the first one that this GPU has is taken.
# Sums over several counters are written with +.
quantities='
global_load_requests    l1tex__t_requests_pipe_lsu_mem_global_op_ld
global_load_sectors     l1tex__t_sectors_pipe_lsu_mem_global_op_ld
global_store_requests   l1tex__t_requests_pipe_lsu_mem_global_op_st
global_store_sectors    l1tex__t_sectors_pipe_lsu_mem_global_op_st
global_atomic_requests  l1tex__t_requests_pipe_lsu_mem_global_op_atom+l1tex__t_requests_pipe_lsu_mem_global_op_red
global_atomic_sectors   l1tex__t_sectors_pipe_lsu_mem_global_op_atom+l1tex__t_sectors_pipe_lsu_mem_global_op_red
shared_load_requests    smsp__sass_inst_executed_op_shared_ld smsp__inst_executed_op_shared_ld
shared_load_wavefronts  l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld
shared_store_requests   smsp__sass_inst_executed_op_shared_st smsp__inst_executed_op_shared_st
shared_store_wavefronts l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st
shared_atomic_requests  smsp__sass_inst_executed_op_shared_atom smsp__inst_executed_op_shared_atom
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

runs=0
# profile PROGRAM_NAME STEP COMMAND…: adds one run to $work/runs.json.
profile() {
  local program=$1 step=$2
  shift 2
  "$ncu" --clock-control none --metrics "$metrics" -f -o "$work/report" "$@" >"$work/log" 2>&1 ||
    { cat "$work/log" >&2; fail 1 "$* failed under ncu"; }
  "$ncu" --import "$work/report.ncu-rep" --csv --page raw --print-units base >"$work/csv" 2>"$work/log" ||
    { cat "$work/log" >&2; fail 1 "ncu cannot read its own report"; }
  LC_ALL=C awk -v chosen="$(printf '%s|' "${chosen[@]}" | sed 's/|$//')" -f "$work/to_json.awk" \
    "$work/csv" >"$work/launches" || { head -n 5 "$work/csv" >&2; fail 1 "no launch in ncu's report of $*"; }
  {
    [ $runs -eq 0 ] || printf ',\n'
    printf '    {"program": "%s", "step": "%s", "args": "%s", "launches": [\n' "$program" "$step" "${*:2}"
    cat "$work/launches"
    printf '\n    ]}'
  } >>"$work/runs.json"
  runs=$((runs + 1))
  printf '%s %s: %d launches\n' "$program" "$step" "$(grep -c . "$work/launches")"
}

profile golden "" "$golden"
for chapter in "01_hello_threads --n 10007" "05_reduction --n 100003"; do
  name=${chapter%% *}
  program=$build/chapters/$name/$name
  [ -x "$program" ] || fail 2 "$program is not built; run: cmake --preset gpu && cmake --build --preset gpu"
  for step in $("$program" --list | awk '$1 ~ /^v[0-9]/ { print $1 }'); do
    # shellcheck disable=SC2086 # options are words
    profile "$name" "$step" "$program" --check-only ${chapter#* } --block 256 --only "$step"
  done
done

mkdir -p "$(dirname "$out")" || exit 1
{
  printf '{\n  "device": "%s",\n' "$(nvidia-smi --query-gpu=name --format=csv,noheader | head -n 1)"
  printf '  "driver": "%s",\n' "$(nvidia-smi --query-gpu=driver_version --format=csv,noheader | head -n 1)"
  printf '  "ncu": "%s",\n' "$("$ncu" --version | sed -n 's/^Version \([^ ]*\).*/\1/p')"
  printf '  "cases": [\n%s\n  ],\n' "$("$golden" | sed 's/.*/    "&"/;$!s/$/,/')"
  printf '  "runs": [\n%s\n  ]\n}\n' "$(cat "$work/runs.json")"
} >"$out" || fail 1 "cannot write $out"
echo "counters: $out"
