"""Fills the generated blocks of the lessons, or checks that it would change nothing.

    main.py ROOT PROGRAMS [--check] [--record] [LESSON…]    what `./tutor lessons` runs

ROOT is the repository, PROGRAMS a build folder with chapters/NAME/NAME. README.md lists the markers.
"""

import argparse
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from blocks import generate
from chart import draw_chart
from explore import exploration_recording, has_all_runs, is_of_a_model
from explore import record_exploration, same_exploration
from markers import Arguments, Block, LessonError, find_blocks, read_text, write_text
from output import Output, run_for_output
from rules import Breach, breaches_of, breaches_of_chapter


@dataclass
class Request:
    """What to do with which lessons."""

    root: Path  # the repository
    programs: Path = Path()  # build folder, for `record`
    files: list[Path] = field(default_factory=list)  # empty: README.md, docs/*.md, chapters/*/*.md
    check: bool = False  # change nothing, report what is stale
    record: bool = False  # run the chapters' programs anew
    rules: bool = False  # say which lessons owe their reader something (rules.py)


def _all_lessons(root: Path) -> list[Path]:
    return sorted(
        file for at in ("README.md", "docs/*.md", "chapters/*/*.md") for file in root.glob(at)
    )


class Lessons:
    """Fills, checks and records lesson after lesson, and collects what is to be said.

    Each message is one line that starts with file:line.
    """

    def __init__(self, request: Request):
        self.request = request
        self.root = Path(os.path.abspath(request.root))
        self.lessons = self.blocks = 0
        self.errors: list[str] = []  # bad markers, missing files
        self.stale: list[str] = []  # with `check`: blocks that regenerating would change
        self.breaches: list[str] = []  # with `rules`: what lessons owe
        self.changed: list[str] = []  # without: files that were rewritten
        self._recorded: set[Path] = set()
        self._chapters: dict[Path, list[str]] = {}  # the lessons' texts, by folder
        lessons = request.files or _all_lessons(self.root)
        if not lessons:
            self.errors.append(f"{request.root}: no lesson found there")
        for lesson in lessons:
            self._process(Path(os.path.abspath(lesson)))
        for folder, texts in self._chapters.items():
            with self._guarded(folder / "README.md"):
                self._report(folder / "README.md", breaches_of_chapter(folder, texts))

    def _process(self, lesson: Path) -> None:
        self.lessons += 1
        with self._guarded(lesson):
            text = read_text(lesson)
            blocks = find_blocks(text)
            result, copied = "", 0
            for block in blocks:
                result += text[copied : block.begin]
                result += self._current_text(lesson, block, text[block.begin : block.end])
                copied = block.end
            result += text[copied:]
            self.blocks += len(blocks)
            if self.request.rules:
                self._report(lesson, breaches_of(self.root, lesson, text, blocks))
                if lesson.parent.parent.name == "chapters":
                    self._chapters.setdefault(lesson.parent, []).append(text)
            if not self.request.check and result != text:
                write_text(lesson, result)
                self.changed.append(self._shown(lesson))

    def _current_text(self, lesson: Path, block: Block, present: str) -> str:
        """The text a block should hold; what it holds already where it cannot be generated."""
        text = present
        with self._guarded(lesson, block.line):
            if self.request.record and block.name == "output":
                self._record(lesson, block)
            if block.name == "explore":  # what stands in it is the still picture, whoever drew it
                self._explore(lesson, block)
                return present
            text = generate(block, self.root, lesson)
            if block.name == "chart":
                chart = draw_chart(
                    self.root, lesson, Arguments(block.arguments).take("a description")
                )
                self._keep(lesson, block, chart.file, chart.svg, "./tutor lessons")
        if self.request.check and text != present:
            self._report_stale(lesson, block, "./tutor lessons")
        return text

    def _keep(self, lesson: Path, block: Block, file: Path, text: str, command: str) -> None:
        """A file that belongs to a block: written, or reported where it is another."""
        if file.exists() and read_text(file) == text:
            return
        if self.request.check:
            self._report_stale(lesson, block, command)
        else:
            write_text(file, text)
            self.changed.append(self._shown(file))

    def _is_new(self, recording: Path) -> bool:
        """Whether this is to be recorded, and has not been."""
        new = self.request.record and recording not in self._recorded
        self._recorded.add(recording)
        return new

    def _program(self, lesson: Path) -> Path:
        return self.request.programs / "chapters" / lesson.parent.name / lesson.parent.name

    def _record(self, lesson: Path, block: Block) -> None:
        output = Output.of(block.arguments)
        recording = output.recording(lesson)
        # What varies is true whatever it says: only who names its lesson wants another sample.
        every = self.request.check or not self.request.files
        sample = output.varies and recording.exists() and every
        if self._is_new(recording) and not sample:
            text = run_for_output(self._program(lesson), output)
            self._keep(lesson, block, recording, text, "./tutor lessons --record")

    def _explore(self, lesson: Path, block: Block) -> None:
        """The recording of an explorable picture."""
        arguments = Arguments(block.arguments)
        description = lesson.parent / arguments.take("a description")
        arguments.expect_end()
        recording = exploration_recording(description)
        known = self.request.check and is_of_a_model(description)
        if known or not self._is_new(recording):
            if not has_all_runs(description):
                self._report_stale(lesson, block, "./tutor lessons --record")
            return
        text = record_exploration(description, self._program(lesson), self.root)
        if self.request.check and recording.exists():
            if same_exploration(read_text(recording), text):
                return
        self._keep(lesson, block, recording, text, "./tutor lessons --record")

    def _report(self, lesson: Path, breaches: list[Breach]) -> None:
        at = self._shown(lesson)
        self.breaches += [f"{at}:{line}: {message}" for line, message in breaches]

    def _report_stale(self, lesson: Path, block: Block, command: str) -> None:
        at = f"{self._shown(lesson)}:{block.line}"
        self.stale.append(f"{at}: '{block.name}' is stale: regenerate it with {command}")

    @contextmanager
    def _guarded(self, lesson: Path, line: int = 1) -> Iterator[None]:
        """What is wrong with a lesson is a message."""
        try:
            yield
        except LessonError as error:
            self.errors.append(f"{self._shown(lesson)}:{max(error.line, line)}: {error}")

    def _shown(self, file: Path) -> str:
        return os.path.relpath(file, self.root)


def run(request: Request) -> int:
    """Prints the messages; the exit code: 0 fine, 1 something is stale or owed, 2 errors."""
    done = Lessons(request)
    for message in [*done.errors, *done.stale, *done.breaches]:
        print(message, file=sys.stderr)
    for file in done.changed:
        print(f"wrote {file}")
    print(
        f"{done.lessons} lessons, {done.blocks} blocks: {len(done.errors)} wrong, "
        f"{len(done.stale)} stale, {len(done.changed)} files rewritten"
    )
    if done.errors:
        return 2
    return 1 if done.stale or done.breaches else 0


def main() -> int:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("root", type=Path)
    parser.add_argument("programs", type=Path)
    parser.add_argument("files", type=Path, nargs="*")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--record", action="store_true")
    words = parser.parse_intermixed_args()
    return run(Request(**vars(words), rules=words.check))


if __name__ == "__main__":
    sys.exit(main())
