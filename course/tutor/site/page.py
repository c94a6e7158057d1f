"""The Markdown files of the course as pages of the site, and what can be searched for in them."""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple


@dataclass(frozen=True)
class Page:
    """One Markdown file of the course and its name on the site."""

    file: Path  # relative to the root of the course
    id: str  # Doxygen's label of the page; "mainpage" for the first
    title: str  # its first heading

    @property
    def folder(self) -> Path:
        """Its own, or the one above for a further page in `more`: the chapter's."""
        return _without_more(self.file.parent)

    @property
    def url(self) -> str:
        """Where Doxygen puts it."""
        return f"{'index' if self.id == 'mainpage' else self.id}.html"


class Entry(NamedTuple):
    """Something that a reader can search for."""

    title: str
    url: str  # of the page, with "#place"
    sort: str  # page, section, term or function
    detail: str = ""  # what a term means; the page of a section


def read_text(file: Path) -> str:
    """The whole file, its line ends as they are."""
    return file.read_bytes().decode(errors="surrogateescape")


def plain_text(markdown: str) -> str:
    """Markdown without its marks: `*` and backquotes, a link without its target, no line end."""
    return re.sub(r"\]\([^)]*\)?|[`*\[\n]", "", markdown).rstrip(" ")


def _without_more(folder: Path) -> Path:
    return folder.parent if folder.name == "more" else folder


def _page_id(file: Path) -> str:
    """chapters/09_x/README.md becomes chapters_09_x, chapters/09_x/more/y.md chapters_09_x_y."""
    place = _without_more(file.parent)
    if file.name != "README.md":
        place /= file.stem
    return re.sub("[^A-Za-z0-9]", "_", "" if place == Path() else str(place)) or "mainpage"


def _title_of(file: Path) -> str:
    """The first heading, without what marks it."""
    heading = re.search("^# (.*)", read_text(file), re.MULTILINE)
    return plain_text(heading[1]) if heading else file.name


def find_pages(root: Path) -> list[Page]:
    """The pages of a course, in the order of the site."""
    files = [
        root / "README.md",
        *sorted(file for at in ("*.md", "more/*.md") for file in root.glob(f"chapters/*/{at}")),
        *sorted(root.glob("docs/*.md")),
        root / "CONTRIBUTING.md",
        root / "emulator/README.md",
        root / "course/tutor/lessons/README.md",
    ]
    pages = [(file, file.relative_to(root)) for file in files if file.is_file()]
    return [Page(file, _page_id(file), _title_of(path)) for path, file in pages]


def search_script(entries: list[Entry]) -> str:
    """A script that adds the entries to what the site's search knows."""
    lines = (f"{json.dumps(entry, ensure_ascii=False)},\n" for entry in entries)
    return f"(window.searchable ||= []).push(\n{''.join(lines)});\n"
