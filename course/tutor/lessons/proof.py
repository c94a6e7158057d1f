"""What proves the figures in a lesson's own words.

A figure is proven where its section shows it, to the digits that are written. A section shows

- what is generated in it and in the sections around it;
- the records that a note there names: `<!-- note: figures from FILE.json: PART, PART -->`;
- what another section of the lesson shows that it links to, or names: `figures from #anchor`;
- the outcome of arithmetic that is written there and right: "268 MB / 55 GB/s = 4.9 ms".

What none of this proves is declared in docs/figures_by_hand.toml, with the reason.
"""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from arithmetic import number_of, statements_of
from figures import Figure, Shown, figures_of, shown_in
from markers import Block, LessonError, read_text
from recorded import scalars_of

NOTE = re.compile(r"^<!-- note: figures from (?:(\S+): )?(.*) -->\n", re.MULTILINE)
DECLARED = "docs/figures_by_hand.toml"
Problem = tuple[int, str]  # where, and a message


@dataclass
class _Section:
    """From a heading to the next one of whatever level."""

    title: str
    level: int
    begin: int
    end: int
    around: "_Section | None"
    shown: list[Shown] = field(default_factory=list)
    links: list["_Section"] = field(default_factory=list)

    def proofs(self) -> Iterator[Shown]:
        """All that its figures may come from."""
        section: _Section | None = self
        while section:
            yield from section.shown
            section = section.around
        for linked in self.links:
            yield from linked.shown


def _anchor(title: str) -> str:
    """As GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def _sections_of(text: str, prose: str) -> list[_Section]:
    sections = [_Section("", 0, 0, len(text), None)]
    for heading in re.finditer(r"^(#+) .*$", prose, re.MULTILINE):
        sections[-1].end, level = heading.start(), len(heading[1])
        around = next(s for s in reversed(sections) if s.level < level)
        title = text[heading.end(1) + 1 : heading.end()]
        sections.append(_Section(title, level, heading.start(), len(text), around))
    anchors = {_anchor(section.title): section for section in reversed(sections)}
    for section in sections:
        links = re.findall(r"\]\(#([^)]+)\)", prose[section.begin : section.end])
        for note in NOTE.finditer(text, section.begin, section.end):
            links += [] if note[1] else note[2].replace("#", "").split(", ")
        for name in links:
            if name not in anchors:
                line = 1 + text.count("\n", 0, section.begin)
                raise LessonError(f"no section of this lesson is called '#{name}'", line)
            section.links.append(anchors[name])
    return sections


def _section_at(sections: list[_Section], at: int) -> _Section:
    return next(section for section in reversed(sections) if section.begin <= at)


def _generated(block: Block) -> bool:
    """Whether a block shows what was measured; code and a description of a chart prove nothing."""
    return block.name not in ("chart", "diff", "idea", "explore", "snippet")


def _shown_by(section: _Section, root: Path, text: str, blocks: list[Block]) -> Iterator[Shown]:
    """What is generated in a section, and the records that its notes name."""
    for block in blocks:
        if section.begin <= block.begin < section.end and _generated(block):
            where = f"'{block.name}' in line {block.line}"
            yield from shown_in(text, block.begin, block.end, where)
    for note in NOTE.finditer(text, section.begin, section.end):
        for part in note[2].split(", ") if note[1] else []:
            try:
                scalars = scalars_of(root / note[1], part)
            except LessonError as error:
                line = 1 + text.count("\n", 0, note.start())
                raise LessonError(str(error), line) from None
            for path, value in scalars:
                numbers = [value]
                if isinstance(value, str):  # what a program printed
                    numbers = [number_of(figure.number).value for figure in figures_of(value)]
                yield from (Shown(number, True, f"{note[1]}: {path}") for number in numbers)


@dataclass
class _Declared:
    """Words of a lesson, the figures in which somebody vouches for."""

    text: str
    spans: list[range]  # where they stand
    used: bool = False


def _declared_in(root: Path, lesson: Path, text: str) -> list[_Declared]:
    """What docs/figures_by_hand.toml has of a lesson."""
    file = root / DECLARED
    try:
        listed = tomllib.loads(read_text(file)) if file.exists() else {}
    except tomllib.TOMLDecodeError as error:
        raise LessonError(f"{DECLARED}: {error}") from None
    for name in listed:
        if not (root / name).exists():
            raise LessonError(f"{DECLARED} speaks of {name}, which is not there: remove it")
    declared = []
    for words in listed.get(lesson.relative_to(root).as_posix(), {}):
        pattern = re.compile(r"\s+".join(map(re.escape, words.split())))
        declared.append(_Declared(words, [range(*at.span()) for at in pattern.finditer(text)]))
    return declared


def _sentence(prose: str, at: int) -> str:
    """What stands around a place of the prose, up to the ends of its sentence or its row."""
    ends = re.compile(r"[.:?!]\s|\n\s*\n|\n[|]")
    begin = max((end.end() for end in ends.finditer(prose, max(0, at - 200), at)), default=at)
    end = ends.search(prose, at)
    words = " ".join(prose[begin : end.start() + 1 if end else len(prose)].split())
    return words if len(words) <= 160 else words[:157] + "..."


def _nearest(figure: Figure, shown: list[Shown]) -> str:
    value = number_of(figure.number).value
    near = min(shown, key=lambda one: abs(one.value - value), default=None)
    return f"nearest is {near.value:g} ({near.where})" if near else "nothing is shown here"


def unproven_figures(
    root: Path, lesson: Path, text: str, prose: str, blocks: list[Block]
) -> list[Problem]:
    """Figures that nothing proves, arithmetic that does not come out, and declarations in vain.

    `prose` is the lesson with everything blanked out that is not the author's.
    """
    problems: list[Problem] = []
    sections = _sections_of(text, prose)
    for section in sections:
        section.shown += _shown_by(section, root, text, blocks)
    reckoned: list[range] = []  # where arithmetic stands that is right
    for statement in statements_of(prose):
        if statement.is_right:
            section = _section_at(sections, statement.begin)
            section.shown.append(Shown(statement.outcome, True, "arithmetic"))
            reckoned.append(range(statement.begin, statement.end))
        else:
            stated = " ".join(prose[statement.begin : statement.end].split())
            problems.append((statement.begin, f"{stated} does not come out"))
    declared = _declared_in(root, lesson, text)
    for figure in figures_of(prose):
        shown = [*_section_at(sections, figure.at).proofs()]
        # An operand that may be a count is held by what comes out.
        count = not figure.unit and "." not in figure.number
        held = count and any(figure.at in span for span in reckoned)
        if held or any(one.proves(figure) for one in shown):
            continue
        vouched = [words for words in declared if any(figure.at in at for at in words.spans)]
        for words in vouched:
            words.used = True
        if not vouched:
            message = (
                f"'{figure.number}{figure.unit}' stands in no table or record of its section, "
                f"{_nearest(figure, shown)}: {_sentence(prose, figure.at)}"
            )
            problems.append((figure.at, message))
    for words in declared:
        if not words.used:
            why = "whose figures can be found" if words.spans else "which stands nowhere there"
            message = f"{DECLARED} lists '{words.text}', {why}: remove it"
            problems.append((words.spans[0].start if words.spans else 0, message))
    return problems
