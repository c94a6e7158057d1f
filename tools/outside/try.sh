#!/usr/bin/env bash
# Tries other people's programs on the emulator: tools/outside/try.sh BUILD CHECKOUTS [OUT.json]
#
#   BUILD      build folder of the cpu preset, such as build/cpu
#   CHECKOUTS  a folder with clones of the collections that collections.txt names, under those names;
#              programs are built and run in there
#   OUT.json   the results (docs/results/outside_programs.json); what was tried takes the place of what is
#              there of the same programs. table.sh makes a table of it
#
# Of each collection every k-th program is tried, in the order of their paths. Each is built with nvcc for sm_90 and
# linked with CUDA's runtime alone, then for the emulator, and run there, as its Makefile runs it, but with 1 for the
# last argument, which says how often to repeat; where that is not right, as the Makefile says, and where it asks for
# more devices, with two, then with four, for more memory, with an H200's. Programs whose size there is meant for a
# GPU, or whose data nobody ships, run once, with the arguments and files of arguments.txt. Of what is wrong then, the
# instruments tell what the program itself does wrong, in a few blocks of each launch. What was printed is left in
# BUILD/outside/COLLECTION/PROGRAM/, and the result, too: started again, this goes on with what has no result of this
# commit of the emulator and these arguments. OUT.json keeps of each program what it gave when it was first tried, if
# that was something else; its limit of CPU seconds, if it was tried alone with another one than its sample; and what a
# GPU does with it, which on_gpu.py records. How a program is built, run and judged is in programs.sh.
#
# OUTSIDE_NVCC: nvcc. OUTSIDE_CPU_SECONDS: CPU seconds that a program may take (default 120), so that it does not
# matter what else the machine does. Who has not taken as many in ten times as many by the clock is called hanging.
# OUTSIDE_COLLECTIONS, OUTSIDE_ONLY: only collections, only programs whose name and path match this.
# OUTSIDE_OFFSET: another sample, each program so many after one of the first's (default 0, less than k).
# OUTSIDE_HAZARDS=all: the instruments look at what is right, too. OUTSIDE_JOBS: how many at once (default 2).
# CXX: the compiler.
#
# Exit: 0 tried, 2 wrong usage, 3 something is not there.
set -u
export LC_ALL=C.UTF-8

fail() { # fail CODE MESSAGE
  printf 'outside: %s\n' "$2" >&2
  exit "$1"
}
if [ $# -lt 2 ] || [ "${1#-}" != "$1" ]; then
  sed -n '2,/^set -u/{/^set -u/d;s/^# \{0,1\}//;p}' "$0" >&2
  exit 2
fi
here=$(cd "$(dirname "$(readlink -f "$0")")" && pwd) || exit 3
BF_BUILD=$(cd "$1" 2>/dev/null && pwd) || fail 3 "$1: no such folder"
checkouts=$(cd "$2" 2>/dev/null && pwd) || fail 3 "$2: no such folder"
nvcc=${OUTSIDE_NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
[ -x "$nvcc" ] || fail 3 "no nvcc: name it in OUTSIDE_NVCC"
command -v jq >/dev/null || fail 3 "this machine lacks jq; bring it with: apt-get install -y jq"
cmake --install "$BF_BUILD" --component emulator --prefix "$BF_BUILD/outside/emulator" >/dev/null ||
  fail 3 "run: cmake --preset cpu && cmake --build --preset cpu --target emulator_package"
limit=${OUTSIDE_CPU_SECONDS:-120} offset=${OUTSIDE_OFFSET:-0}
patience=$((10 * limit))
emulator=$(cd "$here/../../emulator" && git log -1 --format=%h --abbrev=7 -- . &&
  [ -z "$(git status --porcelain -- . | head -n 1)" ]) || emulator=${emulator:+$emulator and changes}
export BF_BUILD here checkouts nvcc limit patience offset emulator
# shellcheck source=programs.sh
. "$here/programs.sh"

# The paths of a collection's programs, in order.
list_programs() {
  cd "$checkouts/$collection" || exit 3
  find . -path "./$pattern" | sed 's|^\./||' | sort | while IFS= read -r path; do
    case $kind in
    file) grep -qE '\bmain *\(' "$path" ;;
    cmake) grep -q 'add_executable' "$path" ;;
    make) true ;;
    esac && case $kind in file) echo "$path" ;; *) dirname "$path" ;; esac
  done
}

# What the instruments find wrong in the program that is; nothing where they find nothing.
hazard_of() { # hazard_of ARGUMENTS CPU-SECONDS
  (EMU_OBSERVED=1 build observed) >"$work/observed.txt" 2>&1 && [ -x "$work/observed" ] || return
  # shellcheck disable=SC2086
  (cd "$folder" && ulimit -c 0 && ulimit -S -t "$2" && EMU_TIMEOUT=0 EMU_OBSERVE=1 EMU_OBSERVE_BLOCKS=4 \
    EMU_OBSERVE_JSON=$work/observed.json exec "$work/observed" $1) >>"$work/observed.txt" 2>&1 </dev/null
  rm -f "$work/observed"
  jq -r '[.hazards[] | select(.warning | not)][0] // empty |
    "\(.file | split("/")[-1]):\(.line): \(.message)"' "$work/observed.json" 2>/dev/null
}

# The libraries behind what does not link: their functions' common beginnings.
libraries() { # libraries FILE
  grep -oE "undefined reference to \`[^'(]*" "$1" | sed "s/.*\`//" |
    sed -E 's/^(cublas|cufft|curand|cusparse|cusolver|cudnn|npp|nvrtc|nvml|nvjpeg|nccl|gl|glut|MPI_|omp_|cu)[A-Z_a-z].*/\1/' |
    sort | uniq -c | sort -rn | head -n 3 | sed 's/^ *[0-9]* //' | paste -sd ' '
}

# One program: prints its line of JSON.
try_one() { # try_one LINE-OF-COLLECTIONS PATH
  local accepted="" ours="" result="" seconds=0 fewer hazard=""
  take "$1" "$2" "$BF_BUILD/outside"
  if jq -ce --arg emulator "$emulator" --argjson limit "$limit" --arg chosen "$chosen" \
    'select(.emulator == $emulator and .limit == $limit and (.arguments // "") == $chosen)' "$work/result.json" 2>/dev/null; then
    return
  fi
  if [ ! -s "$work/nvcc.verdict" ]; then # nvcc's verdict stays
    if (OUTSIDE_COMPILER=$nvcc build theirs) >"$work/nvcc.txt" 2>&1; then
      echo yes
    elif grep -q 'undefined reference' "$work/nvcc.txt"; then
      echo "needs $(libraries "$work/nvcc.txt")"
    else
      echo "no: $(first_error "$work/nvcc.txt")"
    fi >"$work/nvcc.verdict"
  fi
  accepted=$(cat "$work/nvcc.verdict")
  if [ "$accepted" = yes ]; then
    if (build ours) >"$work/build.txt" 2>&1 && [ -x "$work/ours" ]; then
      ours=yes
      run_there ours
      case $result:${OUTSIDE_HAZARDS:-} in
      too* | "no data"* | right:) ;;
      right:*) hazard=$(hazard_of "$fewer" "$limit") ;;
      *) hazard=$(hazard_of "$fewer" $((5 * limit))) ;;
      esac
      seconds=$(cpu_seconds)
    else
      ours=$(first_error "$work/build.txt")
    fi
    rm -rf "$work/ours" "$work/data"
  fi
  jq -cn --arg collection "$collection" --arg program "$path" --arg nvcc "$accepted" --arg compiles "$ours" \
    --arg runs "$result" --arg hazard "$hazard" --arg arguments "$chosen" --argjson seconds "$seconds" \
    --arg emulator "$emulator" --argjson limit "$limit" --argjson offset "$offset" '$ARGS.named' |
    tee "$work/result.json"
}
export -f try_one hazard_of libraries

results=$(mktemp) || exit 3
trap 'rm -f "$results" "$results.commits" "$results.all"' EXIT
while IFS= read -r line; do
  case $line in '#'* | '') continue ;; esac
  fields "$line"
  grep -qE -- "${OUTSIDE_COLLECTIONS:-.}" <<<"$collection" || continue
  there=$(git -C "$checkouts/$collection" rev-parse --short=7 HEAD 2>/dev/null)
  [ "$there" = "$commit" ] || fail 3 "$checkouts/$collection is not there at $commit: clone $repository, and check it out"
  all=$(list_programs)
  jq -cn --arg collection "$collection" --arg repository "$repository" --argjson programs "$(wc -l <<<"$all")" \
    --argjson every "$every" --argjson offset "$offset" --arg commit "$commit" --argjson cpu_limit_s "$limit" '$ARGS.named' >>"$results.commits"
  awk -v every="$every" -v offset="$offset" 'NR % every == offset' <<<"$all" | grep -E -- "${OUTSIDE_ONLY:-.}" |
    tr '\n' '\0' | xargs -0 -P "${OUTSIDE_JOBS:-2}" -I '{}' bash -c '. "$here/programs.sh" && try_one "$0" "$1"' "$line" '{}' |
    tee -a "$results" | jq --unbuffered -r '[.collection, .program, .nvcc, .compiles, .runs, .seconds, .hazard] | join(" | ")'
done <"$here/collections.txt"
[ -s "$results" ] || fail 2 "no program matches ${OUTSIDE_COLLECTIONS:-} ${OUTSIDE_ONLY:-}"
[ $# -ge 3 ] || exit 0
[ -s "$3" ] || echo '{"collections": [], "programs": []}' >"$3"
jq --slurpfile collections "$results.commits" --slurpfile tried "$results" \
  --arg only "${OUTSIDE_ONLY:-}" '
  def at($key; key): map(key) | index([$key]);
  . as $before | ($collections | map(select([.collection, .offset] | IN($tried[] | [.collection, .offset])))) as $sampled |
  (reduce $sampled[] as $one ($before.collections;
     at([$one.collection, $one.offset]; [.collection, .offset]) as $at |
     if $at == null or $only == "" then .[$at // length] = $one else . end)) as $collections |
  {$collections,
   programs: (reduce ($tried[] | [.collection, .offset, .limit] as $key |
     if $collections | at($key; [.collection, .offset, .cpu_limit_s]) then del(.limit) else . end) as $one ($before.programs;
     at([$one.collection, $one.program]; [.collection, .program]) as $at | .[$at // length] |=
       ((.first // .) as $first | $one +
         if $first == null or ($first.compiles == $one.compiles and $first.runs == $one.runs) then {}
         else {first: ($first | {compiles, runs, emulator})} end +
         if .on_gpu and .arguments == $one.arguments then {on_gpu} else {} end)) |
     sort_by([.collection, .program]))}' "$3" >"$results.all" &&
  python3 "$here/../../course/tutor/lessons/json_lines.py" "$results.all" &&
  mv "$results.all" "$3"
