#!/bin/bash
# compile.sh COURSE FOLDER: compiles the whole course for sm_90 in FOLDER, and of each chapter's checkers the first;
# a warning is an error.
set -euo pipefail
cd "$1"
cmake --preset gpu -B "$2" -DBF_WERROR=ON -DBF_COMPILE_ONLY=ON
cmake --build "$2"
