#!/bin/sh
# build.sh COURSE FOLDER VERSION light|dark: makes FOLDER/html, which any static host serves.
# FOLDER has the Doxyfile.
set -eu
commit=$(git -C "$1" rev-parse --short=10 HEAD 2>/dev/null || true)
python3 -B "$1/course/tutor/site/main.py" prepare "$1" "$2/pages" "$2/html" "$3" "$commit" "$4"
doxygen "$2/Doxyfile"
python3 -B "$1/course/tutor/site/main.py" finish "$2/html"
