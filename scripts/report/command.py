"""The command line: which results to draw, which files to write, which exit code to return."""

import argparse
import contextlib
import json
import pathlib
import re

from report import (comparisons, figure, files, monitor_chart, monitor_page, monitored, page, printing, records, reproduce_baselines, reproduce_page,
                    reproduced, series, tune_chart, two_sweeps_charts)
from report.figure import write_pictures

PAGE = "index.html"
EXIT_OK = 0
EXIT_FAILED = 1
EXIT_USAGE = 2


class Failure(Exception):
    """A report that was not made: why, and the exit code."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


def main(arguments):
    """Writes the report, then prints the path of each chart and of the page. Returns the exit code."""
    options, warnings = parse(arguments), []
    try:
        lines = write(options, warnings)
    except Failure as failure:
        return printing.fail(failure.code, failure)
    for warning in warnings:
        printing.complain("warning", warning)
    return printing.print_lines(lines)


def write(options, warnings):
    """Writes what the options ask for; adds to `warnings`. Returns the lines to print."""
    if options.summary:
        return draw_summary(options, warnings)
    if any(path.is_file() for path in options.paths):
        return draw_monitored(options, warnings)
    if any((path / tune_chart.FILE).is_file() for path in options.paths):
        return draw_tuned(options)
    return write_reproduced(options, warnings)


@contextlib.contextmanager
def failing_as(message):
    """Makes an OSError of the block the failure `message`, with its reason, and a file in the place of a folder another."""
    try:
        yield
    except files.NotAFolder as error:
        raise Failure(EXIT_USAGE, str(error)) from error
    except OSError as error:
        raise Failure(EXIT_FAILED, f"{message}: {printing.reason_of(error)}") from error


def require_alike(paths, is_one, kind):
    """Refuses to report results of that kind together with others, which have other charts."""
    for path in paths:
        if not is_one(path):
            raise Failure(EXIT_USAGE, f"found '{path}' among {kind}: they cannot be mixed; report them one after the other")


def draw_summary(options, warnings):
    """Draws what `runahead report` found in records. A report that cannot be written leaves nothing, not even its summary."""
    out = options.out or options.summary.parent
    try:
        with failing_as("the report cannot be written"):
            earlier = pictures_of(out / PAGE)
            with files.all_or_none(out) as staging:
                written, text = write_report(json.loads(options.summary.read_bytes()), staging, warnings)
            for path in earlier - {out / path.name for path in written}:
                path.unlink(missing_ok=True)
    except BaseException:
        options.summary.unlink(missing_ok=True)
        raise
    return [*text, *(out / path.name for path in written)]


def pictures_of(page_path):
    """The paths of the pictures that a report wrote with the page that is there, if there is one."""
    with contextlib.suppress(FileNotFoundError):
        slugs = re.findall(r'<section class="comparison" id="([\w.-]+)">', page_path.read_text(encoding="utf-8", errors="replace"))
        return {page_path.with_name(f"{slug}.{form}") for slug in [*slugs, two_sweeps_charts.SLUG] for form in ("png", "svg")}
    return set()


def draw_monitored(options, warnings):
    """Draws samples of `monitor`: a chart and a page of all files, next to the first unless --out names a folder."""
    require_alike(options.paths, lambda path: not path.is_dir(), "files of samples")
    paths = [path for path in options.paths if monitored.are_samples(path)] or options.paths
    out, name = options.out or paths[0].parent, paths[0].stem if len(paths) == 1 else "monitor"
    try:
        with failing_as("the samples cannot be read"):
            found = monitored.read(paths, warnings.append)
    except ValueError as error:
        raise Failure(EXIT_USAGE, str(error)) from error
    with failing_as("the report cannot be written"):
        pictures = write_pictures(monitor_chart.draw(found), out, name)
        files.write_text(out / f"{name}.html", monitor_page.render(found))
    return [*pictures, out / f"{name}.html"]


def draw_tuned(options):
    """Draws the chart of each folder that `tune` wrote."""
    require_alike(options.paths, lambda path: (path / tune_chart.FILE).is_file(), "results of `tune`")
    pictures = []
    for folder in options.paths:
        path = folder / tune_chart.FILE
        try:
            with failing_as(f"the chart of '{path}' cannot be drawn"):
                pictures += write_pictures(tune_chart.draw(path), options.out or folder / "report", "tune")
        except ValueError as error:
            raise Failure(EXIT_USAGE, f"'{path}' is not a result of `runahead tune` that can be drawn: {error}") from error
    return pictures


def write_reproduced(options, warnings):
    """Writes the page and charts of the folder that `reproduce` wrote."""
    if len(options.paths) > 1:
        raise Failure(EXIT_USAGE, "the folder of `runahead reproduce` is reported alone")
    folder = options.paths[0]
    try:
        with failing_as(f"'{folder}' cannot be read"):
            found = reproduced.Reproduced(folder, warnings)
            baselines = reproduce_baselines.read(folder, warnings)
    except ValueError as error:
        raise Failure(EXIT_USAGE, f"'{folder / reproduced.FILE}' is not a result of `runahead reproduce`: {error}") from error
    with failing_as("the report cannot be written"):
        return reproduce_page.write(found, baselines, warnings, options.out or folder / "report")


def write_report(summary, out, remarks):
    """Writes the charts and the page, comparison by comparison, with the samples of only one in memory. Adds to
    `remarks`. Returns the paths, and what to print before them."""
    runs, two, pictures = records.read_listed(summary["runs"]), summary["two_sweeps"], []
    if two and (drawing := two_sweeps_charts.draw(two)) is not None:
        pictures += write_pictures(drawing, out, two_sweeps_charts.SLUG)
    all_comparisons = comparisons.read(summary, runs)
    shown = comparisons.shown_of(all_comparisons)
    number_of_lines = sum(len(comparison.groups) for comparison in shown)
    sections, unsampled, damaged = [], [], []
    for comparison in shown:
        lines = series.load_lines(comparison, remarks)
        drawn = draw_chart(comparison, lines, out)
        pictures += drawn
        if not drawn:
            (damaged if any(line.is_damaged for line in lines) else unsampled).append(comparison)
        sections.append(page.section(comparison, lines, number_of_lines, is_only=len(all_comparisons) == 1 and not two))
    remarks += remarks_on(all_comparisons, shown, unsampled, damaged)
    files.write_text(out / PAGE, page.render(summary, runs, all_comparisons, sections, summary["warnings"] + remarks))
    return [*pictures, out / PAGE], [two["text"].rstrip("\n")] if two else []


def remarks_on(all_comparisons, shown, unsampled, damaged):
    """Remarks on what has no charts: one line with a count each."""
    for missing, subject, verb in ((unsampled, "nothing was sampled", ""), (damaged, "the samples", " cannot be read")):
        if len(missing) == 1:
            yield f"{subject} of {missing[0].subtitle or missing[0].slug}{verb}: no chart over time"
        elif missing:
            yield f"{subject} in {len(missing):,} of {len(shown):,} comparisons{verb}: no charts over time of these"
    if len(shown) < len(all_comparisons):
        yield f"{len(shown):,} of {len(all_comparisons):,} comparisons have charts; the others are in the table of runs"


def draw_chart(comparison, lines, out):
    """Draws the picture of a comparison. Returns its paths; none without samples."""
    sampled = [line for line in lines if line.main.is_drawable]
    return write_pictures(figure.draw(comparison, sampled), out, comparison.slug) if sampled else []


def parse(arguments):
    parser = argparse.ArgumentParser(prog="report", description="Draw charts (PNG, SVG) and a page of results.")
    parser.add_argument("paths", metavar="PATH", nargs="*", type=pathlib.Path,
                        help="the folder of `runahead tune` or of `runahead reproduce`, or the CSV file that `runahead monitor --out` wrote")
    parser.add_argument("--summary", metavar="FILE", type=pathlib.Path, help="what `runahead report` found in records")
    parser.add_argument("--out", type=pathlib.Path, help="where to write (default: PATH/report, or the summary's folder)")
    options = parser.parse_args(arguments)
    if bool(options.paths) == bool(options.summary):
        parser.error("either PATH or --summary is needed")
    return options
