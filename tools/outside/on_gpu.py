#!/usr/bin/env python3
"""What a GPU does with other people's programs that are not right on the emulator.

    on_gpu.py RESULTS.json CHECKOUTS OUT.json    builds and runs them: on a machine with a GPU
    on_gpu.py --record OUT.json RESULTS.json     writes into the results what came out

RESULTS.json and CHECKOUTS are those of try.sh. Each program that compiles there, but is not right
and lacks no data, is built with nvcc for sm_90, several at a time, and then run alone, with the
arguments that try.sh takes, for a minute at most.

Exit: 0 done, 2 wrong usage, 3 no GPU, or a collection is not there.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from recording import LACKS, Json, fail, gpu, json_text, of_cuda, require_gpu  # noqa: E402

SECONDS = 60
BUILD = 'build theirs >"$work/nvcc.txt" 2>&1 || first_error "$work/nvcc.txt"'
RUN = """
run_there theirs
printf '%s\\0' "$result" "$status" "$(failures "$work/output.txt")"
printf '%s\\0' "$(tail -n 20 "$work/output.txt")"
rm -rf "$work/theirs" "$work/data"
"""


def collections() -> dict[str, str]:
    """The lines of collections.txt, by name."""
    lines = (HERE / "collections.txt").read_text().splitlines()
    return {line.split("|")[0].strip(): line for line in lines if line and line[0] != "#"}


def is_asked(one: Json) -> bool:
    return one["compiles"] == "yes" and one["runs"] not in ("right", "no data")


class Programs:
    """Goes to a program as try.sh does, and does one thing with it."""

    def __init__(self, checkouts: Path, work: str):
        nvcc = of_cuda("nvcc")
        if not nvcc:
            fail(LACKS, "no nvcc: neither on the PATH nor in /usr/local/cuda/bin")
        self.lines, self.work = collections(), work
        library = Path(nvcc).resolve().parent.parent / "lib64"
        self.environment = os.environ | {
            "here": str(HERE),
            "checkouts": str(checkouts.resolve()),
            "limit": str(SECONDS),
            "patience": str(SECONDS),
            "OUTSIDE_COMPILER": nvcc,
            "LD_LIBRARY_PATH": f"{library}:{os.environ.get('LD_LIBRARY_PATH', '')}",
            "LC_ALL": "C.UTF-8",
        }

    def do(self, what: str, one: Json) -> str:
        script = f'. "$here/programs.sh" && take "$0" "$1" "$2"\n{what}'
        words = [self.lines[one["collection"]], one["program"], self.work]
        done = subprocess.run(
            ["bash", "-c", script, *words],
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
            errors="replace",
            check=False,
        )
        if done.returncode == LACKS:
            fail(LACKS, f"{one['collection']} is not there: see collections.txt")
        return done.stdout


def ran(programs: Programs, one: Json, fault: str) -> Json:
    """What a program gave, that was built unless there is a fault."""
    record = {"collection": one["collection"], "program": one["program"]}
    if fault:
        return record | {"runs": f"does not compile: {fault.strip()}"}
    began = time.monotonic()
    result, status, failures, tail, _ = programs.do(RUN, one).split("\0")
    return record | {
        "runs": result,
        "status": int(status),
        "failures": failures.splitlines(),
        "seconds": round(time.monotonic() - began, 1),
        "tail": tail.splitlines(),
    }


def try_all(results: Path, checkouts: Path, out: Path) -> None:
    require_gpu()
    asked = list(filter(is_asked, json.loads(results.read_text())["programs"]))
    with tempfile.TemporaryDirectory() as work:
        programs = Programs(checkouts, work)
        with ThreadPoolExecutor(os.cpu_count()) as at_once:
            faults = list(at_once.map(lambda one: programs.do(BUILD, one), asked))
        tried: list[Json] = []
        said = {"device": gpu("name"), "date": datetime.now(UTC).date().isoformat()}
        for one, fault in zip(asked, faults, strict=True):
            tried.append(ran(programs, one, fault))
            print(f"{one['collection']}/{one['program']} | {tried[-1]['runs']}", flush=True)
            out.write_text(json_text(said | {"programs": tried}))


def record(tried: Path, results: Path) -> None:
    said, recorded = json.loads(tried.read_text()), json.loads(results.read_text())
    of_gpu = {(one["collection"], one["program"]): one["runs"] for one in said["programs"]}
    for one in filter(is_asked, recorded["programs"]):
        if runs := of_gpu.get((one["collection"], one["program"])):
            one["on_gpu"] = {"runs": runs, "device": said["device"], "date": said["date"]}
    results.write_text(json_text(recorded))


def main() -> None:
    words = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    words.add_argument("--record", action="store_true", help="write OUT.json's into RESULTS.json")
    words.add_argument("files", metavar="FILE", type=Path, nargs="+")
    chosen = words.parse_args()
    if len(chosen.files) != (2 if chosen.record else 3):
        words.error("two files with --record, else three")
    record(*chosen.files) if chosen.record else try_all(*chosen.files)


if __name__ == "__main__":
    main()
