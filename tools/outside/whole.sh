#!/usr/bin/env bash
# Builds and runs other people's repositories from their own build files: tools/outside/whole.sh BUILD CHECKOUTS
#
#   BUILD      build folder of the cpu preset, with the target emulator_package built
#   CHECKOUTS  a folder with clones of what repositories.txt names, under the repositories' names without the owners',
#              at those commits; makefiles write into them
#
# Installs the emulator into a folder that goes again. What was printed is left in BUILD/outside/whole.
# OUTSIDE_ONLY: only folders whose path matches this.
#
# Exit: 0 all came out as repositories.txt has it, 1 something did not, 2 wrong usage, 3 something is not there.
set -u
export LC_ALL=C.UTF-8
fail() { # fail CODE MESSAGE
  printf 'outside: %s\n' "$2" >&2
  exit "$1"
}
if [ $# -ne 2 ] || [ "${1#-}" != "$1" ]; then
  sed -n '2,/^set -u/{/^set -u/d;s/^# \{0,1\}//;p}' "$0" >&2
  exit 2
fi
here=$(cd "$(dirname "$(readlink -f "$0")")" && pwd) || exit 3
build=$(cd "$1" 2>/dev/null && pwd) || fail 3 "$1: no such folder"
checkouts=$(cd "$2" 2>/dev/null && pwd) || fail 3 "$2: no such folder"
work=$(mktemp -d) || exit 3
trap 'rm -rf "$work"' EXIT
logs=$build/outside/whole
mkdir -p "$logs"
cmake --install "$build" --component emulator --prefix "$work/emulator" >"$logs/install.txt" 2>&1 ||
  fail 3 "the emulator does not install ($logs/install.txt); run: cmake --build $1 --target emulator_package"
export NVCC=$work/emulator/bin/emu-nvcc OUT=$work/out

faults=0
while IFS='|' read -r repository commit folders command expected; do
  case $repository in '#'* | '') continue ;; esac
  read -r repository <<<"$repository" && read -r commit <<<"$commit" && read -r expected <<<"$expected"
  checkout=$checkouts/${repository#*/}
  [ -d "$checkout" ] || fail 3 "$checkout is not there: clone $repository"
  case $(git -C "$checkout" rev-parse HEAD) in "$commit"*) ;; *) fail 3 "$checkout is not at $commit" ;; esac
  for folder in $(eval "echo $folders"); do
    [[ $repository/$folder =~ ${OUTSIDE_ONLY:-.} ]] || continue
    log=$logs/${repository#*/}.${folder//\//.}.txt
    rm -rf "$OUT" && mkdir "$OUT"
    if (cd "$checkout/$folder" && eval "$command") >"$log" 2>&1 </dev/null; then
      said=right
    else
      said="status $?: $(tail -n 1 "$log")"
    fi
    printf '%s/%s | %.150s\n' "$repository" "$folder" "$said"
    [[ $said == *"${expected:-right}"* ]] || faults=1
  done
done <"$here/repositories.txt"
exit $faults
