"""Arithmetic as a lesson writes it: "(16.4 - 13.1) ms / 512 = 6.4 µs", "32 lines / 132 SMs"."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

# Of words, and of numbers; by what is none: re compiles that in a hundredth of the time.
LETTER = r"[^\x00-/:-@\[-`{-\x7f]"
# 16,384 or 1.98 or 6.31e-07
NUMBER = r"\d+(?:,\d{3}(?!\d))*(?:\.\d+)?(?:e[-+]\d+)?"
_SCALES = {"T": 1e12, "G": 1e9, "M": 1e6, "K": 1e3, "": 1, "m": 1e-3, "µ": 1e-6, "n": 1e-9}
# Longer names before their beginnings.
UNITS = {"per nanosecond": 1e9, "per microsecond": 1e6, "per millisecond": 1e3}
UNITS |= {"million": 1e6, "billion": 1e9, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "%": 0.01}
UNITS |= {
    scale + unit: factor
    for unit in ("FLOP/s", "B/s", "Hz", "B", "s")
    for scale, factor in _SCALES.items()
}
_UNIT_NAMES = "|".join(f"{unit}(?!{LETTER})" if unit != "%" else unit for unit in UNITS)
_TOKEN = re.compile(
    rf"""(?P<number>{NUMBER})
    | (?P<root>the\ square\ root\ of(?!{LETTER}))
    | (?P<power>[²³](?!{LETTER})|\^(?=\d))
    | (?P<unit>{_UNIT_NAMES.replace(" ", chr(92) + " ")})
    | (?P<sign>[-−+/()·*]|x(?!{LETTER}))
    | (?P<word>(?!\d){LETTER}(?:{LETTER}|-(?={LETTER}))*)
    | (?P<end>$)""",
    re.VERBOSE,
)
_START = re.compile(r"(?:(?<=[ (\[])|(?<!.))(?:[\d(]|the square root)", re.DOTALL)
_STOP = re.compile(rf"[\d)](?!{LETTER})|{_UNIT_NAMES}")
_OPERATION = re.compile(r"[+/*^·−²³]| [-x] |root")
_MOST_WORDS = 5  # of what is counted: "32 lines / 132 SMs"


class Number(NamedTuple):
    """A written number, and half a unit of its last digit."""

    value: float
    half: float


def number_of(text: str, rounded: bool = False) -> Number:
    """16,384 and 1.98; `rounded`: zeros at the end of 4300 may be rounding, down to two digits."""
    digits, _, exponent = text.replace(",", "").partition("e")
    _, _, decimals = digits.partition(".")
    zeros = 0
    if rounded and not decimals:
        zeros = min(len(digits) - len(digits.rstrip("0")), max(0, len(digits) - 2))
    scale = 10.0 ** int(exponent or 0)
    return Number(float(digits) * scale, 0.5 * 10.0 ** (zeros - len(decimals)) * scale)


@dataclass
class Interval:
    """What lies between the two numbers that round to the one that is written."""

    low: float
    high: float

    def __add__(self, other: "Interval") -> "Interval":
        return Interval(self.low + other.low, self.high + other.high)

    def __sub__(self, other: "Interval") -> "Interval":
        return Interval(self.low - other.high, self.high - other.low)

    def __mul__(self, other: "Interval") -> "Interval":
        return Interval(self.low * other.low, self.high * other.high)

    def __truediv__(self, other: "Interval") -> "Interval":
        if other.low <= 0:
            raise _NoArithmetic
        return Interval(self.low / other.high, self.high / other.low)

    def __pow__(self, exponent: float) -> "Interval":
        if self.low < 0 and exponent < 1:
            raise _NoArithmetic
        return Interval(self.low**exponent, self.high**exponent)

    def scaled(self, factor: float) -> "Interval":
        """In the next smaller unit."""
        return Interval(self.low * factor, self.high * factor)

    def agrees(self, other: "Interval") -> bool:
        """Whether both can be the same; a factor of a thousand is a unit that was left out."""
        slack = 1 + 1e-9
        scaled = (self.scaled(1000.0**power) for power in range(-5, 6))
        return any(s.low <= other.high * slack and other.low <= s.high * slack for s in scaled)


class _NoArithmetic(Exception):
    """The text is something else."""


class _Reader:
    """Reads from left to right: sums of products of numbers with units, brackets, powers."""

    def __init__(self, text: str, stated: bool):
        self.stated = stated
        self.tokens: list[tuple[str, str]] = []  # kind and text, last first
        at = 0
        while not self.tokens or self.tokens[-1][0] != "end":
            at += len(text[at:]) - len(text[at:].lstrip(" \n"))
            token = _TOKEN.match(text, at)
            if not token:
                raise _NoArithmetic
            self.tokens.append((str(token.lastgroup), token[0]))
            at = token.end()
        self.tokens.reverse()

    def take(self, kind: str, among: str = "") -> str:
        """The next token's text if it is of this kind, and one of these signs; else nothing."""
        found, text = self.tokens[-1]
        if found != kind or (among and text not in among):
            return ""
        self.tokens.pop()
        return text

    def all(self) -> Interval:
        """The value of the whole text."""
        value = self.sum()
        if self.tokens[-1][0] != "end":
            raise _NoArithmetic
        return value

    def sum(self) -> Interval:
        value = self.product()
        while sign := self.take("sign", "+-−"):
            value = value + self.product() if sign == "+" else value - self.product()
        return value

    def product(self) -> Interval:
        value = self.factor()
        while sign := self.take("sign", "x·*/"):
            value = value / self.factor() if sign == "/" else value * self.factor()
        return value

    def factor(self) -> Interval:
        if self.take("root"):
            return self.product() ** 0.5
        if self.take("sign", "("):
            value = self.sum()
            if not self.take("sign", ")"):
                raise _NoArithmetic
            value = value.scaled(UNITS.get(self.take("unit"), 1))
        else:
            value = self.number()
        for _ in range(_MOST_WORDS):
            self.take("word") or self.take("unit")
        return value

    def number(self) -> Interval:
        written = self.take("number")
        if not written:
            raise _NoArithmetic
        value, half = number_of(written, self.stated)
        raised = self.take("power")
        power = {"": 1, "²": 2, "³": 3}.get(raised) or number_of(self.take("number")).value
        unit = self.take("unit")
        if not (self.stated or "." in written or (unit and not raised)):
            half = 0  # a count
        return (Interval(value - half, value + half) ** power).scaled(UNITS.get(unit, 1))


def value_of(text: str, stated: bool = False) -> Interval | None:
    """The value of arithmetic, in seconds, bytes and hertz; nothing where `text` is something else.

    `stated`: an outcome, in which whole numbers are rounded, too.
    """
    try:
        return _Reader(text, stated).all()
    except (_NoArithmetic, OverflowError):
        return None


class Statement(NamedTuple):
    """Arithmetic with its outcome, "3 x 4.9 = 14.7 ms": where it stands, and if it is right."""

    begin: int
    end: int
    outcome: float
    is_right: bool


def statements_of(text: str) -> Iterator[Statement]:
    """All of a text; "n = 7" states no arithmetic."""
    text = text.replace("\n", " ")
    for sign in re.finditer("=", text):
        begin, value = _before(text, sign.start())
        end, stated = _after(text, sign.end())
        if value and stated and _OPERATION.search(text, begin, sign.start()):
            outcome = re.compile(NUMBER).search(text, sign.end(), end)
            assert outcome  # it has a value
            is_right = value.agrees(stated)
            yield Statement(begin, end, number_of(outcome[0]).value, is_right)


def _before(text: str, end: int) -> tuple[int, Interval | None]:
    """Where the longest arithmetic begins that ends at `end`, and its value, if there is one."""
    begin = max(0, end - 159)
    for stop in re.compile(r"[=|;]|[.:] ").finditer(text, begin, end):
        begin = stop.end()
    for start in _START.finditer(text, begin, end):
        if value := value_of(text[start.start() : end]):
            return start.start(), value
    return end, None


def _after(text: str, begin: int) -> tuple[int, Interval | None]:
    """Where the longest arithmetic ends that begins at `begin`, and its value, if there is one."""
    outcome = re.compile(" *(?:about )?(?:some )?([^=|]{0,79})").match(text, begin)
    ends = [stop.end() for stop in _STOP.finditer(text, outcome.start(1), outcome.end(1))]
    for end in reversed(ends):
        if value := value_of(text[outcome.start(1) : end], stated=True):
            return end, value
    return begin, None
