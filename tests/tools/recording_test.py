"""The tools that record on a GPU, with programs that answer as nvidia-smi, ncu and a chapter do."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOLS = Path(__file__).resolve().parent.parent.parent / "tools"
NVIDIA_SMI = """\
case $1 in
-L) echo "GPU 0: NVIDIA H200" ;;
*name*) echo NVIDIA H200 ;;
*) echo 580.1 ;;
esac
"""
# Of each metric it counts what stands behind the program's --n, and a thousand times that.
NCU = """\
for word; do last=$word; done
case $1 in
--version) echo "Version 2025.3"; exit ;;
--query-metrics)
  echo "l1tex__t_requests_pipe_lsu_mem_global_op_ld counter"
  echo "gpu__time_duration counter"
  exit
  ;;
--import)
  cat "$2"
  exit
  ;;
esac
echo "$*" >>"$FOLDER/ncu.log"
[ "$last" != host_only ] || { echo "No kernels were profiled"; exit 1; }
[ "$last" != broken ] || { echo "it burns"; exit 1; }
while [ $# -gt 0 ]; do
  case $1 in
  -o) report=$2 ;;
  --n) n=$2 ;;
  --metrics) metrics=$2 ;;
  esac
  shift
done
row() { echo "$metrics" | sed "s/[^,]*/\\"$1\\"/g"; }
{
  echo '"ID","Kernel Name",'$(row '&')
  echo '"","",'$(row unit)
  echo '"0","f<int>(""x"")",'$(row "${n:-5}")
  echo '"1","g",'$(row "${n:-5},000")
} >"$report.ncu-rep"
"""
LIST = {
    "chapter": "05_sum",
    "n": 4096,
    "timed": ["--n 2^12", "--n 2^10 --l2 cold"],
    "counted": True,
    "sanitized": "--n 99",
    "predicted_to": 4096,
    "entries": [
        {"name": "shown", "kind": "demo", "counted": "", "reasons": None, "initcheck": False},
        {"name": "v0", "kind": "step", "counted": "--n 7", "reasons": "--n 40", "initcheck": True},
        {"name": "v1", "kind": "step", "counted": "--n 9", "reasons": "--n 41", "initcheck": True},
        {"name": "trap", "kind": "trap", "counted": None, "reasons": None, "initcheck": True},
    ],
}
CHAPTER = """\
echo "$(basename "$0") $*" >>"$FOLDER/programs.log"
case $1 in
--list) cat "$0.list"; exit ;;
esac
echo "NVIDIA H200 132 SMs"
while [ $# -gt 0 ]; do
  [ "$1" != --json ] || printf '{"device": "NVIDIA H200", "steps": [], "demos": []}' >"$2"
  shift
done
"""


class Recording(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="build-first-")
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)
        self.build = self.folder / "build"
        self.program("bin/nvidia-smi", NVIDIA_SMI)
        self.program("bin/ncu", NCU)
        self.program("bin/compute-sanitizer", 'echo "sanitizer $*" >>"$FOLDER/programs.log"')
        self.chapter("05_sum", LIST)

    def program(self, name, script):
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("#!/bin/sh\n" + script)
        file.chmod(0o700)

    def chapter(self, name, about):
        self.program(f"build/chapters/{name}/{name}", CHAPTER)
        (self.build / f"chapters/{name}/{name}.list").write_text(json.dumps(about))

    def tool(self, name, *words, code=0):
        path = f"{self.folder}/bin:{os.environ['PATH']}"
        ran = subprocess.run(
            [sys.executable, "-B", str(TOOLS / name), *map(str, words)],
            env=os.environ | {"PATH": path, "FOLDER": str(self.folder)},
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual(ran.returncode, code, ran.stdout + ran.stderr)
        return ran.stdout + ran.stderr

    def counters(self, *words, out="out.json", **options):
        said = self.tool("record_counters.py", self.folder / out, self.build, *words, **options)
        file = self.folder / out
        return said, json.loads(file.read_text()) if file.exists() else None

    def runs_of(self, record):
        return {run["step"]: run["launches"] for run in record["runs"]}

    def test_the_counts_of_what_a_ladder_declares_are_recorded_demos_last(self):
        said, record = self.counters()
        self.assertIn("this GPU counts no global_load_sectors", said)
        self.assertEqual((record["device"], record["ncu"]), ("NVIDIA H200", "2025.3"))
        self.assertEqual((record["sms"], record["cases"]), (132, []))
        self.assertEqual([run["step"] for run in record["runs"]], ["v0", "v1", "shown"])
        self.assertEqual(record["runs"][0]["args"], "--check-only --n 7 --only v0")
        counts = [launch["global_load_requests"] for launch in self.runs_of(record)["v0"]]
        self.assertEqual(counts, [7, 7000])
        self.assertEqual(self.runs_of(record)["v0"][0]["kernel"], "f<int>(x)")
        self.assertIn('\n     {"kernel": "g", ', (self.folder / "out.json").read_text())

    def test_of_a_step_the_longest_launch_says_why_and_one_without_a_kernel_has_none(self):
        entry = {"name": "host_only", "kind": "step", "counted": None, "reasons": "--n 1"}
        about = LIST | {"entries": [*LIST["entries"], entry | {"initcheck": True}]}
        self.chapter("05_sum", about)
        said, record = self.counters("--reasons")
        self.assertIn("05_sum host_only, no kernel", said)
        self.assertEqual([launch["ns"] for launch in self.runs_of(record)["v0"]], [40000])
        self.assertEqual(self.runs_of(record)["host_only"], [])
        self.assertNotIn("shown", self.runs_of(record))
        self.assertIn("--nvtx-include v0/", (self.folder / "ncu.log").read_text())

    def test_what_the_file_holds_of_others_stays_and_what_is_gone_goes(self):
        old = [
            {"program": "golden", "step": "", "args": "", "launches": [{"kernel": "k"}]},
            {"program": "05_sum", "step": "v0", "args": "", "launches": [{"kernel": "old"}]},
            {"program": "05_sum", "step": "v1", "args": "", "launches": [{"kernel": "old"}]},
            {"program": "05_sum", "step": "v9_gone", "args": "", "launches": [{"kernel": "x"}]},
            {"program": "04_a", "step": "v0", "args": "", "launches": [{"kernel": "k"}]},
        ]
        text = json.dumps({"sms": 5, "cases": ["one"], "runs": old})
        (self.folder / "out.json").write_text(text)
        _, record = self.counters("05_sum", "--only", "^v1")
        kept = [(run["program"], run["step"], len(run["launches"])) for run in record["runs"]]
        wanted = [("golden", "", 1), ("04_a", "v0", 1), ("05_sum", "v0", 1), ("05_sum", "v1", 2)]
        self.assertEqual(kept, wanted)
        self.assertEqual(record["cases"], ["one"])

    def test_the_golden_program_is_one_run_without_a_name(self):
        self.program("build/emulator/tests/golden/golden", "echo one; echo two")
        _, record = self.counters("golden")
        self.assertEqual((record["cases"], record["sms"]), (["one", "two"], 0))
        self.assertEqual([run["step"] for run in record["runs"]], [""])

    def test_what_is_wrong_is_said_in_a_line(self):
        none = LIST | {"counted": False, "entries": [LIST["entries"][3]]}
        self.chapter("06_none", none)
        said, record = self.counters("06_none", code=2)
        self.assertIn("06_none declares nothing that is counted", said)
        self.assertIsNone(record)
        self.assertIn("07 is not built", self.counters("07", code=2)[0])
        self.assertIn("--only (", self.counters("--only", "(", code=2)[0])
        (self.folder / "bad.json").write_text("[]")
        self.assertIn(
            "is no record",
            self.tool("record_counters.py", self.folder / "bad.json", self.build, code=2),
        )
        entry = LIST["entries"][1] | {"name": "broken"}
        self.chapter("05_sum", LIST | {"entries": [entry]})
        said, record = self.counters(code=1)
        self.assertIn("it burns", said)
        self.assertIsNone(record)
        self.program("bin/nvidia-smi", "exit 9")
        self.assertIn("finds no GPU", self.counters(code=3)[0])

    def test_a_chapter_is_checked_sanitized_timed_and_its_traps_and_demos_run(self):
        out = self.folder / "results"
        said = self.tool("record_gpu.py", out, self.build)
        self.assertIn("05_sum timed --n 2^10 --l2 cold", said)
        record = json.loads((out / "nvidia-h200_05_sum.json").read_text())
        self.assertEqual((len(record["runs"]), len(record["traps_and_demos"])), (2, 2))
        ran = (self.folder / "programs.log").read_text().splitlines()
        sanitized = [line for line in ran if line.startswith("sanitizer")]
        self.assertEqual(len(sanitized), 4)
        # What reads memory that nobody wrote is left out of initcheck alone, with the traps.
        only = [line.partition("--n 99")[2] for line in sanitized]
        self.assertEqual(only, ["", "", " --only v0 --only v1", ""])
        for words in ("--check-only", "--only shown --json", "--traps --json"):
            self.assertTrue(any(line.startswith(f"05_sum {words}") for line in ran), words)

    def test_a_failure_is_named_and_the_rest_goes_on(self):
        self.program("bin/compute-sanitizer", "exit 9")
        said = self.tool("record_gpu.py", self.folder / "results", self.build, code=1)
        self.assertIn("FAILED (exit code 9", said)
        self.assertIn("05_sum shown", said)

    def answers(self, **scripts):
        """Of one exercise; they fail but for the solution."""
        folder = "build/exercises/05_reduction/block_sum"
        listed = ""
        for name, script in scripts.items():
            kind = name if name == "solution" else f"wrong.{name}"
            self.program(f"{folder}.{kind}", script)
            self.program(f"{folder}.{kind}.cu", "")
            expected = "pass" if name == "solution" else "fail"
            listed += f"05_reduction/block_sum.{kind}\t{expected}\n"
        (self.build / "exercises/programs.txt").write_text(listed)
        out = self.folder / "exercises.json"
        self.tool("check_exercises_gpu.py", out, self.build, "--limit", 2)
        got = json.loads(out.read_text())["programs"]
        return {one["name"].split(".")[-1]: one["found_by"] for one in got}

    def test_an_answer_has_no_end_if_it_has_none_alone(self):
        first = '[ -e "$FOLDER/again" ] || { touch "$FOLDER/again"; exec sleep 20; }\n'
        failed = "echo verdict: fail wrong_result; exit 1"
        found = self.answers(
            solution="echo verdict: pass", wrong=failed, slow=first + failed, endless="sleep 20"
        )
        wanted = {"solution": "", "wrong": "checker", "slow": "checker", "endless": "time limit"}
        self.assertEqual(found, wanted)


if __name__ == "__main__":
    unittest.main()
