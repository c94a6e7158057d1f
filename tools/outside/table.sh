#!/usr/bin/env bash
# Writes the table of other people's programs: tools/outside/table.sh [--check] RESULTS.json README.md
#
# It stands between <!-- outside --> and <!-- /outside -->. With --check nothing is written.
#
# Exit: 0 written, or as it should be; 1 the page has another table; 2 wrong usage; 77 this machine lacks jq.
set -u
check=
[ "${1-}" != --check ] || { check=yes && shift; }
if [ $# -ne 2 ] || [ ! -f "$1" ] || [ ! -f "$2" ]; then
  sed -n '2,/^set -u/{/^set -u/d;s/^# \{0,1\}//;p}' "$0" >&2
  exit 2
fi
command -v jq >/dev/null || { echo "table.sh: this machine lacks jq; bring it with: apt-get install -y jq" >&2 && exit 77; }
here=$(cd "$(dirname "$0")" && pwd) || exit 2

table() {
  jq -r --rawfile reasons "$here/reasons.txt" '
    def share($of): if $of == 0 then "" else " (\((1000 * . / $of | round) / 10) %)" end;
    def count(f): map(select(f)) | length;
    def because: ($reasons | split("\n") | map(select(startswith("#") | not) | split(" | ") | select(length == 2)) |
                  map({key: .[0], value: .[1]}) | from_entries);
    def row($first):
      count(.nvcc == "yes") as $all | count(.compiles == "yes") as $ours | count(.runs == "right") as $right |
      count(.compiles == "yes" and .runs != "right" and .runs != "too long" and .runs != "no data") as $wrong |
      "| \($first) | \(length) | \(count(.nvcc | startswith("no"))) | \(count(.nvcc | startswith("needs"))) | \($all) | " +
      "\($ours)\($ours | share($all)) | \($right)\($right | share($right + $wrong)) | \($wrong) | " +
      "\(count(.runs == "too long")) | \(count(.runs == "no data")) |";
    .programs as $programs | .limit_s as $limit |
    "| collection | tried | refused by nvcc | other libraries | nvcc compiles | **compile here** | **right** | wrong | longer than \($limit) s | need data or arguments |",
    "|---|---|---|---|---|---|---|---|---|---|",
    (.collections[] | . as $c | $programs | map(select(.collection == $c.collection)) |
      row("[\($c.repository)](https://github.com/\($c.repository)) at \($c.commit), 1 of \($c.every)")),
    ($programs | row("all")), "",
    "| program | does not compile | or is not right |", "|---|---|---|",
    ($programs[] | select(.nvcc == "yes" and .runs != "right" and .runs != "too long" and .runs != "no data") |
      (because["\(.collection)/\(.program)"] // "") as $reason |
      "| \(.collection)/\(.program) | \(if .compiles == "yes" then "" else .compiles end) | " +
      "\(if $reason == "" then .runs else $reason end) |" |
      gsub("[<]"; "&lt;"))
  ' "$1"
}

text=$(table "$1") || exit 2
page=$(TEXT=$text awk '
  /^<!-- outside -->$/ { print; print ""; print ENVIRON["TEXT"]; print ""; inside = 1; next }
  /^<!-- \/outside -->$/ { inside = 0 }
  !inside { print }' "$2")
if [ -n "$check" ]; then
  [ "$page" = "$(cat "$2")" ] && exit 0
  echo "$2 has another table than $1; write it with: tools/outside/table.sh $1 $2" >&2
  exit 1
fi
printf '%s\n' "$page" >"$2"
