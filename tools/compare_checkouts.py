#!/usr/bin/env python3
"""What two built checkouts of the course say differently, and nothing else.

What chapters print, what instruments count, what answers get: for whoever moves things about and
promises that nothing else changed. Both are built by their own `./tutor test`; this starts their
`./tutor run` and `./tutor observe --json` for every chapter, on the emulator, and reads their
stored answers. Prints each difference as lines of a unified one; exit 1 if there are any.
"""

import argparse
import difflib
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib

# Where a file stands is no difference: chapters/05_reduction/steps/v1.cuh and 05_reduction/v1.cuh.
FOLDERS = re.compile(r"(?:[\w.-]+/)+(?=[\w-]+\.\w+)")


def chapters(tree):
    return sorted(path.name for path in (tree / "chapters").glob("[0-9][0-9]_*"))


def said(tree, *arguments):
    """What ./tutor prints, its exit code last; progress and paths of the machine left out."""
    done = subprocess.run(
        [tree / "tutor", *arguments], cwd=tree, capture_output=True, text=True, errors="replace"
    )
    text = done.stdout.replace(str(tree), "")
    return FOLDERS.sub("", text).splitlines() + [f"exit {done.returncode}"]


def observed(tree, chapter):
    """The JSON report of a chapter, a key a line, sorted, in a form that two versions share."""
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.json"
        last = said(tree, "observe", chapter[:2], "--json", str(report))[-1]
        lines = [last]
        if report.exists():
            lines += flat(json.loads(report.read_text()), "")
    return lines


def flat(value, key):
    if isinstance(value, dict):
        return [line for name in sorted(value) for line in flat(value[name], f"{key}.{name}")]
    if isinstance(value, list):
        return [line for i, item in enumerate(value) for line in flat(item, f"{key}[{i}]")]
    text = FOLDERS.sub("", value) if isinstance(value, str) else json.dumps(value)
    return [f"{key} = {text}"]


def answers(tree):
    """Every stored wrong answer with its verdict, from either form."""
    lines = []
    for file in sorted((tree / "wrong_answers").glob("*/*/*.diff")):
        head = file.read_text().split("\n--- ")[0]
        said_of = dict(re.findall(r"(?m)^(Verdict|GPU): (.*)$", head))
        name = f"{file.parent.parent.name}/{file.parent.name}/{file.stem}"
        lines.append(f"{name}: {said_of.get('Verdict')}, GPU: {said_of.get('GPU')}")
    for file in sorted((tree / "exercises").glob("*/*/answers.toml")):
        stored = tomllib.loads(file.read_text()).get("wrong", {})
        for name, answer in stored.items():
            name = f"{file.parent.parent.name}/{file.parent.name}/{name}"
            lines.append(f"{name}: {answer['verdict']}, GPU: {answer.get('gpu', 'fail')}")
    return sorted(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("old", type=pathlib.Path)
    parser.add_argument("new", type=pathlib.Path)
    arguments = parser.parse_args()
    old, new = arguments.old.resolve(), arguments.new.resolve()
    for tree in (old, new):
        if not (tree / "build/cpu").is_dir():
            sys.exit(f"{tree}: is not built; run its ./tutor test first")
    parts = [("answers", answers)]
    for chapter in sorted(set(chapters(old)) | set(chapters(new))):
        run = ("run", chapter[:2], "--backend", "cpu")
        parts.append((f"run {chapter}", lambda tree, run=run: said(tree, *run)))
        parts.append((f"observe {chapter}", lambda tree, c=chapter: observed(tree, c)))
    differs = 0
    for name, read in parts:
        before, after = read(old), read(new)
        names = f"old: {name}", f"new: {name}"
        lines = list(difflib.unified_diff(before, after, *names, n=0, lineterm=""))
        verdict = "DIFFERENT" if lines else "the same"
        print(f"{name}: {len(before)} lines, {verdict}", flush=True)
        if lines:
            differs += 1
            print("\n".join(lines), flush=True)
    print(f"{differs} of {len(parts)} parts differ")
    sys.exit(1 if differs else 0)


if __name__ == "__main__":
    main()
