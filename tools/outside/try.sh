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
# more devices, with two, then with four. Programs whose size there is meant for a GPU, or whose data nobody ships, run
# once, with the arguments and files of arguments.txt. Of what is wrong then, the instruments tell what the program
# itself does wrong, in a few blocks of each launch. What was printed is left in BUILD/outside/COLLECTION/PROGRAM/, and
# the result, too: started again, this goes on with what has no result of this commit of the emulator and these
# arguments. OUT.json keeps of each program what it gave when it was first tried, if that was something else, and its
# limit of CPU seconds, if it was tried alone with another one than its sample.
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
emulator=$(cd "$here/../../emulator" && git log -1 --format=%h --abbrev=7 -- . &&
  [ -z "$(git status --porcelain -- . | head -n 1)" ]) || emulator=${emulator:+$emulator and changes}
export BF_BUILD here checkouts nvcc limit offset emulator

trim() { sed 's/^ *//; s/ *$//'; }
fields() { IFS='|' read -r collection repository commit every kind pattern options < <(sed 's/ *| */|/g' <<<"$1"); }

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

# Builds the program at $path with the nvcc that OUTSIDE_COMPILER names, into $work/$1.
build() { # build NAME
  local target
  case $kind in
  file)
    cd "$(dirname "$path")" || return 1
    # shellcheck disable=SC2086
    "$here/nvcc" $options "$(basename "$path")" -lm -o "$work/$1"
    ;;
  cmake)
    cd "$path" || return 1
    # shellcheck disable=SC2046,SC2086
    "$here/nvcc" $options -I . -I inc -rdc=true --extended-lambda -Xcompiler -fopenmp \
      $(sed 's/#.*//' CMakeLists.txt | tr '\n' ' ' | grep -oE 'add_executable\([^)]*' | sed 1q | grep -oE '[^ ]+\.(cu|cpp|cc|c)( |$)' | sort -u) \
      -o "$work/$1"
    ;;
  make)
    cd "$path" || return 1
    target=$(run_command)
    target=${target%% *}
    rm -f "$target" && touch "$work/before"
    PATH=$here:$PATH timeout 600 make -B CC=nvcc NVCC=nvcc ARCH=sm_90 ${options:+"INCLUDES=$options"} || return 1
    [ -n "$target" ] || target=$(find . -maxdepth 1 -type f -executable -newer "$work/before" | sort | sed 1q)
    [ -n "$target" ] || { echo "its Makefile makes no program here" && return 1; }
    mv "$target" "$work/$1"
    ;;
  esac
}
# How the program's Makefile runs it: `./main 100 10`.
run_command() { PATH=$here:$PATH make -n -B run CC=nvcc NVCC=nvcc 2>/dev/null | grep -oE '^ *\./[A-Za-z0-9_.-]+( [^;&|>]*)?$' | sed 's/^ *//; 1q'; }

# What a program's exit status and output say: right, or what is wrong.
judge() { # judge STATUS OUTPUT
  local bad='FAIL|\bFail\b|[Ff]ailed|[Mm]ismatch|MISMATCH|not match|not correct|[Ii]ncorrect|INCORRECT|[Ww]rong|Has errors|\b[Uu]n(suc)?cess|CUDA error|❌'
  if [ "$1" -eq 152 ]; then # SIGXCPU
    echo "too long"
  elif [ "$1" -eq 124 ] || [ "$1" -eq 137 ]; then # the limit of the kernel counts ticks, and may miss some
    [ "$(cpu_seconds)" -ge $((limit * 9 / 10)) ] && echo "too long" || echo "no end in $((10 * limit)) s"
  elif grep -qiE 'cannot (open|read)|can.t open|was not opened|unable to (open|read|load)|failed to (open|read|load)|could not (open|read|load|find)|error opening|error reading|No such file' "$2"; then
    echo "no data"
  elif [ "$1" -ne 0 ] && grep -qE '^ *[Uu]sage' "$2"; then
    echo "no data"
  elif [ "$1" -ne 0 ]; then
    echo "exit status $1: $(tail -n 1 "$2" | cut -c 1-150)"
  else # mismatches of sequences are their own: behind an alignment's CIGAR string, and where such as have some are sought
    bad=$(sed -E 's/(\b[0-9]+M \([0-9]+|>=[0-9]+) mismatch(es)?\b//' "$2" |
      grep -vE '\b0 (mis|fail|err|wrong)|(mismatch|fail|error|FAIL|Mismatch)[A-Za-z -]*[:=] *(0\b|-[0-9])' |
      grep -m 1 -E "$bad" | cut -c 1-150)
    echo "${bad:+says }${bad:-right}"
  fi
}

# User's and system's seconds of what ran last.
cpu_seconds() { awk '{ print int($1 + $2 + 0.5) }' "$work/seconds"; }

run() { # run ARGUMENTS
  local folder=$path TIMEFORMAT='%U %S' status
  [ "$kind" != file ] || folder=$(dirname "$path")
  { # bash writes the times where the group's errors go, not the command's
    time {
      # shellcheck disable=SC2086
      (cd "$folder" && ulimit -c 0 && ulimit -S -t "$limit" &&
        EMU_TIMEOUT=$((10 * limit)) exec timeout -k 5 $((10 * limit)) "$work/ours" $1) >"$work/output.txt" 2>&1 </dev/null
      status=$?
    }
  } 2>"$work/seconds"
  judge $status "$work/output.txt"
}

# What the instruments find wrong in the program that is; nothing where they find nothing.
hazard_of() { # hazard_of ARGUMENTS CPU-SECONDS
  local folder=$path
  [ "$kind" != file ] || folder=$(dirname "$path")
  (EMU_OBSERVED=1 build observed) >"$work/observed.txt" 2>&1 && [ -x "$work/observed" ] || return
  # shellcheck disable=SC2086
  (cd "$folder" && ulimit -c 0 && ulimit -S -t "$2" && EMU_TIMEOUT=0 EMU_OBSERVE=1 EMU_OBSERVE_BLOCKS=4 \
    EMU_OBSERVE_JSON=$work/observed.json exec "$work/observed" $1) >>"$work/observed.txt" 2>&1 </dev/null
  rm -f "$work/observed"
  jq -r '[.hazards[] | select(.warning | not)][0] // empty |
    "\(.file | split("/")[-1]):\(.line): \(.message)"' "$work/observed.json" 2>/dev/null
}

first_error() { # first_error FILE
  grep -m 1 -oE "(error|fatal error|undefined reference)[: ].*" "$1" | cut -c 1-200 || tail -n 1 "$1" | cut -c 1-200
}
# The line of arguments.txt for the program at $path, without its name; nothing where it has none.
line_of_ours() {
  awk -F' *[|] *' -v name="$collection/$path" '$1 == name { sub(/^[^|]*[|] */, ""); print; exit }' "$here/arguments.txt"
}
# Makes the files that the program's arguments of ours name.
make_data() { # make_data COMMAND
  local folder=$path
  [ "$kind" != file ] || folder=$(dirname "$path")
  mkdir -p "$work/data" && (cd "$folder" && bash -c "${1//DATA/$work/data}") >"$work/data.txt" 2>&1 </dev/null
}

# The libraries behind what does not link: their functions' common beginnings.
libraries() { # libraries FILE
  grep -oE "undefined reference to \`[^'(]*" "$1" | sed "s/.*\`//" |
    sed -E 's/^(cublas|cufft|curand|cusparse|cusolver|cudnn|npp|nvrtc|nvml|nvjpeg|nccl|gl|glut|MPI_|omp_|cu)[A-Z_a-z].*/\1/' |
    sort | uniq -c | sort -rn | head -n 3 | sed 's/^ *[0-9]* //' | paste -sd ' '
}

# One program: prints its line of JSON.
try_one() { # try_one LINE-OF-COLLECTIONS PATH
  local collection repository commit every kind pattern options path=$2 work accepted="" ours="" result="" seconds=0 arguments="" fewer hazard=""
  local chosen command devices
  fields "$1"
  cd "$checkouts/$collection" || exit 3
  options=$(sed "s|-I \([^/ ]\)|-I $checkouts/$collection/\1|g" <<<"$options")
  work=$BF_BUILD/outside/$collection/${path//[\/ ]/.}
  mkdir -p "$work" || exit 3
  IFS='|' read -r chosen command < <(line_of_ours)
  chosen=$(trim <<<"$chosen")
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
      if [ "$chosen" ]; then
        make_data "$command"
        fewer=${chosen//DATA/$work/data}
        result=$(run "$fewer")
      else
        [ "$kind" != make ] || arguments=$(cd "$path" && run_command | sed 's/^[^ ]* *//; s/  *$//')
        fewer=$(sed -E 's/[0-9]+$/1/' <<<"$arguments")
        result=$(run "$fewer")
        if [ "$result" != right ] && [[ $arguments =~ [0-9]$ ]]; then
          case $result in too*) ;; *) result=$(run "$arguments") ;; esac
        fi
        for devices in 2 4; do
          grep -qE 'invalid device ordinal|at least two .*devices' "$work/output.txt" || break
          export EMU_DEVICES=$devices
          result=$(run "$fewer")
        done
        # Arguments that nobody says, and data that HeCBench keeps elsewhere.
        case $kind:$result in "file:exit status"*) grep -q 'argv\[1\]' "$path" && result="no data" ;; esac
        case $result in right | too*) ;; *) ls "$path"/*.dvc >/dev/null 2>&1 && result="no data" ;; esac
      fi
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
export -f try_one build run_command judge run cpu_seconds hazard_of first_error line_of_ours make_data libraries fields trim

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
    tr '\n' '\0' | xargs -0 -P "${OUTSIDE_JOBS:-2}" -I '{}' bash -c 'try_one "$0" "$1"' "$line" '{}' |
    tee -a "$results" | jq --unbuffered -r '[.collection, .program, .nvcc, .compiles, .runs, .seconds, .hazard] | join(" | ")'
done <"$here/collections.txt"
[ -s "$results" ] || fail 2 "no program matches ${OUTSIDE_COLLECTIONS:-} ${OUTSIDE_ONLY:-}"
[ $# -ge 3 ] || exit 0
[ -s "$3" ] || echo '{"collections": [], "programs": []}' >"$3"
jq --slurpfile collections "$results.commits" --slurpfile tried "$results" \
  --arg only "${OUTSIDE_ONLY:-}" '
  def at($key; key): map(key) | index([$key]);
  . as $before | (reduce $collections[] as $one ($before.collections;
     at([$one.collection, $one.offset]; [.collection, .offset]) as $at |
     if $at == null or $only == "" then .[$at // length] = $one else . end)) as $collections |
  {$collections,
   programs: (reduce ($tried[] | [.collection, .offset, .limit] as $key |
     if $collections | at($key; [.collection, .offset, .cpu_limit_s]) then del(.limit) else . end) as $one ($before.programs;
     at([$one.collection, $one.program]; [.collection, .program]) as $at | .[$at // length] |=
       ((.first // .) as $first | $one +
         if $first == null or ($first.compiles == $one.compiles and $first.runs == $one.runs) then {}
         else {first: ($first | {compiles, runs, emulator})} end)) |
     sort_by([.collection, .program]))}' "$3" >"$results.all" &&
  python3 "$here/../../course/tutor/lessons/json_lines.py" "$results.all" &&
  mv "$results.all" "$3"
