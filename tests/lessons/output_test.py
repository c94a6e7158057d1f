"""Recorded outputs of programs."""

import unittest

from support import LessonTest
from output import Output, Outputs, command_of, mask_output, run_for_output, show_output


class OutputTest(LessonTest):
    def test_what_differs_from_run_to_run_is_masked_and_nothing_else(self):
        for text, masked in (
            ("took 3.25 ms, 17 steps, n = 1024\n", "took … ms, 17 steps, n = 1024\n"),
            (
                "1,234 ns 5us 6 µs 0.5 s 7 steps 8 sectors\n",
                "… ns …us … µs … s 7 steps 8 sectors\n",
            ),
            ("CPU emulator (16 host threads)\n", "CPU emulator (… host threads)\n"),
            (
                "CPU emulator (2 host threads) · sm_80 · 11.8 GiB · L2 40\nMiB\n\nrest\n",
                "CPU emulator\n\nrest\n",
            ),
            (
                "thread (0,0,0) at /any/folder/chapters/05_x/v0.cuh:7\n",
                "thread (0,0,0) at chapters/05_x/v0.cuh:7\n",
            ),
            ("a  \n\n b \n\n\n", "a\n\n b\n"),
            # A masked column keeps its right edge, however long the figure was.
            ("v0   123.25 ms\n", "v0        … ms\n"),
            ("v0     3.25 ms\n", "v0        … ms\n"),
        ):
            self.assertEqual(mask_output(text), masked)

    def test_a_marker_holds_a_name_arguments_and_whether_runs_vary(self):
        self.assertEqual(
            Output.of('hello args="--only v1 --n 8" varies'),
            Output("hello", "--only v1 --n 8", varies=True),
        )
        self.assertTrue(Output.of('races args="--only v1" observe').observe)
        self.refused("marker lacks the name of a recorded output", Output.of, "")
        self.refused("marker has an unexpected word 'b': remove it", Output.of, "a b")
        self.refused("go together", Output.of, 'a from="b"')

    def test_a_programs_output_is_recorded_with_stderr_and_its_exit_code(self):
        script = '#!/bin/sh\necho "got $1"; echo bad >&2; exit 3\n'
        program = self.write("it's a program", script, executable=True)
        recorded = run_for_output(program, self.folder, Output("x", "$HOME"))
        self.assertEqual(recorded, "got $HOME\nbad\n(exit code 3)\n")
        observed = Output("x", observe=True)
        self.refused(".observed is not built", run_for_output, program, self.folder, observed)
        none = self.folder / "none"
        self.refused("is not built", run_for_output, none, self.folder, Output("x"))

    def test_the_observed_build_counts_for_a_plain_run_and_runs_where_a_marker_says_so(self):
        program = self.write("program", '#!/bin/sh\necho "$@"\n', executable=True)
        script = '#!/bin/sh\necho "$EMU_OBSERVE $EMU_OBSERVE_TO $1"\n'
        observed = self.write("program.observed", script, executable=True)
        plain = run_for_output(program, self.folder, Output("x", "--n 8"))
        # A folder's drawn name may look like a time, "_9s_": it is masked, then, too.
        self.assertEqual(plain, mask_output(f"--counted-by {observed} --n 8\n"))
        seen = run_for_output(program, self.folder, Output("x", "--n", observe=True))
        self.assertEqual(seen, "1 stdout --n\n")

    def test_a_program_of_one_file_is_observed_as_it_is_or_without_a_line(self):
        tutor = '#!/bin/sh\necho on stderr >&2\necho "$EMU_DEVICES $1"; cat "$2"\n'
        self.write("build/cpu/course/tutor/tutor", tutor, executable=True)
        self.write("chapters/05_x/standalone/one.cu", "a\nif (b)\nc\n")
        program = self.write("build/cpu/chapters/05_x/05_x", "")
        whole = Output.of('x file="standalone/one.cu" devices="2"')
        self.assertEqual(run_for_output(program, self.folder, whole), "2 observe\na\nif (b)\nc\n")
        less = Output.of('x file="standalone/one.cu" without="if (b)" saved')
        self.assertEqual(run_for_output(program, self.folder, less), "1 observe\na\nc\n")
        lesson = self.folder / "chapters/05_x/README.md"
        path = "chapters/05_x/standalone/one.cu"
        self.assertEqual(command_of(lesson, whole), f"EMU_DEVICES=2 ./tutor observe {path}")
        self.assertEqual(command_of(lesson, less), "./tutor observe one.cu")
        missing = Output.of('x file="standalone/one.cu" without="d"')
        self.refused("one line with 'd'", run_for_output, program, self.folder, missing)

    def test_a_lesson_shows_the_command_a_learner_types_and_the_recording(self):
        lesson = self.folder / "chapters/01_hello/README.md"
        self.write("chapters/01_hello/recorded/outputs.txt", "==== run: x\none\ntwo\nthree\nfour\n")
        everything = "one\ntwo\nthree\nfour"
        for output, shown in (
            (Output("run", "--n 8"), f"$ ./tutor run 01 -- --n 8\n{everything}"),
            (Output("run", observe=True), f"$ ./tutor observe 01\n{everything}"),
            (Output("run", first="^tw", last="e$"), "$ ./tutor run 01\n…\ntwo\nthree\n…"),
        ):
            self.assertEqual(show_output(lesson, output), f"```console\n{shown}\n```\n")
        backwards = Output("run", first="two", last="one")
        missing = "the recording has no line 'two' with 'one' after it"
        self.refused(missing, show_output, lesson, backwards)
        self.refused("'none' is not recorded yet", show_output, lesson, Output("none"))

    def test_a_file_holds_a_chapters_outputs_as_they_are_each_under_its_command(self):
        for name, text in (("b", " two\n\n\n"), ("a", "one\n"), ("b", "==== two\n = 2\n")):
            kept = name, f"./tutor run 01 -- --{name}", text
            if text.startswith("===="):
                self.refused("none begins ==== X", Outputs(self.folder).put, *kept)
            else:
                Outputs(self.folder).put(*kept)
        recorded = Outputs(self.folder)
        self.assertEqual((recorded.text("a"), recorded.text("b")), ("one\n", " two\n\n\n"))
        written = "==== a: ./tutor run 01 -- --a\none\n==== b: ./tutor run 01 -- --b\n two\n\n\n"
        self.assertEqual(self.read("recorded/outputs.txt"), written)
        for spoilt in ("one\n" + written, written + "==== a\nagain\n"):
            self.write("recorded/outputs.txt", spoilt)
            self.refused("each name once", Outputs, self.folder)


if __name__ == "__main__":
    unittest.main()
