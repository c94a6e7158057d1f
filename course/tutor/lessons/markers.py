"""Markers: the HTML comments between which a lesson's generated text stands.

    <!-- snippet v1_hello.cuh -->
    …generated…
    <!-- /snippet -->

A block's markers stand on lines of their own.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

BLOCK_NAMES = """chapters chart diff evidence exercises explore glossary idea output
    pace predictions printed results snippet timeline""".split()


class LessonError(Exception):
    """Something wrong with a lesson or what it names; `line` is where (0: the caller knows)."""

    def __init__(self, message: str, line: int = 0):
        super().__init__(message)
        self.line = line


def read_text(file: Path) -> str:
    """The whole file, its line ends as they are."""
    try:
        return file.read_bytes().decode(errors="surrogateescape")
    except OSError:
        raise LessonError(f"cannot read {file}: correct its name") from None


def write_text(file: Path, text: str) -> None:
    """Writes the file, and makes the folders that it lies in."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode(errors="surrogateescape"))
    except OSError:
        raise LessonError(f"cannot write {file}: check its permissions") from None


def lines_of(text: str) -> list[str]:
    """The lines, each with its line end; a last one without it is kept as it is."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def chapter_folder(lesson: Path) -> Path:
    """The folder of a lesson's chapter: its own, or the one above for a further page in `more`."""
    return lesson.parent.parent if lesson.parent.name == "more" else lesson.parent


class Arguments:
    """The words after a marker's name: plain ones in order, and `key=value` options.

    Values with spaces are quoted: `from "int tid" args="--n 33"`. Inside quotes `\\"` is a quote;
    other backslashes stay.
    """

    _QUOTED = r'"((?:\\"|(?!\\")[^"])*)"'
    _WORD = re.compile(rf'(?:{_QUOTED}|[^\s"])+(?=\s|$)')

    def __init__(self, text: str):
        self.words: list[str] = []
        self.options: dict[str, str] = {}
        while text := text.strip():
            found = self._WORD.match(text)
            if not found:
                raise LessonError(f"a quote is not closed in '{text}': add the missing \"")
            word = re.sub(self._QUOTED, lambda quoted: quoted[1].replace('\\"', '"'), found[0])
            if re.match("[a-z]+=", text):
                key, value = word.split("=", 1)
                self.options.setdefault(key, value)
            else:
                self.words.append(word)
            text = text[found.end() :]

    def take(self, what: str) -> str:
        """The next plain word; `what` says what is missing where there is none."""
        if not self.words:
            raise LessonError(f"marker lacks {what}")
        return self.words.pop(0)

    def take_if(self, word: str) -> bool:
        """Takes the next plain word if it is `word`."""
        return self.words[:1] == [word] and bool(self.words.pop(0))

    def option(self, key: str, otherwise: str = "") -> str:
        """Takes the option `key`, or gives `otherwise`."""
        return self.options.pop(key, otherwise)

    def expect_end(self) -> None:
        """Refuses a word or an option that nobody took."""
        for word in self.words:
            raise LessonError(f"marker has an unexpected word '{word}': remove it")
        for key in self.options:
            raise LessonError(f"marker has an unknown option '{key}=': remove it")


@dataclass
class Block:
    """One pair of markers; the generated text is [begin, end) of the lesson."""

    name: str
    arguments: str  # the text after the name, not yet cut into words
    line: int  # of the opening marker, from 1
    begin: int
    end: int


@dataclass
class _Line:
    number: int
    begin: int
    text: str

    def error(self, message: str) -> LessonError:
        return LessonError(message, self.number)


def _numbered(text: str) -> Iterator[_Line]:
    begin = 0
    for number, line in enumerate(lines_of(text), 1):
        yield _Line(number, begin, line)
        begin += len(line)


def find_blocks(text: str) -> list[Block]:
    """All blocks of a lesson, in order.

    Code fences and multi-line comments are passed over; a comment that starts with `<!-- note:` is
    an ordinary one, every other one-line comment must be a marker. Raises LessonError on a carriage
    return, and on a marker that is unknown, indented or without its other half.
    """
    for line in _numbered(text):
        if "\r" in line.text:
            raise line.error("carriage return found: save the file with plain LF line ends")
    lines = _numbered(text)
    blocks: list[Block] = []
    for line in lines:
        content = line.text.strip()
        if (fence := content[:3]) in ("```", "~~~"):
            if not any(inside.text.strip().startswith(fence) for inside in lines):
                raise line.error(f"code fence is never closed: add {fence}")
        elif content.startswith("<!--") and "-->" not in content:
            if not any("-->" in inside.text for inside in lines):
                raise line.error("comment is never closed: add -->")
        elif content.startswith("<!--") and not content.startswith("<!-- note:"):
            blocks.append(_block(line, lines))
    return blocks


def _name_and_arguments(comment: str) -> tuple[str, str]:
    name, _, arguments = comment[len("<!--") : -len("-->")].strip().partition(" ")
    return name, arguments.strip()


def _block(line: _Line, lines: Iterator[_Line]) -> Block:
    """The block that a line opens; takes its lines from those that follow."""
    content = line.text.strip()
    name, arguments = _name_and_arguments(content[: content.index("-->") + len("-->")])
    if name.startswith("/"):
        raise line.error(f"'{name}' closes nothing: remove it, or add its opening marker")
    if name not in BLOCK_NAMES:
        cure = (
            f"use one of {', '.join(BLOCK_NAMES)}, or start an ordinary comment with '<!-- note:'"
        )
        raise line.error(f"unknown marker '{name}': {cure}")
    if line.text[0] != "<" or not content.endswith("-->"):
        raise line.error(f"marker '{name}' must stand alone at the start of its line")
    openings = tuple(f"<!-- {known} " for known in BLOCK_NAMES)
    for inside in lines:
        if inside.text.strip() == f"<!-- /{name} -->":
            return Block(name, arguments, line.number, line.begin + len(line.text), inside.begin)
        if inside.text.startswith(openings):
            break
    raise line.error(f"'{name}' is never closed: add <!-- /{name} -->")
