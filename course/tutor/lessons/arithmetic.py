"""Arithmetic as a lesson writes it: "(16.4 - 13.1) ms / 512", "32 lines / 132 SMs"."""

import math
import re
from dataclasses import dataclass
from typing import NamedTuple

LETTER = r"[A-Za-z0-9\x80-\U0010ffff]"  # of words, and of numbers
# 16,384 or 1.98
NUMBER = r"\d+(?:,\d{3}(?!\d))*(?:\.\d+)?"
_SCALES = {"T": 1e12, "G": 1e9, "M": 1e6, "K": 1e3, "": 1, "m": 1e-3, "µ": 1e-6, "n": 1e-9}
# Longer names before their beginnings.
UNITS = {"per nanosecond": 1e9, "per microsecond": 1e6, "per millisecond": 1e3}
UNITS |= {"million": 1e6, "billion": 1e9, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "%": 0.01}
UNITS |= {
    scale + unit: factor
    for unit in ("FLOP/s", "B/s", "Hz", "B", "s")
    for scale, factor in _SCALES.items()
}


def _whole(*words: str) -> str:
    """An expression for one of the words, none of them the beginning of a longer one."""
    ends = (f"(?!{LETTER})" if re.match(LETTER, word[-1]) else "" for word in words)
    return "|".join(re.escape(word) + end for word, end in zip(words, ends))


class Number(NamedTuple):
    """A written number, and half a unit of its last digit."""

    value: float
    half: float


def number_of(text: str, rounded: bool = False) -> Number:
    """16,384 and 1.98; `rounded`: zeros at the end of 4300 may be rounding, down to two digits."""
    digits = text.replace(",", "")
    _, _, decimals = digits.partition(".")
    zeros = 0
    if rounded and not decimals:
        zeros = min(len(digits) - len(digits.rstrip("0")), max(0, len(digits) - 2))
    return Number(float(digits), 0.5 * 10.0 ** (zeros - len(decimals)))


@dataclass
class Interval:
    """What lies between the two numbers that round to the one that is written."""

    low: float
    high: float

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

    PLUS, MINUS = re.compile(r"[ \n]*\+"), re.compile(rf"[ \n]*(?:{_whole('-', '−')})")
    TIMES, OVER = re.compile(rf"[ \n]*(?:{_whole('x', '·', '*')})"), re.compile(r"[ \n]*/")
    OPEN, CLOSE = re.compile(r"[ \n]*\("), re.compile(r"[ \n]*\)")
    ROOT = re.compile(rf"[ \n]*{_whole('the square root of')}")
    WRITTEN = re.compile(rf"[ \n]*({NUMBER})")
    UNIT = re.compile(rf"[ \n]*({_whole(*UNITS)})")
    POWER = re.compile(rf"[ \n]*(?:([²³])(?!{LETTER})|\^({NUMBER})?)")
    # What is counted, in up to five words: "32 lines / 132 SMs"; an x before a number is a sign.
    _REST = rf"(?:(?!·){LETTER}|(?<={LETTER})-)*"
    WORDS = re.compile(
        rf"[ \n]*(?:(?!x(?!{LETTER})[ \n]*[!-@\x80-\U0010ffff])"
        rf"(?:x(?!{LETTER})[ \n]*{_REST}|(?![\d·]){LETTER}{_REST})[ \n]*){{0,5}}"
    )

    def __init__(self, text: str, stated: bool):
        self.text, self.stated, self.at = text, stated, 0

    def take(self, pattern: re.Pattern) -> re.Match | None:
        """What the pattern finds next, which is then done with."""
        found = pattern.match(self.text, self.at)
        self.at = found.end() if found else self.at
        return found

    def all(self) -> Interval:
        """The value of the whole text."""
        value = self.sum()
        self.take(self.WORDS)
        if self.at < len(self.text):
            raise _NoArithmetic
        return value

    def sum(self) -> Interval:
        value = self.product()
        while True:
            if self.take(self.PLUS):
                term = self.product()
                value = Interval(value.low + term.low, value.high + term.high)
            elif self.take(self.MINUS):
                term = self.product()
                value = Interval(value.low - term.high, value.high - term.low)
            else:
                return value

    def product(self) -> Interval:
        value = self.primary()
        while True:
            if self.take(self.TIMES):
                factor = self.primary()
                value = Interval(value.low * factor.low, value.high * factor.high)
            elif self.take(self.OVER):
                divisor = self.primary()
                if divisor.low <= 0:
                    raise _NoArithmetic
                value = Interval(value.low / divisor.high, value.high / divisor.low)
            else:
                return value

    def primary(self) -> Interval:
        if self.take(self.ROOT):
            under = self.product()
            if under.low < 0:
                raise _NoArithmetic
            return Interval(math.sqrt(under.low), math.sqrt(under.high))
        if self.take(self.OPEN):
            value = self.sum()
            self.take(self.WORDS)
            if not self.take(self.CLOSE):
                raise _NoArithmetic
            value = value.scaled(self.unit() or 1)
        else:
            value = self.number()
        self.take(self.WORDS)
        return value

    def unit(self) -> float | None:
        found = self.take(self.UNIT)
        return UNITS[found[1]] if found else None

    def number(self) -> Interval:
        written = self.take(self.WRITTEN)
        if not written:
            raise _NoArithmetic
        value, half = number_of(written[1], self.stated)
        power = self.power()
        unit = self.unit()
        if not (self.stated or "." in written[1] or (unit is not None and power == 1)):
            half = 0  # a count
        low, high = math.pow(value - half, power), math.pow(value + half, power)
        return Interval(low, high).scaled(unit or 1)

    def power(self) -> float:
        found = self.take(self.POWER)
        if not found:
            return 1
        raised, exponent = found.groups()
        if not raised and not exponent:
            raise _NoArithmetic
        return {"²": 2, "³": 3}[raised] if raised else number_of(exponent).value


def value_of(text: str, stated: bool = False) -> Interval | None:
    """The value of arithmetic, in seconds, bytes and hertz; nothing where `text` is something else.

    `stated`: an outcome, in which whole numbers are rounded, too.
    """
    try:
        return _Reader(text, stated).all()
    except (_NoArithmetic, OverflowError, ValueError):
        return None
