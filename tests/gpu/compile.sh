#!/bin/bash
# compile.sh COURSE FOLDER APPLY_ANSWER: compiles the whole course for sm_90 in FOLDER; a warning is an
# error. APPLY_ANSWER is the program that makes the solutions.
set -euo pipefail
cd "$1"
cmake --preset gpu -B "$2" -DBF_WERROR=ON -DBF_COMPILE_ONLY=ON -DBF_APPLY_ANSWER="$3"
cmake --build "$2"
