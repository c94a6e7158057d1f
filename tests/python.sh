#!/bin/sh
# python.sh FILE ARGUMENT…: runs a program for authors, or a test of one; skipped where there is no Python for it.
if ! python3 -c 'import tomllib' 2>/dev/null; then
  echo "skipped: there is no Python 3.11"
  exit 77
fi
exec python3 -B "$@"
