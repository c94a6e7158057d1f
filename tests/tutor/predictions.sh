#!/bin/bash
# The time model says today what was recorded of it: the printed times and those of steps, asked for at the same
# time and from nothing. predictions.sh TUTOR ROOT BUILD WORK
set -eu
tutor=$1 build=$3 work=$4
rm -rf "$work"
mkdir -p "$work"
ln -s "$build"/* "$work" # a build whose kernels nobody has read
rm -f "$work/model"
export BUILD_FIRST_ROOT=$2 BUILD_FIRST_BUILD=$work
"$tutor" predictions --check &
steps=0 times=0
"$tutor" predictions --check --steps || steps=$?
wait $! || times=$?
exit $((steps > times ? steps : times))
