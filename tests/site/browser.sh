#!/bin/sh
# browser.sh SITE COURSE OBSERVED: the finished site in a browser (browser.mjs). Exit 77 where there is no Node.
if ! command -v node >/dev/null; then
  echo 'skipped: there is no node here'
  exit 77
fi
exec node "$(dirname "$0")/browser.mjs" "$@"
