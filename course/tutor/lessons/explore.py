"""Recordings for the site's explorable pictures.

explore/NAME.json beside a lesson describes one, as README.md says, and explore/NAME.recorded.json
holds what the emulator wrote of real runs.
"""

import itertools
import json
import tempfile
from pathlib import Path

from json_lines import json_text
from markers import LessonError, read_text
from output import run_program, tutor_of
from recorded import Json, as_text, lacking

_OBSERVING = {"EMU_OBSERVE": "1", "EMU_OBSERVE_TO": "nowhere", "EMU_OBSERVE_COUNTED": "1"}


def exploration_recording(description: Path) -> Path:
    """Where the recording of a description lies."""
    return description.with_suffix(".recorded.json")


def _runs_of(description: Path) -> list[Json]:
    """The description's runs, one for each combination of the values of "axes"."""
    try:
        about = json.loads(read_text(description))
    except ValueError:
        about = {}
    if not {"kind", "title", "runs"} <= set(about):
        raise LessonError(f"{description} lacks kind, title or runs")
    runs = []
    for run in about["runs"]:
        axes = run.get("axes", {})
        for values in itertools.product(*axes.values()):
            one = {**run, "at": dict(zip(axes, values))}
            for key, (axis, value) in itertools.product(("name", "args", "on"), one["at"].items()):
                one[key] = one.get(key, "").replace(f"{{{axis}}}", as_text(value))
            runs.append(one)
    return runs


def _command(
    run: Json, program: Path, root: Path, written: str
) -> tuple[list[str], dict[str, str]]:
    """What makes a run write its file, and in which environment.

    The time model is asked through the tutor, in the build that the program belongs to.
    """
    command = [f"{program}.observed", *run["args"].split()]
    match run["writes"]:
        case "values":
            return [*command, "--json", written], {}
        case "trace":
            of = run.get("of", "")
            trace = {"EMU_OBSERVE_TRACE": written, "EMU_OBSERVE_TRACE_OF": of}
            return command, _OBSERVING | trace
        case "timeline":
            return command, _OBSERVING | {"EMU_TIMELINE": written}
        case "times":
            tutor, folders = tutor_of(program, root)
            tutor += ["run", program.name, "--on", run["on"], "--times", written]
            return [*tutor, "--", *run["args"].split()], folders
    raise LessonError(f"'{run['writes']}' is no trace, timeline, values or times")


def _recorded_run(run: Json, program: Path, root: Path) -> Json:
    """The recording of a run, paths in it relative to the course, wherever that lies."""
    with tempfile.TemporaryDirectory(prefix="build-first-") as folder:
        written = Path(folder) / "exploration.json"
        command, environment = _command(run, program, root, str(written))
        code, _ = run_program(command, environment)
        if code != 0 or not written.exists():
            raise LessonError(f"this run has failed: {' '.join(command)}")
        wrote = json.loads(read_text(written).replace(f"{root.resolve()}/", ""))
    match run["writes"]:
        case "timeline":
            for bar in wrote["bars"]:
                if not bar["file"].startswith("chapters/"):  # lines of ours that move
                    bar |= {"file": "", "line": 0}
            return wrote
        case "trace":
            return _one_launch(wrote["launches"], run.get("launch", 0))
        case "values":
            return {demo["name"]: demo["values"] for demo in wrote["demos"]}
    return _times(wrote["steps"])


def _one_launch(launches: list[Json], wanted: int) -> Json:
    """One launch of a trace."""
    if wanted >= len(launches):
        raise LessonError(f"there are {len(launches)} launches, and no number {wanted}")
    return {"launches": [launches[wanted]]}


def _times(steps: list[Json]) -> Json:
    """What the time model says: as many digits as a model is worth."""
    for step in steps:
        step |= {key: float(f"{step[key]:.3g}") for key in ("ms", "low", "high") if key in step}
        terms = {name: float(f"{ms:.3g}") for name, ms in step.get("terms", {}).items()}
        step["terms"] = {name: ms for name, ms in terms.items() if ms > 0}
    return steps


def record_exploration(description: Path, program: Path, root: Path) -> str:
    """Runs what the description names and gives the recording's text.

    `program` is the chapter's program; its observed build lies beside it.
    """
    chapter = description.parent.parent.name.split("_")[0]
    recorded = []
    with lacking(f"{description} lacks something"):
        for run in _runs_of(description):
            kind = run["writes"]
            verb = "run" if kind in ("values", "times") else "observe"
            on = f" --on {run['on']}" if kind == "times" else ""
            command = f"./tutor {verb} {chapter}{on} -- {run['args']}"
            head = {"name": run["name"], "command": command}
            head |= {"at": run["at"]} if kind == "times" else {}
            recorded.append(head | {kind: _recorded_run(run, program, root)})
    return json_text({"runs": recorded})


def is_of_a_model(description: Path) -> bool:
    """Whether the time model has been asked.

    What it says depends on clang's version, and takes minutes, so it is recorded anew where someone
    wants that, and never compared.
    """
    return any(run["writes"] == "times" for run in _runs_of(description))


def has_all_runs(description: Path) -> bool:
    """Whether the recording has the runs that the description names, in their order."""
    recording = exploration_recording(description)
    with lacking(f"{recording} is no recording"):
        names = [run["name"] for run in json.loads(read_text(recording))["runs"]]
        return names == [run["name"] for run in _runs_of(description)]


def same_exploration(a: str, b: str) -> bool:
    """Whether two recordings tell the same, whatever basic blocks the compiler has made."""
    return a == b or _essence(json.loads(a)) == _essence(json.loads(b))


def _essence(recorded: Json) -> Json:
    """Requests and barriers with their lines of source, without basic blocks."""
    for run in recorded["runs"]:
        for launch in run.get("trace", {}).get("launches", []):
            places = launch.pop("places")
            for block in launch["blocks"]:
                kept = [event for event in block["events"] if {"access", "barrier"} & set(event)]
                for event in kept:
                    if "place" in event:
                        event["place"] = places[event["place"]]
                block["events"] = kept
    return recorded
