"""Recordings for the site's explorable pictures.

explore/NAME.json beside a lesson describes one, as README.md says, and explore/NAME.recorded.json holds
what the emulator wrote of real runs.
"""

import itertools
import json
import os
import subprocess
import tempfile
from pathlib import Path

from markers import LessonError, read_text
from recorded import Json, as_text, lacking


def _compact(value: Json) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


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
            for key in ("name", "args", "on"):
                for axis, value in one["at"].items():
                    one[key] = one.get(key, "").replace(f"{{{axis}}}", as_text(value))
            runs.append(one)
    return runs


def _run(command: list[str], environment: dict[str, str], written: Path) -> str:
    """What a quiet command has written into a file."""
    ran = subprocess.run(
        command,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,
    )
    if ran.returncode != 0 or not written.exists():
        raise LessonError(f"this run has failed: {' '.join(command)}")
    return read_text(written)


def _observed(run: Json, program: Path, written: Path) -> str:
    """What the chapter's observed program writes in a run."""
    command = [f"{program}.observed", *run["args"].split()]
    if run["writes"] == "values":
        return _run([*command, "--json", str(written)], {}, written)
    observing = {"EMU_OBSERVE": "1", "EMU_OBSERVE_TO": "nowhere", "EMU_OBSERVE_COUNTED": "1"}
    if run["writes"] == "trace":
        observing |= {"EMU_OBSERVE_TRACE": str(written), "EMU_OBSERVE_TRACE_OF": run.get("of", "")}
    elif run["writes"] == "timeline":
        observing["EMU_TIMELINE"] = str(written)
    else:
        raise LessonError(f"'{run['writes']}' is no trace, timeline or values")
    return _run(command, observing, written)


def _recorded_run(run: Json, program: Path, root: Path) -> str:
    """The recording of a run, paths in it relative to the course, wherever that lies."""
    with tempfile.TemporaryDirectory(prefix="build-first-") as folder:
        written = Path(folder) / "exploration.json"
        if run["writes"] == "times":
            return _predicted_times(run, program, root, written)
        text = _observed(run, program, written)
    if run["writes"] == "values":
        demos = json.loads(text)["demos"]
        return _compact({demo["name"]: demo["values"] for demo in demos})
    text = text.replace(f"{root.resolve()}/", "").rstrip("\n")
    return text if run["writes"] == "timeline" else _one_launch(text, run.get("launch", 0))


def _one_launch(trace: str, wanted: int) -> str:
    """One launch of a trace, an event per line."""
    launches = json.loads(trace)["launches"]
    if wanted >= len(launches):
        raise LessonError(f"there are {len(launches)} launches, and no number {wanted}")
    launch = launches[wanted]
    blocks = []
    for block in launch.pop("blocks"):
        events = ",\n".join(map(_compact, block.pop("events")))
        blocks.append(_opened(block) + f'"events": [\n{events}]}}'.replace("[\n]", "[]"))
    return '{"launches": [' + _opened(launch) + '"blocks": [' + ",\n".join(blocks) + "]}]}"


def _opened(head: Json) -> str:
    """An object that goes on in the next line."""
    return _compact(head)[:-1] + ",\n"


def _three_digits(value: float) -> float:
    """A figure with as many digits as a model is worth."""
    return float(f"{value:.3g}")


def _predicted_times(run: Json, program: Path, root: Path, written: Path) -> str:
    """What the time model says of the steps, a line each.

    The tutor follows the program's launches; it lies in the build that the program belongs to.
    """
    build = program.parent.parent.parent.resolve()
    command = [str(build / "tutor_app/tutor"), "run", program.name, "--on", run["on"]]
    command += ["--times", str(written), "--", *run["args"].split()]
    folders = {"BUILD_FIRST_ROOT": str(root.resolve()), "BUILD_FIRST_BUILD": str(build)}
    steps = json.loads(_run(command, folders, written))["steps"]
    for step in steps:
        step |= {key: _three_digits(step[key]) for key in ("ms", "low", "high") if key in step}
        terms = {name: _three_digits(ms) for name, ms in step.get("terms", {}).items()}
        step["terms"] = {name: ms for name, ms in terms.items() if ms > 0}
    return "[\n" + ",\n".join(map(_compact, steps)) + "]"


def record_exploration(description: Path, program: Path, root: Path) -> str:
    """Runs what the description names and gives the recording's text.

    `program` is the chapter's program; its observed build lies beside it.
    """
    chapter = description.parent.parent.name.split("_")[0]
    texts = []
    with lacking(f"{description} lacks something"):
        for run in _runs_of(description):
            verb = "run" if run["writes"] in ("values", "times") else "observe"
            on = f" --on {run['on']}" if run["writes"] == "times" else ""
            command = f"./tutor {verb} {chapter}{on} -- {run['args']}"
            head = {"name": run["name"], "command": command}
            if run["writes"] == "times":
                head["at"] = run["at"]
            text = _recorded_run(run, program, root)
            texts.append(f'{_opened(head)}"{run["writes"]}": {text}}}')
    return '{"runs": [\n' + ",\n".join(texts) + "]}\n"


def is_of_a_model(description: Path) -> bool:
    """Whether the time model has been asked.

    What it says depends on clang's version, and takes minutes, so it is recorded anew where someone
    wants that, and never compared.
    """
    return any(run["writes"] == "times" for run in _runs_of(description))


def has_all_runs(description: Path) -> bool:
    """Whether the recording has the runs that the description names, in their order."""
    with lacking(f"{exploration_recording(description)} is no recording"):
        recorded = json.loads(read_text(exploration_recording(description)))["runs"]
        return [run["name"] for run in recorded] == [run["name"] for run in _runs_of(description)]


def same_exploration(a: str, b: str) -> bool:
    """Whether two recordings tell the same.

    Which basic blocks there are is the compiler's business, so they are not compared.
    """
    return a == b or _essence(json.loads(a)) == _essence(json.loads(b))


def _essence(recorded: Json) -> Json:
    """Requests and barriers with their lines of source, without basic blocks."""
    for run in recorded["runs"]:
        for launch in run.get("trace", {}).get("launches", []):
            places = launch.pop("places")
            for block in launch["blocks"]:
                for event in block["events"]:
                    if "place" in event:
                        event["place"] = places[event["place"]]
                kept = [event for event in block["events"] if {"access", "barrier"} & set(event)]
                block["events"] = kept
    return recorded
