"""Evidence of a step."""

import json
import re
import unittest

from support import LessonTest
from evidence import NOT_RECORDED, evidence_table

RESULTS = [
    {"name": "host", "kind": "cpu", "ms": 80.0},
    {"name": "v0_plain", "ms": 2.0, "gbps": 100.0},
    {"name": "v1_fast", "ms": 0.5, "gbps": 400.0},
    {"name": "v2_new", "ms": 0.5},
]
REASONS = {
    "v0_plain": [
        {"registers": 16, "dram_read": 1073741824, "occupancy": 93.6, "stall_selected": 1}
        | {"stall_long_scoreboard": 6, "stall_barrier": 3, "stall_wait": 0}
        | {"unit_dram": 88.4, "unit_issue": 12}
    ],
    "v1_fast": [
        {"registers": 24, "dram_read": 999, "occupancy": 50, "stall_selected": 2}
        | {"stall_long_scoreboard": 1, "stall_barrier": 1, "stall_wait": 4}
        | {"unit_dram": 30, "unit_issue": 71.6}
    ],
}
COUNTERS = "global_load_requests global_load_sectors shared_load_requests shared_load_wavefronts"
COUNTS = {
    "v0_plain": [dict(zip(COUNTERS.split(), of)) for of in ((10, 320, 0, 0), (30, 0, 0, 0))],
    "v1_fast": [dict(zip(COUNTERS.split(), (20000, 80000, 2, 3)))],
}
LADDER = """\
step      right  used %  barriers
host        1/1
v0_plain    1/1    25.0         8
v1_fast     1/1    97.3
"""


class Evidence(LessonTest):
    def setUp(self):
        super().setUp()
        self.record(RESULTS, REASONS)
        self.write("emulator/tests/golden/card.json", runs(COUNTS))
        self.write("chapters/05_sum/recorded/outputs.txt", "==== ladder\n" + LADDER)

    def record(self, steps, reasons):
        text = json.dumps({"runs": [{"device": "Card", "steps": steps}]})
        self.write("docs/results/card_05_sum.json", text)
        self.write("docs/results/card_reasons.json", runs(reasons))

    def table(self, step, *watch, before="", chapter="05_sum"):
        lesson = self.folder / "chapters" / chapter / "README.md"
        return evidence_table(self.folder, lesson, step, before, watch=watch)

    def test_a_step_stands_beside_the_one_before_time_what_to_watch_why_it_waits(self):
        watch = "load_sectors load_requests shared_load_wavefronts registers dram_read occupancy"
        table = self.table("v1", *watch.split(), "ladder:barriers", "ladder:used", "results:gbps")
        for words in (
            "| time ",
            "| 2.0000 ms ",
            "| 0.5000 ms, 4.00 x as fast ",
            "| sectors per load, counted ",
            "| 8 ",
            "| 20 k ",
            "| 16 ",
            "| 1.07 GB ",
            "| 94 % ",
            "| 97.3 ",
            "| 400 ",
            "| global memory (long scoreboard) 60 %, the barrier 30 % ",
            "| its last instruction (wait) 50 %",
            "| DRAM, 88 % ",
            "| issue slots, 72 % ",
        ):
            self.assertIn(words, table)

    def test_in_brief_there_is_a_row_for_each_step(self):
        lesson = self.folder / "chapters/05_sum/README.md"
        self.assertEqual(
            evidence_table(self.folder, lesson, "v1", watch=["registers"], brief=True),
            "| Card       |              time | registers per thread |\n"
            "| ---------- | ----------------: | -------------------: |\n"
            "| `v0_plain` |         2.0000 ms |                   16 |\n"
            "| `v1_fast`  | 0.5000 ms, 4.00 x |                   24 |\n",
        )

    def test_what_binds_by_the_model_stands_below_and_says_where_the_hardware_differs(self):
        self.assertNotIn("binds", self.table("v1"))
        run = {"chapter": "05_sum", "n": 9, "l2": "warm"}
        measured = {"runs": [run | {"steps": RESULTS}]}
        self.write("docs/results/card_05_sum.json", json.dumps(measured))
        steps = [
            {"name": "v0_plain", "ms": 2, "binds": "memory: 88 % of the ceiling", "term": "memory"},
            {"name": "v1_fast", "ms": 1, "binds": "waits for barriers", "term": "barriers"},
            {"name": "v2_new", "refused": "its blocks wait"},
        ]
        file = "docs/results/card_predictions.json"
        self.write(file, json.dumps({"runs": [run | {"steps": steps}]}))
        row = "| memory: 88 % of the ceiling | waits for barriers (the counters differ) |"
        self.assertIn(row, re.sub(" +", " ", self.table("v1")))
        self.assertIn("| no answer", self.table("v2"))

    def test_another_chapter_may_tell_of_a_step(self):
        lesson = self.folder / "chapters/06_atomics/README.md"
        table = evidence_table(
            self.folder, lesson, "v1", watch=["ladder:used"], brief=True, of="05_sum"
        )
        self.assertIn("| `v1_fast`  | 0.5000 ms, 4.00 x |          97.3 |", table)

    def test_the_first_step_stands_alone_and_a_host_loop_is_no_step_before(self):
        table = self.table("v0")
        self.assertIn("`v0`", table)
        self.assertNotIn("host", table)
        self.assertNotIn("as fast", table)

    def test_a_yardstick_is_no_step_before_and_a_step_may_launch_no_kernel(self):
        times = {"copy": 1.0, "v0_host": 4.0, "v1_fast": 0.5}
        self.record([{"name": name, "ms": ms} for name, ms in times.items()], {"v0_host": []})
        table = self.table("v0", "registers")
        self.assertNotIn("copy", table)
        self.assertIn("| registers per thread | no kernel |", table)
        self.assertIn("| busiest unit         | no kernel |", table)
        self.assertIn("| waits for    | no kernel | not recorded", self.table("v1"))

    def test_any_other_step_may_be_the_one_before(self):
        self.assertIn("| `v0` ", self.table("v2", before="v0"))

    def test_what_nobody_recorded_is_said_to_be_missing(self):
        self.assertIn(NOT_RECORDED, self.table("v2", "registers", "load_sectors"))

    def test_a_wrong_name_is_refused_and_the_message_lists_the_right_ones(self):
        self.refused("has no 'v9'", self.table, "v9")
        self.refused("unknown quantity 'speed': use load_sectors, ", self.table, "v1", "speed")
        self.refused("has no column 'colour'", self.table, "v1", "ladder:colour")
        self.refused("has no row of v2_new", self.table, "v2", "ladder:barriers")
        self.refused("holds no 'watts'", self.table, "v1", "results:watts")
        self.refused("no results of 06_other", self.table, "v1", chapter="06_other")


def runs(launches):
    """A recording of the launches of steps."""
    steps = launches.items()
    return json.dumps(
        {"runs": [{"program": "05_sum", "step": step, "launches": of} for step, of in steps]}
    )


if __name__ == "__main__":
    unittest.main()
