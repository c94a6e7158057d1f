"""The few shapes that charts are made of, collected into a file."""

import html
from pathlib import Path

WIDTH, MARGIN = 460, 14  # of the picture's own coordinates
_SHOWN_WIDTH = 600  # on a page that has room for it
_MARKS = ("", "M{x:.1f} {up:.1f} l5 5 l-5 5 l-5 -5 z", "M{left:.1f} {top:.1f} h7 v7 h-7 z")
_MARKS += ("M{x:.1f} {up:.1f} l5 8.5 h-10 z",)
_PICTURE = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height:.0f}" width="{shown_width}" \
height="{shown_height:.0f}" role="img">
  <title>{title}</title>
  <desc>{description}</desc>
  <style>
{styles}  </style>
  <rect class="panel" x="0.5" y="0.5" width="{inner_width}" height="{inner_height:.0f}" rx="8"/>
{body}</svg>
"""


def escaped(text: str) -> str:
    """Text as it stands between tags."""
    return html.escape(text, quote=False)


class Svg:
    """A picture that grows downwards, below its title. Classes name the styles in chart.css."""

    def __init__(self, title: str, description: str):
        self.title, self.description, self._body = title, description, ""
        self.text(MARGIN, 24, title, "title")

    def _add(self, tag: str, classes: str, rest: str) -> None:
        of_class = f' class="{classes}"' if classes else ""
        self._body += f"  <{tag}{of_class} {rest}\n"

    def text(self, x: float, y: float, text: str, classes: str = "") -> None:
        """Text whose baseline begins, or by its class ends, at (x, y); none where it is empty."""
        if text:
            self._add("text", classes, f'x="{x:.1f}" y="{y:.1f}">{escaped(text)}</text>')

    def line(self, x1: float, y1: float, x2: float, y2: float, classes: str) -> None:
        """A straight line."""
        self.path(f"M{x1:.1f} {y1:.1f} L{x2:.1f} {y2:.1f}", classes)

    def rect(self, x: float, y: float, width: float, height: float, classes: str) -> None:
        """A box with its upper left corner at (x, y)."""
        size = f'width="{width:.1f}" height="{height:.1f}"'
        self._add("rect", classes, f'x="{x:.1f}" y="{y:.1f}" {size} rx="2"/>')

    def path(self, data: str, classes: str) -> None:
        """A path, in SVG's own words."""
        self._add("path", classes, f'd="{data}"/>')

    def mark(self, x: float, y: float, colour: int) -> None:
        """A dot; each colour has a shape of its own."""
        if colour == 0:
            self._add("circle", "fill0", f'cx="{x:.1f}" cy="{y:.1f}" r="4"/>')
        else:
            path = _MARKS[colour].format(x=x, up=y - 5, left=x - 3.5, top=y - 3.5)
            self.path(path, f"fill{colour}")

    def finish(self, height: float) -> str:
        """The whole file, `height` high."""
        return _PICTURE.format(
            width=WIDTH,
            height=height,
            shown_width=_SHOWN_WIDTH,
            shown_height=height * _SHOWN_WIDTH / WIDTH,
            inner_width=WIDTH - 1,
            inner_height=height - 1,
            title=escaped(self.title),
            description=escaped(self.description),
            styles=Path(__file__).with_name("chart.css").read_text(),
            body=self._body,
        )
