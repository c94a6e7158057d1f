"""The emulator's counts beside those of a GPU."""

import sys
import unittest
from collections import Counter
from pathlib import Path

TOOLS = Path(__file__).resolve().parent.parent.parent / "tools"
sys.path.insert(0, str(TOOLS))

from compare_counters import CLOSE, COLUMNS, DIFFERENT, EQUAL, Row  # noqa: E402
from compare_counters import emulated, recorded, summary, table, with_table  # noqa: E402


def row_with(ours, theirs, name="global_load_sectors"):
    return Row("kernel", Counter({name: theirs}), Counter({name: ours}))


class Comparison(unittest.TestCase):
    def test_equal_within_one_percent_different(self):
        for ours, theirs, verdict in (
            (400, 400, EQUAL),
            (404, 400, CLOSE),
            (396, 400, CLOSE),
            (405, 400, DIFFERENT),
            (1, 0, DIFFERENT),
            (0, 1, DIFFERENT),
        ):
            self.assertEqual(row_with(ours, theirs).verdict(), verdict)
        for access, cost in COLUMNS.values():
            for what in ("requests", cost):
                self.assertEqual(row_with(2, 1, f"{access}_{what}").verdict(), DIFFERENT)

    def test_what_the_gpu_does_not_count_is_not_judged(self):
        row = Row("kernel", Counter(), Counter({"shared_load_requests": 5}))
        self.assertEqual(row.verdict(), EQUAL)

    def test_lines_and_kernels_of_a_part_are_summed_up(self):
        keys = ("access", "requests", "sectors", "wavefronts")
        a = [("global_load", 3, 12, 0), ("global_load", 1, 4, 0), ("shared_store", 2, 0, 8)]
        parts = {"a": a, "b": [("global_load", 10, 40, 0)]}
        kernels = [
            {"part": part, "lines": [dict(zip(keys, line)) for line in lines]}
            for part, lines in parts.items()
        ]
        counts = emulated({"kernels": kernels}, "a")
        self.assertEqual(counts["global_load_requests"], 4)
        self.assertEqual(counts["global_load_sectors"], 16)
        self.assertEqual(counts["shared_store_wavefronts"], 8)
        self.assertEqual(emulated({"kernels": kernels})["global_load_sectors"], 56)
        launch = {"kernel": "k", "global_load_requests": 7}
        self.assertEqual(recorded([launch, launch]), {"global_load_requests": 14})

    def test_the_table_shows_both_sides_where_they_differ_and_counts_the_rows(self):
        rows = [row_with(8, 8), row_with(404, 400), row_with(9, 8)]
        rows.append(row_with(2, 1, "shared_load_requests"))
        head = "Of 4 kernels the emulator's counts equal those of the GPU X on 1, are within 1 % "
        self.assertEqual(summary(rows, "GPU X"), f"{head}on 1 and differ on 2.\n")
        text = table(rows)
        cells = ("| kernel | 0 · 8 | ", "| 0 · 404 (GPU: 0 · 400) |", "| 2 · 0 (GPU: 1 · 0) |")
        for words in (*cells, "| **different** |"):
            self.assertIn(words, text)

    def test_the_table_goes_between_the_pages_markers(self):
        page = "a\n<!-- note: counters -->\n{}<!-- note: /counters -->\nb\n"
        fresh = page.format("\nnew\n\n")
        self.assertEqual(with_table(page.format("old\n"), "new\n"), fresh)
        self.assertEqual(with_table(fresh, "new\n"), fresh)
        with self.assertRaises(ValueError):
            with_table("no markers", "new\n")


if __name__ == "__main__":
    unittest.main()
