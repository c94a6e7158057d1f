"""Figures in a lesson's own words: "9.7 ms", "55 GB/s", "12 %", "1.98", "8130195 requests".

What a figure is, and which numbers may prove one. (proof.py says where they must stand.)
"""

import math
import re
from typing import NamedTuple

from arithmetic import LETTER, NUMBER, number_of

_NUMBER = re.compile(rf"(?<!{LETTER})(?<![_.,^]){NUMBER}(?!\.?\d)")
_UNITS = "ms|µs|ns|seconds|s|TB/s|GB/s|MB/s|TFLOP/s|GFLOP/s|cycles|times|x|million|billion"
_UNIT = re.compile(rf"[ \n]?(?:%|(?:{_UNITS})(?!{LETTER}|/))")
_UNIT_IN_HEADING = re.compile(rf"%|(?<!{LETTER})(?:{_UNITS})(?!{LETTER}|/)")
_SCALES = {" million": 1e6, " billion": 1e9}
_BYTES = re.compile(rf"[ \n]?[KMGT]?i?B(?!{LETTER}|/)")  # a size is chosen, not measured
_VERSION = re.compile(r"(?:CUDA|capability|SASS for|[Ee]xercise|IEEE|PCIe|GeForce|[GR]TX)\s+$")
_EXERCISE, _NAMES_ONE = re.compile(r"[01]\d\.1?\d"), re.compile(r"(?:Now you:|with|and)\s+$")
_PRODUCT, _EDGE = re.compile(r"[ \n]x[ \n][\d(]"), re.compile(r"\d[ \n]x[ \n]$")
_JOINED = (", ", " and ", ", and ", " to ", " or ")


class Figure(NamedTuple):
    """A number in the prose: where it stands, and what is behind it: a space, its unit."""

    at: int
    number: str
    unit: str

    def bounds(self) -> tuple[float, float]:
        """The numbers between which it was rounded, without its unit."""
        value, half = number_of(self.number, rounded=True)
        half *= 1 + 1e-9
        return value - half, value + half

    def scaled_bounds(self) -> tuple[float, float]:
        """The same, of which millions are written out."""
        low, high = self.bounds()
        scale = _SCALES.get(self.unit, 1)
        return low * scale, high * scale


class Shown(NamedTuple):
    """A number that proves figures; is it a share of a hundred? `where` is for messages."""

    value: float
    share: bool
    where: str

    def proves(self, figure: Figure) -> bool:
        """Whether this, rounded, is the figure; a share may be the rest of a hundred."""
        low, high = figure.bounds()
        if figure.unit.endswith("%"):
            return self.share and (low <= self.value <= high or low <= 100 - self.value <= high)
        least, most = figure.scaled_bounds()
        return low <= self.value <= high or least <= self.value <= most


class _Cell(NamedTuple):
    """A table's cell, and the heading of its column."""

    text: str
    heading: str
    is_first: bool


def _cell_of(text: str, at: int) -> _Cell | None:
    """The cell in which `at` stands; nothing outside of tables."""
    line = text.rfind("\n", 0, at) + 1
    begin, end = text.rfind("|", line, at) + 1, text.find("|", at)
    if text[line] != "|" or end < 0:
        return None
    table = text[text.rfind("\n\n", 0, line) + 2 : line]
    headings, column = table.split("\n")[0].split("|"), text.count("|", line, at)
    heading = headings[column] if column < len(headings) else ""
    return _Cell(text[begin:end].strip(), heading, column == 1)


def shown_in(text: str, begin: int, end: int, where: str) -> list[Shown]:
    """The numbers in generated text: of a table, an output, a tool."""
    shown = []
    for number in _NUMBER.finditer(text, begin, end):
        cell = _cell_of(text, number.start())
        # "% of ceiling", but not "spread, ± %"
        of_column = cell is not None and "%" in cell.heading and "±" not in cell.heading
        share = of_column or text.startswith((" %", "%"), number.end())
        shown.append(Shown(number_of(number[0]).value, share, where))
    return shown


def figures_of(text: str) -> list[Figure]:
    """The figures of the author's text, in order.

    - A number with a unit: its own, one that it shares ("0.3 and 0.6 ms"), or that of its column.
    - One with a decimal point, but no version, and no exercise (07.4).
    - A whole one of three digits or more that is no count, or that fills a table's cell.

    What fills a cell of a table's first column was chosen, and not measured.
    """
    found: list[Figure] = []
    after, unit = len(text), ""
    for number in reversed(list(_NUMBER.finditer(text))):
        own = _UNIT.match(text, number.end())
        joined = text[number.end() : after].replace("\n", " ") in _JOINED
        unit = own[0].replace("\n", " ") if own else unit if joined else ""
        after = number.start()
        figure = Figure(number.start(), number[0], unit)
        if _is_measured(text, figure):
            found.append(figure)
    return found[::-1]


def _is_measured(text: str, figure: Figure) -> bool:
    end, before = figure.at + len(figure.number), max(0, figure.at - 20)
    if _EXERCISE.fullmatch(figure.number) and not figure.unit:
        if _NAMES_ONE.search(text, before, figure.at):
            return False
    cell = _cell_of(text, figure.at)
    fills_cell = cell is not None and cell.text in (figure.number, figure.number + figure.unit)
    if cell is not None and fills_cell and cell.is_first:
        return False
    if figure.unit.strip() in ("times", "x"):
        # "3 times" may be a count, and 2.1 x 10 is a product.
        return "." in figure.number and not _PRODUCT.match(text, end)
    if figure.unit and figure.unit not in _SCALES:
        return True
    if _BYTES.match(text, end) or _VERSION.search(text, before, figure.at):
        return False
    if cell is not None and fills_cell and _UNIT_IN_HEADING.search(cell.heading):
        return True
    if _PRODUCT.match(text, end) or _EDGE.search(text, max(0, figure.at - 4), figure.at):
        return "." in figure.number  # 500 x 1028 is a size
    short = figure.number.isdecimal() and len(figure.number) < 3 and not figure.unit
    return (fills_cell or not short) and not _is_count(figure)


def _is_count(figure: Figure) -> bool:
    """Years, round numbers, and a few times a power of two: threads, blocks, elements."""
    number = figure.number.replace(",", "")
    if not number.isdecimal() and figure.unit not in _SCALES:
        return False
    low, high = figure.scaled_bounds() if figure.unit else (float(number), float(number))
    is_year = 1950 <= high < 2050
    return (
        is_year
        or len(number.rstrip("0")) <= 1
        or any(odd * 2 ** math.floor(math.log2(high / odd)) >= low for odd in (1, 3, 5, 7, 9))
    )
