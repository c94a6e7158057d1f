#!/usr/bin/env python3
"""Holds the emulator's counts against those that record_counters.py has recorded on a GPU.

Runs what was recorded once more under the emulator's instruments, and prints both counts. With
--page those that differ are written between the page's markers; with --check as well, they must be
there already. No step may have a hazard.

Exit: 0 done, 1 the page is stale, a program failed or has a hazard, 2 wrong usage.
"""

import argparse
import json
import os
import re
import subprocess
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from recording import FAILED, WRONG_USAGE, Json, fail

# What a column shows: the requests of an access, and what they cost.
COLUMNS = {
    "global loads": ("global_load", "sectors"),
    "global stores": ("global_store", "sectors"),
    "shared loads": ("shared_load", "wavefronts"),
    "shared stores": ("shared_store", "wavefronts"),
    "global atomics": ("global_atomic", "sectors"),
    "shared atomics": ("shared_atomic", "wavefronts"),
}
EQUAL, CLOSE, DIFFERENT = "equal", "within 1 %", "**different**"
TABLE = re.compile("(?<=<!-- note: counters -->\n).*(?=<!-- note: /counters -->)", re.DOTALL)


@dataclass
class Row:
    """A golden kernel, or all launches of a chapter's step."""

    name: str
    hardware: Counter[str]  # what this GPU does not count is not there
    emulator: Counter[str]

    def verdict(self) -> str:
        """How far apart the two are in whatever the GPU counts."""
        verdicts = {EQUAL}
        for access, cost in COLUMNS.values():
            for name in (f"{access}_requests", f"{access}_{cost}"):
                theirs = self.hardware.get(name, self.emulator[name])
                apart = abs(self.emulator[name] - theirs)
                if apart:
                    verdicts.add(CLOSE if 100 * apart <= theirs else DIFFERENT)
        return max(verdicts, key=[EQUAL, CLOSE, DIFFERENT].index)

    def cell(self, access: str, cost: str) -> str:
        """One access of both: "32 · 128"."""
        names = (f"{access}_requests", f"{access}_{cost}")
        ours = " · ".join(str(self.emulator[name]) for name in names)
        theirs = " · ".join(str(self.hardware.get(name, self.emulator[name])) for name in names)
        if ours != theirs:
            return f"{ours} (GPU: {theirs})"
        return "" if ours == "0 · 0" else ours


def emulated(report: Json, part: str = "") -> Counter[str]:
    """The counts of one part of an observation, else of all, all its kernels together."""
    counts: Counter[str] = Counter()
    for kernel in report["kernels"]:
        for line in kernel["lines"] if not part or kernel["part"] == part else []:
            for what in ("requests", "sectors", "wavefronts"):
                counts[f"{line['access']}_{what}"] += line[what]
    return counts


def recorded(launches: list[Json]) -> Counter[str]:
    """What the hardware counted in launches, added up."""
    counts: Counter[str] = Counter()
    for launch in launches:
        counts.update({name: its for name, its in launch.items() if isinstance(its, int)})
    return counts


def summary(rows: list[Row], device: str) -> str:
    """A sentence that sums them up."""
    verdicts = Counter(row.verdict() for row in rows)
    return (
        f"Of {len(rows)} kernels the emulator's counts equal those of the {device} on "
        f"{verdicts[EQUAL]}, are within 1 % on {verdicts[CLOSE]} and differ on "
        f"{verdicts[DIFFERENT]}.\n"
    )


def table(rows: list[Row]) -> str:
    """Both counts of each, in Markdown."""
    text = f"| kernel | {' | '.join(COLUMNS)} | |\n"
    text += "| --- |" + " --- |" * (len(COLUMNS) + 1) + "\n"
    for row in rows:
        cells = [row.cell(*column) for column in COLUMNS.values()]
        text += f"| {row.name} | {' | '.join(cells)} | {row.verdict()} |\n"
    return text


def report_of(command: list[str], **environment: str) -> Json:
    """Runs a program that writes its report to FILE, which its command or environment names."""
    with tempfile.TemporaryDirectory(prefix="build-first-") as folder:
        file = Path(folder) / "report.json"
        command = [word.replace("FILE", str(file)) for word in command]
        environment = {key: its.replace("FILE", str(file)) for key, its in environment.items()}
        environment = os.environ | environment
        ran = subprocess.run(command, capture_output=True, env=environment, check=False)
        if ran.returncode != 0 or not file.exists():
            fail(FAILED, f"this failed; run it to see why: {' '.join(command)}")
        return json.loads(file.read_text())


def golden_rows(record: Json, launches: list[Json], build: Path) -> list[Row]:
    """A row for each golden kernel, which has one launch."""
    program = build / "emulator/tests/golden/emulator_golden_tests"
    report = report_of([str(program), "--report", "FILE"])
    cases = record["cases"]
    if len(cases) != len(launches):
        fail(FAILED, f"the record has {len(cases)} golden kernels but {len(launches)} launches")
    return [Row(c, recorded([one]), emulated(report, c)) for c, one in zip(cases, launches)]


def chapter_row(run: Json, build: Path) -> Row:
    """The row of a step; one that writes an element past the end can be right all the same."""
    chapter, step, args = run["program"], run["step"], run["args"]
    report = report_of(
        [str(build / f"chapters/{chapter}/{chapter}.observed"), *args.split()],
        EMU_OBSERVE="1",
        EMU_OBSERVE_BLOCKS="1000000",
        EMU_OBSERVE_JSON="FILE",
    )
    for hazard in report["hazards"]:
        shown = f"./tutor observe {chapter} -- {args} shows it"
        fail(FAILED, f"{chapter}, {step} has a hazard ({hazard['kind']}); {shown}")
    return Row(f"{chapter[:2]} {step}", recorded(run["launches"]), emulated(report))


def with_table(page: str, text: str) -> str:
    """The page with the table between its markers."""
    if not TABLE.search(page):
        raise ValueError(
            "the page has no lines `<!-- note: counters -->` and `<!-- note: /counters -->`"
        )
    return TABLE.sub(lambda _: f"\n{text}\n", page)


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    words.add_argument("recorded", metavar="RECORDED.json", type=Path)
    words.add_argument("--build", metavar="DIR", type=Path, required=True)
    words.add_argument("--page", metavar="FILE.md", type=Path)
    words.add_argument("--check", action="store_true")
    asked = words.parse_args()
    try:
        record = json.loads(asked.recorded.read_text())
        before = asked.page.read_text() if asked.page else ""
    except (OSError, ValueError) as error:
        fail(WRONG_USAGE, str(error))
    if record.get("sms"):
        os.environ["EMU_SMS"] = str(record["sms"])  # many grids are as large as the device is
    rows: list[Row] = []
    for run in record["runs"]:
        if run["program"] == "golden":
            rows += golden_rows(record, run["launches"], asked.build)
        else:
            rows.append(chapter_row(run, asked.build))
    text = summary(rows, record["device"])
    if not asked.page:
        print(f"{text}\n{table(rows)}", end="")
        return
    differing = [row for row in rows if row.verdict() != EQUAL]
    try:
        after = with_table(before, f"{text}\n{table(differing)}")
    except ValueError as error:
        fail(FAILED, str(error))
    if before != after and asked.check:
        again = "run the same without --check and look at the difference"
        fail(FAILED, f"{asked.page} is stale: the counts have changed; {again}")
    if before != after:
        asked.page.write_text(after)


if __name__ == "__main__":
    main()
