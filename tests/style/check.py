#!/usr/bin/env python3
"""The house style, on every file that git tracks in FOLDER (on all files where there is no git).

    check.py format|words|sizes|layers|json FOLDER

One line per fault; exit 1 when there is any.
"""

import fnmatch
import functools
import graphlib
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

JSON_LINES = Path(__file__).resolve().parents[2] / "course/tutor/lessons/json_lines.py"
SOURCES = ("*.cu", "*.cuh", "*.cpp", "*.hpp", "*.h")


def tracked() -> list[str]:
    """The files to check."""
    git = subprocess.run(["git", "ls-files", "-z"], capture_output=True, text=True, check=False)
    if git.returncode == 0 and git.stdout:
        # One that was removed may still be in the index.
        return [file for file in git.stdout.split("\0") if os.path.isfile(file)]
    files = (file for file in Path().rglob("*") if file.is_file())
    return [str(file) for file in files if file.parts[0] not in ("build", "workspace", ".git")]


def files(*patterns: str) -> list[str]:
    """Those that match; a star stands for slashes, too. A check that saw no file proves nothing."""
    return [file for file in ALL if any(fnmatch.fnmatch(file, one) for one in patterns)]


@functools.cache
def text_of(file: str) -> str:
    """Nothing of what is no text."""
    data = Path(file).read_bytes()
    return "" if b"\0" in data else data.decode(errors="replace")


def lines_of(file: str) -> list[str]:
    return text_of(file).split("\n")


def found(expression: str, among: list[str]) -> Iterator[tuple[str, int, str]]:
    """File, number and text of the lines in which the expression is found."""
    for file in among:
        if not re.search(expression, text_of(file), re.MULTILINE):
            continue
        for number, line in enumerate(lines_of(file), 1):
            if re.search(expression, line):
                yield file, number, line


def check_format() -> Iterator[str]:
    command = ["clang-format-14", "--dry-run", "-Werror", *files(*SOURCES)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    unformatted = set(re.findall(r"^(.*):\d+:\d+: error: ", ran.stderr, re.MULTILINE))
    for file in sorted(unformatted):
        yield f"{file}: not formatted; run: clang-format-14 -i {file}"
    if ran.returncode != 0 and not unformatted:
        yield ran.stderr


# The brackets keep these lines from finding themselves.
WORDS = {
    "says that something is unfinished": (
        # But not in what a compiler says of other people's exercises.
        r'(?<!identifier \\")FIX[M]E|XX[X]|HAC[K]|[Pp]lace[h]older|[Nn]ot imple[m]ented'
    ),
    "names a place that readers do not have": (
        r"(^|[^A-Za-z0-9_.])/(wor[k]|tm[p]|roo[t]|hom[e])/|\bissue #?[0-9]{1,5}\b"
    ),
    "has carriage returns; lines end in LF": "\r",
}


def check_words() -> Iterator[str]:
    for words, expression in WORDS.items():
        for file, number, line in found(expression, ALL):
            yield f"{file}: {words}: {number}:{line}"


def long_functions(file: str, most: int) -> Iterator[tuple[int, int]]:
    """Where functions of more lines begin, and how many they have.

    A function is what somebody has to hold in his head: counted are its lines without labels,
    comments and strings that stand alone, as clang-format lays them out: it begins and ends in the
    first column.
    """
    begin = head = count = 0
    in_type = False
    for number, line in enumerate(lines_of(file), 1):
        if re.match("[^ \t}#/]", line) and not begin and not in_type:
            if re.match(r'namespace|extern "C" \{', line):
                head = 0
            elif re.search(TYPE, line) and "(" not in line:
                in_type = line.endswith("{")
            else:
                head = 0 if re.search("[;=]", line) else head or number
        if head and not begin and not in_type and line.endswith("{"):
            begin, count = head, 0
        if begin and not re.fullmatch(r' *(case .*:|default:|//.*|"[^"]*",?)?', line):
            count += 1
        if line.startswith("}"):
            if begin and count > most:
                yield begin, count
            begin = head = 0
            in_type = False


TYPE = "(^|>|inline|static|constexpr|const) ?(class|struct|union|enum|constexpr|const) "


def check_sizes() -> Iterator[str]:
    """A file ends where its idea ends, apart from these."""
    for kind, most, among in (
        ("step", 80, files("chapters/*/steps/v*.cuh")),
        ("bootstrap", 60, files("tutor")),
    ):
        for file in among:
            count = Path(file).read_bytes().count(b"\n")
            if count > most:
                yield f"{file}: {count} lines; a {kind} has at most {most}"
    beside = Counter(str(Path(file).parent) for file in files("chapters/*"))
    for folder, count in beside.items():
        if count > 8 and folder.count("/") == 1:
            yield f"{folder}: {count} files beside its rooms; a chapter has at most 8"
    for file in files(*SOURCES):
        for begin, count in long_functions(file, 100):
            yield f"{file}:{begin}: {count} lines; a function has at most 100"
    for file in ALL:
        size = os.path.getsize(file)
        if size > 1 << 20:
            yield f"{file}: {size} bytes; a file in the course has at most {1 << 20}"
        if size == 0:
            yield f"{file}: is empty"
    for file, number, _ in found("^.{101}", files("*.py")):
        yield f"{file}:{number}: a line of Python has at most 100 columns"


def check_json() -> Iterator[str]:
    """A record of JSON stands on one line; what an editor reads is its own."""
    own = {*files("*.vscode/*", "*CMakePresets.json")}
    stored = [file for file in files("*.json") if file not in own]
    command = [sys.executable, "-B", str(JSON_LINES), "--check", *stored]
    said = subprocess.run(command, capture_output=True, text=True, check=False)
    yield from (said.stdout + said.stderr).splitlines()


# A folder of the tutor includes what stands before it, and nothing behind it. So do the emulator's
# rooms, which a header's name begins with: those of the library, from the engine, which runs
# blocks, to NCCL, and those of CUDA's headers. The instruments stand on them. (CUB and Thrust use
# each other.)
TUTOR = ["base", "exercises", "loop", "grade", "observe", "times", "commands"]
LIBRARY = "math engine context streams memory launches graphs textures devices nccl".split()
HEADERS = "language engine memory math warp runtime groups libcudacxx ptx textures".split()
HEADERS.append("cub|thrust")
EMULATOR = [*(f"emulator/src/{room}" for room in LIBRARY), "emulator/observe"]


def behind(folder: str, rooms: list[str], never: str, before: str = "") -> Iterator[str]:
    """Includes of a room that stands behind the one that has them, or of what `never` matches."""
    for i, room in enumerate(rooms):
        later = "".join(f"|{before}({one})" for one in rooms[i + 1 :])
        own = files(*(f"{folder}/{one}/*.?pp" for one in room.split("|")))
        for file, number, line in found(rf'#include ["<]({never}|\.\.{later})/', own):
            yield f"{file}:{number}:{line}: {folder}/{room.split('|')[0]} stands before it"


def circle() -> list[str]:
    """Parts of the emulator that include each other; NAME.hpp, NAME.cpp, NAME_MORE.cpp are one."""
    sources = files(*(f"{folder}/*.?pp" for folder in EMULATOR))
    headers = {file.removesuffix(".hpp") for file in sources if file.endswith(".hpp")}
    places = {os.path.basename(header): header for header in sorted(headers, reverse=True)}

    def part(path: str) -> str:
        shorter = (path[: at.start()] for at in re.finditer(r"_(?=[^/]*$)", path))
        return next((name for name in shorter if name in headers), path)

    graph: dict[str, set[str]] = {}
    for file, _, line in found(r'^#include "([a-z_]+/)?[a-z_0-9]+\.hpp"', sources):
        name = line.split('"')[1].removesuffix(".hpp")
        own, other = part(file[:-4]), part(places.get(os.path.basename(name), file[:-4]))
        if own != other and not name.startswith("emu/"):
            graph.setdefault(own, set()).add(other)
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        return sorted({*error.args[1]})
    return []


def check_layers() -> Iterator[str]:
    yield from behind("course/tutor", TUTOR, "")
    own = "it imports what lies beside it, and what comes with Python"
    imports = r"sys\.path|__import__|importlib|^ *(from|import) +\."
    for file, number, line in found(imports, files("course/tutor/*/*.py")):
        yield f"{file}:{number}:{line}: {own}"
    yield from behind("emulator/src", LIBRARY, '([^"]*/)?observe')
    yield from behind("emulator/include/emu", HEADERS, '([^"]*/)?observe', "emu/")
    course = files("common/*", "course/ladder/*", "course/grading/*")
    emulator = files(*(f"{folder}/*.?pp" for folder in EMULATOR))
    for others, among in (("emulator|emu", course), ("common|ladder|checker|judge", emulator)):
        for file, number, line in found(rf'#include [<"](\.\./)*({others})/', among):
            meet = "the course and the emulator meet in emulator/observation alone"
            yield f"{file}:{number}:{line}: {meet}"
    if parts := circle():
        yield f"{' '.join(parts)}: they include each other in a circle"


CHECKS = {
    "format": (check_format, SOURCES),
    "words": (check_words, ("*",)),
    "sizes": (check_sizes, ("*",)),
    "layers": (check_layers, ("course/tutor/*.?pp",)),
    "json": (check_json, ("*.json",)),
}

if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in CHECKS:
        wanted = " ".join(sys.argv[1:2])
        sys.exit(print(f"check.py: no check called {wanted}; there are: {', '.join(CHECKS)}") or 2)
    os.chdir(sys.argv[2])
    ALL = tracked()
    check, needed = CHECKS[sys.argv[1]]
    faults = [*check()] if files(*needed) else [f"no file to check in {os.getcwd()}"]
    sys.stdout.writelines(f"{fault}\n" for fault in faults)
    sys.exit(bool(faults))
