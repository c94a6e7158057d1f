"""A terminal session as an SVG that moves, made of recorded outputs."""

from dataclasses import dataclass
from pathlib import Path

from markers import LessonError, chapter_folder, find_blocks, read_text
from output import Output, Outputs, command_of, shown_lines
from recorded import Json
from svg import escaped

COLUMN, LINE, MARGIN, HEAD = 7.25, 17, 16, 34  # of the picture's own coordinates
TYPING, PER_LINE, READING, PAUSE = 0.05, 0.12, 6.0, 0.6  # seconds

_PICTURE = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" \
height="{height}" role="img">
  <title>{title}</title>
  <desc>{description}</desc>
  <style>
    text {{ font: 12px ui-monospace, "DejaVu Sans Mono", monospace; fill: #e6edf3; }}
    .prompt, .good {{ fill: #7ee787; }}
    .bad {{ fill: #ff7b72; font-weight: 600; }}
    .typed {{ font-weight: 600; }}
{styles}\
    @media (prefers-reduced-motion: reduce) {{ text {{ animation: none !important; }} \
.moving {{ display: none; }} }}
  </style>
  <rect width="{width}" height="{height}" rx="8" fill="#0d1117" stroke="#3d444d"/>
  <circle cx="18" cy="16" r="5" fill="#ff5f57"/><circle cx="36" cy="16" r="5" \
fill="#febc2e"/><circle cx="54" cy="16" r="5" fill="#28c840"/>
{body}</svg>
"""


@dataclass
class _Scene:
    command: str
    lines: list[str]

    @property
    def typed(self) -> float:
        """Seconds until the command stands there."""
        return PAUSE + TYPING * len(self.command)

    @property
    def seconds(self) -> float:
        return self.typed + PER_LINE * len(self.lines) + READING


def _scene(given: Json, root: Path) -> _Scene:
    """The recorded output of a lesson, as its marker has it recorded; the lines that are named."""
    lesson = root / given["lesson"]
    for block in find_blocks(read_text(lesson)):
        output = Output.of(block.arguments) if block.name == "output" else None
        if output and output.name == given["output"]:
            recorded = Outputs(chapter_folder(lesson)).text(output.name)
            lines = shown_lines(recorded, given["from"], given["to"])
            return _Scene(command_of(lesson, output), [line.rstrip("\n") for line in lines])
    raise LessonError(f"{lesson} shows no output '{given['output']}'")


class _Drawing:
    """Lines of text, each with the part of the round in which it is shown."""

    def __init__(self, total: float):
        self.total = total  # seconds of a round
        self.count = 0
        self.styles = self.body = ""

    def _percent(self, at: float) -> float:
        return max(100 * at / self.total, 0.02)

    def line(self, y: float, begin: float, end: float, classes: str, text: str) -> None:
        """A line that is shown from `begin` to `end` of each round, in seconds."""
        first, last, name = self._percent(begin), self._percent(end), f"k{self.count}"
        self.count += 1
        self.styles += (
            f"    @keyframes {name} {{ 0%, {first - 0.02:.2f}% {{ opacity: 0; }} {first:.2f}%, "
            f"{last - 0.04:.2f}% {{ opacity: 1; }} {last - 0.02:.2f}%, 100% {{ opacity: 0; }} }}\n"
            f"    .{name} {{ animation: {name} {self.total:.1f}s infinite; }}\n"
        )
        of_line = f'x="{MARGIN}" y="{y}" class="{name} {classes}"'
        self.body += f'  <text xml:space="preserve" {of_line}>{text}</text>\n'

    def scene(self, scene: _Scene, begin: float, moving: str) -> None:
        """A scene's text; where nothing may move, that of class `moving` is not seen."""
        y, end = HEAD + LINE, begin + scene.seconds
        prompt = f'<tspan class="prompt">$</tspan> {escaped(scene.command)}'
        self.line(y, begin, end, "typed" + moving, prompt)
        for number, text in enumerate(scene.lines):
            good = "good" if 0 <= text.find("try:") < 4 else ""
            look = "bad" if text.startswith("HAZARD") else good
            shown = begin + scene.typed + PER_LINE * number
            self.line(y + LINE * (number + 1), shown, end, look + moving, escaped(text))


def draw_cast(description: Json, root: Path) -> str:
    """The picture of a description, of which README.md says what it holds."""
    scenes = [_scene(given, root) for given in description["scenes"]]
    drawing = _Drawing(sum(scene.seconds for scene in scenes))
    now = 0.0
    for scene in scenes:
        drawing.scene(scene, now, "" if scene is scenes[0] else " moving")
        now += scene.seconds
    columns = max(60, *(len(line) for scene in scenes for line in scene.lines))
    rows = max(len(scene.lines) + 1 for scene in scenes)
    return _PICTURE.format(
        width=f"{2 * MARGIN + COLUMN * columns:.0f}",
        height=f"{HEAD + LINE * (rows + 1.2):.0f}",
        title=escaped(description["title"]),
        description=escaped(description["description"]),
        styles=drawing.styles,
        body=drawing.body,
    )
