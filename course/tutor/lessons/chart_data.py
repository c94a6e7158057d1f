"""The recorded figures that a chart shows."""

from dataclasses import dataclass
from pathlib import Path

from markers import LessonError, lines_of
from output import Outputs
from predictions import predicted_steps
from recorded import Json, find_value, read_json


@dataclass
class Data:
    """Finds figures: paths of results start at the root, outputs lie in the chapter."""

    root: Path
    folder: Path  # of the chapter

    def figures(self, file: str, paths: list[str]) -> list[float]:
        """Several numbers of a results file, by their paths."""
        results = self.root / file
        found = [find_value(read_json(results), path, results) for path in paths]
        for path, value in zip(paths, found):
            if not isinstance(value, (int, float)):
                raise LessonError(f"'{path}' in {results} is no number")
        return found

    def _place(self, file: str, place: float | str) -> float:
        """A coordinate of a point: of a path the figure that is recorded there."""
        return self.figures(file, [place])[0] if isinstance(place, str) else place

    def _rows(self, output: str, name: str) -> list[list[str]]:
        """The words of those lines of a recorded output that begin with a name."""
        lines = lines_of(Outputs(self.folder).text(output))
        return [words for line in lines if (words := line.split())[:1] == [name]]

    def _printed(self, output: str, row: str, word: int) -> float:
        """A number of the only row that begins with a word."""
        try:
            (words,) = [words for words in self._rows(output, row) if len(words) > word]
            return float(words[word].rstrip(",;%"))
        except ValueError:
            wanted = f"one row that begins with {row} and has a number as its word {word}"
            raise LessonError(f"the recorded output {output} must have {wanted}") from None

    def points(self, series: Json) -> list[tuple[float, float]]:
        """The points of a plot's series, x and y."""
        if "points" in series:
            file = series.get("file", "")
            return [(self._place(file, x), self._place(file, y)) for x, y in series["points"]]
        if "predictions" in series:
            steps = predicted_steps(self.root / series["predictions"])
            known = [step for step in steps if step.predicted_ms is not None]
            wanted = [step for step in known if step.fitted == series["fitted"]]
            return [(step.measured_ms, step.predicted_ms) for step in wanted]
        x = series["x"]
        if isinstance(x, dict):
            x = [*range(x["from"], x["to"] + 1)]
        y = self.figures(series["file"], [series["path"].replace("{x}", str(i)) for i in x])
        return [*zip(x, y)]

    def bars(self, about: Json, row: Json, names: list[str]) -> list[tuple[float, float]]:
        """When a timeline's bars begin and end, in a row."""
        scale, times = about.get("scale", 1), []
        for name in names:
            if "output" in about:
                output, word = about["output"], row["word"]
                if all(len(words) > word for words in self._rows(output, name)):
                    times.append([self._printed(output, name, at) for at in (word, word + 1)])
            else:
                path = about["path"].replace("{bar}", name).replace("{row}", row["name"])
                paths = [path.replace("{end}", end) for end in ("begin", "end")]
                times.append(self.figures(about["file"], paths))
        return [(scale * begin, scale * end) for begin, end in times]
