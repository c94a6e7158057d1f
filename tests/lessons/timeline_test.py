"""Pictures of timelines, of programs that write what they are told to."""

import unittest

from support import LessonTest
from markers import Arguments
from timeline import Timeline

PROGRAM = '#!/bin/sh\n[ "$1" = quiet ] || echo "<svg>$*</svg>" >"$EMU_TIMELINE_SVG"\n'


class TimelineTest(LessonTest):
    def setUp(self):
        super().setUp()
        self.chapter = self.folder / "chapters/05_sum"
        self.program = self.folder / "build/cpu/chapters/05_sum/05_sum"

    def of(self, marker):
        return Timeline.of(Arguments(marker), self.chapter)

    def test_a_picture_is_drawn_by_the_observed_program(self):
        drawn = self.of('v1 "Two bars." args="--only v1"')
        self.assertEqual(drawn.file, self.chapter / "figures/v1.svg")
        self.assertEqual(drawn.description, "Two bars.")
        self.refused("05_sum.observed", drawn.draw, self.program, self.folder)
        self.write("build/cpu/chapters/05_sum/05_sum.observed", PROGRAM, executable=True)
        self.assertEqual(drawn.draw(self.program, self.folder), "<svg>--only v1</svg>\n")
        quiet = self.of('v1 "None." args="quiet"')
        self.refused("no picture came of", quiet.draw, self.program, self.folder)

    def test_a_program_of_one_file_is_observed_by_the_tutor(self):
        self.write("build/cpu/course/tutor/tutor", PROGRAM, executable=True)
        drawn = self.of('two "Two." file="standalone/two.cu"').draw(self.program, self.folder)
        self.assertEqual(drawn, f"<svg>observe {self.chapter}/standalone/two.cu</svg>\n")

    def test_a_marker_has_a_name_and_a_description(self):
        self.refused("marker lacks the picture's name", self.of, "")
        self.refused("marker lacks its description", self.of, "v1")


if __name__ == "__main__":
    unittest.main()
