#!/bin/bash
# check.sh format|words|sizes|layers|json FOLDER: the house style, on every file that git tracks in FOLDER (on all
# files where there is no git). One line per fault; exit 1 when there is any.
set -euo pipefail

json_lines=$(dirname "$(readlink -f "$0")")/../../course/tutor/lessons/json_lines.py
what=$1
cd "$2"
faults=0

fault() {
  printf '%s\n' "$1"
  faults=$((faults + 1))
}

files() { # files [PATTERN…]: the checked files, zero-terminated
  if git rev-parse --is-inside-work-tree >/dev/null 2>&1 && [ -n "$(git ls-files | head -n 1)" ]; then
    git ls-files -z -- "$@" | while IFS= read -r -d '' file; do
      [ ! -f "$file" ] || printf '%s\0' "$file" # a file that was removed, but not yet from the index
    done
  else
    local patterns=(-false)
    for pattern in "${@:-*}"; do patterns+=(-o -path "./$pattern"); done
    find . \( -path ./build -o -path ./workspace -o -path ./.git \) -prune -o -type f \( "${patterns[@]}" \) -print0 | sed -z 's|^\./||'
  fi
}

require_some() { # a check that saw no file proves nothing
  [ "$(files "$@" | head -c 1 | wc -c)" -gt 0 ] || fault "no file to check in $PWD"
}

check_format() {
  local sources=('*.cu' '*.cuh' '*.cpp' '*.hpp' '*.h') file said
  require_some "${sources[@]}"
  if said=$(files "${sources[@]}" | xargs -0 -r clang-format-14 --dry-run -Werror 2>&1); then
    return
  fi
  while IFS= read -r file; do
    fault "$file: not formatted; run: clang-format-14 -i $file"
  done < <(sed -n 's/^\(.*\):[0-9]*:[0-9]*: error: .*/\1/p' <<<"$said" | sort -u)
  [ "$faults" -gt 0 ] || fault "$said"
}

# The brackets keep these lines from finding themselves.
unfinished='FIX[M]E|XX[X]|HAC[K]|[Pp]lace[h]older|[Nn]ot imple[m]ented'
private='(^|[^A-Za-z0-9_.])/(wor[k]|tm[p]|roo[t]|hom[e])/|\bissue #?[0-9]{1,5}\b'

forbid() { # forbid WORDS GREP_OPTION…: a fault for each line that grep finds
  local words=$1 file line
  shift
  while IFS= read -r -d '' file && IFS= read -r line; do
    fault "$file: $words: $line"
  done < <(files | xargs -0 -r grep -nIHZ "$@" -- || :)
}

check_words() {
  require_some
  forbid 'says that something is unfinished' -E "$unfinished"
  forbid 'names a place that readers do not have' -E "$private"
  forbid 'has carriage returns; lines end in LF' -m 1 $'\r'
}

check_counts() { # check_counts WC_OPTION MOST UNIT KIND [PATTERN…]
  local option=$1 most=$2 unit=$3 kind=$4 count file
  shift 4
  while read -r count file; do
    [ "$count" -le "$most" ] || [ "$file" = total ] ||
      fault "$file: $count $unit; a $kind has at most $most"
  done < <(files "$@" | xargs -0 -r wc "$option")
}

# A file ends where its idea ends; a function is what somebody has to hold in his head. Counted are its lines without
# labels, comments and strings that stand alone, as clang-format lays them out: it begins and ends in the first column.
check_functions() { # check_functions MOST PATTERN…
  local most=$1 found
  shift
  while IFS= read -r found; do
    fault "$found lines; a function has at most $most"
  done < <(files "$@" | xargs -0 -r awk -v most="$most" '
    FNR == 1 { begin = head = other = 0 }
    /^[^ \t}#\/]/ && !begin && !other {
      if (/^namespace|^extern "C" \{/) head = 0
      else if (/(^|>|inline|static|constexpr|const) ?(class|struct|union|enum|constexpr|const) / && !/\(/) other = /\{$/
      else head = /[;=]/ ? 0 : head ? head : FNR
    }
    head && !begin && !other && /\{$/ { begin = head; count = 0 }
    begin && !/^ *(case .*:|default:|\/\/.*|"[^"]*",?)?$/ { ++count }
    /^}/ {
      if (begin && count > most) printf "%s:%d: %d\n", FILENAME, begin, count
      begin = head = other = 0
    }')
}

check_sizes() {
  local found count folder
  require_some
  check_counts -l 80 lines step 'chapters/*/steps/v*.cuh'
  while read -r count folder; do
    [ "$count" -le 8 ] || fault "$folder: $count files beside its rooms; a chapter has at most 8"
  done < <(files 'chapters/*' | sed -zn 's|^\(chapters/[^/]*\)/[^/]*$|\1|p' | tr '\0' '\n' | sort | uniq -c)
  check_functions 100 '*.cu' '*.cuh' '*.cpp' '*.hpp' '*.h'
  check_counts -l 60 lines bootstrap tutor
  check_counts -c 1048576 bytes 'file in the course'
  while IFS= read -r -d '' found; do
    fault "$found: is empty"
  done < <(files | xargs -0 -r sh -c 'for file; do [ -s "$file" ] || printf "%s\0" "$file"; done' sh)
  while IFS= read -r found; do
    fault "$found"
  done < <(files '*.py' | LC_ALL=C.UTF-8 xargs -0 -r grep -nHE '^.{101}' | sed -E 's/^([^:]*:[0-9]*):.*/\1: a line of Python has at most 100 columns/' || :)
}

# A record of JSON stands on one line; what an editor reads is its own.
check_json() {
  local found
  if ! python3 -c 'import tomllib' 2>/dev/null; then
    echo "skipped: there is no Python 3.11"
    exit 77
  fi
  require_some '*.json'
  while IFS= read -r found; do
    fault "$found"
  done < <(files '*.json' | grep -zvE '(^|/)(\.vscode/.*|CMakePresets\.json)$' |
    xargs -0 -r python3 -B "$json_lines" --check 2>&1 || :)
}

# A folder of the tutor includes what stands before it, and nothing behind it.
layers=(base exercises loop grade observe times commands)
check_layers() {
  local layer later found
  require_some 'course/tutor/*.?pp'
  for layer in "${layers[@]}"; do
    later=${later-${layers[*]} }
    later=${later#"$layer "}
    while IFS= read -r found; do
      fault "$found: $layer stands before it"
    done < <(grep -HnE "#include \"(\.\.|${later// /|})?/" "course/tutor/$layer"/*.?pp 2>/dev/null || :)
  done
  while IFS= read -r found; do # the tools for authors, in Python, each in a folder of its own
    fault "$found: it imports what lies beside it, and what comes with Python"
  done < <(grep -HnE 'sys\.path|__import__|importlib|^ *(from|import) +\.' course/tutor/*/*.py 2>/dev/null || :)
  check_emulator_layers
}

# The same for the emulator's rooms, which a header's name begins with: those of the library, from the engine, which
# runs blocks, to NCCL, and those of CUDA's headers. The instruments stand on them. (CUB and Thrust use each other.)
library_rooms=(math engine context streams memory launches graphs textures devices nccl)
header_rooms=(language engine memory math warp runtime groups libcudacxx ptx textures 'cub|thrust')
emulator_folders=("${library_rooms[@]/#/emulator/src/}" emulator/observe)
check_rooms() { # check_rooms FOLDER BEFORE ROOM…: in FOLDER/ROOM no include "BEFOREroom/…" of a room that stands behind it
  local folder=$1 before=$2 room later found
  shift 2
  while [ $# -gt 0 ]; do
    room=$1 later=${*:2}
    shift
    later=${later// /|}
    while IFS= read -r found; do
      fault "$found: $folder/${room%%|*} stands before it"
    done < <(grep -rHnE "#include [\"<](([^\"]*/)?observe${later:+|$before($later)}|\.\.)/" $folder/${room%%|*} $folder/${room##*|} 2>/dev/null |
      sort -u || :)
  done
}
check_emulator_layers() {
  local found
  check_rooms emulator/src "" "${library_rooms[@]}"
  check_rooms emulator/include/emu emu/ "${header_rooms[@]}"
  while IFS= read -r found; do
    fault "$found: the course and the emulator meet in emulator/observation alone"
  done < <(grep -HnE '#include [<"](\.\./)*(emulator|emu)/' common/*.?pp common/*.cu course/ladder/*.?pp course/ladder/*/*.?pp course/ladder/*.cu course/grading/*/*.?pp 2>/dev/null
    grep -HnE '#include [<"](\.\./)*(common|ladder|checker|judge)/' ${emulator_folders[@]/%//*.?pp} 2>/dev/null || :)
  check_for_circles
}

# No part of the emulator includes itself by way of others. NAME.hpp, NAME.cpp and NAME_MORE.cpp are one part.
check_for_circles() {
  local files circle
  files=$(ls ${emulator_folders[@]/%//*.?pp} 2>/dev/null || :)
  [ -n "$files" ] || return 0
  circle=$(grep -HE '^#include "([a-z_]+/)?[a-z_0-9]+\.hpp"' $files | grep -v '"emu/' | awk -v files="$files" -F'[:"]' '
    function part(path, name) { # the shortest of NAME_MORE, NAME that is a header
      sub(/\.[ch]pp$/, "", path)
      for (name = path; sub(/_[^_\/]*$/, "", name);)
        if (name in header) path = name
      return path
    }
    BEGIN {
      for (i = split(files, all, "\n"); i > 0; --i)
        if (sub(/\.hpp$/, "", all[i])) {
          header[all[i]]
          name = all[i]
          sub(/.*\//, "", name)
          place[name ".hpp"] = all[i]
        }
    }
    { sub(/.*\//, "", $3) }
    $3 in place && part($1) != part(place[$3]) { print part($1), part(place[$3]) }' |
    tsort 2>&1 >/dev/null | sed -n 's/^tsort: \([^-]\)/\1/p' | sort -u | paste -sd' ' || :)
  [ -z "$circle" ] || fault "$circle: they include each other in a circle"
}

case $what in
  format) check_format ;;
  words) check_words ;;
  sizes) check_sizes ;;
  layers) check_layers ;;
  json) check_json ;;
  *)
    printf 'check.sh: no check called %s; there are: format, words, sizes, layers, json\n' "$what" >&2
    exit 2
    ;;
esac
[ "$faults" -eq 0 ]
