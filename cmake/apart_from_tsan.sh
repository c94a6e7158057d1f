#!/bin/sh
# apart_from_tsan.sh COMMAND…: compiles what is to be observed in a program that ThreadSanitizer watches, too.
# Both hear of accesses by the same names: in the object those become the instruments' own, so that libtsan
# hears of what is compiled for it, the instruments among it, and of kernels they alone.
"$@" || exit
before=
for word in "$@"; do
  [ "$before" = -o ] && object=$word
  before=$word
done
case $object in
  *.o)
    nm -u "$object" | sed -n '/__tsan_init/d; s/.* \(__tsan_\(.*\)\)/--redefine-sym \1=emu_tsan_\2/p' |
      xargs objcopy "$object"
    ;;
esac
