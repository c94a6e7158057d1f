"""Charts and terminal sessions as pictures."""

import copy
import json
import unittest

from support import LessonTest
from chart import draw_chart
from main import Lessons

WALK = {"s1_gbps": 100, "s2_gbps": 10, "s4_gbps": 1, "p1_in_begin": 0, "p1_in_end": 50}
WALK |= {"p2_in_begin": 50, "p2_in_end": 100, "n1": 4, "n2": 8, "n4": 16}
RECORDED = {
    "date": "2026-11-20",
    "runs": [{"device": "Card", "driver": "580"}],
    "traps_and_demos": [
        {"demos": [{"name": "other", "values": {}}]},
        {"demos": [{"name": "walk", "values": WALK}]},
    ],
}
PRINTED = """\
head
  1   4  100 %

tile
  col  0  1  …
  row 0  0  1
   …
  row31  5  6
  rounds: 1 & 2
"""
VALUES = "traps_and_demos/*/demos/walk/values"
OF_CARD = {"x": [1, 2, 4], "file": "card.json"}
PLOT = {
    "kind": "plot",
    "title": "T < 1",
    "description": "What it shows.",
    "origin": "card.json",
    "x": {"label": "x", "log": True, "from": 1, "to": 4, "ticks": [1, 4]},
    "left": {"label": "y", "log": True, "from": 1, "to": 100, "ticks": [1, 10, 100]},
    "right": {"label": "r", "from": 0, "to": 32, "ticks": [0, 32]},
    "series": [
        OF_CARD | {"name": "bars", "shape": "bars", "axis": "right", "path": f"{VALUES}/n{{x}}"},
        OF_CARD | {"name": "line", "shape": "line", "path": f"{VALUES}/s{{x}}_gbps"},
    ],
}
LADDER = {
    "kind": "ladder",
    "title": "L",
    "description": "D.",
    "file": "card.json",
    "axis": {"label": "GB/s", "log": True, "from": 1, "to": 1000, "ticks": [1, 1000]},
    "rows": [{"label": "one", "path": "traps_and_demos/1/demos/walk/values/s1_gbps"}],
}
TIMELINE = {
    "kind": "timeline",
    "title": "W",
    "description": "D.",
    "axis": {"label": "ms", "from": 0, "to": 10, "ticks": [0, 10]},
    "scale": 0.1,
    "file": "card.json",
    "path": f"{VALUES}/{{bar}}_{{row}}_{{end}}",
    "rows": [{"label": "copies", "name": "in", "word": 1}],
    "panels": [{"title": "in parts", "bars": ["p1", "p2"]}],
}
SCENE = {"lesson": "chapters/01_a/README.md", "output": "run", "from": "row31", "to": "rounds"}
CAST = {"kind": "cast", "title": "C", "description": "D.", "scenes": [SCENE]}


def changed(description, *path, to):
    """The description, with another value at the end of a path."""
    other = copy.deepcopy(description)
    place = other
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = to
    return other


class Charts(LessonTest):
    def setUp(self):
        super().setUp()
        self.write("card.json", json.dumps(RECORDED))
        self.write("chapters/01_a/recorded/outputs.txt", "==== run\n" + PRINTED)
        self.lesson = self.folder / "chapters/01_a/README.md"

    def drawn(self, description):
        self.write("chapters/01_a/figures/c.json", json.dumps(description))
        return draw_chart(self.folder, self.lesson, "figures/c.json")

    def test_a_plot_shows_recorded_and_printed_figures_where_its_axes_say(self):
        chart = self.drawn(PLOT)
        self.assertEqual(chart.file, self.folder / "chapters/01_a/figures/c.svg")
        self.assertEqual(chart.description, "What it shows.")
        self.assertEqual(chart.origin, "Card, driver 580, recorded 2026-11-20")
        demos = {"date": "2026-11-21", "runs": [], "traps_and_demos": [{"device": "Two"}]}
        self.write("demos.json", json.dumps(demos))
        other = self.drawn(changed(PLOT, "origin", to="demos.json"))
        self.assertEqual(other.origin, "Two, recorded 2026-11-21")
        # x: 64 to 406, the middle of a logarithmic axis being 2; y: 56 for 100, 286 for 1.
        self.assertIn('d="M64.0 56.0 L235.0 171.0 L406.0 286.0"', chart.svg)
        self.assertIn('y="257.2" width="119.7" height="28.8"', chart.svg)  # 4 of 32
        self.assertIn("T &lt; 1", chart.svg)
        self.assertIn("prefers-color-scheme: dark", chart.svg)
        self.assertEqual(self.drawn(PLOT).svg, chart.svg)

    def test_a_line_may_bend_where_a_record_says_so(self):
        points = [[1, 1], [f"{VALUES}/n1", f"{VALUES}/s1_gbps"]]
        law = {"name": "law", "shape": "line", "file": "card.json", "points": points}
        svg = self.drawn(changed(PLOT, "series", to=[law])).svg
        self.assertIn('d="M64.0 286.0 L406.0 56.0"', svg)

    def test_a_description_says_what_is_recorded(self):
        named = f"It falls from {{{VALUES}/s1_gbps}} to {{{VALUES}/s4_gbps:.2f}}, {{not}} a path."
        chart = self.drawn(changed(PLOT, "description", to=named.replace("{not} ", "")))
        self.assertEqual(chart.description, "It falls from 100 to 1.00, a path.")
        self.assertIn("<desc>It falls from 100 to 1.00, a path.</desc>", chart.svg)
        self.refused("has no 'not'", self.drawn, changed(PLOT, "description", to=named))

    def test_a_ladder_has_a_bar_for_each_row(self):
        svg = self.drawn(LADDER).svg
        self.assertIn(">100</text>", svg)
        self.assertIn(">one</text>", svg)

    def test_a_timeline_has_a_bar_from_each_begin_to_its_end(self):
        svg = self.drawn(TIMELINE).svg
        # 0 to 10 ms go from 104 to 436; a hairline is left between neighbours.
        self.assertIn('class="fill0" x="104.0" y="61.0" width="165.0"', svg)
        self.assertIn('class="fill1" x="270.0" y="61.0" width="165.0"', svg)
        self.assertIn(">copies</text>", svg)
        self.assertIn(">in parts</text>", svg)
        # Of printed rows, "1   4  100 %" and "2   8   50 %": from word 1 to word 2.
        printed = {key: value for key, value in TIMELINE.items() if key != "file"} | {
            "output": "run"
        }
        self.refused("must have one row that begins with p1", self.drawn, printed)
        printed = changed(printed, "panels", 0, "bars", to=["1"])
        self.assertIn('width="317.7"', self.drawn(printed).svg)
        # A row that ends before has no bar.
        ended = changed(printed, "rows", 0, "word", to=9)
        self.assertNotIn('class="fill0" x=', self.drawn(ended).svg)
        missing = changed(TIMELINE, "panels", 0, "bars", to=["p1", "p3"])
        self.refused("has no 'p3_in_begin'", self.drawn, missing)

    def test_a_session_types_the_command_of_a_lessons_output_and_shows_its_lines(self):
        marker = '<!-- output run args="--n 3" observe -->\n\n<!-- /output -->\n'
        self.write("chapters/01_a/README.md", marker)
        svg = self.drawn(CAST).svg
        self.assertIn("</tspan> ./tutor observe 01 -- --n 3</text>", svg)
        self.assertIn(">  row31  5  6</text>", svg)
        self.assertIn(">  rounds: 1 &amp; 2</text>", svg)
        self.assertNotIn("head", svg)
        self.assertIn("prefers-reduced-motion", svg)
        other = changed(CAST, "scenes", 0, "output", to="walk")
        self.refused("shows no output 'walk'", self.drawn, other)
        self.refused("row99", self.drawn, changed(CAST, "scenes", 0, "from", to="row99"))

    def test_what_cannot_be_drawn_is_said_in_one_line(self):
        unnamed = {key: value for key, value in PLOT.items() if key != "title"}
        one_axis = {key: value for key, value in PLOT.items() if key != "right"}
        for description, words in (
            (
                changed(PLOT, "left", "to", to=50),
                "100 lies outside the axis 'y', which goes from 1 to 50",
            ),
            (changed(PLOT, "left", "from", to=0), "the axis 'y' cannot go from 0 to 100"),
            (
                changed(PLOT, "series", 1, "shape", to="pie"),
                "'pie' is no shape of a series: use line, dots or bars",
            ),
            (
                changed(PLOT, "kind", to="cake"),
                "'cake' is no kind of chart: use plot, ladder, timeline or cast",
            ),
            (changed(PLOT, "series", 0, "x", to=[1, 3]), "has no 'n3'"),
            (changed(PLOT, "series", 1, "path", to=VALUES.replace("walk", "run")), "has no 'run'"),
            (unnamed, "is no description of a chart"),
            (one_axis, "'bars' wants a right axis: add \"right\""),
        ):
            self.refused(words, self.drawn, description)
        self.refused("must be a description", draw_chart, self.folder, self.lesson, "figures/c.svg")

    def test_the_lesson_gets_the_image_and_a_changed_picture_is_stale(self):
        lesson, picture = "chapters/01_a/README.md", "chapters/01_a/figures/c.svg"
        self.write("chapters/01_a/figures/c.json", json.dumps(PLOT))
        marker = "<!-- chart figures/c.json -->\n<!-- /chart -->\n"
        self.write(lesson, f"# A\n\nWords.\n\n{marker}")
        self.assertEqual(Lessons(self.folder).changed, [picture, lesson])
        shown = "\n![What it shows.](figures/c.svg)\n\n*Card, driver 580, recorded 2026-11-20.*\n"
        self.assertIn(shown, self.read(lesson))
        self.assertEqual(Lessons(self.folder, check=True).stale, [])
        svg = self.read(picture)
        self.write(picture, f"{svg} ")
        (stale,) = Lessons(self.folder, check=True).stale
        self.assertIn("'chart' is stale", stale)
        Lessons(self.folder)
        self.assertEqual(self.read(picture), svg)


if __name__ == "__main__":
    unittest.main()
