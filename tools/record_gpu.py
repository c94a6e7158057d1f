#!/usr/bin/env python3
"""Records results on a GPU: OUT/DEVICE_CHAPTER.json of each chapter, and OUT/record.log.

Each chapter is checked, checked again under compute-sanitizer's four tools where that is
installed, timed, and its traps and demos are run. With which options, the chapter's ladder
declares. Copy the JSON files to docs/results/ and run ./tutor author lessons to bring the tables up
to date.

Exit: 0 everything was right, 1 something was not (record.log says what), 2 wrong usage, 3 no GPU.
"""

import datetime
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from recording import FAILED, Json, chapters_of, chosen_programs, declared, fail, json_text
from recording import of_cuda, require_gpu, words_of

# Launches that CUDA must refuse are part of what is shown, and checked there: no errors of a tool.
SANITIZERS = ("memcheck --report-api-errors no", "racecheck", "initcheck", "synccheck")


class Recorder:
    """Runs programs into the log, and counts what fails."""

    def __init__(self, out: Path, sanitizer: str | None):
        self.out, self.sanitizer = out, sanitizer
        self.failures = 0
        try:
            out.mkdir(parents=True, exist_ok=True)
            self.log = (out / "record.log").open("w+")
        except OSError as error:
            fail(FAILED, f"cannot write {out}/record.log: {error.strerror}")

    def run(self, title: str, command: list[str], **environment: str) -> None:
        """Names a failure, and goes on."""
        self.log.write(f"\n=== {title}\n")
        self.log.flush()
        start = time.monotonic()
        try:
            code = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                stdout=self.log,
                stderr=subprocess.STDOUT,
                env=os.environ | environment,
                check=False,
            ).returncode
        except OSError as error:
            self.log.write(f"{command[0]}: {error.strerror}\n")
            code = 127
        if code == 0:
            print(f"{title:<60} ok, {time.monotonic() - start:.0f} s", flush=True)
        else:
            print(f"{title:<60} FAILED (exit code {code}, see {self.log.name})", flush=True)
            self.failures += 1

    def sanitize(self, chapter: str, program: Path, about: Json) -> None:
        """At a small ragged size: compute-sanitizer slows kernels down by a factor of a hundred."""
        if not self.sanitizer:
            print(f"{chapter}: compute-sanitizer left out")
            return
        clean = [e["name"] for e in about["entries"] if e["initcheck"] and e["kind"] != "trap"]
        for tool in SANITIZERS:
            name, options = tool.split()[0], about["sanitized"].split()
            if name == "initcheck" and not all(e["initcheck"] for e in about["entries"]):
                options += [word for entry in clean for word in ("--only", entry)]
            command = [self.sanitizer, "--tool", *tool.split(), "--error-exitcode", "9"]
            # Without strips behind the buffers, which would take small overruns for themselves.
            self.run(
                f"{chapter} under {name}",
                [*command, str(program), "--check-only", *options],
                LAB_STRIPS="0",
            )

    def record(self, chapter: str, program: Path, gpus: int) -> None:
        """One chapter, and its file of results."""
        command = [str(program)]
        if ranks := program.suffix == ".ranks":  # a process for each GPU
            command = ["timeout", "100", "mpirun", "-n", str(gpus), *command]
        about = declared(command)
        self.run(f"{chapter} checked", [*command, "--check-only"])
        if not ranks:
            self.sanitize(chapter, program, about)
        with tempfile.TemporaryDirectory(prefix="build-first-") as folder:
            written = Path(folder) / "written.json"

            def measured(title: str, options: list[str]) -> list[Json]:
                written.unlink(missing_ok=True)
                self.run(f"{chapter} {title}", [*command, *options, "--json", str(written)])
                text = written.read_text() if written.exists() else ""
                return [json.loads(text)] if text else []

            runs, others = [], []
            for options in about["timed"]:
                runs += measured(f"timed {options}", options.split())
            if any(entry["kind"] == "trap" for entry in about["entries"]):
                others += measured("traps", ["--traps"])
            for entry in about["entries"]:
                if entry["kind"] == "demo":
                    others += measured(entry["name"], ["--only", entry["name"]])
        date = datetime.datetime.now(datetime.timezone.utc).strftime("%F")
        results = {"chapter": chapter, "date": date, "runs": runs, "traps_and_demos": others}
        (self.out / f"{device_of(runs + others)}_{chapter}.json").write_text(json_text(results))


def device_of(results: list[Json]) -> str:
    """nvidia-h200; what several devices did says how many: nvidia-h200-x2."""
    if not results:
        return "unknown"
    name = re.sub("[^a-z0-9]+", "-", results[0]["device"].lower()).strip("-")
    for demo in (demo for result in results for demo in result["demos"]):
        devices = demo["values"].get("devices", 1) if demo["name"] in ("devices", "ranks") else 1
        if devices > 1:
            return f"{name}-x{devices:.0f}"
    return name


def main() -> int:
    programs = "05_reduction, or 12_ranks, which needs mpirun (default: all but ranks)"
    words = words_of(__doc__, "the folder for the results", programs)
    words.add_argument("--no-sanitizer", action="store_true", help="leaves compute-sanitizer out")
    asked = words.parse_args()
    known = chapters_of(asked.build)
    wanted = asked.programs or [name for name in known if not name.endswith("_ranks")]
    programs = chosen_programs(asked.build, known, wanted)
    gpus = require_gpu()
    sanitizer = None if asked.no_sanitizer else of_cuda("compute-sanitizer")
    recorder = Recorder(asked.out, sanitizer)
    for chapter, program in programs.items():
        recorder.record(chapter, program, gpus)
    recorder.log.seek(0)
    for line in recorder.log:
        if re.search(r"runs .* x as fast as|^measured in this run|^n = ", line):
            print(line, end="")
    print(f"results: {asked.out}")
    return FAILED if recorder.failures else 0


if __name__ == "__main__":
    sys.exit(main())
