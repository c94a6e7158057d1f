#!/usr/bin/env python3
"""How long the time model takes, on a quiet machine.

    time_predictions.py [CHAPTER...]   of the chapters' steps at the size of a GPU: seconds of wall
                                       and of CPU, and the most memory, PTX and predictions together
    time_predictions.py FILE.cu...     what times add to observing a program, its PTX made anew

Exits 1 where a chapter takes more than 20 s or 4 GiB, a kernel of a program more than 3 s of CPU.
What is measured is also written to build/times/seconds.json, as
docs/results/prediction_seconds.json has it.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

from recording import COURSE, FAILED, Json, fail, json_text

MOST_SECONDS, MOST_MIB, MOST_MORE = 20, 4096, 3
TIMES = COURSE / "build/times"


def tutor(*words: str) -> tuple[int, str, Json]:
    """Exit code of ./tutor, what it said, and what it took: wall_s, cpu_s, mib."""
    start = time.monotonic()
    with open(TIMES / "log", "w+") as log:
        command = [str(COURSE / "tutor"), *words]
        process = subprocess.Popen(command, cwd=COURSE, stdout=log, stderr=subprocess.STDOUT)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        log.seek(0)
        took = {
            "wall_s": round(time.monotonic() - start, 1),
            "cpu_s": round(used.ru_utime + used.ru_stime, 2),
            "mib": round(used.ru_maxrss / 1024),
        }
        return process.returncode, log.read(), took


def time_chapter(name: str) -> Json | None:
    """A chapter's row; nothing where it is not predicted."""
    about = TIMES / "list.json"
    code, said, _ = tutor("run", name, "--backend", "cpu", "--", "--list", "--json", str(about))
    if code != 0:
        fail(FAILED, said[-1000:])
    listed = json.loads(about.read_text())
    if not listed["predicted_to"]:
        return None
    for made in (COURSE / "build/cpu/model").glob(f"{name}*"):  # its PTX is made anew
        shutil.rmtree(made)
    times = ["--times", str(TIMES / "steps.json")]
    code, said, took = tutor("run", name, "--on", "h200", *times, "--", "--n", str(listed["n"]))
    if code != 0:
        fail(FAILED, said[-1000:])
    return {"name": name.split("_")[0], **took, "cpu_s": round(took["cpu_s"], 1)}


def time_program(file: Path) -> Json:
    """A program's row. It may end as it likes."""
    tutor("observe", str(file), "--on", "h200")  # builds it
    file.touch()
    _, said, predicted = tutor("observe", str(file), "--on", "h200")
    kernels = len(re.findall("^  .*<<<.*>>>: ", said, re.MULTILINE))
    if not kernels:
        fail(FAILED, f"{file}: no kernel of it was predicted")
    file.touch()
    _, _, plain = tutor("observe", str(file))
    more = round(predicted["cpu_s"] - plain["cpu_s"], 2)
    row = {"name": file.name, "observed_s": plain["cpu_s"], "more_s": more}
    return row | {"kernels": kernels}


def main(words: list[str]) -> int:
    if words[:1] in (["--help"], ["-h"]):
        print(__doc__)
        return 0
    TIMES.mkdir(parents=True, exist_ok=True)
    rows: list[Json] = []
    too_much = False
    programs = bool(words) and words[0].endswith(".cu")
    if programs:
        files = [Path(word).resolve() for word in words]
        for file in files:
            rows.append(time_program(file))
            too_much |= rows[-1]["more_s"] > MOST_MORE * rows[-1]["kernels"]
            print(rows[-1], flush=True)
    else:
        names = sorted(folder.name for folder in (COURSE / "chapters").iterdir())
        for name in names:
            if words and not {name, name.split("_")[0]} & set(words):
                continue
            if row := time_chapter(name):
                rows.append(row)
                too_much |= row["wall_s"] > MOST_SECONDS or row["mib"] > MOST_MIB
                print(row, flush=True)
    (TIMES / "seconds.json").write_text(json_text({"programs" if programs else "chapters": rows}))
    return 1 if too_much else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
