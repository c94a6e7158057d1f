"""Fills the generated blocks of the lessons, or checks that it would change nothing.

    main.py ROOT PROGRAMS [--check] [--record] [LESSON…]    what `./tutor author lessons` runs

ROOT is the repository, PROGRAMS a build folder with chapters/NAME/NAME. Without lessons: README.md,
docs/*.md, and those of the chapters. README.md beside this file lists the markers.
"""

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from blocks import generate
from chart import draw_chart
from explore import exploration_recording, has_all_runs, is_of_a_model
from explore import record_exploration, same_exploration
from markers import Arguments, Block, LessonError, chapter_folder, find_blocks
from markers import read_text, write_text
from output import CANNOT_RUN, Output, Outputs, command_of, run_for_output
from rules import Breach, breaches_of, breaches_of_chapter, evidence_in
from timeline import Timeline

PATTERNS = ("README.md", "docs/*.md", "chapters/*/*.md", "chapters/*/more/*.md")
FILL, RECORD = "./tutor author lessons", "./tutor author lessons --record"


class Lessons:
    """Fills, checks and records lesson after lesson, and collects what is to be said.

    `check`: change nothing, report what is stale, and what lessons owe their reader (rules.py);
    `record`: run the chapters' programs anew; both: report which recordings are stale, no more.
    Each message is one line that starts with file:line.
    """

    def __init__(
        self,
        root: Path,
        programs: Path = Path(),
        files: Sequence[Path] = (),
        check: bool = False,
        record: bool = False,
    ):
        self.root, self.programs = Path(os.path.abspath(root)), programs
        self.named, self.check, self.record = bool(files), check, record
        self.lessons = [*files] or sorted(file for at in PATTERNS for file in self.root.glob(at))
        self.blocks = 0
        self.errors: list[str] = []  # bad markers, missing files
        self.stale: list[str] = []  # blocks that regenerating would change
        self.left_out: list[str] = []  # recordings whose program cannot run on this machine
        self.breaches: list[str] = []  # what lessons owe
        self.changed: list[str] = []  # files that were rewritten
        self._recorded: set[Path] = set()
        self._chapters: dict[Path, list[str]] = {}  # the lessons' texts, by chapter
        if not self.lessons:
            self.errors.append(f"{root}: no lesson found there")
        for lesson in self.lessons:
            with self._guarded(lesson := Path(os.path.abspath(lesson))):
                self._process(lesson)
        evidence: list[tuple[str, str]] = []
        for folder, texts in self._chapters.items():
            with self._guarded(folder / "README.md"):
                evidence += evidence_in(texts)
        for folder, texts in self._chapters.items():
            with self._guarded(readme := folder / "README.md"):
                self._report(readme, breaches_of_chapter(folder, texts, evidence))

    def _process(self, lesson: Path) -> None:
        text = read_text(lesson)
        blocks = find_blocks(text)
        self.blocks += len(blocks)
        result, done = "", 0
        for block in blocks:
            present = text[block.begin : block.end]
            result += text[done : block.begin] + self._current_text(lesson, block, present)
            done = block.end
        result += text[done:]
        if not self.check and result != text:
            write_text(lesson, result)
            self.changed.append(self._shown(lesson))
        if self.check and not self.record:
            self._report(lesson, breaches_of(self.root, lesson, text, blocks))
            folder = chapter_folder(lesson)
            if folder.parent == self.root / "chapters":
                self._chapters.setdefault(folder, []).append(text)

    def _current_text(self, lesson: Path, block: Block, present: str) -> str:
        """The text a block should hold; what it holds already where it cannot be generated."""
        text = present
        with self._guarded(lesson, block.line):
            if self.record and block.name == "output":
                self._record(lesson, block)
            if block.name == "explore":  # what stands in it is the still picture, whoever drew it
                self._explore(lesson, block)
                return present
            if block.name == "timeline":
                self._draw(lesson, block)
            if self.record and self.check:
                return present
            text = generate(block, self.root, lesson)
            if block.name == "chart":
                chart = draw_chart(self.root, lesson, Arguments(block.arguments).take("a chart"))
                self._keep(lesson, block, chart.file, chart.svg, FILL)
        if self.check and text != present:
            self._report_stale(lesson, block, FILL)
        return text

    def _keep(self, lesson: Path, block: Block, file: Path, text: str, command: str) -> None:
        """A file that belongs to a block: written, or reported where it is another."""
        if file.exists() and read_text(file) == text:
            return
        if self.check:
            self._report_stale(lesson, block, command)
        else:
            write_text(file, text)
            self.changed.append(self._shown(file))

    def _is_new(self, recording: Path) -> bool:
        """Whether this is to be recorded, and has not been."""
        new = self.record and recording not in self._recorded
        self._recorded.add(recording)
        return new

    def _program(self, lesson: Path) -> Path:
        chapter = chapter_folder(lesson).name
        return self.programs / "chapters" / chapter / chapter

    def _record(self, lesson: Path, block: Block) -> None:
        output = Output.of(block.arguments)
        recorded = Outputs(chapter_folder(lesson))
        # What varies is true whatever it says: only who names its lesson wants another sample.
        there = output.name in recorded
        sample = output.varies and there and (self.check or not self.named)
        if self._is_new(recorded.file / output.name) and not sample:
            text = run_for_output(self._program(lesson), self.root, output)
            if text.endswith(CANNOT_RUN) and there:
                why = f"'{output.name}' was left out: {text.splitlines()[0]}"
                self.left_out.append(f"{self._place(lesson, block.line)}: {why}")
                return
            if there and recorded.text(output.name) == text:
                return
            if self.check:
                self._report_stale(lesson, block, RECORD)
                return
            recorded.put(output.name, command_of(lesson, output), text)
            self.changed.append(f"{self._shown(recorded.file)}: {output.name}")

    def _draw(self, lesson: Path, block: Block) -> None:
        """The picture of a timeline."""
        timeline = Timeline.of(Arguments(block.arguments), chapter_folder(lesson))
        if self._is_new(timeline.file):
            text = timeline.draw(self._program(lesson), self.root)
            self._keep(lesson, block, timeline.file, text, RECORD)
        elif not timeline.file.exists():
            self._report_stale(lesson, block, RECORD)

    def _explore(self, lesson: Path, block: Block) -> None:
        """The recording of an explorable picture."""
        arguments = Arguments(block.arguments)
        description = chapter_folder(lesson) / arguments.take("a description")
        arguments.expect_end()
        recording = exploration_recording(description)
        if (self.check and is_of_a_model(description)) or not self._is_new(recording):
            if not has_all_runs(description):
                self._report_stale(lesson, block, RECORD)
            return
        text = record_exploration(description, self._program(lesson), self.root)
        if self.check and recording.exists() and same_exploration(read_text(recording), text):
            return
        self._keep(lesson, block, recording, text, RECORD)

    def _report(self, lesson: Path, breaches: list[Breach]) -> None:
        self.breaches += [f"{self._place(lesson, line)}: {message}" for line, message in breaches]

    def _report_stale(self, lesson: Path, block: Block, command: str) -> None:
        at = self._place(lesson, block.line)
        self.stale.append(f"{at}: '{block.name}' is stale: regenerate it with {command}")

    @contextmanager
    def _guarded(self, lesson: Path, line: int = 1) -> Iterator[None]:
        """What is wrong with a lesson is a message."""
        try:
            yield
        except LessonError as error:
            self.errors.append(f"{self._place(lesson, max(error.line, line))}: {error}")

    def _place(self, lesson: Path, line: int) -> str:
        return f"{self._shown(lesson)}:{line}"

    def _shown(self, file: Path) -> str:
        return os.path.relpath(file, self.root)

    def tell(self) -> int:
        """Prints the messages; the exit code: 0 fine, 1 something is stale or owed, 2 errors."""
        for message in [*self.errors, *self.stale, *self.breaches, *self.left_out]:
            print(message, file=sys.stderr)
        for file in self.changed:
            print(f"wrote {file}")
        print(
            f"{len(self.lessons)} lessons, {self.blocks} blocks: {len(self.errors)} wrong, "
            f"{len(self.stale)} stale, {len(self.breaches)} owed, {len(self.left_out)} left out, "
            f"{len(self.changed)} files rewritten"
        )
        return 2 if self.errors else 1 if self.stale or self.breaches else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("root", type=Path)
    parser.add_argument("programs", type=Path)
    parser.add_argument("files", type=Path, nargs="*")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--record", action="store_true")
    sys.exit(Lessons(**vars(parser.parse_intermixed_args())).tell())
