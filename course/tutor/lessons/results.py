"""Tables and single figures out of recorded results (docs/results/*.json).

A results file holds what a chapter's program writes with --json, or {"runs": [several of those]}.
"""

from pathlib import Path

from markers import LessonError
from predictions import prediction_of
from recorded import NOTHING, Json, as_text, find_value, formatted
from recorded import lacking, markdown_table, milliseconds, names_step, number, read_json

# The title of each column; of those that a recording holds as they are, the key and the format.
COLUMNS = {
    "step": ("step",),
    "ms": (">ms",),
    "predicted": (">predicted, ms",),
    "spread": (">spread, ± %", "spread_percent", ".1f"),
    "gbps": (">GB/s", "gbps", ".1f"),
    "tflops": (">TFLOP/s", "tflops", ".2f"),
    "percent": (">% of ceiling", "percent_of_ceiling", ".1f"),
    "times": (">x over the step before",),
}


def _find_run(file: Path, wanted: str) -> Json:
    """A run of a file: by an index or key=value, or its only one."""
    root = read_json(file)
    runs = root.get("runs")
    if runs is None:
        if wanted:
            raise LessonError(f"{file} holds one run only: remove run=")
        return root
    if not wanted and len(runs) != 1:
        raise LessonError(f"{file} holds several runs: choose with run=n=…")
    return find_value(runs, wanted or "0", file)


def results_table(file: Path, columns: str, run: str = "", steps: str = "") -> str:
    """A row per step, and under it a line that names device, driver, toolkit, n and date.

    `columns` is a comma list of COLUMNS, `steps` one of names or number prefixes (v0); without it
    every step has its row.
    """
    with lacking(f"{file} lacks something"):
        found, names = _find_run(file, run), columns.split(",")
        for name in names:
            if name not in COLUMNS:
                raise LessonError(f"unknown column '{name}': use {', '.join(COLUMNS)}")
        rows, before = [], None
        for step in _wanted_steps(found, steps, file):
            rows.append([_cell(name, file, found, step, before) for name in names])
            before = step if _is_step(step) else before
        note = " Predicted by the time model, which asks no GPU." if "predicted" in names else ""
        table = markdown_table([COLUMNS[name][0] for name in names], rows)
        origin = _origin(read_json(file) | found, "driver", "toolkit", "n", "date")
        return f"{table}\n*{origin}.{note}*\n"


def _wanted_steps(run: Json, wanted: str, file: Path) -> list[Json]:
    steps = find_value(run, "steps", file)
    if not wanted:
        return steps
    words = wanted.split(",")
    for word in words:
        find_value(steps, word, file)  # a word that names no step is an error
    return [s for s in steps if any(names_step(word, as_text(s["name"])) for word in words)]


def _is_step(row: Json) -> bool:
    """Host loops and rivals stand beside the ladder, and no ceiling of a GPU is theirs."""
    return row.get("kind", "step") == "step"


def _cell(column: str, file: Path, run: Json, step: Json, before: Json | None) -> str:
    match column:
        case "step":
            return f"`{as_text(step['name'])}`"
        case "ms":
            return milliseconds(number(step, "ms"))
        case "predicted":
            its = prediction_of(file, run, as_text(step["name"]))
            return milliseconds(number(its or {}, "ms"))
        case "times":
            then = number(before, "ms") if before and _is_step(step) else None
            now = number(step, "ms")
            return f"{then / now:.2f}" if then is not None and now else NOTHING
        case "percent" if step.get("kind") == "cpu":
            return NOTHING
    _, key, spec = COLUMNS[column]
    return formatted(number(step, key), spec)


def _origin(known: Json, *keys: str) -> str:
    """NVIDIA H200, driver 580.159.04, CUDA 13.0, toolkit 13.0, n = 1024, recorded 2026-11-20"""
    titles = {"driver": "driver ", "toolkit": "toolkit ", "n": "n = ", "date": "recorded "}
    parts = [as_text(known["device"])]
    for key in keys:
        if key == "n" and "rows" in known:  # a matrix that is not square
            parts.append(f"{known['rows']} x {known['cols']}")
        elif known.get(key) is not None:
            parts.append(titles[key] + as_text(known[key]))
    return ", ".join(parts)


def origin_of(file: Path) -> str:
    """The machine and the date of a file of results."""
    with lacking(f"{file} lacks something"):
        root = read_json(file)
        # Some programs have no ladder.
        runs = root.get("runs") or root.get("traps_and_demos") or [root]
        return _origin(root | runs[0], "driver", "date")
