#!/bin/sh
# python.sh FILE ARGUMENT…: runs a program for authors, or a test of one; skipped where there is no Python for it.
python3 -B "$@" && exit
code=$?
python3 -c 'import tomllib' 2>/dev/null && exit $code
echo "skipped: there is no Python 3.11"
exit 77
