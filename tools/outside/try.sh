#!/usr/bin/env bash
# Tries other people's programs on the emulator: tools/outside/try.sh BUILD CHECKOUTS [NAME...]
#
#   BUILD      build folder of the cpu preset, such as build/cpu
#   CHECKOUTS  a folder with clones of the collections that programs.txt names, as folders of those
#              names: cuda-samples, HeCBench, professional-cuda-c-programming
#   NAME       only the programs whose path holds one of these words
#
# Each program is rewritten, compiled and run as it stands, and its own verdict is read. Prints one
# line of a table for each. What a program printed is left in BUILD/outside/NAME/output.txt.
# OUTSIDE_TIMEOUT: seconds that a program may run (default 900). CXX: the compiler.
#
# Exit: 0 all agree, 1 some do not, 2 wrong usage, 3 something is not there.
set -u

fail() { # fail CODE MESSAGE
  printf 'outside: %s\n' "$2" >&2
  exit "$1"
}
if [ $# -lt 2 ] || [ "${1#-}" != "$1" ]; then
  sed -n '2,/^set -u/{/^set -u/d;s/^# \{0,1\}//;p}' "$0" >&2
  exit 2
fi
here=$(cd "$(dirname "$0")" && pwd) || exit 3
build=$(cd "$1" 2>/dev/null && pwd) || fail 3 "$1: no such folder"
checkouts=$(cd "$2" 2>/dev/null && pwd) || fail 3 "$2: no such folder"
shift 2
rewriter=$build/emulator/cuda_rewriter library=$build/emulator/libemulator.a
if [ ! -x "$rewriter" ] || [ ! -f "$library" ]; then
  fail 3 "$build holds no emulator; run: cmake --preset cpu && cmake --build --preset cpu --target emulator cuda_rewriter"
fi
include=$here/../../emulator/include
# As BF_EMULATED_OPTIONS in cmake/Emulator.cmake.
options="-fno-strict-aliasing -ffp-contract=off -fno-math-errno -fno-trapping-math
  -fno-delete-null-pointer-checks -Wno-unknown-pragmas"

# Compiles the sources of one program into $work/program.
build_program() { # build_program TARGET EXTRA-OPTIONS
  local dirs=() sources=() objects=() source object
  if [ -d "$1" ]; then
    dirs=("-I$1" "-I$1/inc" "-I$1/include" "-I$checkouts/cuda-samples/Common")
    mapfile -t sources < <(find "$1" -maxdepth 2 -name '*.cu' -o -maxdepth 2 -name '*.cpp' \
      -o -maxdepth 2 -name '*.cc' | sort)
  else
    dirs=("-I$(dirname "$1")")
    sources=("$1")
  fi
  [ ${#sources[@]} -gt 0 ] || { echo "no sources in $1"; return 1; }
  for source in "${sources[@]}"; do
    object=$work/$(basename "$source").o
    if [ "${source##*.}" = cu ]; then
      # shellcheck disable=SC2086
      "$rewriter" "${CXX:-g++}" -std=c++20 -O2 -w $options $2 -isystem "$include" "${dirs[@]}" \
        -c "$source" -o "$object" || return 1
    else
      # shellcheck disable=SC2086
      "${CXX:-g++}" -std=c++20 -O2 -w $2 -isystem "$include" "${dirs[@]}" -c "$source" -o "$object" ||
        return 1
    fi
    objects+=("$object")
  done
  # shellcheck disable=SC2086
  "${CXX:-g++}" "${objects[@]}" $2 -o "$work/program" "$library" -pthread
}

# Says how the program's output and exit status are to be read: `agrees` or what is wrong.
read_verdict() { # read_verdict RULE STATUS OUTPUT
  if [ "$2" -eq 124 ]; then
    echo "runs longer than ${OUTSIDE_TIMEOUT:-900} s"
  elif [ "$2" -ne 0 ]; then
    echo "exit status $2"
  elif [ "${1%%:*}" = says ] && ! grep -qE -- "${1#*:}" "$3"; then
    echo "does not say ${1#*:}"
  elif [ "${1%%:*}" = silent ] && grep -qE -- "${1#*:}" "$3"; then
    echo "says ${1#*:}"
  else
    echo agrees
  fi
}

chosen() { # chosen PATH NAMES...
  local path=$1 name
  shift
  [ $# -gt 0 ] || return 0
  for name; do
    case $path in *"$name"*) return 0 ;; esac
  done
  return 1
}

trim() { sed 's/^ *//; s/ *$//'; }

tried=0 agreed=0
printf '| collection | program | arguments | result | s |\n|---|---|---|---|---|\n'
while IFS='|' read -r collection path arguments verdict extra; do
  case $collection in '#'* | '') continue ;; esac
  collection=$(trim <<<"$collection") path=$(trim <<<"$path") arguments=$(trim <<<"$arguments")
  verdict=$(trim <<<"$verdict") extra=$(trim <<<"$extra")
  chosen "$path" "$@" || continue
  target=$checkouts/$collection/$path
  [ -e "$target" ] || fail 3 "$target is not there: clone $collection"
  name=$(basename "$path" .cu)
  work=$build/outside/$collection.$name
  rm -rf "$work"
  mkdir -p "$work" || exit 3
  folder=$target
  [ -d "$target" ] || folder=$(dirname "$target")
  seconds=
  if build_program "$target" "$extra" >"$work/build.txt" 2>&1; then
    begin=$(date +%s)
    # shellcheck disable=SC2086
    (cd "$folder" && exec timeout "${OUTSIDE_TIMEOUT:-900}" "$work/program" $arguments) \
      >"$work/output.txt" 2>&1 </dev/null
    result=$(read_verdict "$verdict" $? "$work/output.txt")
    seconds=$(($(date +%s) - begin))
  else
    result="does not compile: $(grep -m1 -oE 'error: .*|undefined reference.*' "$work/build.txt")"
  fi
  tried=$((tried + 1))
  [ "$result" != agrees ] || agreed=$((agreed + 1))
  printf '| %s | %s | %s | %s | %s |\n' "$collection" "$name" "${arguments:+\`$arguments\`}" "$result" "$seconds"
done <"$here/programs.txt"
printf '\n%d of %d agree.\n' "$agreed" "$tried"
[ "$tried" -gt 0 ] || fail 2 "no program of programs.txt has such a name"
[ "$agreed" -eq "$tried" ]
