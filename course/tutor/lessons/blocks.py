"""The text that belongs between one pair of markers."""

import os
import tomllib
from pathlib import Path

from chart import Chart, draw_chart
from core import pace_table
from difference import unified
from evidence import evidence_table
from markers import Arguments, Block, LessonError, chapter_folder, lines_of, read_text
from output import Output, Outputs, show_output
from predictions import bandwidths_table, errors_table, farthest_table
from recorded import lacking, markdown_table
from results import results_table
from source import code_between, code_of_function, opening_comment, read_idea, whole_code
from terms import glossary
from timeline import Timeline


def generate(block: Block, root: Path, lesson: Path) -> str:
    """The generated text of a block, blank lines around it included.

    Results are named from the repository's root, sources from the chapter's folder.
    """
    if block.name == "output":
        return f"\n{show_output(lesson, Output.of(block.arguments))}\n"
    arguments = Arguments(block.arguments)
    text = _text(block.name, arguments, root, lesson)
    arguments.expect_end()
    return f"\n{text}\n"


def _text(name: str, arguments: Arguments, root: Path, lesson: Path) -> str:
    """The text of a block; README.md says what its arguments are."""
    take, option = arguments.take, arguments.option
    folder = chapter_folder(lesson)
    match name:
        case "chapters":
            return _chapters(root, lesson)
        case "chart":
            return _chart(draw_chart(root, lesson, take("the description of a chart")), lesson)
        case "diff":
            return _diff(arguments, folder)
        case "evidence":
            step, watch = take("the step's name or number"), option("watch")
            words, brief = watch.split(",") if watch else [], arguments.take_if("brief")
            before, run, of = option("before"), option("run"), option("of")
            return evidence_table(root, lesson, step, before, run, words, brief, of)
        case "exercises":
            return _exercises(root, lesson)
        case "glossary":
            return glossary(root, lesson)
        case "idea":
            idea = read_idea(read_text(folder / take("the name of a source file")))
            return "".join(f"- **{title}:** {_as_markdown(is_)}\n" for title, is_ in idea.items())
        case "pace":
            return pace_table(root)
        case "predictions":
            file = root / take("the name of a file of predictions")
            if arguments.take_if("bandwidths"):
                return bandwidths_table(file)
            errors = arguments.take_if("errors")
            return errors_table(file) if errors else farthest_table(file)
        case "printed":
            text = Outputs(chapter_folder(lesson)).text(take("the name of what a tool printed"))
            return _fenced("console", _part_of(arguments, text) or text)
        case "results":
            file = root / take("the name of a results file")
            columns = option("columns", "step,ms,gbps,percent,times")
            return results_table(file, columns, option("run"), option("steps"))
        case "timeline":
            timeline = Timeline.of(arguments, folder)
            return f"![{timeline.description}]({os.path.relpath(timeline.file, lesson.parent)})\n"
    return _snippet(arguments, folder / take("the name of a source file"))


def _fenced(language: str, text: str) -> str:
    return f"```{language}\n{text}```\n"


def _as_markdown(text: str) -> str:
    """Plain text as Markdown shows it: a launch's <<< is no tag, a product's * no emphasis."""
    return text.replace("<", "&lt;").replace(">", "&gt;").replace("*", "\\*")


def _snippet(arguments: Arguments, file: Path) -> str:
    """All of a file, or the part that the marker names."""
    source = read_text(file)
    if arguments.take_if("whole"):
        text = source
    elif arguments.take_if("function"):
        text = code_of_function(source, arguments.take("the function's name"))
    else:
        text = _part_of(arguments, source) or whole_code(source)
    return _fenced("cuda", text)


def _part_of(arguments: Arguments, text: str) -> str:
    """The lines that the marker names; empty where it names none."""
    if not arguments.take_if("from"):
        return ""
    first = arguments.take("a regular expression after 'from'")
    if not arguments.take_if("to"):
        raise LessonError("marker lacks 'to \"REGEX\"' after from")
    return code_between(text, first, arguments.take("a regular expression after 'to'"))


def _diff(arguments: Arguments, folder: Path) -> str:
    """The difference of two steps: `code`, without their opening comments; or of a function."""
    old, new = arguments.take("the step before"), arguments.take("the step after")
    context = arguments.option("context", "3")
    if not context.isdecimal():
        raise LessonError(f"'{context}' is no whole number")
    texts = [read_text(folder / name) for name in (old, new)]
    code, function = arguments.take_if("code"), arguments.option("function")
    if function:
        texts = [code_of_function(text, function) for text in texts]
    comments = [opening_comment(text) if code else "" for text in texts]
    rests = [text.removeprefix(comment) for text, comment in zip(texts, comments)]
    difference = unified(*rests, int(context), [comment.count("\n") for comment in comments])
    if not difference:
        raise LessonError(f"{old} and {new} do not differ")
    return _fenced("diff", f"--- {old}\n+++ {new}\n{difference}")


def _chart(chart: Chart, lesson: Path) -> str:
    image = f"![{chart.description}]({os.path.relpath(chart.file, lesson.parent)})\n"
    return f"{image}\n*{chart.origin}.*\n" if chart.origin else image


def _chapters(root: Path, page: Path) -> str:
    """A row for each chapter, from its title and first paragraph."""
    rows = []
    for lesson in sorted(root.glob("chapters/*/README.md")):
        title, summary = _title_and_summary(lesson)
        link = f"[{title}]({os.path.relpath(lesson, page.parent)})"
        rows.append([lesson.parent.name.split("_")[0], link, summary])
    if not rows:
        raise LessonError("no chapter with a README.md is there: write one first")
    return markdown_table(["", "chapter", "what it shows"], rows)


def _title_and_summary(lesson: Path) -> tuple[str, str]:
    """The first "# " line of a lesson, and the first paragraph under it on one line."""
    title, summary = "", []
    for line in lines_of(read_text(lesson)):
        line = line.rstrip(" \n")
        if not title:
            title = line[2:] if line.startswith("# ") else ""
        elif not line and summary:
            break
        elif line and not line.startswith("<!--"):
            summary.append(line)
    if not title or not summary:
        raise LessonError(f"{lesson} must start with '# Title' and a paragraph")
    return title, " ".join(summary)


def _exercises(root: Path, lesson: Path) -> str:
    """A row for each exercise of the lesson's own chapter, from its card."""
    chapter, text, rows = chapter_folder(lesson).name, read_text(lesson), []
    for file in sorted(root.glob(f"exercises/{chapter}/*/card.toml")):
        exercise = file.parent.name
        with lacking(f"{exercise}/card.toml is no card"):
            card = tomllib.loads(read_text(file))
            section = card.get("section", "")
            if section and f"\n## {section}\n" not in text:
                missing = f"the section '{section}', which this lesson does not have"
                raise LessonError(f"{exercise}/card.toml names {missing}")
            name = f"{int(chapter.split('_')[0]):02}.{card['number']}"
            title, minutes = _as_markdown(card["title"]), str(card["minutes"])
            rows.append((card["number"], [name, f"`{exercise}.cu`", title, minutes]))
    if not rows:
        raise LessonError(f"there is no exercise in exercises/{chapter}")
    return markdown_table(["", "file", "", ">minutes"], [row for _, row in sorted(rows)])
