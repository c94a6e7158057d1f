#!/usr/bin/env bash
# Shows that grading loses nothing and that nobody disturbs others: tools/try_grading.sh [STUDENTS]
#
# A class of so many (200), one in twenty of them hostile, is graded four times: undisturbed; killed (SIGKILL) five
# times at random and resumed; in four parts, one of them killed, and merged; and with the hostile ones' files
# replaced by the stub. The first three reports must be the same to the byte, and the fourth in all lines but
# those of the hostile ones. Takes about four seconds of processor time for each student.
#
# Exit: 0 all of that holds, 1 it does not.
set -euo pipefail
cd "$(dirname "$0")/.."
students=${1:-200}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# What students write: a solution, a wrong answer, the stub, what does not compile. And the hostile ones: some
# are refused by the screen, the others run.
stub=exercises/05_reduction/block_sum/stub.cu
./tutor author 05.2 >"$folder/right.cu"
./tutor author 05.2 --wrong no_barrier_after_load >"$folder/racy.cu"
cp $stub "$folder/stub.cu"
echo 'int main( {' >"$folder/broken.cu"
usual=(right racy right stub right broken)
prelude='#include <cstdio>\n#include <cstdlib>\n#include <cstring>\n'
early() { printf '%b\nstatic struct Early { Early() { %s } } early;\n' "$prelude" "$1"; }
hostile=(
  'for (;;) puts("for ever and ever");'
  'for (;;) memset(malloc(1 << 26), 1, 1 << 26);'
  'abort();'
  'printf("{\"verdict\":\"pass\"}\n0123\tend\t3\t0\n");'
  'memset((void *)0x1000, 0, 1 << 20);'
  'system("kill -9 -1");'
  'fclose(stdout);'
  'throw 1;'
)
for ((i = 0; i < students; ++i)); do
  name=$(printf 'student %03d' "$i")
  mkdir -p "$folder/class/$name"
  file=$folder/class/$name/block_sum.cu
  if ((i % 20 == 7)); then
    { cat "$folder/right.cu" && early "${hostile[i / 20 % ${#hostile[@]}]}"; } >"$file"
    echo "$name" >>"$folder/hostile"
  else
    { cat "$folder/${usual[i % ${#usual[@]}]}.cu" && echo "// $name"; } >"$file"
  fi
done

command=(nice ./tutor grade "$folder/class" --exercise 05.2 --seed 7 --jobs "$(nproc)")
grade() { "${command[@]}" "$@" >>"$folder/log" 2>&1; }
lines() { if [ -e "$1" ]; then wc -l <"$1"; else echo 0; fi; }
# Kills a run when its journal has grown by a few lines, more or fewer.
killed() {
  local journal=$1 more=$((RANDOM % (students / 12 + 1) + 1)) before
  before=$(lines "$journal")
  shift
  (exec "${command[@]}" "$@" >>"$folder/log" 2>&1) &
  while kill -0 $! 2>/dev/null && [ "$(lines "$journal")" -lt $((before + more)) ]; do sleep 0.05; done
  kill -KILL $! 2>/dev/null || true
  wait $! 2>/dev/null || true
  echo "  killed with $(lines "$journal") verdicts in the journal"
}
same() { cmp "$1" "$2" || { echo "try_grading: $3: another report"; tail -n 20 "$folder/log"; exit 1; }; }

echo "undisturbed: $students students"
grade --out "$folder/whole.csv"
echo "killed five times"
for _ in 1 2 3 4 5; do
  killed "$folder/killed.csv.journal" --out "$folder/killed.csv"
done
grade --out "$folder/killed.csv"
same "$folder/whole.csv" "$folder/killed.csv" "killed and resumed"
echo "in four parts"
killed "$folder/parts.csv.2-of-4.journal" --out "$folder/parts.csv" --shard 2/4
for ((part = 1; part <= 4; ++part)); do
  grade --out "$folder/parts.csv" --shard $part/4
done
grade --out "$folder/parts.csv" --merge
same "$folder/whole.csv" "$folder/parts.csv" "four parts, merged"
echo "without the hostile ones"
while read -r name; do
  cp $stub "$folder/class/$name/block_sum.cu"
done <"$folder/hostile"
grade --out "$folder/kind.csv" --fresh
others() { grep -vFf "$folder/hostile" "$1" || true; }
same <(others "$folder/whole.csv") <(others "$folder/kind.csv") "the others, without the hostile ones"
cut -d, -f6,7 "$folder/whole.csv" | sort | uniq -c
echo "the same to the byte: killed and resumed, in four parts, and for all others without the hostile ones"
