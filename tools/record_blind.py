#!/usr/bin/env python3
"""Kernels of course/time_model/blind that a GPU has timed, beside what was predicted of them.

    record_blind.py SET PREDICTIONS.json TIMES.json...

writes them as the set of that name to docs/results/nvidia-DEVICE_blind.json: the median of what
runs of `blind --time` measured, and what DEVICE_predictions.json said of each kernel before.
`./tutor predictions --record` adds what the model says since.
"""

import json
import sys
from pathlib import Path
from statistics import median

from recording import COURSE, FAILED, WRONG_USAGE, Json, fail, json_text


def measured_set(name: str, predicted: Json, runs: list[Json]) -> Json:
    """The set, its kernels in the order in which they were timed."""
    before = {kernel["name"]: kernel for kernel in predicted["blind"]}
    kernels = []
    for timed in zip(*(run["kernels"] for run in runs), strict=True):
        (kernel,) = {one["name"] for one in timed}
        kernels.append(
            {
                "name": kernel,
                "measured_ms": median(one["measured_ms"] for one in timed),
                "predicted_ms": before[kernel]["ms"],
                "binds": before[kernel]["binds"],
            }
        )
    return {"name": name, "kernels": kernels}


def main(words: list[str]) -> None:
    """Replaces the set of that name, or adds it behind the others."""
    if len(words) < 3:
        fail(WRONG_USAGE, "give SET PREDICTIONS.json TIMES.json...")
    name, predictions, *times = words
    runs = [json.loads(Path(file).read_text()) for file in times]
    devices = {run["device"] for run in runs}
    if len(devices) != 1:
        fail(FAILED, f"these are of several devices: {', '.join(sorted(devices))}")
    device = "-".join(devices.pop().lower().split()[:2])
    file = COURSE / "docs/results" / f"{device}_blind.json"
    recorded = json.loads(file.read_text())
    new = measured_set(name, json.loads(Path(predictions).read_text()), runs)
    others = [one for one in recorded["sets"] if one["name"] != name]
    recorded["sets"] = [*others, new]
    file.write_text(json_text(recorded))


if __name__ == "__main__":
    main(sys.argv[1:])
