#!/bin/bash
# compile.sh COURSE FOLDER: compiles the whole course for sm_90 in FOLDER, and of each chapter's checkers the first;
# a warning is an error.
set -euo pipefail
cd "$1"
cmake --preset gpu -B "$2" -DBF_WERROR=ON -DBF_COMPILE_ONLY=ON
mapfile -t checkers < <(ninja -C "$2" -t targets all | sed -n 's/^\([0-9][^:]*\.checker\): phony$/\1/p' | sort -u -t. -k1,1)
[ "${#checkers[@]}" -gt 0 ] || { echo "compile.sh: no checkers in $2" >&2; exit 1; }
cmake --build "$2" --target all "${checkers[@]}"
