#!/bin/sh
# ./tutor of a course that was installed for a class (cmake/Install.cmake): nothing is written beside it. Each
# learner's files and builds lie in ~/build-first, or where BUILD_FIRST_HOME says; there it is ./tutor, too.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$(readlink -f -- "$0")")" && pwd -P)
home=${BUILD_FIRST_HOME:-$HOME/build-first}
mkdir -p "$home"
[ -e "$home/tutor" ] || ln -s "$root/tutor" "$home/tutor"
BUILD_FIRST_ROOT=$root BUILD_FIRST_HOME=$home exec "$root/bin/tutor" "$@"
