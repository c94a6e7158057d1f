#!/usr/bin/env python3
"""Records what the hardware's counters say, in OUT.

Runs the golden kernels, and every step and most demos of the chapters at a small size, once each
under Nsight Compute (ncu), and sums up requests, sectors and wavefronts of each run. The emulator
is held against them by compare_counters.py, whose table stands in
docs/emulator_counters.md. OUT is emulator/tests/golden/nvidia-h200.json, say.

With --reasons: every step at the size of its timed run, and of its launches the longest: what its
warps wait for, how busy each unit is, registers, occupancy, bytes. Lessons show these (marker
"evidence"). OUT is docs/results/nvidia-h200_reasons.json, say.

What is recorded of a chapter, and with which options, its ladder declares; the counters are in
record_counters.toml. What OUT already holds of other programs and steps stays.

Exit: 0 recorded, 1 a program or ncu failed, 2 wrong usage, 3 no GPU or no ncu.
"""

import csv
import datetime
import json
import re
import sys
import tempfile
import tomllib
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from recording import FAILED, LACKS, WRONG_USAGE, Json, chapters_of, chosen_programs, declared
from recording import fail, gpu, json_text, of_cuda, require_gpu, run, words_of

QUANTITIES = Path(__file__).with_suffix(".toml")
GOLDEN = "golden"  # the program of the emulator's golden tests: one run, which has no name
NO_KERNELS = "No kernels were profiled"


@dataclass
class Part:
    """One run: a step or a demo of a chapter, or all golden kernels."""

    program: str
    step: str
    command: list[str]

    def run(self) -> Json:
        """What its record begins with."""
        args = " ".join(self.command[1:])
        return {"program": self.program, "step": self.step, "args": args}


def full(counter: str) -> str:
    """The metric's name: a counter without a suffix is a sum."""
    return counter if counter.startswith("launch__") or "." in counter else f"{counter}.sum"


def chosen_metrics(quantities: dict[str, list[str]], known: set[str]) -> dict[str, list[str]]:
    """The metrics of each quantity; their sum is meant. What this GPU does not count is said."""
    chosen = {}
    for name, candidates in quantities.items():
        for counters in (candidate.split("+") for candidate in candidates):
            if all(c.startswith("launch__") or c.split(".")[0] in known for c in counters):
                chosen[name] = [full(counter) for counter in counters]
                break
        else:
            print(f"record_counters: this GPU counts no {name}", file=sys.stderr)
    return chosen


def as_number(figure: float) -> int | float:
    """Whole numbers as such; six digits are more than any measurement here is good for."""
    return int(figure) if figure == int(figure) else float(f"{figure:.6g}")


def launches_in(report: str, metrics: dict[str, list[str]]) -> list[Json]:
    """The launches in ncu's CSV: a row of names, one of units, a row for each launch."""
    names: list[str] = []
    launches = []
    for row in csv.reader(line for line in report.splitlines() if line.startswith('"')):
        if row[0] == "ID":
            names = row
        elif row[0].isdigit():
            cells = dict(zip(names, row))
            launch = {"kernel": re.sub(r'["\\]', "", cells["Kernel Name"])}
            for name, counters in metrics.items():
                launch[name] = as_number(sum(float(cells[c].replace(",", "")) for c in counters))
            launches.append(launch)
    return launches


class Counters:
    """ncu, and the runs that it has profiled."""

    def __init__(self, ncu: str, reasons: bool, folder: Path):
        self.ncu, self.reasons, self.folder = ncu, reasons, folder
        known = {
            line.split()[0]
            for line in run([ncu, "--query-metrics"]).stdout.splitlines()
            if line.split()
        }
        if not known:
            fail(FAILED, "ncu --query-metrics lists nothing")
        quantities = tomllib.loads(QUANTITIES.read_text())
        self.metrics = chosen_metrics(quantities["reasons" if reasons else "counts"], known)
        self.reader = ThreadPoolExecutor(1)  # reads a report while ncu makes the next one

    def profile(self, number: int, part: Part) -> Future[list[Json]]:
        """One run: ncu has the GPU one run after the other."""
        report = self.folder / f"run_{number:03}"
        # With --reasons what the step itself launches (lab::ObservedPart names it), not its check;
        # and the first launches are enough: a step that makes dozens makes the same ones again.
        scope = ["--nvtx", "--nvtx-include", f"{part.step}/", "--launch-count", "12"]
        metrics = ",".join(metric for several in self.metrics.values() for metric in several)
        ran = run(
            [self.ncu, "--clock-control", "none", *(scope if self.reasons else [])]
            + ["--metrics", metrics, "-f", "-o", str(report), *part.command]
        )
        none = NO_KERNELS in ran.stdout  # it copies, or the host works
        if ran.returncode != 0 and not none:
            print(ran.stdout, file=sys.stderr)
            fail(FAILED, f"{' '.join(part.command)} failed under ncu")
        print(f"{part.program} {part.step}{', no kernel' if none else ''}", flush=True)
        return self.reader.submit(self.read, report, part, none and self.reasons)

    def read(self, report: Path, part: Part, none: bool) -> list[Json]:
        """The launches of a report; with --reasons the longest alone."""
        if none:
            return []
        options = ["--csv", "--page", "raw", "--print-units", "base"]
        text = run([self.ncu, "--import", f"{report}.ncu-rep", *options]).stdout
        try:
            launches = launches_in(text, self.metrics)
        except (KeyError, ValueError) as error:
            fail(FAILED, f"ncu's report of {part.program} {part.step} lacks something: {error}")
        if not launches:
            print(text[:2000], file=sys.stderr)
            fail(FAILED, f"no launch in ncu's report of {part.program} {part.step}")
        return [max(launches, key=lambda launch: launch["ns"])] if self.reasons else launches


def parts_of(program: str, path: Path, reasons: bool) -> list[Part]:
    """What is recorded of a program, in its ladder's order, demos last."""
    if program == GOLDEN:
        return [Part(GOLDEN, "", [str(path)])]
    key = "reasons" if reasons else "counted"
    entries = [e for e in declared([str(path)])["entries"] if e[key] is not None]
    return [
        Part(program, e["name"], [str(path), "--check-only", *e[key].split(), "--only", e["name"]])
        for e in sorted(entries, key=lambda e: e["kind"] == "demo")
    ]


def read_record(out: Path) -> Json:
    """What OUT holds already."""
    if not out.exists() or not out.stat().st_size:
        return {"runs": []}
    try:
        record = json.loads(out.read_text())
        return (
            record if isinstance(record["runs"], list) else fail(WRONG_USAGE, f"{out} has no runs")
        )
    except (OSError, ValueError, KeyError, TypeError):
        fail(WRONG_USAGE, f"{out} is no record of counters; name another file, or remove it")


def merged(before: list[Json], now: list[Json], parts: list[Part]) -> list[Json]:
    """All runs: golden first, then the chapters by number; steps in the ladder's order."""
    runs = {(one["program"], one["step"]): one for one in before}
    runs |= {(one["program"], one["step"]): one for one in now}
    listed = {part.program for part in parts}
    kept = [key for key in runs if key[0] not in listed]
    kept += [key for key in ((part.program, part.step) for part in parts) if key in runs]
    return [runs[key] for key in sorted(kept, key=lambda key: (key[0] != GOLDEN, key[0]))]


def main() -> int:
    programs = "golden, or a chapter (default: golden and all whose counts are recorded)"
    words = words_of(__doc__, "the JSON file to write", programs)
    words.add_argument("--reasons", action="store_true", help="why each step takes its time")
    words.add_argument(
        "--only", metavar="REGEX", default="", help="these steps and demos alone: '^v6_|^v7_'"
    )
    asked = words.parse_args()
    try:
        only = re.compile(asked.only)
    except re.error as error:
        words.error(f"--only {asked.only}: {error}")
    record(asked.out, asked.build, asked.programs, asked.reasons, only)
    return 0


def record(out: Path, build: Path, wanted: list[str], reasons: bool, only: re.Pattern[str]) -> None:
    """Records, and writes OUT."""
    known = {n: path for n, path in chapters_of(build).items() if not n.endswith("_ranks")}
    golden = build / "emulator/tests/golden/golden"
    if golden.exists() and not reasons:  # it has no timed run
        known = {GOLDEN: golden} | known
    programs = chosen_programs(build, known, wanted)
    if not wanted:
        programs = {
            name: path
            for name, path in programs.items()
            if name == GOLDEN or declared([str(path)])["counted"]
        }
    before = read_record(out)
    require_gpu()
    ncu = of_cuda("ncu")
    if not ncu:
        fail(LACKS, "ncu is not here; it comes with the CUDA toolkit (package nsight-compute)")
    parts = [part for name, path in programs.items() for part in parts_of(name, path, reasons)]
    for name in programs:
        if not any(part.program == name for part in parts):
            fail(WRONG_USAGE, f"{name} declares nothing that is counted: see Ladder::recorded")
    with tempfile.TemporaryDirectory(prefix="build-first-") as folder:
        counters = Counters(ncu, reasons, Path(folder))
        chosen = [part for part in parts if part.program == GOLDEN or only.search(part.step)]
        with counters.reader:
            found: list[Future[list[Json]]] = []
            for part in chosen:
                found.append(counters.profile(len(found), part))
                for launches in filter(Future.done, found):
                    launches.result()  # one that failed ends all
        runs = [part.run() | {"launches": its.result()} for part, its in zip(chosen, found)]
    version = re.search(r"^Version (\S+)", run([ncu, "--version"]).stdout, re.MULTILINE)
    result = {
        "device": gpu("name"),
        "driver": gpu("driver_version"),
        "ncu": version[1] if version else "",
    }
    if reasons:
        result["date"] = datetime.datetime.now(datetime.timezone.utc).strftime("%F")
    else:
        steps = [part for part in parts if part.program != GOLDEN]
        said = run(steps[0].command).stdout if steps else ""
        sms = re.search(r"(\d+) SMs", said)
        result["sms"] = int(sms[1]) if sms else before.get("sms", 0)
        result["cases"] = before.get("cases", [])
        if GOLDEN in programs:
            result["cases"] = run([str(golden)]).stdout.splitlines()
    result["runs"] = merged(before["runs"], runs, parts)
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(json_text(result))
    except OSError as error:
        fail(FAILED, f"cannot write {out}: {error.strerror}")
    print(f"counters: {out}")


if __name__ == "__main__":
    sys.exit(main())
