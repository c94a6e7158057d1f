"""What the time model said of steps that were measured.

docs/results/DEVICE_predictions.json beside DEVICE_CHAPTER.json and DEVICE_reasons.json.

    predictions.py FILE    prints how far off it is, and the steps that it is farthest off
"""

import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from markers import LessonError
from recorded import NAMES, NOTHING, Json, as_text, find_value, lacking
from recorded import largest, markdown_table, number, read_json

# Constants of the model were fitted to these chapters.
FITTED = ("02_", "03_", "05_")
# Copies, pages and links take most of the time of these: their steps are laid out on a timeline, by
# what demos of the same chapters measured. Nothing was fitted to their steps.
ON_TIMELINE = ("07_", "08_", "12_")
# What takes the time of such a step: the counters of a kernel say nothing of it.
BESIDE_KERNELS = ("kernels", "to_device", "to_host", "host_link", "links", "pages")


@dataclass
class PredictedStep:
    """A measured step, and what was predicted of it."""

    chapter: str  # or the name of a blind set: kernels that were predicted before they were timed
    step: str
    measured_ms: float
    predicted_ms: float | None
    run: str = ""  # "n = 4096, cold L2"
    published: bool = False  # measured by others, on another device
    binds: str = ""  # as people read it
    recorded: str = ""  # what ncu saw of this step at this size: its longest wait, its busiest unit
    agrees: bool = False  # what binds is what ncu saw

    @property
    def factor(self) -> float:
        """Predicted over measured."""
        return self.predicted_ms / self.measured_ms

    @property
    def fitted(self) -> bool:
        """Of a chapter that constants were fitted to."""
        return self.chapter.startswith(FITTED)

    @property
    def on_timeline(self) -> bool:
        """Of a chapter whose steps are more than kernels."""
        return self.chapter.startswith(ON_TIMELINE)


def _same_run(a: Json, b: Json) -> bool:
    return all(a.get(key) == b.get(key) for key in ("n", "rows", "cols", "l2"))


def _name_of(run: Json) -> str:
    size = f"{run['rows']} x {run['cols']}" if "rows" in run else f"n = {run['n']}"
    size += f", {run['devices']} devices" if "devices" in run else ""
    return size + (", cold L2" if run.get("l2") == "cold" else "")


def _is_of_run(reason: Json, run: Json) -> bool:
    """Whether ncu looked at this run: its arguments hold the size, as a number or as 2^25."""
    n = run.get("n", 0)
    if "rows" in run or n <= 0:
        return False
    args = f" {reason['args']} "
    power = f" --n 2^{n.bit_length() - 1} "
    return f" --n {n} " in args or (n.bit_count() == 1 and power in args)


def _add_recorded(step: PredictedStep, term: str, reasons: Json, run: Json) -> None:
    """What ncu saw of the step, and whether it is what binds by the model."""
    for reason in reasons["runs"]:
        is_step = (reason["program"], reason["step"]) == (step.chapter, step.step)
        if is_step and _is_of_run(reason, run) and reason["launches"]:
            (stall, _), *_ = largest(reason["launches"][0], "stalls")
            (unit, busy), *_ = largest(reason["launches"][0], "units")
            wait, name = stall.removeprefix("stall_"), unit.removeprefix("unit_")
            step.recorded = f"{wait}; {name}, {busy:.0f} %"
            step.agrees = agrees_with(term, reason["launches"][0])
            return


def _device_of(file: Path) -> str:
    """nvidia-h200 of .../nvidia-h200_predictions.json"""
    if not file.name.endswith("_predictions.json"):
        raise LessonError(f"'{file.name}' must be DEVICE_predictions.json")
    return file.name.removesuffix("_predictions.json")


def _measured(run: Json, file: Path) -> tuple[Json, Path]:
    """The measured run that a predicted one is of, and the file that holds it."""
    if "published" in run:
        results = file.with_name("published.json")
        return find_value(read_json(results), as_text(run["published"]), results), results
    several = f"-x{run['devices']}" if "devices" in run else ""
    results = file.with_name(f"{_device_of(file)}{several}_{run['chapter']}.json")
    for one in read_json(results)["runs"]:
        if _same_run(one, run):
            return one, results
    raise LessonError(f"{results} has no run with {_name_of(run)}")


def predicted_steps(file: Path) -> list[PredictedStep]:
    """Those of all chapters, in the order in which they were measured."""
    steps = []
    with lacking(f"{file} lacks something"):
        reasons = read_json(file.with_name(f"{_device_of(file)}_reasons.json"))
        for run in read_json(file)["runs"]:
            published = "published" in run
            measured, results = _measured(run, file)
            size = (f"{as_text(measured['device'])}, " if published else "") + _name_of(run)
            for its in run["steps"]:
                name = its["name"].split("_")[0] if published else its["name"]
                ms = find_value(measured, f"steps/name={name}/ms", results)
                step = PredictedStep(
                    run["chapter"], its["name"], ms, number(its, "ms"), size, published
                )
                step.binds = its.get("binds", "")
                if step.predicted_ms is not None and not published and not step.on_timeline:
                    _add_recorded(step, its["term"], reasons, run)
                steps.append(step)
    return steps


def blind_steps(file: Path) -> list[PredictedStep]:
    """Kernels that are not in the course, from DEVICE_blind.json if it lies beside the file."""
    return _blind_steps(file.with_name(f"{_device_of(file)}_blind.json"))


def blind_steps_elsewhere(file: Path) -> list[PredictedStep]:
    """The same, of other devices."""
    own = f"{_device_of(file)}_blind.json"
    others = [other for other in sorted(file.parent.glob("*_blind.json")) if other.name != own]
    return [step for other in others for step in _blind_steps(other)]


def _blind_steps(blind: Path) -> list[PredictedStep]:
    with lacking(f"{blind} lacks something"):
        return [
            PredictedStep(one["name"], its["name"], its["measured_ms"], its["predicted_ms"])
            for one in (read_json(blind)["sets"] if blind.exists() else [])
            for its in one["kernels"]
        ]


def steps_since(file: Path) -> list[PredictedStep]:
    """What the model says today of kernels that it predicted blind, those that can be read."""
    readable = {one["name"] for one in read_json(file).get("blind", [])}
    steps = []
    for blind in sorted(file.parent.glob("*_blind.json"), reverse=True):
        with lacking(f"{blind} lacks something"):
            for one in read_json(blind)["sets"]:
                if all(its["name"] in readable for its in one["kernels"]):
                    steps += [
                        PredictedStep(
                            f"{one['name']}: since",
                            its["name"],
                            its["measured_ms"],
                            its["after_ms"],
                        )
                        for its in one["kernels"]
                    ]
    return steps


def printed_band(file: Path) -> float:
    """The band that the tutor prints: from a time divided by this to a time multiplied by it."""
    return read_json(file).get("band", 1)


def prediction_of(results: Path, run: Json, step: str) -> Json | None:
    """What was predicted of a step, which a recorded run in DEVICE_CHAPTER.json has."""
    device = results.name.removesuffix(f"_{run.get('chapter')}.json")
    name, _, devices = device.partition("-x")
    file = results.with_name(f"{name}_predictions.json")
    if device == results.name or not file.exists():
        return None
    for its in read_json(file)["runs"]:
        same = _same_run(its, run) and str(its.get("devices", "")) == devices
        if its["chapter"] == run["chapter"] and same and "published" not in its:
            for one in its["steps"]:
                if one["name"] == step:
                    return one
    return None


def agrees_with(term: str, launch: Json) -> bool:
    """Whether the longest wait or the busiest unit of a recorded launch is what a term causes."""
    if term not in NAMES["terms"]:
        raise LessonError(f"'{term}' is no term of the time model")
    (stall, _), *_ = largest(launch, "stalls")
    (unit, _), *_ = largest(launch, "units")
    return not {stall, unit}.isdisjoint(NAMES["terms"][term])


# The device's figures by which counts alone become a time, see counted_steps().
_RATES = ("read_gbps", "copy_gbps", "l2_bytes_per_cycle", "clock_ghz", "sms")


def counted_steps(file: Path) -> list[PredictedStep]:
    """What counts alone would say of the steps: no order of instructions, nothing that waits.

    The largest of bytes / bandwidth, sectors / the L2's rate and instructions / issue slots, and
    the launches. The counts are the hardware's own, of all chapters that nothing was fitted to: no
    fallback that counts the instructions of the host's code can be better than that.
    """
    device = _device_of(file).removeprefix("nvidia-") + ".json"
    model = file.parents[2] / "emulator/devices" / device
    if not model.exists():
        return []
    of_model = {key: its["value"] for key, its in read_json(model).items() if "value" in its}
    read, copy, l2, ghz, sms = (of_model[key] for key in _RATES)
    reasons = read_json(file.with_name(f"{_device_of(file)}_reasons.json"))["runs"]
    own = [run for run in read_json(file)["runs"] if "published" not in run]
    runs = {(run["chapter"], _name_of(run)): run for run in own}
    steps = []
    for step in predicted_steps(file):
        if step.fitted or step.published or not step.recorded or step.predicted_ms is None:
            continue
        run = runs[step.chapter, step.run]
        launches = next(
            r["launches"]
            for r in reasons
            if (r["program"], r["step"]) == (step.chapter, step.step) and _is_of_run(r, run)
        )
        us = of_model["launch_us"] - of_model["next_launch_us"]
        for one in launches:
            dram = one["dram_read"] / read + one["dram_written"] * (2 / copy - 1 / read)
            sectors = 32 * one["l2_sectors"] / (l2 * ghz)
            us += of_model["next_launch_us"]
            us += max(dram, sectors, one["instructions"] / (4 * sms * ghz)) / 1e3
        steps.append(PredictedStep(step.chapter, step.step, step.measured_ms, us / 1e3, step.run))
    return steps


class Errors:
    """How far predictions are off. Factors are above 1, whichever is larger."""

    def __init__(self, steps: list[PredictedStep], band: float):
        predicted = [step for step in steps if step.predicted_ms is not None]
        factors = sorted(max(step.factor, 1 / step.factor) for step in predicted)
        self.steps, self.refused = len(steps), len(steps) - len(predicted)
        self.inside = sum(factor <= band for factor in factors)
        # Half of the steps are within the one, nine in ten within the other.
        self.median, self.tenth = (_quantile(factors, part) for part in (0.5, 0.9))
        # Steps that ncu recorded; those where what binds is what it saw.
        self.seen = sum(bool(step.recorded) for step in predicted)
        self.agree = sum(step.agrees for step in predicted)
        pairs = [*_pairs(predicted)]
        self.pairs, self.in_order = len(pairs), sum(pairs)


def _pairs(steps: list[PredictedStep]) -> Iterator[bool]:
    """Whether steps of one run, whose measured times differ by more than 10 %, are in order."""
    for a, b in combinations(steps, 2):
        slower, faster = max(a.measured_ms, b.measured_ms), min(a.measured_ms, b.measured_ms)
        if (a.chapter, a.run) == (b.chapter, b.run) and slower > 1.1 * faster:
            yield (a.measured_ms < b.measured_ms) == (a.predicted_ms < b.predicted_ms)


def _quantile(factors: list[float], part: float) -> float:
    return factors[min(len(factors) - 1, int(part * len(factors)))] if factors else 1


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f}" if whole else NOTHING


def errors_table(file: Path) -> str:
    """A row for each chapter, those fitted, all others, what others published, each blind set."""
    steps, band = predicted_steps(file), printed_band(file)
    blind = blind_steps(file) + blind_steps_elsewhere(file) + steps_since(file)
    own = [step for step in steps if not step.published]
    groups = {
        chapter[:2]: [s for s in own if s.chapter == chapter]
        for chapter in dict.fromkeys(step.chapter for step in own)
    }
    groups["fitted: 02, 03, 05"] = [s for s in own if s.fitted]
    groups["copies, pages, links: 07, 08, 12"] = [s for s in own if s.on_timeline]
    groups["all others"] = [s for s in steps if not s.fitted and not s.on_timeline]
    if counted := counted_steps(file):
        groups["of these, by the hardware's counts alone"] = counted
    groups["05, RTX 4090, published by others"] = [s for s in steps if s.published]
    for name in dict.fromkeys(step.chapter for step in blind):
        groups[name] = [s for s in blind if s.chapter == name]
    rows = []
    for title, group in groups.items():
        e = Errors(group, band)
        row = [title, str(e.steps), str(e.refused), _percent(e.in_order, e.pairs)]
        row += [f"x {e.median:.2f}", f"x {e.tenth:.2f}"]
        rows.append([*row, _percent(e.inside, e.steps - e.refused), _percent(e.agree, e.seen)])
    titles = ["chapters", ">timed steps", ">refused", ">pairs in order, %", ">half within"]
    titles += [">nine in ten within", f">within the band of {band:g}, %", ">what binds agrees, %"]
    return markdown_table(titles, rows)


def farthest_table(file: Path) -> str:
    """A row for each of the 30 steps that the model is farthest off."""
    steps = [step for step in predicted_steps(file) if step.predicted_ms is not None]
    steps.sort(key=lambda step: -abs(math.log(step.factor)))
    titles = ["step", "size", ">measured, ms", ">predicted, ms", ">factor", "binds, by the model"]
    rows = []
    for s in steps[:30]:
        seen = s.recorded + ("" if s.agrees or not s.recorded else " (differs)")
        row = [f"{s.chapter[:2]} `{s.step}`", s.run, f"{s.measured_ms:.4g}"]
        rows.append([*row, f"{s.predicted_ms:.4g}", f"{s.factor:.2f}", s.binds, seen])
    return markdown_table([*titles, "ncu: longest wait; busiest unit"], rows)


def bandwidths_table(file: Path) -> str:
    """Rates that others have published of other devices, and those of steps that do the same."""
    published = read_json(file.with_name("published.json"))["bandwidths"]
    by_name = {one["name"]: one for one in published}
    rows = []
    for its in read_json(file)["bandwidths"]:
        other = by_name[its["name"]]
        gbps = other["bytes"] / its["ms"] / 1e6
        row = [its["device"], f"{other['what']} ({other['source']})", f"{other['gbps']:.0f}"]
        row += [f"{other['chapter'][:2]} `{other['step']}`, n = {other['n']}", f"{gbps:.0f}"]
        rows.append([*row, f"{gbps / other['gbps']:.2f}", its["binds"]])
    titles = ["device", "published", ">GB/s", "the course's step", ">predicted, GB/s", ">factor"]
    return markdown_table([*titles, "binds, by the model"], rows)


def main(file: Path) -> None:
    """Prints the errors, and the steps that the model is farthest off."""
    print(f"{errors_table(file)}\nfarthest off:\n{farthest_table(file)}", end="")


if __name__ == "__main__":
    try:
        main(Path(sys.argv[1]))
    except LessonError as error:
        sys.exit(str(error))
