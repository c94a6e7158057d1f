"""The course's standard terms: each chapter's terms.toml, lines `"term" = "What it means."`."""

import os
import re
from dataclasses import dataclass
from pathlib import Path

from markers import LessonError, lines_of, read_text
from recorded import markdown_table


@dataclass
class Term:
    """A term, what it means in one sentence, and the folder of the chapter that introduces it."""

    name: str
    meaning: str
    chapter: str


def normal_form(term: str) -> str:
    """Lower case, one space between words, no plural s: what two spellings of a term share."""
    normal = " ".join(term.split()).lower()
    plural = len(normal) > 3 and normal.endswith("s") and not normal.endswith("ss")
    return normal[:-1] if plural else normal


def _terms_of(folder: Path) -> list[Term]:
    """The chapter's terms, in the order of the file."""
    file = folder / "terms.toml"
    terms = []
    for number, line in enumerate(lines_of(read_text(file)) if file.exists() else [], 1):
        if line == "\n" or line.startswith("#"):
            continue
        found = re.fullmatch(r'"([^"\\]+)" *= *"([^"\\]+)" *\n?', line)
        if not found:
            raise LessonError(f'{file}:{number}: write "term" = "What it means."')
        terms.append(Term(found[1], found[2], folder.name))
    return terms


def read_terms(root: Path) -> list[Term]:
    """The terms of all chapters, by chapter; refuses a term that two chapters introduce."""
    terms: dict[str, Term] = {}
    for folder in sorted(root.glob("chapters/*")):
        for term in _terms_of(folder):
            other = terms.setdefault(normal_form(term.name), term)
            if other is not term:
                raise LessonError(
                    f"the term '{term.name}' stands in the terms.toml of {other.chapter} and of "
                    f"{term.chapter}: keep the first"
                )
    return list(terms.values())


def glossary(root: Path, page: Path) -> str:
    """A table of all terms from A to Z; links lead from the folder of `page`."""
    terms = sorted(read_terms(root), key=lambda term: normal_form(term.name).encode())
    if not terms:
        raise LessonError("no chapter has a terms.toml: write one first")
    rows = []
    for term in terms:
        lesson = os.path.relpath(root / "chapters" / term.chapter / "README.md", page.parent)
        rows.append([term.name, term.meaning, f"[{term.chapter.split('_')[0]}]({lesson})"])
    return markdown_table(["term", "what it means", "chapter"], rows)
