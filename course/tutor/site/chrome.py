"""What stands around the text of each page of the site.

The list of pages, the way on and back, where one is in the course, what made the page. Doxygen
puts its own names in place of `$…` in its header.html and footer.html.
"""

from pathlib import Path

from highlight import html_escaped
from page import Entry, Page

GROUPS = ("Chapters", "Look up", "Teaching", "How it is made")
_TEMPLATES = Path(__file__).parent


def _is_chapter(page: Page) -> bool:
    return page.id.startswith("chapters_") and page.file.name == "README.md"


def _number_of(page: Page) -> str:
    """05 of chapters/05_reduction/README.md"""
    return page.file.parent.name[:2]


def _group_of(page: Page) -> str:
    """The group in the list of pages, by the folder that the page comes from."""
    file = page.file.as_posix()
    if file.startswith("chapters/"):
        return "Chapters"
    if file.startswith("docs/teaching") or file in ("docs/exercises.md", "docs/instructors.md"):
        return "Teaching"
    return "Look up" if file.startswith("docs/") else "How it is made"


def _list_of_pages(pages: list[Page]) -> str:
    text = ""
    for group in GROUPS:
        text += f"<h2>{group}</h2>\n<ul>\n"
        for page in pages:
            if page.id == "mainpage" or _group_of(page) != group:
                continue
            number = f"<span>{_number_of(page)}</span>" if _is_chapter(page) else ""
            part = ' class="part"' if group == "Chapters" and not number else ""
            link = f'<a href="$relpath^{page.url}">{number}{html_escaped(page.title)}</a>'
            text += f"<li{part}>{link}</li>\n"
        if group == GROUPS[-1]:
            text += '<li><a href="$relpath^files.html">Headers: lab and emulator</a></li>\n'
        text += "</ul>\n"
    return text


def header_html(pages: list[Page], dark: bool) -> str:
    """Doxygen's template for what comes before the text; `dark`: there are colours for the dark."""
    return (
        (_TEMPLATES / "header.html")
        .read_text()
        .format(
            html_class="" if dark else ' class="light-mode"',
            dark=" dark" if dark else "",
            theme='<button id="theme" type="button">Dark</button>\n' if dark else "",
            pages=_list_of_pages(pages),
        )
    )


def footer_html(version: str, commit: str) -> str:
    """Doxygen's template for what comes after the text; no commit: it is not made from one."""
    made_from = f"commit {html_escaped(commit)}" if commit else "not made from a commit"
    template = (_TEMPLATES / "footer.html").read_text()
    return template.format(version=html_escaped(version), commit=made_from)


def _chapters_in_a_row(pages: list[Page], page: Page) -> str:
    """All chapters, the present one marked."""
    chapters = [other for other in pages if _is_chapter(other)]
    folders = [other.folder for other in chapters]
    items = ""
    for other in chapters:
        here = ' aria-current="true"' if other.folder == page.folder else ""
        items += (
            f'<li><a href="{other.url}" data-chapter="{other.id}"{here} '
            f'title="{html_escaped(other.title)}">{_number_of(other)}</a></li>'
        )
    place = 1 + folders.index(page.folder) if page.folder in folders else 0
    return (
        f'<nav class="progress" aria-label="Chapters"><p>Chapter {place} of {len(chapters)}</p>'
        f"<ol>{items}</ol></nav>"
    )


def page_head(pages: list[Page], page: Page, headings: list[Entry]) -> str:
    """What stands under a page's title: how far in the course it is, and what is on the page."""
    text = _chapters_in_a_row(pages, page) if _group_of(page) == "Chapters" else ""
    if len(headings) < 2 or page.id == "mainpage":
        return text
    text += '<details class="contents-list" open><summary>On this page</summary><ul>'
    for heading in headings:
        # Names of steps are long: they may go on in the next line after each underscore.
        title = html_escaped(heading.title).replace("_", "_<wbr>")
        text += f'<li><a href="{heading.url[heading.url.index("#"):]}">{title}</a></li>'
    return f"{text}</ul></details>"


def page_foot(pages: list[Page], page: Page) -> str:
    """What stands at a page's end: the page before and the next one."""
    here = pages.index(page)
    text = '<nav class="turn" aria-label="Before and after">'
    for way, word, others in (
        ("prev", "Before", pages[:here][-1:]),
        ("next", "Next", pages[here + 1 :][:1]),
    ):
        for other in others:
            title = html_escaped(other.title)
            text += f'<a rel="{way}" href="{other.url}"><span>{word}</span> {title}</a>'
    return f"{text}</nav>"
