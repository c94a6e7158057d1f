"""What was measured of one step beside the step before it.

Its time, the quantities to watch, what the hardware says its warps wait for, the unit that is
busiest, and what the time model says of it. Four recordings are read: the chapter's results
(docs/results/DEVICE_CHAPTER.json), what ncu said of each step at that size
(docs/results/DEVICE_reasons.json), the hardware's counts at a small size (emulator/tests/golden/),
to which the emulator is held, and predictions (docs/results/DEVICE_predictions.json); besides, the
emulator's own table (the recorded output `ladder` of the chapter).
"""

import math
import os
import re
from collections.abc import Sequence
from pathlib import Path

from markers import LessonError, chapter_folder, lines_of
from output import Outputs
from predictions import BESIDE_KERNELS, agrees_with, prediction_of
from recorded import NAMES, NOTHING, Json, as_text, find_value, lacking
from recorded import largest, markdown_table, milliseconds, number, read_json

LADDER = "ladder"  # a recorded output of each chapter: the emulator's table
NOT_RECORDED = "not recorded"  # nobody has asked the hardware yet
NO_KERNEL = "no kernel"
FORMS = {"counted": "number", "number": "number", "bytes": "bytes", "percent": "percent"}
RESULT_TITLES = {"gbps": "GB/s", "tflops": "TFLOP/s", "percent_of_ceiling": "of the ceiling, %"}


def _kind_of(quantity: str) -> str:
    """The table of names.toml that holds a quantity; the error lists all names."""
    for kind in FORMS:
        if quantity in NAMES[kind]:
            return kind
    known = ", ".join(name for kind in FORMS for name in NAMES[kind])
    raise LessonError(f"unknown quantity '{quantity}': use {known}, ladder:COLUMN or results:KEY")


def _title(word: str) -> str:
    """What a reader calls a quantity to watch."""
    source, _, name = word.partition(":")
    if source == "ladder":
        return f"{name}, counted"
    if source == "results":
        return RESULT_TITLES.get(name, name)
    kind = _kind_of(word)
    return NAMES[kind][word][0] + (", counted" if kind == "counted" else "")


def _written(value: float, form: str) -> str:
    """The figure as a reader takes it in: 12 %, 1.07 GB, 20 k, 97.3"""
    if not math.isfinite(value):
        raise LessonError("a recorded figure is not finite: record it anew")
    if form == "percent":
        return f"{value:.0f} %"
    unit = "B" if form == "bytes" else ""
    for least, scale, letter in ((1e9, 1e9, "G"), (1e6, 1e6, "M"), (1e4, 1e3, "k")):
        if abs(value) >= least:
            return f"{value / scale:.3g} {letter}{unit}"
    return f"{value:.4g} {unit}".strip()


def _figure(record: Json, key: str, file: Path) -> float:
    value = number(record, key)
    if value is None:
        raise LessonError(f"{file} holds no '{key}' of this step: record it anew")
    return value


def _quantity(name: str, launches: list[Json], file: Path) -> str:
    """A quantity of launches, whose figures are added up."""
    kind = _kind_of(name)
    sums = [
        sum(_figure(launch, key, file) for launch in launches for key in keys.split(" + "))
        for keys in NAMES[kind][name][1].split(" / ")
    ]
    if sums[1:] == [0]:
        return NOTHING
    return _written(sums[0] / sums[1] if sums[1:] else sums[0], FORMS[kind])


def _is_numbered(step: str) -> bool:
    return bool(re.match(r"v\d", step))  # v7_copy_engines


class _Recordings:
    """A chapter's recordings."""

    def __init__(self, root: Path, chapter: Path, run: str):
        self.folder, self.chapter = chapter, chapter.name
        self.results = min(root.glob(f"docs/results/*_{self.chapter}.json"), default=None)
        if not self.results:
            raise LessonError(f"docs/results has no results of {self.chapter}: record them")
        record = read_json(self.results)
        runs = record.get("runs", [record])
        self.run = find_value(runs, run or "0", self.results)
        self.steps = self.run["steps"]
        device = self.results.name.removesuffix(f"_{self.chapter}.json")
        self.reasons = self.results.with_name(f"{device}_reasons.json")
        self.counts = min(root.glob("emulator/tests/golden/*.json"), default=Path("nowhere"))

    def device(self) -> str:
        """Whose recordings these are, without its maker's name."""
        return as_text(self.run["device"]).removeprefix("NVIDIA ")

    def step_before(self, name: str) -> Json | None:
        """The step before in the results: a yardstick such as `copy` is no step before v0."""
        before = None
        for step in self.steps:
            its = as_text(step["name"])
            if its == name:
                return before
            is_step = step.get("kind", "step") == "step"
            if is_step and (_is_numbered(its) or not _is_numbered(name)):
                before = step
        return None

    def launches(self, file: Path, step: Json) -> list[Json] | None:
        """The launches of a step that are recorded in a file; nothing where the step is not."""
        for run in read_json(file)["runs"] if file.exists() else []:
            if (run["program"], run["step"]) == (self.chapter, step["name"]):
                return run["launches"]
        return None

    def longest_launch(self, step: Json) -> Json | str:
        """What ncu said of the longest launch of a step, or why it said nothing."""
        launches = self.launches(self.reasons, step)
        return NOT_RECORDED if launches is None else launches[0] if launches else NO_KERNEL

    def quantity(self, word: str, step: Json) -> str:
        """A quantity to watch, written."""
        source, _, name = word.partition(":")
        if source == "ladder":
            return self._from_ladder(name, as_text(step["name"]))
        if source == "results":
            return _written(_figure(step, name, self.results), "number")
        if _kind_of(word) == "counted":
            launches = self.launches(self.counts, step)
            return NOT_RECORDED if launches is None else _quantity(word, launches, self.counts)
        launch = self.longest_launch(step)
        return launch if isinstance(launch, str) else _quantity(word, [launch], self.reasons)

    def binding(self, step: Json) -> str:
        """What binds by the time model, which knows nothing of these recordings."""
        its = prediction_of(self.results, self.run, as_text(step["name"]))
        if its is None or "binds" not in its:
            return NOTHING if its is None else "no answer"
        launch = self.longest_launch(step)
        uncounted = isinstance(launch, str) or its["term"] in BESIDE_KERNELS
        seen = uncounted or agrees_with(its["term"], launch)
        return its["binds"] + ("" if seen else " (the counters differ)")

    def _from_ladder(self, column: str, step: str) -> str:
        """The figure of a row of the emulator's table: it ends where the column's heading ends."""
        end = None
        for line in lines_of(Outputs(self.folder).text(LADDER)):
            if line.startswith("step "):
                heading = re.search(f"  {re.escape(column)}.*?(?=  |\n)", line)
                if not heading:
                    raise LessonError(f"the recorded output {LADDER} has no column '{column}'")
                end = heading.end()
            elif end is not None and line.startswith(step + " "):
                figure = line.rstrip("\n")[:end] if len(line) >= end else ""
                return NOTHING if figure[-1:] in ("", " ") else figure.split(" ")[-1]
        raise LessonError(f"the recorded output {LADDER} has no row of {step}")


def _waits(launch: Json | str) -> str:
    """The two largest stall reasons, as shares of the time between two instructions of a warp."""
    if isinstance(launch, str):
        return launch
    reasons = largest(launch, "stalls")
    total = launch.get("stall_selected", 0) + sum(figure for _, figure in reasons)
    if len(reasons) < 2 or not total > 0:
        return NOT_RECORDED
    return ", ".join(
        f"{NAMES['stalls'][key]} {100 * figure / total:.0f} %" for key, figure in reasons[:2]
    )


def _busiest(launch: Json | str) -> str:
    """The unit that is busiest."""
    if isinstance(launch, str):
        return launch
    for key, busy in largest(launch, "units"):
        return f"{NAMES['units'][key]}, {busy:.0f} %"
    return NOT_RECORDED


def _times(steps: list[Json]) -> list[str]:
    """The steps' times, and how much faster the last is."""
    times = [number(step, "ms") for step in steps]
    cells = [NOTHING if ms is None else f"{milliseconds(ms)} ms" for ms in times]
    if len(times) == 2 and times[0] is not None and times[1]:
        cells[1] += f", {times[0] / times[1]:.2f} x as fast"
    return cells


def _head(step: Json) -> str:
    """`v3` of a ladder's step, and the whole name of any other: copy_scalar, copy_float4."""
    name = as_text(step["name"])
    return f"`{name.split('_')[0] if _is_numbered(name) else name}`"


def evidence_table(
    root: Path,
    lesson: Path,
    step: str,
    before: str = "",
    run: str = "",
    watch: Sequence[str] = (),
    brief: bool = False,
    of: str = "",
) -> str:
    """The table of a step of the lesson's chapter, by its name or number prefix (v3).

    `of` is the chapter whose step it is, where another one tells of it.

    `before` is the step to compare with (else the one before in the results), `run` an index or
    key=value (else the first), `watch` names of quantities, `ladder:COLUMN` or `results:KEY`.
    `brief`: a row for each of the two steps, with nothing but its time and what is watched.
    """
    with lacking("a recording lacks something"):
        chapter = root / "chapters" / of if of else chapter_folder(lesson)
        recorded = _Recordings(root, chapter, run)
        now = find_value(recorded.steps, step, recorded.results)
        then = recorded.step_before(as_text(now["name"]))
        if before:
            then = find_value(recorded.steps, before, recorded.results)
        steps = [step for step in (then, now) if step is not None]
        if brief:
            names = [f"`{as_text(step['name'])}`" for step in steps]
            times = [time.replace(" as fast", "") for time in _times(steps)]
            watched = [[recorded.quantity(word, s) for word in watch] for s in steps]
            head = [recorded.device(), ">time", *(f">{_title(word)}" for word in watch)]
            rows = [[name, time, *its] for name, time, its in zip(names, times, watched)]
            return markdown_table(head, rows)
        launches = [recorded.longest_launch(step) for step in steps]
        rows = [["time", *_times(steps)]]
        rows += [[_title(word), *(recorded.quantity(word, s) for s in steps)] for word in watch]
        rows.append(["waits for", *map(_waits, launches)])
        rows.append(["busiest unit", *map(_busiest, launches)])
        binding = [recorded.binding(step) for step in steps]
        if binding != [NOTHING] * len(binding):
            page = os.path.relpath(root / "docs/time_model.md", lesson.parent)
            model = "time model" if then else f"[time model]({page})"
            rows.append([f"binds, by the {model}", *binding])
        return markdown_table(["", *map(_head, steps)], rows)
