#!/bin/bash
# links.sh FOLDER: every link and picture of the site in FOLDER leads to a file in it, and every
# "#place" in a page of ours to a place that is there. One line per fault; exit 1 when there is any.
set -euo pipefail
cd "$1"
[ -f index.html ] || { printf 'no site in %s\n' "$PWD"; exit 1; }

faults=0
while IFS=: read -r page target; do
  case $target in http://* | https://* | mailto:* | javascript:* | '') continue ;; esac
  file=${target%%#*}
  place=${target#"$file"}
  file=${file:-$page}
  if [ ! -f "$file" ]; then
    printf '%s: nothing at %s\n' "$page" "$target"
    faults=$((faults + 1))
  elif [ -n "${place#\#}" ] && ! grep -qE "(id|name)=\"${place#\#}\"" "$file"; then
    printf '%s: no such place: %s\n' "$page" "$target"
    faults=$((faults + 1))
  fi
done < <(grep -oE '(href|src)="[^"]*"' -- *.html | sed -E 's/:(href|src)="/:/; s/"$//' | sort -u)
[ "$faults" -eq 0 ]
