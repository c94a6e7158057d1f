"""Prepares the course's Markdown for Doxygen, and checks what Doxygen made of it.

    main.py prepare COURSE PAGES SITE VERSION COMMIT light|dark     then Doxygen, then
    main.py finish SITE

Exit 1, with a line each, when something leads nowhere. docs/site/build.sh runs it.
"""

import shutil
import sys
from pathlib import Path

from chrome import footer_html, header_html
from finished import read_site
from page import Entry, find_pages, search_script
from rewriter import Rewritten


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode(errors="surrogateescape"))


def prepare(
    course: Path, pages: Path, site: Path, edition: tuple[str, str], dark: bool
) -> list[str]:
    """Writes the pages Doxygen is to read into `pages`, what they show and link to into `site`.

    `edition` is the version and the commit. Returns the faults.
    """
    for folder in (pages, site):
        shutil.rmtree(folder, ignore_errors=True)
    faults: list[str] = []
    entries: list[Entry] = []
    found = find_pages(course)
    for page in found:
        rewritten = Rewritten(course, found, page)
        _write(pages / f"{page.id}.md", rewritten.text)
        for file, place in rewritten.copies.items():
            (site / place).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(course / file, site / place)
        for place, text in rewritten.made.items():
            _write(site / place, text)
        faults += rewritten.errors
        entries += rewritten.entries
    _write(pages / "header.html", header_html(found, dark))
    _write(pages / "footer.html", footer_html(*edition))
    _write(site / "search/pages.js", search_script(entries))
    _write(site / ".nojekyll", "")  # GitHub's pages are to be served as they are
    return faults


def finish(site: Path) -> list[str]:
    """After Doxygen: everything leads somewhere, and functions can be searched for, too."""
    faults, functions = read_site(site)
    if not faults:
        _write(site / "search/functions.js", search_script(functions))
    return faults


def main() -> int:
    """Reads the command line."""
    match sys.argv[1:]:
        case ["prepare", course, pages, site, version, commit, ("light" | "dark") as colours]:
            edition = (version, commit)
            faults = prepare(Path(course), Path(pages), Path(site), edition, colours == "dark")
        case ["finish", site]:
            faults = finish(Path(site))
        case _:
            print(__doc__, file=sys.stderr)
            return 2
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
