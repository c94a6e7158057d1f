# shellcheck shell=bash disable=SC2034,SC2154
# How a program of a collection is built, run and judged: what try.sh, on the emulator, and on_gpu.py, on a GPU, share.
#
# Wants $here, this folder; $checkouts, the collections' folder; $limit, a program's CPU seconds, and $patience, its
# seconds by the clock.

trim() { sed 's/^ *//; s/ *$//'; }
fields() { IFS='|' read -r collection repository commit every kind pattern options < <(sed 's/ *| */|/g' <<<"$1"); }

# Goes to a program, and says how it is built and run.
take() { # take LINE-OF-COLLECTIONS PATH FOLDER-FOR-ALL-PROGRAMS
  fields "$1"
  path=$2 work=$3/$collection/${2//[\/ ]/.}
  cd "$checkouts/$collection" && mkdir -p "$work" || exit 3
  options=$(sed "s|-I \([^/ ]\)|-I $checkouts/$collection/\1|g" <<<"$options")
  IFS='|' read -r chosen command < <(line_of_ours)
  chosen=$(trim <<<"$chosen")
  folder=$path
  [ "$kind" != file ] || folder=$(dirname "$path")
}
# The line of arguments.txt for the program at $path, without its name; nothing where it has none.
line_of_ours() {
  awk -F' *[|] *' -v name="$collection/$path" '$1 == name { sub(/^[^|]*[|] */, ""); print; exit }' "$here/arguments.txt"
}

# Builds the program with the nvcc that OUTSIDE_COMPILER names, or else for the emulator, into $work/NAME.
build() { # build NAME
  local target
  cd "$folder" || return 1
  case $kind in
  file)
    # shellcheck disable=SC2086
    "$here/nvcc" $options "$(basename "$path")" -lm -o "$work/$1"
    ;;
  cmake)
    # shellcheck disable=SC2046,SC2086
    "$here/nvcc" $options -I . -I inc -rdc=true --extended-lambda -Xcompiler -fopenmp \
      $(sed 's/#.*//' CMakeLists.txt | tr '\n' ' ' | grep -oE 'add_executable\([^)]*' | sed 1q | grep -oE '[^ ]+\.(cu|cpp|cc|c)( |$)' | sort -u) \
      -o "$work/$1"
    ;;
  make)
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
first_error() { # first_error FILE
  grep -m 1 -oE "(error|fatal error|undefined reference)[: ].*" "$1" | cut -c 1-200 || tail -n 1 "$1" | cut -c 1-200
}

# The lines that say that something failed. Mismatches of sequences are their own: behind an alignment's CIGAR string,
# and where such as have some are sought.
failures() { # failures OUTPUT
  sed -E 's/(\b[0-9]+M \([0-9]+|>=[0-9]+) mismatch(es)?\b//' "$1" |
    grep -avE '\b0 (mis|fail|err|wrong)|(mismatch|fail|error|FAIL|Mismatch)[A-Za-z -]*[:=] *(0\b|-[0-9])' |
    grep -aE 'FAIL|\bFail\b|[Ff]ailed|[Mm]ismatch|MISMATCH|not match|not correct|[Ii]ncorrect|INCORRECT|[Ww]rong|Has errors|\b[Uu]n(suc)?cess|CUDA error|❌'
}
# What a program's exit status and output say: right, or what is wrong.
judge() { # judge STATUS OUTPUT
  local bad
  if [ "$1" -eq 152 ]; then # SIGXCPU
    echo "too long"
  elif [ "$1" -eq 124 ] || [ "$1" -eq 137 ]; then # the limit of the kernel counts ticks, and may miss some
    [ "$(cpu_seconds)" -ge $((limit * 9 / 10)) ] && echo "too long" || echo "no end in $patience s"
  elif grep -qiE 'cannot (open|read)|can.t open|was not opened|unable to (open|read|load)|failed to (open|read|load)|could not (open|read|load|find)|error opening|error reading|No such file' "$2"; then
    echo "no data"
  elif [ "$1" -ne 0 ] && grep -qE '^ *[Uu]sage' "$2"; then
    echo "no data"
  elif [ "$1" -ne 0 ]; then
    echo "exit status $1: $(tail -n 1 "$2" | cut -c 1-150)"
  else
    bad=$(failures "$2" | sed 1q | cut -c 1-150)
    echo "${bad:+says }${bad:-right}"
  fi
}

# User's and system's seconds of what ran last.
cpu_seconds() { awk 'END { print int($1 + $2 + 0.5) }' "$work/seconds"; } # a crash has a line in front

run() { # run NAME ARGUMENTS
  local TIMEFORMAT='%U %S'
  { # bash writes the times where the group's errors go, not the command's
    time {
      # shellcheck disable=SC2086
      (cd "$folder" && ulimit -c 0 && ulimit -S -t "$limit" || exit
        { echo 1000 >/proc/self/oom_score_adj; } 2>/dev/null # where memory is short, nobody else ends for want of it
        EMU_TIMEOUT=$patience exec timeout -k 5 "$patience" "$work/$1" $2) >"$work/output.txt" 2>&1 </dev/null
      status=$?
    }
  } 2>"$work/seconds"
  result=$(judge $status "$work/output.txt")
}
# Makes the files that the program's arguments of ours name.
make_data() {
  mkdir -p "$work/data" && (cd "$folder" && bash -c "${command//DATA/$work/data}") >"$work/data.txt" 2>&1 </dev/null
}
# Runs what was built: with arguments of ours, or else as its Makefile does, with 1 for the last argument; where that is
# not right, with that argument; where it asks for more devices, with two, then with four; for more memory, with an
# H200's. Sets $result, $status, and $fewer, the arguments.
run_there() { # run_there NAME
  local arguments="" devices
  if [ "$chosen" ]; then
    make_data
    fewer=${chosen//DATA/$work/data}
    run "$1" "$fewer"
    return
  fi
  [ "$kind" != make ] || arguments=$(cd "$path" && run_command | sed 's/^[^ ]* *//; s/  *$//')
  fewer=$(sed -E 's/[0-9]+$/1/' <<<"$arguments")
  run "$1" "$fewer"
  if [ "$result" != right ] && [[ $arguments =~ [0-9]$ ]]; then
    case $result in too*) ;; *) run "$1" "$arguments" ;; esac
  fi
  for devices in 2 4; do
    grep -qE 'invalid device ordinal|at least two .*devices' "$work/output.txt" || break
    export EMU_DEVICES=$devices
    run "$1" "$fewer"
  done
  if grep -q 'out of memory' "$work/output.txt"; then
    EMU_MEMORY_GB=141 run "$1" "$fewer"
  fi
  # Arguments that nobody says, and data that HeCBench keeps elsewhere.
  case $kind:$result in "file:exit status"*) grep -q 'argv\[1\]' "$path" && result="no data" ;; esac
  case $result in right | too*) ;; *) ls "$path"/*.dvc >/dev/null 2>&1 && result="no data" ;; esac
}
