"""Recorded figures in JSON, the paths that name one of them, and figures and tables as text."""

import functools
import json
import math
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from markers import LessonError

Json = Any
NOTHING = "–"  # where a table has no figure
NAMES = tomllib.loads(Path(__file__).with_name("names.toml").read_text())


@functools.cache
def _parsed(file: Path, _written: int) -> Json:
    try:
        return json.loads(file.read_bytes())
    except ValueError:
        raise LessonError(f"{file} is not valid JSON: record it anew") from None


def read_json(file: Path) -> Json:
    """The whole file: parsed when it has changed, since most blocks look into the same few."""
    try:
        return _parsed(file, file.stat().st_mtime_ns)
    except OSError:
        raise LessonError(f"cannot read {file}: record it or correct its name") from None


@contextmanager
def lacking(what: str) -> Iterator[None]:
    """Says of `what` that something is missing in it, where the code within does not find it."""
    try:
        yield
    except KeyError as error:
        raise LessonError(f"{what}: there is no {error}") from None
    except (IndexError, TypeError, ValueError) as error:
        raise LessonError(f"{what}: {error}") from None


def as_text(value: Json) -> str:
    """A string as it is, anything else as JSON writes it."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def names_step(word: str, name: str) -> bool:
    """`v7` names `v7_warp_shuffle`, and a whole name names itself."""
    return name == word or name.startswith(word + "_")


def _means_element(part: str, index: int, element: Json) -> bool:
    if part == str(index):
        return True
    if not isinstance(element, dict):
        return False
    key, equals, value = part.partition("=")
    if equals:
        return key in element and as_text(element[key]) == value
    return "name" in element and names_step(part, as_text(element["name"]))


def _children(node: Json, part: str) -> list[Json]:
    """What a part of a path may lead to, of which the first in which the rest is found counts."""
    if isinstance(node, list):
        meant = [e for i, e in enumerate(node) if part == "*" or _means_element(part, i, e)]
        return meant if part == "*" else meant[:1]
    return [node[part]] if isinstance(node, dict) and part in node else []


def find_value(root: Json, path: str, file: Path) -> Json:
    """The value that a path leads to.

    Its parts are keys joined by "/"; inside a list a part is an index, key=value, the element's
    name or number prefix, or `*`, the first element in which the rest is found:
    `runs/n=1024/steps/v7/gbps`, `traps_and_demos/*/demos/latency/values/l1`.
    """
    parts = path.split("/") if path else []
    reached = 0

    def find(node: Json, at: int) -> list[Json]:
        nonlocal reached
        if at == len(parts):
            return [node]
        reached = max(reached, at)
        return next(filter(None, (find(child, at + 1) for child in _children(node, parts[at]))), [])

    for found in find(root, 0):
        return found
    raise LessonError(f"{file} has no '{parts[reached]}' (looking for '{path}')")


# Where the parts of a record stand that are named shortly: demos, traps, runs.
_PLACES = ("{}", "traps_and_demos/*/demos/{}/values", "traps_and_demos/*/traps/{}", "runs/{}")


def scalars_of(file: Path, part: str) -> list[tuple[str, Json]]:
    """The numbers and texts of a part of a record, each with its path.

    A part is a path, or what is left of one without its first steps: `latency` is a demo, `n=1024`
    a run. What counts stands in the part itself; where no number does, in its elements.
    """
    found = _part_of(file, part)
    scalars = _own_scalars(found, part)
    if all(isinstance(value, str) for _, value in scalars):
        inner = (_own_scalars(child, f"{part}/{key}") for key, child in _elements(found))
        scalars = [scalar for element in inner for scalar in element]
    for path, value in scalars:
        if isinstance(value, float) and not math.isfinite(value):
            raise LessonError(f"{file}: {path} is not finite: record it anew")
    return scalars


def _part_of(file: Path, part: str) -> Json:
    root = read_json(file)
    for place in _PLACES:
        try:
            return find_value(root, place.format(part), file)
        except LessonError:
            continue
    raise LessonError(f"{file} has no part '{part}': a demo, a trap, a run or a path names one")


def _elements(node: Json) -> Iterator[tuple[str, Json]]:
    """A dictionary's or a list's elements; one that has a name goes by that."""
    if isinstance(node, dict):
        yield from node.items()
    for i, element in enumerate(node if isinstance(node, list) else []):
        yield element.get("name", str(i)) if isinstance(element, dict) else str(i), element


def _own_scalars(node: Json, path: str) -> list[tuple[str, Json]]:
    return [
        (f"{path}/{key}", value)
        for key, value in _elements(node)
        if isinstance(value, (int, float, str)) and not isinstance(value, bool)
    ]


def number(record: Json, key: str) -> float | None:
    """The number under `key`, or nothing where it is missing or null."""
    value = record.get(key)
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def largest(launch: Json, kind: str) -> list[tuple[str, float]]:
    """Those figures of a launch that names.toml has of a kind, with their keys, largest first."""
    found = [(key, launch[key]) for key in NAMES[kind] if number(launch, key) is not None]
    return sorted(found, key=lambda figure: -figure[1])


def formatted(value: float | None, spec: str) -> str:
    """The figure by Python's format `spec`; "–" where there is none."""
    return NOTHING if value is None else format(value, spec)


def milliseconds(ms: float | None) -> str:
    """A time as tables write it."""
    return formatted(ms, ".4f" if ms is not None and ms < 10 else ".2f")


def markdown_table(titles: list[str], rows: list[list[str]]) -> str:
    """A table in GitHub's Markdown, padded so that the source reads well too.

    A title that begins with ">" heads a column that is flush right. No row at all is an error.
    """
    if not rows:
        raise LessonError(f"a table without a row: {', '.join(titles)}")
    columns = []
    for title, *cells in zip(titles, *rows):
        right, name = title.startswith(">"), title.lstrip(">")
        width = max(3, *map(len, [name, *cells]))
        rule = "-" * (width - 1) + (":" if right else "-")
        columns.append([f"{cell:{'>' if right else '<'}{width}}" for cell in [name, rule, *cells]])
    return "".join(f"| {' | '.join(line)} |\n" for line in zip(*columns))
