"""A device of the time model from what chapters measured on it.

    calibrate.py BASE PREFIX OUT

writes OUT: what chapters 02, 05 and 11 measured (PREFIX_02_memory_hierarchy.json …), and the rest
as in BASE, another device's file.
"""

import sys
from pathlib import Path

from json_lines import json_text
from markers import LessonError
from recorded import Json, find_value, read_json


class Measured:
    """What chapters measured of one device."""

    def __init__(self, prefix: str):
        self.prefix = prefix

    def figure(self, chapter: str, path: str) -> float:
        file = Path(f"{self.prefix}_{chapter}.json")
        value = find_value(read_json(file), path, file)
        if not isinstance(value, int | float) or isinstance(value, bool):
            raise LessonError(f"{file}: {path} is no number")
        return value

    def demo(self, chapter: str, name: str, value: str) -> float:
        return self.figure(chapter, f"traps_and_demos/*/demos/name={name}/values/{value}")

    def latency(self, kind: str) -> float:
        return self.demo("02_memory_hierarchy", "latency", kind)


def calibrate(device: Json, measured: Measured) -> None:
    """Sets what was measured; raises LessonError for what was not."""

    def put(key: str, value: float, digits: int, source: str) -> None:
        device[key] = {"value": float(round(value, digits)), "source": source}

    of_02 = "measured by chapter 02's demo latency"
    ghz = measured.latency("memory") / measured.demo("11_occupancy", "model", "latency_ns")
    put("clock_ghz", ghz, 2, of_02 + ", in cycles, and chapter 11's demo model, in ns")
    # The demo makes an address from each value: one instruction more, which takes as long as its
    # registers.
    address = measured.latency("registers")
    put("latency_arithmetic", address, 1, of_02)
    for kind in ("shared", "l1", "l2", "memory", "constant"):
        without = of_02 + ", without the instruction that makes the address"
        put(f"latency_{kind}", measured.latency(kind) - address, 1, without)
    l2 = measured.demo("02_memory_hierarchy", "levels", "l2_gbps") / ghz
    put("l2_bytes_per_cycle", l2, 0, "measured by chapter 02's demo levels")
    for kind in ("read_gbps", "copy_gbps"):
        ceiling = measured.figure("05_reduction", f"runs/0/{kind}")
        put(kind, ceiling, 0, "measured by chapter 05, its ceiling")


def main(base: Path, prefix: str, out: Path) -> None:
    if not base.exists():
        sys.exit(f"tutor: there is no {base}: --like h200, rtx4090 …")
    device = read_json(base)
    if "launch_us" not in device:
        sys.exit(f"tutor: {base.stem} has limits, and no times: --like h200, rtx4090 …")
    try:
        calibrate(device, Measured(prefix))
    except LessonError as error:
        sys.exit(f"tutor: {error}: measure with tools/record_gpu.py on that device")
    device["name"] = out.stem
    try:
        out.write_text(json_text(device))
    except OSError as error:
        sys.exit(f"tutor: cannot write {out}: {error.strerror}")
    rest = f"what chapters 02, 05 and 11 measured, the rest as in {base.stem}"
    print(f"{out}: {rest}. ./tutor run 05 --on {out}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3]))
