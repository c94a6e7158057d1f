"""Recorded outputs of chapter programs: chapters/01_hello_threads/recorded/outputs.txt.

The file holds one recording after the other, each under a line of its own: ==== NAME: COMMAND.

Recorded on the emulator, so that everyone gets the same; what still differs from run to run and
from machine to machine (times, the number of host threads) is masked by "…".
"""

import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from markers import Arguments, LessonError, chapter_folder, lines_of, read_text, write_text
from source import compiled

# What a program's last line is where this machine lacks something it needs (common/check.hpp).
CANNOT_RUN = "(exit code 3)\n"


@dataclass
class Output:
    """What an `output` marker says."""

    name: str  # file stem of the recording
    arguments: str = ""  # the program's, separated by spaces
    varies: bool = False  # a sample: another run may print something else
    observe: bool = False  # run under the emulator's instruments, as `tutor observe` does
    file: str = ""  # observed instead: a program of one file, in the chapter's folder
    without: str = ""  # the line that a reader has deleted there contains this
    saved: bool = False  # in the course's folder, by the reader
    devices: str = ""  # that the emulator makes
    first: str = ""  # regular expressions: only the lines from one to the other; empty: all
    last: str = ""

    @staticmethod
    def of(marker_arguments: str) -> "Output":
        """Reads a marker's words: README.md has them."""
        arguments = Arguments(marker_arguments)
        output = Output(arguments.take("the name of a recorded output"), arguments.option("args"))
        output.observe = arguments.take_if("observe")
        output.file, output.without = arguments.option("file"), arguments.option("without")
        output.saved, output.devices = arguments.take_if("saved"), arguments.option("devices")
        output.varies = arguments.take_if("varies")
        output.first, output.last = arguments.option("from"), arguments.option("to")
        if bool(output.first) != bool(output.last):
            raise LessonError('from="REGEX" and to="REGEX" go together')
        arguments.expect_end()
        return output


class Outputs:
    """What is recorded of a chapter's program."""

    HEAD = re.compile(r"^==== (\w+)(?:: (.*))?\n", re.MULTILINE)

    def __init__(self, chapter: Path):
        self.file = chapter / "recorded/outputs.txt"
        parts = self.HEAD.split(read_text(self.file) if self.file.exists() else "")
        names, commands, texts = parts[1::3], parts[2::3], parts[3::3]
        if parts[0] or len({*names}) < len(names):
            raise LessonError(f"{self.file}: each name once, under ==== NAME: COMMAND")
        self._texts = dict(zip(names, texts))
        self._commands = dict(zip(names, commands))

    def __contains__(self, name: str) -> bool:
        return name in self._texts

    def text(self, name: str) -> str:
        """One of them; an error where nobody has recorded it."""
        if name not in self:
            raise LessonError(
                f"{self.file}: '{name}' is not recorded yet: run ./tutor author lessons --record"
            )
        return self._texts[name]

    def put(self, name: str, command: str, text: str) -> None:
        """Writes the file anew with this one in it, in the order of names."""
        if self.HEAD.search(text) or not text.endswith("\n"):
            raise LessonError(f"'{name}' cannot be recorded: its lines end, and none begins ==== X")
        self._texts[name], self._commands[name] = text, command
        heads = {its: f"==== {its}: {self._commands[its]}\n" for its in sorted(self._texts)}
        write_text(self.file, "".join(heads[its] + self._texts[its] for its in heads))


def _masked_time(found: re.Match) -> str:
    spaces, figure, unit = found.groups()
    if len(spaces) > 1:  # a column set flush right: the mask must end where the figure ended
        spaces = " " * (len(spaces) + len(figure) - 1)
    return f"{spaces}…{unit}"


def mask_output(text: str) -> str:
    """Replaces times and the number of host threads by "…", columns staying where they are.

    Leaves out what the emulator's summary line says of this machine (how much memory it offers, and
    so where the line breaks), where the checkout lies, and white space at the ends of lines.
    """
    for pattern, masked in (
        (r"( *)([0-9][0-9.,]*)( ?(?:ns|us|µs|ms|s))(?![A-Za-z0-9])", _masked_time),
        (r"(CPU emulator) \([0-9]+ host threads?\) · [^\n]*(?:\n[^\n]+)*", r"\1"),
        (r"[0-9]+ host threads?", "… host threads"),
        (r"( at )/[^ \n]*/(chapters/)", r"\1\2"),
        (r" +\n", "\n"),
        (r"\n{2,}\Z", "\n"),
    ):
        text = re.sub(pattern, masked, text)
    return text


def _source_of(program: Path, root: Path, output: Output) -> Path:
    """The program of one file, as the reader has it."""
    source = root / "chapters" / program.name / output.file
    if not output.without:
        return source
    lines = lines_of(read_text(source))
    left = [line for line in lines if output.without not in line]
    if len(left) != len(lines) - 1:
        raise LessonError(f"{output.file} must have one line with '{output.without}'")
    changed = program.parent / "changed" / source.name
    changed.parent.mkdir(exist_ok=True)
    write_text(changed, "".join(left))
    return changed


def run_for_output(program: Path, root: Path, output: Output) -> str:
    """The masked output of a chapter's program, run as `tutor run` or `tutor observe` does.

    For a plain run its observed build, beside it, counts. Both streams are taken in the order of
    writing, with the exit code as a last line when it is not 0; of what the tutor runs, what it
    prints.
    """
    if output.file:
        command, environment = tutor_of(program, root)
        command += ["observe", str(_source_of(program, root, output))]
        environment |= {"NO_COLOR": "1", "EMU_DEVICES": output.devices or "1"}
        return mask_output(run_program(command, environment, errors=subprocess.DEVNULL)[1])
    observed = program.with_name(f"{program.name}.observed")
    for needed in [observed, program] if output.observe else [program]:
        if not needed.exists():
            raise LessonError(f"{needed} is not built: build that chapter first")
    command, environment = [str(program), *output.arguments.split()], {"NO_COLOR": "1"}
    if output.observe:
        command[0] = str(observed)
        environment |= {"EMU_OBSERVE": "1", "EMU_OBSERVE_TO": "stdout"}
    elif observed.exists():
        command[1:1] = ["--counted-by", str(observed)]
    code, text = run_program(command, environment)
    if code < 0:
        raise LessonError(f"{program} was killed by a signal")
    return mask_output(text + (f"(exit code {code})\n" if code else ""))


def run_program(
    command: list[str], environment: dict[str, str], errors: int = subprocess.STDOUT
) -> tuple[int, str]:
    """Exit code of a command (below 0: a signal's number), and what it wrote to both streams."""
    try:
        ran = subprocess.run(
            command,
            env=os.environ | environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            check=False,
        )
    except OSError:
        raise LessonError(f"cannot start {command[0]}") from None
    return ran.returncode, ran.stdout.decode(errors="surrogateescape")


def tutor_of(program: Path, root: Path) -> tuple[list[str], dict[str, str]]:
    """The tutor of the build that a chapter's program belongs to, and its environment."""
    build = program.parent.parent.parent.resolve()
    environment = {"BUILD_FIRST_ROOT": str(root.resolve()), "BUILD_FIRST_BUILD": str(build)}
    return [str(build / "course/tutor/tutor")], environment


def shown_lines(text: str, first: str, last: str) -> list[str]:
    """From the first line that matches one expression to the next that matches the other."""
    begin, end = compiled(first), compiled(last)
    shown: list[str] = []
    for line in lines_of(text):
        if not shown and not begin.search(line):
            continue
        shown.append(line)
        if len(shown) > 1 and end.search(line):
            return shown
    raise LessonError(f"the recording has no line '{first}' with '{last}' after it")


def command_of(lesson: Path, output: Output) -> str:
    """The command as a learner types it, the chapter's number as its short name."""
    if output.file:
        devices = f"EMU_DEVICES={output.devices} " if output.devices else ""
        file = Path("chapters") / chapter_folder(lesson).name / output.file
        return f"{devices}./tutor observe {file.name if output.saved else file}"
    verb = "observe" if output.observe else "run"
    arguments = f" -- {output.arguments}" if output.arguments else ""
    return f"./tutor {verb} {chapter_folder(lesson).name.split('_')[0]}{arguments}"


def show_output(lesson: Path, output: Output) -> str:
    """The block's text: the command, and the recording or the part of it that is asked for."""
    text = Outputs(chapter_folder(lesson)).text(output.name)
    if output.first:
        text = "".join(["…\n", *shown_lines(text, output.first, output.last), "…\n"])
    return f"```console\n$ {command_of(lesson, output)}\n{text}```\n"
