"""The site as Doxygen has left it: is it whole, and what can be searched for in it."""

import html
import re
from pathlib import Path

from page import Entry, read_text

_ELSEWHERE = re.compile("$|.*://|(?:mailto|javascript|data):")
_FUNCTION = re.compile(
    r'<h2 class="memtitle">.*?href="(#[^"]*)".*?</span>(.*?)(?:</h2>|<span)', re.DOTALL
)


def _unescaped(text: str) -> str:
    return html.unescape(text).replace("\xa0", " ")


def _values(page: str, attributes: str) -> set[str]:
    """The values of attributes, which stand between double quotes, in tags."""
    return {_unescaped(value) for value in re.findall(f' (?:{attributes})="([^"]*)', page)}


def _functions_of(name: str, page: str) -> list[Entry]:
    """Doxygen's headings of documented functions, macros and types; an overload is found once."""
    found: dict[str, Entry] = {}
    for place, heading in _FUNCTION.findall(page):
        title = _unescaped(re.sub("<[^>]*>", "", heading))
        found.setdefault(title, Entry(title, name + place, "function"))
    return [*found.values()]


def read_site(folder: Path) -> tuple[list[str], list[Entry]]:
    """Reads every page: what leads nowhere, "page: what is wrong", and documented functions.

    External addresses are taken on trust.
    """
    if not (folder / "index.html").is_file():
        return [f"no site in {folder}"], []
    pages = {file.name: read_text(file) for file in sorted(folder.glob("*.html"))}
    places = {name: _values(page, "id|name") for name, page in pages.items()}
    faults, functions = [], []
    for name, page in pages.items():
        for target in sorted(_values(page, "href|src")):
            file, _, place = target.partition("#")
            file = file or name
            if _ELSEWHERE.match(target):
                continue
            if file not in pages and not (folder / file).is_file():
                faults.append(f"{name}: nothing at {target}")
            elif file in pages and place and place not in places[file]:
                faults.append(f"{name}: no such place: {target}")
        if not name.endswith(("-members.html", "_source.html")):
            functions += _functions_of(name, page)
    return faults, sorted(functions, key=lambda entry: entry.url)
