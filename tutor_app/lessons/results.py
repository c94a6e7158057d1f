"""Tables and single figures out of recorded results (docs/results/*.json).

A results file holds what a chapter's program writes with --json, or {"runs": [several of those]}.
"""

import math
from pathlib import Path

from markers import LessonError
from predictions import predicted_ms
from recorded import NOTHING, Json, as_text, find_value, finite, formatted
from recorded import lacking, markdown_table, milliseconds, names_step, number, read_json

TITLES = {
    "step": "step",
    "check": "check",
    "ms": ">ms",
    "predicted": ">predicted, ms",
    "spread": ">spread, ± %",
    "gbps": ">GB/s",
    "tflops": ">TFLOP/s",
    "percent": ">% of ceiling",
    "times": ">x over the step before",
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

    `columns` is a comma list of TITLES and counter.NAME, `steps` one of names or number prefixes (v0);
    without it every step has its row.
    """
    with lacking(f"{file} lacks something"):
        found, names = _find_run(file, run), columns.split(",")
        titles, rows, before = [_title(name) for name in names], [], None
        for step in _wanted_steps(found, steps, file):
            rows.append([_cell(name, file, found, step, before) for name in names])
            before = step if _is_step(step) else before
        note = " Predicted by the time model, which asks no GPU." if "predicted" in names else ""
        return f"{markdown_table(titles, rows)}\n*{_origin(file, found)}.{note}*\n"


def _title(column: str) -> str:
    if column.startswith("counter.") and column != "counter.":
        return ">" + column.removeprefix("counter.")
    if column not in TITLES:
        known = ", ".join(TITLES)
        raise LessonError(f"unknown column '{column}': use {known} or counter.NAME")
    return TITLES[column]


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
        case "check" if isinstance(step.get("skipped"), str):
            return f"skipped: {step['skipped']}"
        case "check":
            return "ok" if step.get("ok") else "WRONG"
        case "ms":
            return milliseconds(number(step, "ms"))
        case "predicted":
            return milliseconds(predicted_ms(file, run, as_text(step["name"])))
        case "spread":
            return formatted(number(step, "spread_percent"), ".1f")
        case "gbps":
            return formatted(number(step, "gbps"), ".1f")
        case "tflops":
            return formatted(number(step, "tflops"), ".2f")
        case "percent" if step.get("kind") == "cpu":
            return NOTHING
        case "percent":
            return formatted(number(step, "percent_of_ceiling"), ".1f")
        case "times":
            then = number(before, "ms") if before and _is_step(step) else None
            now = number(step, "ms")
            return f"{then / now:.2f}" if then is not None and now else NOTHING
    counters = step.get("counters", {})
    return formatted(number(counters, column.removeprefix("counter.")), ".4g")


def _origin(file: Path, run: Json) -> str:
    """NVIDIA H200, driver 580.159.04, CUDA 13.0, toolkit 13.0, n = 1024, recorded 2026-11-20"""
    known = {**read_json(file), **run}
    text = as_text(run["device"])
    for key, title in (("driver", "driver "), ("toolkit", "toolkit "), ("n", "n = ")):
        if key == "n" and "rows" in run:  # a matrix that is not square
            text += f", {as_text(run['rows'])} x {as_text(run['cols'])}"
        elif known.get(key) is not None:
            text += f", {title}{as_text(known[key])}"
    return text if known.get("date") is None else f"{text}, recorded {as_text(known['date'])}"


def origin_of(file: Path) -> str:
    """NVIDIA H200, driver 580.159.04, CUDA 13.0, recorded 2026-11-20: where results come from."""
    with lacking(f"{file} lacks something"):
        root = read_json(file)
        # Some programs have no ladder.
        runs = root.get("runs") or root.get("traps_and_demos") or [root]
        known = {**root, **runs[0]}
        text = as_text(runs[0]["device"])
        for key, title in (("driver", "driver "), ("date", "recorded ")):
            text += f", {title}{as_text(known[key])}" if key in known else ""
        return text


def compare_table(published: Path, key: str, measured: Path, run: str = "") -> str:
    """Published figures beside ours, a row per step that the published table has.

    `key` is a path inside the published file, as in find_value.
    """
    with lacking("published or recorded results lack something"):
        then = find_value(read_json(published), key, published)
        now = _find_run(measured, run)
        device, peak = as_text(then["device"]), then["peak_gbps"]
        rows = []
        for step in then["steps"]:
            ours = find_value(now["steps"], as_text(step["name"]), measured)
            gbps = number(step, "gbps")
            rows.append(
                [
                    f"`{as_text(ours['name'])}`",
                    formatted(gbps, ".1f"),
                    formatted(None if gbps is None else 100 * gbps / peak, ".1f"),
                    formatted(number(ours, "gbps"), ".1f"),
                    formatted(number(ours, "percent_of_ceiling"), ".1f"),
                ]
            )
        titles = ["step", f">{device}, GB/s", ">% of peak"]
        titles += [f">{as_text(now['device'])}, GB/s", ">% of ceiling"]
        origin = f"published: {as_text(then['source'])}. Now: {_origin(measured, now)}"
        return f"{markdown_table(titles, rows)}\n*Then: {device}, {origin}.*\n"


def single_value(file: Path, path: str, spec: str = "") -> str:
    """A single figure, written by Python's format `spec`, such as ".1f".

    Without it whole numbers and text stay as they are, other numbers get three significant digits.
    """
    value = find_value(read_json(file), path, file)
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise LessonError(f"'{path}' in {file} is no single figure")
    if not spec and isinstance(value, float):
        return _three_digits(finite(value))
    try:
        return format(value, spec)
    except ValueError:
        message = f"'{spec}' is no format for this figure: use one such as .1f"
        raise LessonError(message) from None


def _three_digits(value: float) -> str:
    """At least three significant digits, without an exponent."""
    exponent = math.floor(math.log10(abs(value))) if value else 2
    return f"{value:.{max(0, 2 - exponent)}f}"
