"""JSON as it is committed: a record stands on one line, so that a difference shows the record.

    json_lines.py FILE...           writes the files anew, as json_text() lays them out
    json_lines.py --check FILE...   exit 1 and a line for each that is laid out otherwise

A record is an object with figures or words of its own and without objects in lists. What holds
records is opened: an element of a list, or an entry of a map, begins a line.
"""

import json
import sys
from pathlib import Path
from typing import Any

WIDTH = 100  # of a list that holds no objects: a longer one has a line for each element


class _Number(float):
    """A number that is written as it was read: 1.50 stays 1.50."""

    text: str

    @staticmethod
    def of(text: str) -> "_Number":
        number = _Number(text)
        number.text = text
        return number


def _one_line(value: Any) -> str:
    match value:
        case dict():
            entries = (f"{_one_line(key)}: {_one_line(its)}" for key, its in value.items())
            return f"{{{', '.join(entries)}}}"
        case list() | tuple():
            return f"[{', '.join(map(_one_line, value))}]"
        case _Number():
            return value.text
    return json.dumps(value, ensure_ascii=False)


def _has_objects(value: Any) -> bool:
    return isinstance(value, dict) or isinstance(value, list) and any(map(_has_objects, value))


def _stands_on_one_line(value: Any, depth: int) -> bool:
    if isinstance(value, list) and value:
        return not _has_objects(value) and depth + len(_one_line(value)) <= WIDTH
    if isinstance(value, dict) and value:
        is_map = all(isinstance(its, dict) and its for its in value.values())
        return not is_map and not any(
            isinstance(its, list)
            and _has_objects(its)
            or isinstance(its, dict)
            and not _stands_on_one_line(its, 0)
            for its in value.values()
        )
    return True


def _laid_out(value: Any, depth: int) -> str:
    if _stands_on_one_line(value, depth):
        return _one_line(value)
    line = "\n" + " " * (depth + 1)
    if isinstance(value, list):
        return f"[{','.join(line + _laid_out(its, depth + 1) for its in value)}]"
    text, opened = "", all(isinstance(its, dict) for its in value.values())
    for key, its in value.items():
        entry = f"{_one_line(key)}: {_laid_out(its, depth + 1)}"
        text += ("," if text else "") + (line if opened else " " if text else "") + entry
        opened = opened or "\n" in entry
    return f"{{{text}}}"


def json_text(value: Any) -> str:
    """The text of a file: each key of the outermost object, then each record, on a line."""
    if not isinstance(value, dict) or not value:
        return _laid_out(value, 0) + "\n"
    entries = (f"  {_one_line(key)}: {_laid_out(its, 2)}" for key, its in value.items())
    return "{\n" + ",\n".join(entries) + "\n}\n"


def main(words: list[str]) -> int:
    check = words[:1] == ["--check"]
    others = 0
    for file in map(Path, words[check:]):
        try:
            text = file.read_text()
            wanted = json_text(json.loads(text, parse_float=_Number.of))
        except (OSError, ValueError) as error:
            sys.exit(f"json_lines: {file}: {error}")
        others += text != wanted
        if check and text != wanted:
            again = "python3 course/tutor/lessons/json_lines.py"
            print(f"{file}: a record stands on no line of its own; run: {again} {file}")
        elif text != wanted:
            file.write_text(wanted)
    return 1 if check and others else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
