#!/bin/sh
# build.sh SITE_PAGES COURSE FOLDER VERSION light|dark: makes FOLDER/html, which any static host serves.
# FOLDER has the Doxyfile.
set -eu
commit=$(git -C "$2" rev-parse --short=10 HEAD 2>/dev/null || true)
"$1" prepare "$2" "$3/pages" "$3/html" "$4" "$commit" "$5"
doxygen "$3/Doxyfile"
"$1" finish "$3/html"
