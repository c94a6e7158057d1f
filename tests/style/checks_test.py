"""Each style check is shown to fail on the fault it is there for, and to pass without it."""

import contextlib
import io
import runpy
import shutil
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

COURSE = Path(__file__).resolve().parent.parent.parent
COMMENT, STATEMENT = "//\n", "  f();\n"


class Checks(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="build first ")
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)
        shutil.copy(COURSE / ".clang-format", self.folder)

    def write(self, files):
        for name, text in files.items():
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / name).write_text(text, newline="")

    def check(self, what, code, words=""):
        command, said = [COURSE / "tests/style/check.py", what, self.folder], io.StringIO()
        with (
            mock.patch.object(sys, "argv", [str(word) for word in command]),
            contextlib.chdir(self.folder),
            contextlib.redirect_stdout(said),
            self.assertRaises(SystemExit) as ended,
        ):
            runpy.run_path(sys.argv[0], run_name="__main__")
        self.assertEqual(int(ended.exception.code), code, said.getvalue())
        self.assertIn(words, said.getvalue())

    def fine(self, what, files):
        self.write(files)
        self.check(what, 0)

    def fault(self, what, files, words):
        """The files make a fault, and are gone or as before when it has been found."""
        before = {name: (self.folder / name) for name in files}
        before = {name: file.read_text() for name, file in before.items() if file.exists()}
        self.write(files)
        self.check(what, 1, words)
        for name in files:
            (self.folder / name).unlink()
        self.write(before)

    def test_clean_files_pass_and_what_was_built_is_not_looked_at(self):
        self.write({"good.cpp": "int main() { return 0; }\n", "build/long.cpp": "FIX" + "ME\n"})
        self.check("words", 0)
        self.check("sizes", 0)
        self.check("spelling", 2, "no check called spelling")

    def test_unfinished_words_private_paths_and_carriage_returns_are_found(self):
        # Taken apart, so that the check does not find this file.
        unfinished = ("FIX" + "ME later", "X" + "XX", "a place" + "holder", "Not " + "implemented")
        private = ("see /wor" + "k/x", "(/tm" + "p/x)", "iss" + "ue 12", "iss" + "ue #3")
        for kind, words in (
            ("says that something is unfinished", unfinished),
            ("names a place that readers do not have", private),
        ):
            for word in words:
                said = f"chapters/a b.md: {kind}: 2:{word}"
                self.fault("words", {"chapters/a b.md": f"one\n{word}\n"}, said)
        self.fault("words", {"a.md": "one\r\n"}, "carriage returns")
        self.fine("words", {"a.md": "src/wor" + "k/x and the iss" + "ue at hand\n"})
        self.fine("words", {"a.json": '{"said": "identifier \\"FIX' + 'ME\\" is undefined"}\n'})

    def test_files_that_are_too_long_are_found(self):
        step, source = "chapters/05_x/steps/v0_a.cuh", "source.cpp"
        function = "int f() {\n" + 98 * STATEMENT
        self.fine("sizes", {step: 80 * COMMENT, source: function + 9 * COMMENT + "}\n"})
        self.fine("sizes", {f"chapters/05_x/{i}.cu": COMMENT for i in range(8)})
        self.fine("sizes", {"tool.py": 100 * "#" + "\n"})
        long = "class A {\n" + 120 * "  int a;\n" + f"}};\n{function}{STATEMENT}}}\n"
        for files, words in (
            ({step: 81 * COMMENT}, "v0_a.cuh: 81 lines; a step has at most 80"),
            ({"chapters/05_x/README.md": "x"}, "chapters/05_x: 9 files beside its rooms; a"),
            ({source: long}, "source.cpp:123: 101 lines; a function has at most 100"),
            ({"tool.py": f"\n{101 * '#'}\n"}, "tool.py:2: a line of Python has at most 100 col"),
            ({"tutor": 61 * COMMENT}, "tutor: 61 lines; a bootstrap has at most 60"),
            ({"picture.svg": "x" * ((1 << 20) + 1)}, "picture.svg: 1048577 bytes"),
            ({"chapters/a b/listing.txt": ""}, "chapters/a b/listing.txt: is empty"),
        ):
            self.fault("sizes", files, words)

    def test_a_layer_that_includes_one_above_it_is_found(self):
        def including(*names):
            return "".join(f"#include {name}\n" for name in names)

        src, headers = "emulator/src", "emulator/include/emu"
        streams, behind = '"streams/streams.hpp"', "stands before it"
        circle = {f"{src}/streams/graphs.cpp": including(streams)}
        circle |= {f"{src}/streams/streams_more.cpp": including('"streams/graphs.hpp"')}
        self.fine(
            "layers",
            {
                "course/tutor/loop/loop.cpp": including('"base/files.hpp"', '"exercises/card.hpp"'),
                "course/tutor/commands/all.cpp": including('"loop/loop.hpp"', '"site/page.hpp"'),
                "course/ladder/chapter.hpp": including('"ladder/case.hpp"'),
                f"{src}/streams/streams.hpp": "",
                f"{src}/streams/graphs.hpp": "",
                f"{src}/streams/streams.cpp": including('"engine/block.hpp"', streams),
                f"{src}/engine/block.hpp": including('"emu/runtime/streams.hpp"'),
                f"{src}/engine/block.cpp": including('"engine/block.hpp"'),
                f"{headers}/engine/fiber.hpp": including('"emu/language/types.hpp"'),
                f"{headers}/cub/cub_sort.hpp": including('"emu/thrust/thrust_memory.hpp"'),
            },
        )
        for files, words in (
            (
                {"course/tutor/base/a.cpp": including("<string>", '"loop/loop.hpp"')},
                f'base/a.cpp:2:#include "loop/loop.hpp": course/tutor/base {behind}',
            ),
            (
                {"course/tutor/site/main.py": 'import sys\nsys.path.append("../lessons")\n'},
                "course/tutor/site/main.py:2:sys.path",
            ),
            (
                {f"{src}/engine/block.cpp": including('"engine/block.hpp"', streams)},
                f"block.cpp:2:#include {streams}: emulator/src/engine {behind}",
            ),
            (
                {f"{src}/engine/block.cpp": including('"../../observe/recorder.hpp"')},
                f'observe/recorder.hpp": emulator/src/engine {behind}',
            ),
            (
                {f"{headers}/engine/fiber.hpp": including('"emu/cub/cub_sort.hpp"')},
                'fiber.hpp:1:#include "emu/cub/cub_sort.hpp": emulator/include/emu/engine',
            ),
            (circle, f"{src}/streams/graphs {src}/streams/streams: they include each other in a"),
            (
                {"course/ladder/chapter.hpp": including("<emu/types.hpp>")},
                "chapter.hpp:1:#include <emu/types.hpp>: the course and the emulator meet",
            ),
        ):
            self.fault("layers", files, words)

    @unittest.skipUnless(shutil.which("clang-format-14"), "clang-format-14 is not here")
    def test_unformatted_sources_are_found(self):
        self.fine("format", {"good.cpp": "int main() { return 0; }\n"})
        self.fault("format", {"bad.cuh": "int   x;\n"}, "bad.cuh: not formatted")

    def test_a_check_that_saw_no_file_fails(self):
        (self.folder / ".clang-format").unlink()
        for what in ("format", "words", "sizes", "layers", "json"):
            self.check(what, 1, "no file to check")

    def test_a_record_of_json_that_takes_several_lines_is_found_and_a_broken_one(self):
        records = '{\n  "steps": [\n   {"name": "v0", "ms": 1.50},\n   {"name": "v1"}]\n}\n'
        self.fine("json", {"docs/a.json": records, "CMakePresets.json": '{"version":\n6}\n'})
        opened = '{\n  "steps": [\n    {\n      "name": "v0"\n    }\n  ]\n}\n'
        own = "docs/b.json: a record stands on no line of its own"
        self.fault("json", {"docs/b.json": opened}, own)
        self.fault("json", {"docs/b.json": "{\n"}, "docs/b.json")


if __name__ == "__main__":
    unittest.main()
