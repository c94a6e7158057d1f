"""Figures in a lesson's own words: "9.7 ms", "55 GB/s", "12 %", "2.5 times".

A figure is proven where the lesson itself shows it. It stands in a generated block or value, to
that precision or a better one; or it is the outcome of arithmetic that the sentence shows and that
is right ("268 MB / 55 GB/s = 4.9 ms"); or a note says whose it is:

    <!-- note: figures of the data sheet: 4.8 TB/s, 57.6 GB/s -->
"""

import re
from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterator

from arithmetic import LETTER, NUMBER, UNITS, Interval, number_of, value_of
from markers import Block

_NUMBER = re.compile(rf"(?<![A-Za-z0-9\x80-\U0010ffff_.,^]){NUMBER}")
_UNIT = re.compile(
    rf" ?(?:%|(?:ms|µs|ns|seconds|s|TB/s|GB/s|MB/s|TFLOP/s|GFLOP/s|cycles|times|x)(?!{LETTER}|/))"
)
_UNIT_NAMES = "|".join(map(re.escape, UNITS))


class _Readable:
    """The author's text without the marks around values, and where each part of it comes from."""

    def __init__(self, text: str, prose: str, blocks: list[Block]):
        self.text = ""
        self._begins: list[int] = []  # of the parts in this text
        self._parts: list[tuple[int, bool]] = []  # where they begin in the lesson; generated?
        at = 0
        for block in blocks:
            if block.in_prose:
                self._append(at, prose[at : text.rindex("<!--", 0, block.begin)], False)
                self._append(block.begin, text[block.begin : block.end], True)
                at = text.index("-->", block.end) + len("-->")
        self._append(at, prose[at:], False)

    def _append(self, position: int, part: str, generated: bool) -> None:
        self._begins.append(len(self.text))
        self._parts.append((position, generated))
        self.text += part.replace("\n", " ")

    def origin(self, at: int) -> tuple[int, bool]:
        """The place in the lesson, and whether it is generated."""
        part = bisect_right(self._begins, at) - 1
        position, generated = self._parts[part]
        return position + at - self._begins[part], generated


class _Proven:
    """The numbers that a lesson shows, and those that are shares of a hundred."""

    def __init__(self) -> None:
        self.values: list[float] = []
        self.shares: list[float] = []

    def add(self, number: str, share: bool = True) -> None:
        value = number_of(number).value
        insort(self.values, value)
        if share:
            insort(self.shares, value)

    def proves(self, number: str, share: bool) -> bool:
        """Whether one of them, rounded, is this number; a share may be the rest of a hundred."""
        value, half = number_of(number, rounded=True)
        half *= 1 + 1e-9
        if not share:
            return self._any(self.values, value, half)
        return self._any(self.shares, value, half) or self._any(self.shares, 100 - value, half)

    @staticmethod
    def _any(values: list[float], value: float, half: float) -> bool:
        at = bisect_left(values, value - half)
        return at < len(values) and values[at] <= value + half


def _column_of(text: str, at: int) -> str:
    """The heading of the table's column in which `at` stands; empty outside of tables."""
    line = text.rfind("\n", 0, at) + 1
    if text[line] != "|":
        return ""
    table = text[text.rfind("\n\n", 0, line) + 2 : line]
    headings, column = table.split("\n")[0].split("|"), text.count("|", line, at + 1)
    return headings[column] if column < len(headings) else ""


def _shown_numbers(text: str, blocks: list[Block]) -> _Proven:
    """The numbers that the lesson's generated text shows: tables, evidence, outputs, values."""
    proven = _Proven()
    for block in blocks:
        printed = ".txt" in block.arguments or "sass/" in block.arguments
        if block.name in ("diff", "idea", "explore") or (block.name == "snippet" and not printed):
            continue  # code's constants prove nothing
        for number in _NUMBER.finditer(text[block.begin : block.end]):
            at, after = block.begin + number.start(), block.begin + number.end()
            if after == block.end and block.in_prose:
                after = text.index("-->", after) + len("-->")
            column = _column_of(text, at)
            # "% of ceiling", but not "spread, ± %"
            share = text.startswith((" %", "%"), after) or ("%" in column and "±" not in column)
            proven.add(number[0], share)
    return proven


def _figures_of(text: str) -> Iterator[tuple[int, str, str]]:
    """Where a figure of the prose stands, its number, and what is behind it: a space, its unit."""
    before = None
    for number in _NUMBER.finditer(text):
        unit = _UNIT.match(text, number.end())
        if unit and not _is_count(text, number[0], unit):
            yield number.start(), number[0], unit[0]
            # The number before may share the unit: "0.3 and 0.6 ms".
            if before and text[before.end() : number.start()] in (" and ", " to ", " or "):
                yield before.start(), before[0], unit[0]
        before = number


def _is_count(text: str, number: str, unit: re.Match) -> bool:
    """ "3 times" may be a count, and 2.1 x 10 is a product."""
    if unit[0].strip() not in ("times", "x"):
        return False
    return "." not in number or bool(re.compile(r" [\d(]").match(text, unit.end()))


def _before(text: str, end: int) -> tuple[str, Interval | None]:
    """The longest arithmetic that ends at `end`, and its value; none where there is none."""
    begin = max(0, end - 159)
    for stop in re.compile(r"[=|;]|[.:] ").finditer(text, begin, end):
        begin = stop.end()
    candidates = re.compile(r"(?:(?<=[ (\[])|(?<!.))(?:[\d(]|the square root)", re.DOTALL)
    for candidate in candidates.finditer(text, begin, end):
        if value := value_of(text[candidate.start() : end]):
            return text[candidate.start() : end], value
    return "", None


def _after(text: str, begin: int) -> tuple[str, Interval | None]:
    """The longest arithmetic that begins at `begin`, and its value."""
    outcome = re.compile(" *(?:about )?(?:some )?([^=|]{0,79})").match(text, begin)[1]
    for end in reversed([*re.finditer(rf"(?:[\d)]|{_UNIT_NAMES})(?!{LETTER})", outcome)]):
        if value := value_of(outcome[: end.end()], stated=True):
            return outcome[: end.end()], value
    return "", None


def unproven_figures(text: str, prose: str, blocks: list[Block]) -> list[tuple[int, str]]:
    """Figures that nothing proves and arithmetic that does not come out: where, and a message.

    `prose` is the lesson with everything blanked out that is not the author's or a value's.
    """
    plain = _Readable(text, prose, blocks)
    proven = _shown_numbers(text, blocks)
    for note in re.findall(r"<!-- note: figures of (?:(?!-->).)*?(: .*?)-->", text, re.DOTALL):
        for number in _NUMBER.findall(note):
            proven.add(number)
    unproven = []
    for sign in re.finditer("=", plain.text):
        left, value = _before(plain.text, sign.start())
        right, stated = _after(plain.text, sign.end())
        # A lone number, "n = 7", states no arithmetic.
        if not value or not stated or not re.search(r"[+/*^·−²³]| [-x] |root", left):
            continue
        if not value.agrees(stated):
            message = f"{left}= {right} does not come out"
            unproven.append((plain.origin(sign.start())[0], message))
        elif outcome := re.match(NUMBER, right):
            proven.add(outcome[0])
    for at, number, unit in _figures_of(plain.text):
        position, generated = plain.origin(at)
        if not generated and not proven.proves(number, unit.endswith("%")):
            message = (
                f"'{number}{unit}' is shown by nothing generated in this lesson: take it from a "
                "recorded file by a value, show the arithmetic, or say whose it is"
            )
            unproven.append((position, message))
    return unproven
