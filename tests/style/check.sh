#!/bin/bash
# check.sh format|words|sizes FOLDER: the house style, on every file that git tracks in FOLDER (on all
# files where there is no git). One line per fault; exit 1 when there is any.
set -euo pipefail

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
  [ "$1" -gt 0 ] || fault "no file to check in $PWD"
}

check_format() {
  local sources=()
  mapfile -d '' sources < <(files '*.cu' '*.cuh' '*.cpp' '*.hpp' '*.h')
  require_some ${#sources[@]}
  local file
  for file in "${sources[@]}"; do
    clang-format-14 --dry-run -Werror "$file" 2>/dev/null ||
      fault "$file: not formatted; run: clang-format-14 -i $file"
  done
}

# The brackets keep these lines from finding themselves.
unfinished='FIX[M]E|XX[X]|HAC[K]|[Pp]lace[h]older|[Nn]ot imple[m]ented'
private='(^|[^A-Za-z0-9_.])/(wor[k]|tm[p]|roo[t]|hom[e])/|\bissue #?[0-9]'

check_words() {
  local lines count=0
  while IFS= read -r -d '' file; do
    count=$((count + 1))
    lines=$(grep -nIE "$unfinished" -- "$file" || :)
    [ -z "$lines" ] || fault "$file: says that something is unfinished: $lines"
    lines=$(grep -nIE "$private" -- "$file" || :)
    [ -z "$lines" ] || fault "$file: names a place that readers do not have: $lines"
    ! grep -qI $'\r' -- "$file" || fault "$file: has carriage returns; lines end in LF"
  done < <(files)
  require_some "$count"
}

check_lines() { # check_lines MOST KIND PATTERN…
  local most=$1 kind=$2 lines
  shift 2
  while IFS= read -r -d '' file; do
    lines=$(wc -l <"$file")
    [ "$lines" -le "$most" ] || fault "$file: $lines lines; a $kind has at most $most"
  done < <(files "$@")
}

check_sizes() {
  local bytes count=0
  check_lines 80 step 'chapters/*/v*.cuh'
  check_lines 400 source '*.cu' '*.cuh' '*.cpp' '*.hpp' '*.h' '*.cmake' '*.sh'
  check_lines 60 bootstrap tutor
  while IFS= read -r -d '' file; do
    count=$((count + 1))
    bytes=$(wc -c <"$file")
    [ "$bytes" -le 1048576 ] || fault "$file: $bytes bytes; a file in the course has at most 1 MiB"
  done < <(files)
  require_some "$count"
}

case $what in
  format) check_format ;;
  words) check_words ;;
  sizes) check_sizes ;;
  *)
    printf 'check.sh: no check called %s; there are: format, words, sizes\n' "$what" >&2
    exit 2
    ;;
esac
[ "$faults" -eq 0 ]
