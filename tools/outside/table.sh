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

table() {
  jq -r '
    def share($of): if $of == 0 then "" else " (\((1000 * . / $of | round) / 10) %)" end;
    def count(f): map(select(f)) | length;
    def is_same: .on_gpu != null and .on_gpu.runs == .runs;
    def is_not_right: .compiles == "yes" and (.runs | IN("right", "too long", "no data") | not);
    def is_wrong: is_not_right and (is_same | not);
    def row($first):
      count(.nvcc == "yes") as $all | count(.compiles == "yes") as $ours | count(.runs == "right") as $right |
      count(is_not_right and is_same) as $same | count(is_wrong) as $wrong | ($right + $same + $wrong) as $ended |
      "| \($first) | \(length) | \(count(.nvcc | startswith("no"))) | \(count(.nvcc | startswith("needs"))) | \($all) | " +
      "\($ours)\($ours | share($all)) | \($right)\($right | share($ended)) | " +
      "\($right + $same)\($right + $same | share($ended)) | \($wrong) | " +
      "\(count(is_wrong and .hazard != "")) | \(count(.runs == "too long")) | \(count(.runs == "no data")) |";
    def first: . + (.first // {});
    .programs as $programs |
    "| collection | tried | refused by nvcc | other libraries | nvcc compiles | **compile here** | right | **right, or as on a GPU** | wrong | of these by a hazard of their own | more CPU time than they may | need data or arguments |",
    "|---|---|---|---|---|---|---|---|---|---|---|---|",
    (.collections | group_by([.offset, .cpu_limit_s])[] | . as $sample |
      (.[] | . as $c | $programs | map(select(.collection == $c.collection and (.offset // 0) == $c.offset)) |
        row("[\($c.repository)](https://github.com/\($c.repository)) at \($c.commit), " +
          "1 of \($c.every)\(if $c.offset == 0 then "" else " from number \($c.offset)" end)")),
      ($programs | map(select([.collection, .offset // 0] | IN($sample[] | [.collection, .offset]))) |
        row("all, \($sample[0].cpu_limit_s) CPU s each"),
        if any(.first) then map(first) | row("the same when first tried") else empty end)), "",
    "Of the emulator as of " + ($programs | map(select(.nvcc == "yes")) | group_by(.emulator) | sort_by(-length) |
      map("\(.[0].emulator) (\(length))") | join(", ")) + "." +
      ($programs | count(.compiles == "yes" and (.arguments // "") != "") | # older records lack the field
        if . == 0 then "" else " Of them, \(.) ran with arguments of ours." end) +
      ($programs | map(.limit // empty) |
        if . == [] then "" else " With \(unique | join(", ")) CPU s were tried again, of those that took more: \(length)." end) +
      ([$programs[] | select(.on_gpu and .runs != "right")] |
        if . == [] then "" else " Of those that are not right here, \(length) were run on a GPU: " +
          (group_by(.on_gpu | [.device, .date]) | map("\(length) on an \(.[0].on_gpu.device), \(.[0].on_gpu.date)") | join("; ")) +
          ". Of these, \(count(is_not_right and is_same)) end there as here; \(count(.runs == "too long" and .on_gpu.runs == "right")) take " +
          "more CPU time here than they may, and are right there." end), "",
    "| program | does not compile | is not right | on a GPU | what the instruments say of it |", "|---|---|---|---|---|",
    ($programs[] | select(.nvcc == "yes" and (.compiles != "yes" or is_not_right or .hazard != "")) |
      "| \(.collection)/\(.program) | \(if .compiles == "yes" then "" else .compiles end) | \(.runs) | \(if is_same then "the same" else .on_gpu.runs // "" end) | \(.hazard) |" |
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
