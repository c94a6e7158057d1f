"""Recordings for explorable pictures, of a program that writes what it is told to."""

import json
import unittest

from support import LessonTest
from explore import has_all_runs, is_of_a_model, record_exploration, same_exploration

EVENT = {"warp": 0, "place": 0, "access": "global_load"}
LAUNCH = {"kernel": "k", "places": [{"line": 7}], "blocks": [{"block": 0, "events": [EVENT] * 2}]}
PROGRAM = """\
#!/bin/sh
if [ "$2" = --json ]; then
  echo '{"demos": [{"name": "sum", "values": {"n": '$1'}}]}' >"$3"
  exit
fi
cp "$1" "$EMU_OBSERVE_TRACE"
"""


class Explore(LessonTest):
    def setUp(self):
        super().setUp()
        self.trace = self.write("trace.json", json.dumps({"launches": [LAUNCH]}))
        self.program = self.folder / "build/05_sum"
        self.write("build/05_sum.observed", PROGRAM, executable=True)

    def recorded(self, *runs):
        about = {"kind": "paths", "title": "T", "runs": runs}
        self.description = self.write("05_sum/explore/x.json", json.dumps(about))
        text = record_exploration(self.description, self.program, self.folder)
        self.write("05_sum/explore/x.recorded.json", text)
        return text

    def test_a_run_of_each_combination_of_the_axes_is_recorded(self):
        run = {"name": "n = {n}", "args": "{n}", "writes": "values", "axes": {"n": [4, 8]}}
        self.assertEqual(
            self.recorded(run),
            '{\n  "runs": [\n'
            '   {"name": "n = 4", "command": "./tutor run 05 -- 4", "values": {\n'
            '     "sum": {"n": 4}}},\n'
            '   {"name": "n = 8", "command": "./tutor run 05 -- 8", "values": {\n'
            '     "sum": {"n": 8}}}]\n}\n',
        )
        self.assertTrue(has_all_runs(self.description))
        self.assertFalse(is_of_a_model(self.description))
        run["axes"] = {"n": [4]}
        about = {"kind": "paths", "title": "T", "runs": [run]}
        self.write("05_sum/explore/x.json", json.dumps(about))
        self.assertFalse(has_all_runs(self.description))

    def test_a_launch_has_an_event_per_line_and_basic_blocks_do_not_count(self):
        run = {"name": "t", "args": str(self.trace), "writes": "trace"}
        text = self.recorded(run)
        event = '{"warp": 0, "place": 0, "access": "global_load"}'
        events = [line.strip(" ,]}") + "}" for line in text.splitlines() if '"warp"' in line]
        self.assertEqual(events, [event, event])
        other = json.loads(text)
        launch = other["runs"][0]["trace"]["launches"][0]
        launch["blocks"][0]["events"].insert(1, {"warp": 0, "place": 0, "enters": 3})
        self.assertTrue(same_exploration(text, json.dumps(other)))
        launch["places"][0]["line"] = 8
        self.assertFalse(same_exploration(text, json.dumps(other)))
        self.refused("there are 1 launches, and no number 1", self.recorded, run | {"launch": 1})

    def test_what_cannot_be_recorded_is_said_in_one_line(self):
        run = {"name": "r", "args": "nowhere", "writes": "trace"}
        self.refused("this run has failed", self.recorded, run)
        self.refused("'ink' is no trace, timeline, values", self.recorded, run | {"writes": "ink"})
        self.refused("there is no 'writes'", self.recorded, {"name": "r", "args": ""})
        empty = self.write("05_sum/explore/y.json", "{}")
        self.refused("lacks kind, title or runs", is_of_a_model, empty)


if __name__ == "__main__":
    unittest.main()
