"""Pulls code and its opening comment out of a source file."""

import re

from markers import LessonError, lines_of

_COMMENTS_AND_LITERALS = re.compile(
    r"""//[^\n]*|/\*.*?(?:\*/|\Z)|"(?:\\.|[^"\\\n])*"?|(?<![A-Za-z0-9])'(?:\\.|[^'\\\n])*'?""",
    re.DOTALL,
)


def blanked(text: str) -> str:
    """As many spaces, with the line ends where they are."""
    return re.sub(r"[^\n]", " ", text)


def read_idea(source: str) -> dict[str, str]:
    """The opening `// Was: … // Now: … // Watch: …` comment of a step; lines may be continued."""
    idea = {"Was": "", "Now": "", "Watch": ""}
    current = ""
    for line in lines_of(source):
        if not line.startswith("//"):
            break
        text = line[2:].strip()
        title, colon, rest = text.partition(":")
        if colon and title in idea:
            current, text = title, rest.strip()
        if current and text:
            idea[current] += (" " if idea[current] else "") + text
    for title, text in idea.items():
        if not text:
            raise LessonError(f"the file's opening comment lacks '// {title}: …': add it")
    return idea


def opening_comment(source: str) -> str:
    """The comment that opens a file; empty when it opens with something else."""
    return re.match(r"(?://[^\n]*(?:\n|\Z))*", source)[0]


def _tidy(lines: list[str]) -> str:
    """Joins lines, without blank ones at either end and without their common indentation."""
    text = "".join(line if line.strip() else "\n" for line in lines).strip("\n")
    indents = [len(line) - len(line.lstrip(" ")) for line in text.split("\n") if line]
    return "".join(line[min(indents) :] + "\n" for line in text.split("\n"))


def whole_code(source: str) -> str:
    """The code without its opening comment, `#pragma once` and `#include` lines."""
    lines = lines_of(source)
    frame = ("//", "#pragma once", "#include")
    body = next((i for i, l in enumerate(lines) if l.strip() and not l.startswith(frame)), None)
    if body is None:
        raise LessonError("the file holds no code")
    while body > 0 and lines[body - 1].startswith("//"):
        body -= 1  # a comment that touches the code belongs to it
    return _tidy(lines[body:])


def code_between(source: str, first: str, last: str) -> str:
    """The lines from the first that matches one expression to the next that matches the other.

    Both are included, and the indentation that they share is taken away.
    """
    lines = lines_of(source)
    begin = _find_line(lines, 0, first)
    return _tidy(lines[begin : _find_line(lines, begin, last) + 1])


def compiled(pattern: str) -> re.Pattern:
    """The expression that an author has written."""
    try:
        return re.compile(pattern)
    except re.error:
        raise LessonError(f"'{pattern}' is no regular expression: correct it") from None


def _find_line(lines: list[str], begin: int, pattern: str) -> int:
    expression = compiled(pattern)
    for i in range(begin, len(lines)):
        if expression.search(lines[i]):
            return i
    raise LessonError(f'no line matches "{pattern}": name one that is there')


def _after_closing(code: str, opening: int) -> int:
    """Position just after the bracket that closes the one at `opening`; -1 when it never closes."""
    pair = "()" if code[opening] == "(" else "{}"
    depth = 0
    for bracket in re.compile(f"[{pair}]").finditer(code, opening):
        depth += 1 if bracket[0] == pair[0] else -1
        if depth == 0:
            return bracket.end()
    return -1


def code_of_function(source: str, name: str) -> str:
    """The definition of the function `name`: its comment, template line and body."""
    code = _COMMENTS_AND_LITERALS.sub(lambda found: blanked(found[0]), source)
    for call in re.finditer(rf"(?<![A-Za-z0-9_]){re.escape(name)}[ \n]*\(", code):
        after = _after_closing(code, call.end() - 1)
        brace = re.compile(r"[{;,)=<]").search(code, after) if after >= 0 else None
        if not brace or brace[0] != "{":
            continue
        end = _after_closing(code, brace.start())
        if end < 0:
            raise LessonError(f"the body of function '{name}' never ends")
        first = _first_line(lines_of(code), lines_of(source), code.count("\n", 0, call.start()))
        return _tidy(lines_of(source)[first : code.count("\n", 0, end - 1) + 1])
    raise LessonError(f"no function '{name}' is defined there: name one that is")


def _first_line(code: list[str], source: list[str], line: int) -> int:
    """Where a definition's comment, template line or return type starts."""
    while line > 0:
        above = code[line - 1].strip()
        comment = not above and source[line - 1].strip()
        part = above and "#" not in above and above[-1] not in ";{}"
        if not comment and not part:
            break
        line -= 1
    return line
