"""Recorded pictures of what streams did when, by the emulator's model: figures/NAME.svg."""

import tempfile
from dataclasses import dataclass
from pathlib import Path

from markers import Arguments, LessonError, read_text
from output import run_program, tutor_of


@dataclass
class Timeline:
    """What a marker says: NAME "DESCRIPTION" args="…", or file="standalone/PROGRAM.cu"."""

    file: Path  # of the picture
    description: str  # for those who don't see it
    source: str  # a program of one file, in the chapter's folder; empty: the chapter's own program
    arguments: str

    @staticmethod
    def of(arguments: Arguments, chapter: Path) -> "Timeline":
        """Takes a marker's words."""
        name = arguments.take("the picture's name")
        description = arguments.take("its description")
        source, args = arguments.option("file"), arguments.option("args")
        return Timeline(chapter / f"figures/{name}.svg", description, source, args)

    def draw(self, program: Path, root: Path) -> str:
        """Runs what is observed and gives the picture's text.

        `program` is the chapter's; its observed build lies beside it.
        """
        command, environment = [f"{program}.observed"], {"EMU_OBSERVE": "1"}
        if self.source:
            command, environment = tutor_of(program, root)
            command += ["observe", str(root / "chapters" / program.name / self.source)]
        command += self.arguments.split()
        with tempfile.TemporaryDirectory(prefix="build-first-") as folder:
            written = Path(folder) / "timeline.svg"
            environment |= {"EMU_OBSERVE_TO": "nowhere", "EMU_TIMELINE_SVG": str(written)}
            code, text = run_program(command, environment)
            if not written.exists():
                said = text.strip().rpartition("\n")[2]
                raise LessonError(f"no picture came of {' '.join(command)}: exit {code}, {said}")
            return read_text(written)
