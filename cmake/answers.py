"""Lists stored answers that compile: EXERCISE KIND NAME, and what each gets on a GPU."""

import sys
import tomllib
from pathlib import Path

for file in map(Path, sys.argv[1:]):
    stored = tomllib.loads(file.read_text())
    exercise = f"{file.parent.parent.name}/{file.parent.name}"
    for kind in ("wrong", "right"):
        for name, answer in stored.get(kind, {}).items():
            passes = kind == "right" or answer.get("gpu") == "passes"
            if not answer.get("verdict", "").startswith("build_error"):
                print(exercise, kind, name, "pass" if passes else "fail")
