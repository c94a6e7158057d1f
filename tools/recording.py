"""What the tools share that record results.

The GPU, the programs of a build, and what a ladder declares to be recorded of it
(`PROGRAM --list --json FILE`).
"""

import argparse
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, NoReturn

COURSE = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(COURSE / "course/tutor/lessons"))

from json_lines import json_text  # noqa: E402, F401

Json = Any
FAILED, WRONG_USAGE, LACKS = 1, 2, 3  # exit codes


def words_of(about: str, out: str, programs: str) -> argparse.ArgumentParser:
    """The words that both recorders take: OUT [BUILD] [PROGRAM ...]"""
    words = argparse.ArgumentParser(
        description=about, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    words.add_argument("out", metavar="OUT", type=Path, help=out)
    build = "of the gpu preset (default: build/gpu); it may come from another machine"
    default = Path("build/gpu")
    words.add_argument("build", metavar="BUILD", type=Path, nargs="?", default=default, help=build)
    words.add_argument("programs", metavar="PROGRAM", nargs="*", help=programs)
    return words


def fail(code: int, message: str) -> NoReturn:
    """Ends the tool with one line."""
    print(f"{Path(sys.argv[0]).stem}: {message}", file=sys.stderr)
    sys.exit(code)


def of_cuda(name: str) -> str | None:
    """A tool of the CUDA toolkit, wherever it lies."""
    return shutil.which(name) or shutil.which(name, path="/usr/local/cuda/bin")


def require_gpu() -> int:
    """How many GPUs there are."""
    found = shutil.which("nvidia-smi") and run(["nvidia-smi", "-L"])
    if not found or found.returncode != 0:
        fail(LACKS, "nvidia-smi finds no GPU here; record on a machine that has one")
    return len(found.stdout.splitlines())


def gpu(what: str) -> str:
    """What nvidia-smi says of the first GPU: its name, its driver_version."""
    said = run(["nvidia-smi", f"--query-gpu={what}", "--format=csv,noheader"]).stdout
    return said.splitlines()[0] if said else ""


def run(command: list[str]) -> subprocess.CompletedProcess[str]:
    """Both streams as one, in the order of writing."""
    try:
        return subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            check=False,
        )
    except OSError as error:
        return subprocess.CompletedProcess(command, 127, f"{command[0]}: {error.strerror}\n")


def chapters_of(build: Path) -> dict[str, Path]:
    """The programs of a build, by name: 05_reduction, and 12_ranks for one of several processes."""
    programs = {}
    for file in sorted(build.glob("chapters/*/*")):
        chapter = file.parent.name
        if file.is_file() and file.name == chapter:
            programs[chapter] = file
        elif file.is_file() and file.name == f"{chapter}.ranks":
            programs[f"{chapter.split('_')[0]}_ranks"] = file
    return programs


def chosen_programs(build: Path, known: dict[str, Path], wanted: list[str]) -> dict[str, Path]:
    """Those that are wanted, else all."""
    how = "run: cmake --preset gpu && cmake --build --preset gpu"
    if not known:
        fail(WRONG_USAGE, f"no chapter is built in {build}; {how}")
    for name in wanted:
        if name not in known:
            fail(
                WRONG_USAGE, f"{name} is not built in {build}; there are {', '.join(known)}; {how}"
            )
    return {name: known[name] for name in wanted or known}


def declared(command: list[str]) -> Json:
    """What a ladder declares to be recorded of it."""
    ran = run([*command, "--list", "--json", "/dev/stdout"])
    try:
        return json.loads(ran.stdout)
    except ValueError:
        fail(
            FAILED, f"{' '.join(command)} --list --json gives no list: {ran.stdout.strip()[-300:]}"
        )
