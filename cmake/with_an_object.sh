#!/bin/sh
# with_an_object.sh c++ -fsyntax-only … -o FILE …: leaves FILE, empty, or ninja would compile the source again each time.
"$@" || exit
before=
for word in "$@"; do
  [ "$before" = -o ] && : >"$word"
  before=$word
done
