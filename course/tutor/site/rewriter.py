"""Turns the course's Markdown files into pages for Doxygen.

The same README.md has to read well on a code host and on the site. Doxygen flattens all pages and
pictures into one folder and does not follow relative links between files of one name, so each page
is rewritten on its way: links, pictures and headings get names that are unique on the site, code
gets its colours, and explorable pictures what they need (course/tutor/lessons/explore.py).
"""

import os
import re
from pathlib import Path

from chrome import page_foot, page_head
from highlight import code_block
from page import Entry, Page, plain_text, read_text

# Browsers show these as they are; every other file is copied with ".txt" added, so that a click on
# a source file shows it rather than saves it.
SHOWN = {".svg", ".png", ".jpg", ".json", ".html", ".txt", ".pdf"}
_PART = re.compile(
    r"""(`+)(?:.*?\1|)            # a code span, kept as it is
    |<!--(?:.*?-->|(?P<open>.*))  # a comment, which may go on in the next line
    |!\[(?P<text>.*?)\]\((?P<picture>.*?)\)
    |\]\((?P<link>.*?)\)
    |(?P<attribute>src(?:set)?=)"(?P<source>.*?)" """,
    re.VERBOSE | re.DOTALL,
)


def heading_anchor(heading: str) -> str:
    """The anchor that code hosts give a heading: "Then and now!" becomes "then-and-now"."""
    return re.sub("[^a-z0-9_-]", "", heading.replace(" ", "-").lower())


def _html_only(html: str) -> str:
    """A passage around Doxygen: on one line, so that nothing in it looks like Markdown."""
    return f"@htmlonly[block]{html}@endhtmlonly\n" if html else ""


def _is_elsewhere(target: str) -> bool:
    return "://" in target or target.startswith("mailto:")


class Rewritten:
    """A page as Doxygen is to read it; line by line."""

    def __init__(self, root: Path, pages: list[Page], page: Page):
        self.root, self.pages, self.page = root, pages, page
        self.entries = [Entry(page.title, page.url, "page")]  # its sections, the terms it explains
        # Files of the course that it shows or links to, each with the place it is copied to.
        self.copies: dict[Path, str] = {}
        self.made: dict[str, str] = {}  # files of the site that it needs: place, text
        self.errors: list[str] = []  # "file:line: what is wrong", such as a link that leads nowhere
        self._anchors: dict[str, int] = {}
        self._in_comment = False
        self._number = 0
        text = self._lines(re.findall(r"[^\n]*\n|[^\n]+", read_text(root / page.file)))
        headings = [entry for entry in self.entries if entry.sort == "section"]
        if head := page_head(pages, page, headings):
            title = f"{{#{page.id}}}\n"
            text = text.replace(title, f"{title}\n{_html_only(head)}", 1)
        self.text = f"{text}\n{_html_only(page_foot(pages, page))}"

    def _lines(self, lines: list[str]) -> str:
        text, language, code = "", None, ""
        for self._number, line in enumerate(lines, 1):
            if line.startswith("```"):
                if language is None:
                    language, code = line[3:].rstrip(), ""
                else:
                    text, language = text + _html_only(code_block(language, code)), None
            elif language is not None:
                code += line
            else:
                text += self._line(line)
        return text

    def _line(self, line: str) -> str:
        """A line outside of code."""
        if explore := re.match(r"<!-- explore (\S+)", line):
            return _html_only(self._explorable(explore[1]))
        if line.startswith("<!-- /explore "):
            return _html_only("</figure>")
        if self.page.file == Path("docs/glossary.md") and line.startswith("| "):
            return self._term(line)
        if heading := re.match("(#+) (.*)", line):
            return self._heading(len(heading[1]), heading[2].rstrip())
        # A folded answer's tag, which Doxygen would close at the first blank line.
        if line.startswith(("<details", "<summary", "</details")):
            return _html_only(line.removesuffix("\n"))
        return self._prose(line)

    def _error(self, message: str) -> None:
        self.errors.append(f"{self.page.file}:{self._number}: {message}")

    def _heading(self, level: int, heading: str) -> str:
        """Labelled by its code-host anchor, made unique on the site by the page's id."""
        line = f"{'#' * level} {heading}"
        if level == 1:
            return f"{line} {{#{self.page.id}}}\n"
        if self.page.id == "mainpage":
            return f"{line}\n"  # Doxygen gives the front page's sections no places of their own
        anchor = heading_anchor(heading)
        seen = self._anchors[anchor] = self._anchors.get(anchor, -1) + 1
        label = f"{self.page.id}-{anchor}" + (f"-{seen}" if seen else "")
        if level == 2:
            url = f"{self.page.url}#{label}"
            self.entries.append(Entry(plain_text(heading), url, "section", self.page.title))
        return f"{line} {{#{label}}}\n"

    def _term(self, row: str) -> str:
        """A row of the glossary: its term becomes a place that can be linked to and found."""
        cells = [plain_text(cell) for cell in row[2:].split(" | ")]
        if len(cells) < 3 or cells[0] == "term" or cells[0].startswith("--"):
            return self._prose(row)
        place = f"{self.page.id}-term-{heading_anchor(cells[0])}"
        self.entries.append(Entry(cells[0], f"{self.page.url}#{place}", "term", cells[1]))
        return f"| @anchor {place} {self._prose(row[2:])}"

    def _explorable(self, target: str) -> str:
        """The begin of a figure that holds the still picture and what scripts make of it."""
        file = self.page.folder / target
        recording = file.with_suffix(".recorded.json")
        for needed in (file, recording):
            if not (self.root / needed).is_file():
                self._error(f"there is no {needed}: run ./tutor author lessons --record")
                return "<figure>"
        name = f"{file.parent.parent.name}-{file.stem}"
        about, recorded = (read_text(self.root / needed) for needed in (file, recording))
        self.made[f"explore/{name}.js"] = (
            f'(window.explorables ||= {{}})["{name}"] = {{\n"about": {about},\n'
            f'"recorded": {recorded}}};\n'
        )
        return (
            f'<script src="explore/{name}.js" defer></script>'
            f'<figure class="explore" id="explore-{name}" data-explore="{name}">'
        )

    def _prose(self, line: str) -> str:
        """Comments dropped, links and pictures rewritten, code spans kept."""
        rest = line
        if self._in_comment:
            _, end, rest = line.partition("-->")
            self._in_comment = not end
        text = _PART.sub(self._rewritten, rest)
        # A line that held nothing but a comment leaves nothing behind.
        return "" if not text.strip() and len(text) < len(line) else text

    def _rewritten(self, part: re.Match) -> str:
        """A part of a line as it stands on the site."""
        if part[0].startswith("<!--"):
            self._in_comment = part["open"] is not None
            return ""
        if part["picture"] is not None:
            place = self._copied(part["picture"])
            # A click opens it alone: on a telephone that is where its words can be read.
            return f'<a href="{place}"><img src="{place}" alt="{part["text"]}"></a>'
        if part["link"] is not None:
            return f"]({self._resolved(part['link'])})"
        if part["source"] is not None:
            return f'{part["attribute"]}"{self._copied(part["source"])}"'
        return part[0]

    def _resolved(self, target: str) -> str:
        """Where a link leads on the site."""
        if _is_elsewhere(target):
            return target
        name, _, anchor = target.partition("#")
        if not name:
            return f"@ref {self.page.id}-{anchor}"  # Doxygen reports an anchor that no heading has
        file = self._in_course(name)
        for page in self.pages:
            if page.file in (file, file / "README.md"):
                return f"@ref {page.id}{'-' if anchor else ''}{anchor}"
        return self._copied(name)

    def _copied(self, target: str) -> str:
        """Where a file of the course lies on the site, and is copied to."""
        if _is_elsewhere(target):
            return target
        file = self._in_course(target)
        if not (self.root / file).is_file():
            self._error(f"'{target}' is neither a page nor a file of the course")
            return target
        self.copies[file] = f"files/{file}{'' if file.suffix in SHOWN else '.txt'}"
        return self.copies[file]

    def _in_course(self, target: str) -> Path:
        return Path(os.path.normpath(self.page.file.parent / target))
