"""JSON as it is committed: a record on one line."""

import contextlib
import io
import unittest

from support import LessonTest
from json_lines import json_text, main


class JsonLines(LessonTest):
    def test_a_record_stands_on_one_line_and_what_holds_records_is_opened(self):
        step = {"name": "v0", "counters": {"n": [1, 2]}, "none": {}, "of": []}
        run = {"n": 8, "steps": [step, step], "l2": "warm"}
        record = '     {"name": "v0", "counters": {"n": [1, 2]}, "none": {}, "of": []}'
        self.assertEqual(
            json_text({"device": "Card", "runs": [run]}).split("\n"),
            [
                "{",
                '  "device": "Card",',
                '  "runs": [',
                '   {"n": 8, "steps": [',
                record + ",",
                record + "],",
                '    "l2": "warm"}]',
                "}",
                "",
            ],
        )

    def test_an_entry_of_a_map_stands_on_one_line_and_so_does_a_short_list(self):
        text = json_text({"by": {"8": {"ns": 1}, "16": {"ns": 2}}, "long": ["x" * 60, "y" * 60]})
        for line in ('   "8": {"ns": 1},', '   "16": {"ns": 2}},', f'   "{"x" * 60}",'):
            self.assertIn(line, text.split("\n"))
        self.assertEqual(json_text([1, "µ"]), '[1, "µ"]\n')

    def test_a_file_keeps_its_numbers_as_they_were_written(self):
        file = self.write("x.json", '{"a": 1.50, "b": 9.8527997732162476, "c": 1e-05}')
        self.assertEqual(main([str(file)]), 0)
        wanted = '{\n  "a": 1.50,\n  "b": 9.8527997732162476,\n  "c": 1e-05\n}\n'
        self.assertEqual(self.read("x.json"), wanted)
        self.assertEqual(main(["--check", str(file)]), 0)

    def test_what_is_laid_out_otherwise_is_named_and_stays(self):
        file = self.write("x.json", '{"a": 1}')
        with contextlib.redirect_stdout(io.StringIO()) as said:
            self.assertEqual(main(["--check", str(file)]), 1)
        self.assertIn(f"{file}: a record stands on no line of its own", said.getvalue())
        self.assertEqual(self.read("x.json"), '{"a": 1}')
        self.write("x.json", "{")
        with self.assertRaises(SystemExit) as ended:
            main([str(file)])
        self.assertIn("json_lines:", str(ended.exception))


if __name__ == "__main__":
    unittest.main()
