"""The command line: which results to draw, which files to write, which exit code to return."""

import argparse
import json
import pathlib
import sys

from report import (comparisons, figure, files, monitor_chart, monitor_page, monitored, page, records, reproduce_baselines, reproduce_page, reproduced,
                    series, tune_chart, two_sweeps_charts)

EXIT_OK = 0
EXIT_FAILED = 1
EXIT_USAGE = 2


def main(arguments):
    """Writes the report; prints the path of each chart and of the page. Returns the exit code."""
    options = parse(arguments)
    if options.summary:
        return draw_summary(options)
    if any(path.is_file() for path in options.paths):
        return draw_monitored(options)
    if any((path / tune_chart.FILE).is_file() for path in options.paths):
        return draw_tuned(options)
    return write_reproduced(options)


def draw_summary(options):
    """Draws what `runahead report` found in records. Returns the exit code."""
    try:
        summary = json.loads(options.summary.read_bytes())
        write_report(summary, options.out or options.summary.parent)
    except OSError as error:
        complain("error", f"the report cannot be written: {error}")
        return EXIT_FAILED
    return EXIT_OK


def draw_monitored(options):
    """Draws samples of `monitor`: a chart and a page of all files, next to the first unless --out names a folder."""
    paths = [path for path in options.paths if monitored.are_samples(path)] or options.paths
    out, name = options.out or paths[0].parent, paths[0].stem if len(paths) == 1 else "monitor"
    try:
        found = monitored.read(paths)
    except ValueError as error:  # UnicodeDecodeError is one.
        complain("error", str(error))
        return EXIT_USAGE
    except OSError as error:
        complain("error", f"the samples cannot be read: {error}")
        return EXIT_FAILED
    try:
        write_pictures(monitor_chart.draw(found), out, name)
        files.write_text(out / f"{name}.html", monitor_page.render(found))
    except OSError as error:
        complain("error", f"the report cannot be written: {error}")
        return EXIT_FAILED
    print(out / f"{name}.html")
    return EXIT_OK


def draw_tuned(options):
    """Draws the chart of each folder that `tune` wrote. Returns the exit code."""
    kind = "result of `runahead tune` that can be drawn"
    charts = [(folder / tune_chart.FILE, options.out or folder / "report", "tune") for folder in options.paths]
    return draw_charts(charts, tune_chart.draw, kind)


def write_reproduced(options):
    """Writes the page and charts of the folder that `reproduce` wrote. Returns the exit code."""
    if len(options.paths) > 1:
        complain("error", "the folder of `runahead reproduce` is reported alone")
        return EXIT_USAGE
    folder, warnings = options.paths[0], []
    try:
        found = reproduced.Reproduced(folder, warnings)
        baselines = reproduce_baselines.read(folder, warnings)
    except (ValueError, UnicodeDecodeError) as error:
        complain("error", f"'{folder / reproduced.FILE}' is no result of `runahead reproduce`: {error}")
        return EXIT_USAGE
    except OSError as error:
        complain("error", f"'{folder}' cannot be read: {error}")
        return EXIT_FAILED
    for warning in warnings:
        complain("warning", warning)
    try:
        for path in reproduce_page.write(found, baselines, warnings, options.out or folder / "report"):
            print(path)
    except OSError as error:
        complain("error", f"the report cannot be written: {error}")
        return EXIT_FAILED
    return EXIT_OK


def draw_charts(charts, draw, kind):
    """Draws each of `charts`: a file of `kind`, and the folder and name of its pictures. Returns the exit code."""
    for path, out, name in charts:
        try:
            write_pictures(draw(path), out, name)
        except (ValueError, UnicodeDecodeError) as error:
            complain("error", f"'{path}' is no {kind}: {error}")
            return EXIT_USAGE
        except OSError as error:
            complain("error", f"the chart of '{path}' cannot be drawn: {error}")
            return EXIT_FAILED
    return EXIT_OK


def write_report(summary, out):
    """Writes the charts and the page, comparison by comparison, with the samples of only one in memory."""
    out.mkdir(parents=True, exist_ok=True)
    runs, two, warnings = records.read_listed(summary["runs"]), summary["two_sweeps"], list(summary["warnings"])
    if two and (drawing := two_sweeps_charts.draw(two)) is not None:
        write_pictures(drawing, out, two_sweeps_charts.SLUG)
    all_comparisons = comparisons.read(summary, runs)
    shown = comparisons.shown_of(all_comparisons)
    number_of_lines = sum(len(comparison.groups) for comparison in shown)
    sections, unsampled, found = [], [], []
    for comparison in shown:
        lines = series.load_lines(comparison, found)
        if not draw_chart(comparison, lines, out):
            unsampled.append(comparison)
        sections.append(page.section(comparison, lines, number_of_lines, is_only=len(all_comparisons) == 1 and not two))
    found += remarks(all_comparisons, shown, unsampled)
    for warning in found:
        complain("warning", warning)
    page_path = out / "index.html"
    files.write_text(page_path, page.render(summary, runs, all_comparisons, sections, warnings + found))
    print(page_path)


def remarks(all_comparisons, shown, unsampled):
    """Remarks on what has no charts: one line with a count each."""
    if len(unsampled) == 1:
        yield f"nothing was sampled of {unsampled[0].subtitle or unsampled[0].slug}: no chart over time"
    elif unsampled:
        yield f"nothing was sampled in {len(unsampled):,} of {len(shown):,} comparisons: no charts over time of these"
    if len(shown) < len(all_comparisons):
        yield f"{len(shown):,} of {len(all_comparisons):,} comparisons have charts; the others are in the table of runs"


def draw_chart(comparison, lines, out):
    """Draws the picture of a comparison and prints its paths. Returns whether it had any samples."""
    sampled = [line for line in lines if line.main.is_drawable]
    if sampled:
        write_pictures(figure.draw(comparison, sampled), out, comparison.slug)
    return bool(sampled)


def write_pictures(drawing, out, name):
    out.mkdir(parents=True, exist_ok=True)
    png, svg = out / f"{name}.png", out / f"{name}.svg"
    files.write_bytes(png, figure.render(drawing, "png"))
    files.write_bytes(svg, figure.render(drawing, "svg"))
    figure.close(drawing)
    print(png, svg, sep="\n")


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


def complain(level, message):
    print(f"runahead: {level}: {message}", file=sys.stderr)
