"""Charts as SVG: for light and dark pages, readable 360 pixels wide, the same for the same data.

README.md says what a description (figures/NAME.json) holds; chart_data.py finds the figures.
"""

import json
import math
import re
from dataclasses import dataclass
from pathlib import Path

from cast import draw_cast
from chart_data import Data
from markers import LessonError, chapter_folder, read_text
from recorded import Json, lacking
from results import origin_of
from svg import MARGIN, WIDTH, Svg

TOP, BOTTOM, LEFT = 56, 286, 50  # of a plot's frame
Points = list[tuple[float, float]]


class _Scale:
    """Places values along one direction of the picture."""

    def __init__(self, axis: Json, begin: float, end: float):
        self.label, self.ticks = axis["label"], axis["ticks"]
        self.low, self.high, self.log = axis["from"], axis["to"], axis.get("log", False)
        self.begin, self.end = begin, end
        self.bounds = f"from {self.low:g} to {self.high:g}"
        if not self.low < self.high or (self.log and self.low <= 0):
            raise LessonError(f"the axis '{self.label}' cannot go {self.bounds}")

    def at(self, value: float) -> float:
        """The place of a value, which must lie on the axis."""
        if not self.low <= value <= self.high:
            outside = f"outside the axis '{self.label}', which goes {self.bounds}"
            raise LessonError(f"{value:g} lies {outside}")
        share = (value - self.low) / (self.high - self.low)
        if self.log:
            share = math.log(value / self.low) / math.log(self.high / self.low)
        return self.begin + share * (self.end - self.begin)

    def lines(self, svg: Svg, top: float, bottom: float, below: float) -> None:
        """Lines from top to bottom at the ticks of a horizontal axis, and figures under them."""
        for tick in self.ticks:
            svg.line(self.at(tick), top, self.at(tick), bottom, "grid")
            svg.text(self.at(tick), bottom + below, _figure(tick), "note mid small")


def _figure(value: float) -> str:
    """As people write it: 0.5, 1.02, 695, 4630; whole multiples of 1024 as 1K, 2K."""
    if value >= 1024 and value % 1024 == 0:
        return f"{value / 1024:.0f}K"
    return f"{value:.0f}" if value == math.floor(value) or value >= 100 else f"{value:.3g}"


class _Plot:
    """Curves, dots and bars over x, with one or two y axes."""

    def __init__(self, svg: Svg, about: Json, data: Data):
        self.svg = svg
        self.edge = WIDTH - (40 if "right" in about else 20)
        self.x = _Scale(about["x"], LEFT + 14, self.edge - 14)
        self.left = _Scale(about["left"], BOTTOM, TOP)
        self.right = _Scale(about["right"], BOTTOM, TOP) if "right" in about else None
        self.series = [self._placed(series, data.points(series)) for series in about["series"]]

    def _placed(self, series: Json, points: Points) -> tuple[str, str, int, Points]:
        """Name, shape and colour of a series, and where its points are in the picture."""
        name, shape, colour = series.get("name", ""), series["shape"], series.get("colour", 0)
        if shape not in ("line", "dots", "bars"):
            raise LessonError(f"'{shape}' is no shape of a series: use line, dots or bars")
        if colour not in range(4):
            raise LessonError(f"'{name}': colours go from 0 to 3")
        scale = self.right if series.get("axis") == "right" else self.left
        if scale is None:
            raise LessonError(f"'{name}' wants a right axis: add \"right\"")
        return name, shape, colour, [(self.x.at(x), scale.at(y)) for x, y in points]

    def draw(self) -> float:
        """Bars behind everything else, then axes, lines and dots; the height of the picture."""
        for _, shape, _, points in self.series:
            if shape == "bars":
                self._bars(points)
        self._axes()
        for _, shape, colour, points in self.series:
            if shape == "line":
                path = " L".join(f"{x:.1f} {y:.1f}" for x, y in points)
                self.svg.path(f"M{path}", f"line{colour}")
        # Lines that have dots of their own elsewhere get none.
        dotted = any(shape == "dots" and not name for name, shape, *_ in self.series)
        for _, shape, colour, points in self.series:
            for x, y in points if shape == "dots" or (shape == "line" and not dotted) else []:
                self.svg.mark(x, y, colour)
        return self._legend() + 12

    def _bars(self, points: Points) -> None:
        """Most of the way from one bar to the next."""
        width = 0.7 * (points[-1][0] - points[0][0]) / (len(points) - 1) if points[1:] else 12
        for x, y in points:
            self.svg.rect(x - width / 2, y, width, BOTTOM - y, "bar")

    def _axes(self) -> None:
        svg = self.svg
        svg.text(MARGIN, 46, self.left.label, "note")
        for tick in self.left.ticks:
            y = self.left.at(tick)
            svg.line(LEFT, y, self.edge, y, "grid")
            svg.text(LEFT - 6, y + 4, _figure(tick), "note end")
        if self.right:
            svg.text(WIDTH - MARGIN, 46, self.right.label, "note end")
            for tick in self.right.ticks:
                svg.text(self.edge + 6, self.right.at(tick) + 4, _figure(tick), "note")
        svg.line(LEFT, BOTTOM, self.edge, BOTTOM, "axis")
        for tick in self.x.ticks:
            svg.line(self.x.at(tick), BOTTOM, self.x.at(tick), BOTTOM + 4, "axis")
            svg.text(self.x.at(tick), BOTTOM + 18, _figure(tick), "note mid small")
        svg.text((LEFT + self.edge) / 2, BOTTOM + 37, self.x.label, "note mid")

    def _legend(self) -> float:
        """One entry after the other, in as many lines as they need; returns where it ends."""
        x, y = MARGIN, BOTTOM + 60
        for name, shape, colour, _ in self.series:
            width = 34 + 6.9 * len(name)
            if not name:
                continue
            if x > MARGIN and x + width > WIDTH:
                x, y = MARGIN, y + 20
            if shape == "bars":
                self.svg.rect(x + 4, y - 10, 12, 12, "bar")
            if shape == "line":
                self.svg.line(x, y - 4, x + 20, y - 4, f"line{colour}")
            if shape != "bars":
                self.svg.mark(x + 10, y - 4, colour)
            self.svg.text(x + 26, y, name)
            x += width + 8
        return y


def _plot(svg: Svg, about: Json, data: Data) -> float:
    return _Plot(svg, about, data).draw()


def _ladder(svg: Svg, about: Json, data: Data) -> float:
    """A bar for each value."""
    left, right, top, step = 164, WIDTH - 48, 40, 25
    bottom = top + step * len(about["rows"])
    scale = _Scale(about["axis"], left, right)
    scale.lines(svg, top, bottom, 16)
    values = data.figures(about["file"], [row["path"] for row in about["rows"]])
    for y, row, value in zip(range(top, bottom, step), about["rows"], values):
        svg.text(left - 8, y + 17, row["label"], "end")
        svg.rect(left, y + 4, scale.at(value) - left, step - 8, "fill0")
        svg.text(scale.at(value) + 6, y + 17, f"{value:.2f}" if value < 1 else f"{value:.0f}")
    svg.line(left, top, left, bottom, "axis")
    svg.text((left + right) / 2, bottom + 34, scale.label, "note mid")
    return bottom + 48


def _timeline(svg: Svg, about: Json, data: Data) -> float:
    """When things happened: rows of bars, in panels that have one axis in common.

    The i-th bars of all rows have one colour.
    """
    left, right, step, y = 104, WIDTH - 24, 24, 36
    scale = _Scale(about["axis"], left, right)
    for panel in about["panels"]:
        svg.text(MARGIN, y + 14, panel["title"])
        y += 22
        bottom = y + step * len(about["rows"])
        scale.lines(svg, y, bottom, 14)
        for row in about["rows"]:
            svg.text(left - 8, y + 16, row["label"], "end")
            for i, times in enumerate(data.bars(about, row, panel["bars"])):
                begin, end = map(scale.at, times)
                svg.rect(begin, y + 3, max(end - begin - 1, 1), step - 6, f"fill{i % 4}")
            y += step
        y = bottom + 24
    svg.text((left + right) / 2, y + 6, scale.label, "note mid")
    return y + 18


KINDS = {"plot": _plot, "ladder": _ladder, "timeline": _timeline}


@dataclass
class Chart:
    """A drawn chart."""

    file: Path  # where it belongs: beside its description, with .svg
    svg: str
    description: str
    origin: str  # the machine and the date of a recording; may be empty


def _described(about: Json, data: Data) -> str:
    """The description; what it names, {PATH} or {PATH:.1f}, is as it was recorded."""

    def recorded(named: re.Match[str]) -> str:
        (value,) = data.figures(about["origin"], [named[1]])
        return format(value, named[2] or ".0f")

    return re.sub(r"\{([^{}:]+)(?::([^{}]+))?\}", recorded, about["description"])


def draw_chart(root: Path, lesson: Path, description: str) -> Chart:
    """Draws the chart that a description, named from the chapter's folder, asks for."""
    file = chapter_folder(lesson) / description
    if file.suffix != ".json":
        raise LessonError(f"'{description}' must be a description such as figures/NAME.json")
    with lacking(f"{description} is no description of a chart"):
        about = json.loads(read_text(file))
        origin = origin_of(root / about["origin"]) if "origin" in about else ""
        kind = about["kind"]
        if kind == "cast":
            picture = draw_cast(about, root)
        elif kind in KINDS:
            data = Data(root, chapter_folder(lesson))
            about["description"] = _described(about, data)
            svg = Svg(about["title"], about["description"])
            picture = svg.finish(KINDS[kind](svg, about, data))
        else:
            raise LessonError(f"'{kind}' is no kind of chart: use {', '.join(KINDS)} or cast")
        return Chart(file.with_suffix(".svg"), picture, about["description"], origin)
