"""What a chapter owes to the learner's hands: a core, exercises in their sections, few words.

An exercise stands in a section as a box of the form

    > **Now you: 07.2 · Wait for what you need · 10 minutes.** Several streams …
"""

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil
from pathlib import Path

from figures import figures_of
from markers import Block, find_blocks, read_text
from recorded import lacking, markdown_table
from source import blanked

MOST_WORDS, MOST_LINES = 2500, 700  # of prose, folded prose too; of everything
FIRST_BOX = 0.25  # of the page
IDLE_WORDS = 500  # of prose with nothing to do
WORDS_PER_FIGURE = 25  # at least
# Of prose, by chapter, side pages too: 41,000 in all.
BUDGETS = dict(
    zip(range(1, 13), (3300, 3300, 3300, 2600, 3200, 3200, 3900, 3100, 4600, 3500, 3300, 3700))
)
BUDGET = 3400  # of any other chapter
MOST_MINUTES = 100  # of a core, as Pace counts them
LONGER = {9: 130, 12: 130}
FEWEST_EXERCISES = 4  # in a core, of a chapter that has as many
Breach = tuple[int, str]  # the place, and the rule that is broken there

_BOX = re.compile(r"^> \*\*Now you: (\d\d)\.(\d+) · (.+?) · (\d+) minutes\.\*\*", re.MULTILINE)
# A question says of which kind it is: numbers are given, or reasons are, or nothing is.
_ASKS = "(?:Reckon|Predict|Bet)"
_TO_DO = re.compile(rf"^(?:\$ |\*\*(?:{_ASKS}|Change|Run)\b|> \*\*Now you: )", re.MULTILINE)
_RUNS = re.compile(rf"\*\*(?:{_ASKS}, then run|Change|Run)\b")
_UNREAD = (
    r"^```[\s\S]*?^```",
    r"<!--[\s\S]*?-->",
    r"^\|.*$",
    r"^!\[.*$",
    r"\]\([^)\n]*\)",  # where a link leads
    "</?[a-z]+>",
)


def _typed(text: str, blocks: Sequence[Block]) -> str:
    """The text with what is generated blanked out."""
    for block in blocks:
        text = text[: block.begin] + blanked(text[block.begin : block.end]) + text[block.end :]
    return text


def words_of(text: str, blocks: Sequence[Block]) -> str:
    """The words that are read: no code, tables, pictures, comments or generated text."""
    text = _typed(text, blocks)
    for pattern in _UNREAD:
        text = re.sub(pattern, lambda part: blanked(part[0]), text, flags=re.MULTILINE)
    return text


def _words_in(prose: str) -> list[int]:
    """Where each word begins."""
    return [word.start() for word in re.finditer(r"\S*\w\S*", prose)]


def breaches_of_budget(folder: Path, texts: Sequence[str]) -> Iterator[str]:
    """Of a chapter's pages: together they have no more words of prose than its budget."""
    words = sum(len(_words_in(words_of(text, find_blocks(text)))) for text in texts)
    most = BUDGETS.get(int(folder.name[:2]), BUDGET)
    if words > most:
        yield f"{words} words of prose with its side pages; this chapter has at most {most}"


@dataclass(frozen=True)
class Pace:
    """What a core asks for: words to read, commands to type, exercises and the minutes they say."""

    words: int
    commands: int
    exercises: int
    at_work: int

    @property
    def reading(self) -> int:
        return ceil(self.words / 180)

    @property
    def minutes(self) -> int:
        return self.reading + self.commands + self.at_work

    @staticmethod
    def of(text: str, blocks: Sequence[Block]) -> "Pace":
        """A change that is to be tried is a command, too, where none is written below it."""
        typed = _typed(text, blocks)
        places = [*(found.start() for found in _TO_DO.finditer(typed)), len(typed)]
        commands = sum(
            typed.startswith("$ ", begin)
            or (_RUNS.match(typed, begin) is not None and not typed.startswith("$ ", end))
            for begin, end in pairwise(places)
        )
        minutes = [int(box[4]) for box in _BOX.finditer(text)]
        return Pace(len(_words_in(words_of(text, blocks))), commands, len(minutes), sum(minutes))


def pace_table(root: Path) -> str:
    """A row for each chapter: the exercises of its core, and its minutes."""
    rows = []
    for lesson in sorted(root.glob("chapters/*/README.md")):
        chapter, text = lesson.parent.name[:2], read_text(lesson)
        pace = Pace.of(text, find_blocks(text))
        counts = (pace.exercises, pace.reading, pace.commands, pace.at_work, pace.minutes)
        most = LONGER.get(int(chapter), MOST_MINUTES)
        rows.append([chapter, *map(str, (*counts, most))])
    minutes = [">reading", ">commands", ">on exercises", ">minutes", ">at most"]
    return markdown_table(["core", ">exercises", *minutes], rows)


def breaches_of_core(
    text: str, blocks: Sequence[Block], lines: int, chapter: int
) -> Iterator[Breach]:
    """The breaches of a chapter's first page, which has `lines` lines."""
    pace, most = Pace.of(text, blocks), LONGER.get(chapter, MOST_MINUTES)
    if pace.minutes > most:
        counted = f"{pace.words} words / 180 + {pace.commands} commands + {pace.at_work}"
        yield 0, f"{counted} on exercises = {pace.minutes} minutes; this core takes at most {most}"
    prose = words_of(text, blocks)
    words = _words_in(prose)
    if len(words) > MOST_WORDS:
        yield words[MOST_WORDS], f"{len(words)} words of prose; a core has at most {MOST_WORDS}"
    if lines > MOST_LINES:
        yield len(text), f"{lines} lines; a core has at most {MOST_LINES}"
    first = _BOX.search(text)
    before = text.count("\n", 0, first.start()) / text.count("\n") if first else 1.0
    if first and before > FIRST_BOX:
        yield first.start(), f"the first exercise comes after {before:.0%} of the page"
    places = [0, *(found.start() for found in _TO_DO.finditer(text)), len(text)]
    for begin, end in pairwise(places):
        idle = sum(begin <= word < end for word in words)
        if idle > IDLE_WORDS:
            yield begin, f"{idle} words with nothing to do; {IDLE_WORDS} at most"
    figures = len(figures_of(prose))
    if figures * WORDS_PER_FIGURE > len(words):
        yield 0, f"{figures} figures in {len(words)} words; one in {WORDS_PER_FIGURE} at most"


def _boxes_of(texts: Sequence[str]) -> dict[tuple[int, str], list[str]]:
    """The sections in which each box stands, by number and by title with minutes."""
    found: dict[tuple[int, str], list[str]] = {}
    for text in texts:
        for box in _BOX.finditer(text):
            heading = re.findall(r"^##? (.*)$", text[: box.start()], re.MULTILINE)[-1]
            key = (int(box[2]), f"{box[3]} · {box[4]} minutes")
            found.setdefault(key, []).append(heading)
    return found


def breaches_of_boxes(folder: Path, texts: Sequence[str]) -> Iterator[str]:
    """Of a chapter's pages, its core first: each exercise has its box in its card's section."""
    boxes = _boxes_of(texts)
    cards = sorted(folder.parent.parent.glob(f"exercises/{folder.name}/*/card.toml"))
    in_core = len(_BOX.findall(texts[0]))
    if in_core < FEWEST_EXERCISES <= len(cards):
        yield f"{in_core} of {len(cards)} exercises in the core; at least {FEWEST_EXERCISES}"
    for file in cards:
        with lacking(f"{file.parent.name}/card.toml is no card"):
            card = tomllib.loads(read_text(file))
            words = f"{card['title']} · {card['minutes']} minutes"
            sections, section = boxes.pop((card["number"], words), []), card.get("section", "")
        if sections != [section]:
            wanted = f"'> **Now you: {folder.name[:2]}.{card['number']} · {words}.**'"
            yield f"{file.parent.name}: one box {wanted} in its card's section '{section}'"
    for number, words in boxes:
        yield f"a box names {folder.name[:2]}.{number} · {words}, which no card does"
