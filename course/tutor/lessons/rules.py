"""What every lesson of a chapter owes its reader, beyond blocks that are up to date."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from core import breaches_of_boxes, breaches_of_budget, breaches_of_core
from evidence import NOT_RECORDED
from markers import Arguments, Block, chapter_folder, find_blocks, lines_of, read_text
from proof import NOTE, unproven_figures
from recorded import names_step
from source import blanked
from terms import normal_form, read_terms

# A lesson whose evidence cannot be recorded yet says so, with the reason.
DECLARED_GAP = "<!-- note: evidence is not recorded, because "
MOST_LINES = 1200
CONCLUSION = "**What this shows.**"
Breach = tuple[int, str]  # the line, and the rule that is broken there


def _prose_of(text: str, blocks: list[Block]) -> str:
    """The author's own words: generated text, code, comments, `code in a line` are blanked out."""
    for block in blocks:
        text = text[: block.begin] + blanked(text[block.begin : block.end]) + text[block.end :]
    lines = lines_of(text)
    fenced = False
    for i, line in enumerate(lines):
        fence = line.lstrip(" ").startswith("```")
        if fence or fenced:
            lines[i] = blanked(line)
        fenced ^= fence
    text = "".join(lines)
    for pattern in ("<!--(?:.*?-->|)", "`(?:[^`]*`|)"):
        text = re.sub(pattern, lambda found: blanked(found[0]), text, flags=re.DOTALL)
    return text


def _italics_of(prose: str) -> Iterator[tuple[int, str]]:
    """The stretches between single stars, and where; **bold** and a star among spaces are none."""
    for found in re.finditer(r"(^|[^*\\])\*([^*\s](?:[^*]*[^*\s])?)\*(?!\*)", prose):
        if "\n\n" not in found[2]:
            yield found.start(2), found[2]


def breaches_of(root: Path, lesson: Path, text: str, blocks: list[Block]) -> list[Breach]:
    """The breaches of one lesson.

    - The paragraph after each table of results begins with "**What this shows.**".
    - Evidence is recorded, or `<!-- note: evidence is not recorded, because … -->` says why not.
    - Each term in *italics* is one that this chapter or an earlier one introduces (terms.toml).
    - Figures in its own words are proven (proof.py).
    - The text of a link stands on one line.
    - A line that is to be drawn (observe --picture FILE:LINE) is one that accesses memory.
    - It has at most 1200 lines, and a chapter's first page is a core to work through (core.py).

    A page that is no chapter's owes proofs only, and only if it names records.
    """
    prose = _prose_of(text, blocks)
    folder = chapter_folder(lesson)
    of_chapter = folder.parent == root / "chapters"
    found: list[Breach] = []
    if of_chapter or NOTE.search(text):
        found += unproven_figures(root, lesson, text, prose, blocks)
    if of_chapter:
        known = {normal_form(t.name) for t in read_terms(root) if t.chapter <= folder.name}
        found += [*_of_blocks(text, blocks), *_of_words(text, prose, known)]
        found += _of_pictures(folder, text)
    lines = _length_of(text, blocks)
    if of_chapter and lesson.name == "README.md":
        chapter = int(folder.name[:2])
        found += breaches_of_core(text, blocks, lines - 2 * len(blocks), chapter)  # without markers
    breaches = [(1 + text.count("\n", 0, at), message) for at, message in sorted(found)]
    if of_chapter and lines > MOST_LINES:
        breaches.append((lines, f"{lines} lines; a lesson has at most {MOST_LINES}"))
    return breaches


def _length_of(text: str, blocks: list[Block]) -> int:
    """The lines of a lesson, but for those that nobody reads.

    What makes a picture explorable takes four, the time model has a row in each step's table, and
    notes name records.
    """
    notes = sum(note[0].count("\n") for note in re.finditer(rf"(?:{NOTE.pattern})+\n", text, re.M))
    explorable = sum(block.name == "explore" for block in blocks)
    return text.count("\n") - 4 * explorable - text.count("\n| binds, by the ") - notes


def _of_words(text: str, prose: str, known: set[str]) -> Iterator[tuple[int, str]]:
    """What is wrong with italics and links, and where."""
    for position, term in _italics_of(prose):
        if normal_form(term) not in known:
            message = (
                f"'{term}' stands in *italics* and in no terms.toml up to this chapter: add it "
                "there, or write _emphasis_"
            )
            yield position, message
    # Doxygen loses headings that follow such a link.
    for link in re.finditer(r"\[[^\[\]\n]*\n[^\[\]\n]*\]\(", text):
        yield link.start(), "the text of a link is cut by the end of a line: keep it on one"


def _of_pictures(folder: Path, text: str) -> Iterator[tuple[int, str]]:
    """Lines to be drawn of the chapter's sources that access nothing, and where."""
    for drawn in re.finditer(r"--picture (\w+\.cuh?):(\d+)", text):
        text_of = "".join(map(read_text, folder.glob(f"*/{drawn[1]}")))
        line = lines_of(text_of)[int(drawn[2]) - 1 :][:1]
        if not line or "[" not in line[0]:
            message = f"{drawn[1]} has no access to memory in line {drawn[2]} to be drawn"
            yield drawn.start(), message


def _of_blocks(text: str, blocks: list[Block]) -> Iterator[tuple[int, str]]:
    """What is wrong with evidence and around tables, and where."""
    for block in blocks:
        missing = NOT_RECORDED in text[block.begin : block.end] and DECLARED_GAP not in text
        if block.name == "evidence" and missing:
            message = "evidence is not recorded: tools/record_counters.py records it on a GPU"
            yield block.begin - 1, message
        if block.name == "results":
            after = text[text.index("-->", block.end) + len("-->") :].lstrip("\n")
            if not after.startswith(CONCLUSION):
                yield block.end, f"the paragraph after a table begins with {CONCLUSION}"


def evidence_in(texts: Sequence[str]) -> list[tuple[str, str]]:
    """The steps whose evidence stands there, each behind its chapter; "" where it is their own."""
    blocks = (block for text in texts for block in find_blocks(text) if block.name == "evidence")
    arguments = [Arguments(block.arguments) for block in blocks]
    return [(a.option("of"), a.take("a step")) for a in arguments]


def breaches_of_chapter(
    folder: Path, texts: Sequence[str], elsewhere: Sequence[tuple[str, str]] = ()
) -> list[Breach]:
    """The breaches of a chapter, whose lessons' texts are given.

    Each step (a file steps/vN_name.cuh) has its evidence, there or `elsewhere`, and each term that
    the chapter introduces stands in italics. Exercises stand in the sections that their cards name,
    and the prose keeps to the chapter's budget.
    """
    italics = set()
    for text in texts:
        italics |= {normal_form(s) for _, s in _italics_of(_prose_of(text, find_blocks(text)))}
    evidence = [step for of, step in evidence_in(texts) if not of]
    evidence += [step for of, step in elsewhere if of == folder.name]
    breaches = [
        (1, message)
        for owed in (breaches_of_budget, breaches_of_boxes)
        for message in owed(folder, texts)
    ]
    declared = any(DECLARED_GAP in text for text in texts)
    for step in sorted(file.stem for file in folder.glob("steps/v*.cuh")):
        is_step = re.fullmatch("v[0-9]+_[a-z0-9_]+", step)
        if is_step and not declared and not any(names_step(word, step) for word in evidence):
            marker = f"<!-- evidence {step.split('_')[0]} -->"
            breaches.append((1, f"{step} has no evidence: add {marker}"))
    for term in read_terms(folder.parent.parent):
        if term.chapter == folder.name and normal_form(term.name) not in italics:
            message = f"'{term.name}' of terms.toml stands nowhere in *italics*"
            breaches.append((1, message))
    return breaches
