#!/bin/sh
# dependencies_in_passing.sh nvcc … -MD -MT TARGET -MF FILE …: what a source includes is listed by the preprocessor of
# nvcc's pass for the device, not by one more run of it. Only for -cubin: in other passes nvcc's own files would be listed.
left=$#
while [ "$left" -gt 0 ]; do
  word=$1
  shift
  left=$((left - 1))
  case $word in
    -MD) set -- "$@" -Xcompiler=-MD ;;
    -MT | -MF)
      set -- "$@" "-Xcompiler=$word,$1"
      shift
      left=$((left - 1))
      ;;
    *) set -- "$@" "$word" ;;
  esac
done
exec "$@"
