#!/usr/bin/env python3
"""Runs the exercises' stored answers on a GPU, and what passes under compute-sanitizer.

They are the programs of the target exercise_programs. A solution has to pass, and to be clean; so
has another answer that is right, or wrong in a way that a GPU cannot show (gpu = "passes"). Every
other wrong answer has to be found out by its checker or by compute-sanitizer. Those of chapter 12
are left out where there is a single GPU: many of its mistakes are none there; they see all GPUs,
others one. Several run at a time on each, but for those whose checker measures a bandwidth, and
those that reached the time limit so.

What OUT.json holds of other programs stays, and with --missing so does what got what it should from
the same answer and checker: so a GPU that is at hand for minutes does it in parts.

Exit: 0 every program got what it should, 1 one did not or was not run, 2 wrong usage, 3 no GPU.
"""

import argparse
import hashlib
import json
import os
import queue
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from recording import (
    COURSE,
    FAILED,
    LACKS,
    WRONG_USAGE,
    Json,
    fail,
    gpu,
    json_text,
    of_cuda,
    require_gpu,
)

# An error that a call returns is the checker's to judge: to allow what is allowed already is one.
# NCCL's kernels read words of NCCL's buffers that nobody has written.
TOOLS = (
    "memcheck --report-api-errors no",
    "racecheck",
    "synccheck",
    "initcheck --kernel-regex-exclude kns=ncclDevKernel",
)
UNTIMED = {"CHECKER_UNTIMED": "1"}
FOUND = 99  # compute-sanitizer's exit code where it finds something


class Answers:
    """Runs programs, as long as there is time, so many at a time on each GPU."""

    def __init__(self, folder: Path, asked: argparse.Namespace, sanitizer: str, gpus: int):
        self.folder, self.limit, self.sanitizer = folder, asked.limit, sanitizer
        self.places = queue.SimpleQueue[int]()
        for place in range(gpus * asked.jobs):
            self.places.put(place % gpus)
        self.end = time.monotonic() + asked.seconds
        self.device = gpu("name")

    def run(self, command: list[str], **environment: str) -> tuple[int | None, str]:
        """Its exit code, None where it took too long, and what it printed."""
        left = min(self.limit, self.end - time.monotonic())
        if left <= 0:
            return None, ""
        program = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=os.environ | environment,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        try:
            printed, _ = program.communicate(timeout=left)
        except subprocess.TimeoutExpired:
            os.killpg(program.pid, signal.SIGKILL)  # with what compute-sanitizer has started
            program.communicate()
            return None, ""
        return program.returncode, printed

    def somewhere(self, name: str, command: list[str], **environment: str):
        """As run(), on the GPU that has a place for it; chapter 12's programs see all of them."""
        numbers = self.folder / f"{name}.cu.numbers"  # that a stored answer's code names
        if numbers.exists():
            environment["CHECKER_OWN_NUMBERS"] = numbers.read_text()
        place = self.places.get()
        if not name.startswith("12_"):
            environment["CUDA_VISIBLE_DEVICES"] = str(place)
        try:
            return self.run(command, **environment)
        finally:
            self.places.put(place)

    def check(self, name: str, expected: str, measures: bool) -> Json:
        """What its checker says of a program."""
        got = {"name": name, "made_of": made_of(self.folder, name), "expected": expected}
        got |= {"verdict": "no verdict", "found_by": "", "said": "", "not_run": []}
        got["device"] = self.device
        command = [str(self.folder / name)]
        code, printed = self.somewhere(name, command, **({} if measures else UNTIMED))
        if verdict := re.search(r"^verdict: (.*)", printed, re.MULTILINE):
            got["verdict"] = verdict[1]
        if code is None and time.monotonic() >= self.end:
            got["not_run"] = ["checker"]
        elif got["verdict"] != "pass":  # without a verdict it crashed, or did not come to an end
            got["found_by"] = "checker" if code is not None else "time limit"
        return got

    def sanitize(self, got: Json) -> None:
        """Which tool finds something, and which did not come to an end."""
        program = str(self.folder / got["name"])
        for tool in TOOLS:
            name = tool.split()[0]
            words = [self.sanitizer, "--tool", *tool.split(), "--error-exitcode", str(FOUND)]
            # Without strips behind the buffers, which would take small overruns for themselves.
            code, printed = self.somewhere(
                got["name"], [*words, program], LAB_STRIPS="0", **UNTIMED
            )
            if code is None:
                got["not_run"].append(name)
            elif code == FOUND:
                got["found_by"] = name
                lines = printed.splitlines()[1:]
                got["said"] = next((line for line in lines if line.startswith("=====")), "")
            elif code != 0 and "before first instrumented API call" not in printed:
                # its checker, under the tool; without that line it is about the host alone
                got["found_by"] = "checker"
            if got["found_by"]:
                return


def made_of(folder: Path, name: str) -> str:
    """Tells whether answer or checker have changed."""
    files = folder / f"{name}.cu", COURSE / "exercises" / name.split(".")[0] / "check.cu"
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:12]


def right(got: Json) -> bool:
    """Whether it got what it should."""
    if got["expected"] == "pass":
        return got["verdict"] == "pass" and not got["found_by"] and not got["not_run"]
    return bool(got["found_by"])


def chosen(folder: Path, wanted: list[str], gpus: int) -> list[tuple[str, str]]:
    listed = folder / "programs.txt"
    how = "run: cmake --preset gpu && cmake --build --preset gpu --target exercise_programs"
    if not listed.exists() or not listed.read_text():
        fail(WRONG_USAGE, f"no {listed}; {how}")
    programs = [tuple(line.split("\t")) for line in listed.read_text().splitlines()]
    for prefix in wanted:
        if not any(name.startswith(prefix) for name, _ in programs):
            fail(WRONG_USAGE, f"no program begins with {prefix}; {listed} lists them")
    if wanted:
        programs = [p for p in programs if p[0].startswith(tuple(wanted))]
    if gpus < 2:
        programs = [p for p in programs if not p[0].startswith("12_")]
    for name, _ in programs:
        if not (folder / name).exists():
            fail(WRONG_USAGE, f"{folder / name} is not built; {how}")
    return programs


def read_record(out: Path) -> dict[str, Json]:
    """What OUT holds already, by name."""
    if not out.exists():
        return {}
    try:
        return {one["name"]: one for one in json.loads(out.read_text())["programs"]}
    except (OSError, ValueError, KeyError, TypeError):
        fail(WRONG_USAGE, f"{out} is no record of answers; name another file, or remove it")


def measuring() -> set[str]:
    """Exercises whose checker measures a bandwidth: well only where nothing else runs."""
    checks = COURSE.glob("exercises/*/*/check.cu")
    return {
        f"{c.parent.parent.name}/{c.parent.name}"
        for c in checks
        if "expect_bandwidth(" in c.read_text()
    }


def main() -> int:
    words = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    words.add_argument("out", metavar="OUT.json", type=Path, help="what each program got")
    words.add_argument(
        "build",
        metavar="BUILD",
        type=Path,
        nargs="?",
        default=Path("build/gpu"),
        help="of the gpu preset (default: build/gpu); it may come from another machine",
    )
    words.add_argument(
        "programs",
        metavar="PROGRAM",
        nargs="*",
        help="with which letters their names begin (default: all)",
    )
    words.add_argument(
        "--jobs",
        type=int,
        default=4,
        help="how many run at a time on each GPU (default: 4; more wait for each other)",
    )
    words.add_argument(
        "--seconds", type=float, default=1e9, help="what has not run by then is listed as such"
    )
    words.add_argument(
        "--missing",
        action="store_true",
        help="those alone that did not get what they should, in OUT.json",
    )
    words.add_argument(
        "--limit", type=float, default=120, help="seconds for one run (default: 120)"
    )
    asked = words.parse_args()
    gpus = require_gpu()
    folder = asked.build / "exercises"
    programs = chosen(folder, asked.programs, gpus)
    known = read_record(asked.out)
    if asked.missing:
        done = {n for n, one in known.items() if right(one)}
        programs = [
            p
            for p in programs
            if p[0] not in done or known[p[0]]["made_of"] != made_of(folder, p[0])
        ]
    sanitizer = of_cuda("compute-sanitizer")
    if not sanitizer:
        fail(LACKS, "compute-sanitizer is not here; it comes with the CUDA Toolkit")
    answers = Answers(folder, asked, sanitizer, gpus)
    alone = measuring()

    def check(program: tuple[str, str]) -> Json:
        return answers.check(*program, program[0].split(".")[0] in alone)

    def finish(got: Json) -> Json:
        if got["verdict"] == "pass":
            answers.sanitize(got)
        by = f" ({got['found_by']})" if got["found_by"] not in ("", "checker") else ""
        missing = f", not run: {' '.join(got['not_run'])}" if got["not_run"] else ""
        note = "" if right(got) else f"  <- expected: {got['expected']}"
        # In one piece: others print meanwhile.
        sys.stdout.write(f"{got['name']:<64} {got['verdict']}{by}{missing}{note}\n")
        sys.stdout.flush()
        return got

    apart = [p for p in programs if p[0].split(".")[0] in alone]
    with ThreadPoolExecutor(asked.jobs * gpus) as pool:
        checked = [check(p) for p in apart]
        together = list(pool.map(check, [p for p in programs if p not in apart]))
        # Among others it may be slow; whether it comes to an end shows when it runs alone.
        slow = [got for got in together if got["found_by"] == "time limit"]
        checked += [got for got in together if got not in slow]
        checked += [check((got["name"], got["expected"])) for got in slow]
        results = list(pool.map(finish, checked))
    known |= {got["name"]: got for got in results}
    asked.out.parent.mkdir(parents=True, exist_ok=True)
    programs = sorted(known.values(), key=lambda got: got["name"])
    asked.out.write_text(json_text({"programs": programs}))
    wrong = [got for got in results if not right(got)]
    print(f"{len(results)} programs, of which {len(wrong)} got something else or were not run")
    return FAILED if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
