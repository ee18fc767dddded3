"""The command line: which folders, which files are written, which exit code."""

import argparse
import pathlib
import sys

from report import (comparisons, figure, files, monitor_chart, page, records, reproduce_baselines, reproduce_page, reproduced,
                    series, summary, tune_chart, two_sweeps, two_sweeps_charts, two_sweeps_tables)

EXIT_OK = 0
EXIT_FAILED = 1
EXIT_USAGE = 2


def main(arguments):
    """Writes the report; prints the path of each chart and of the page. Returns the exit code."""
    options = parse(arguments)
    if any(path.is_file() for path in options.folders):
        return draw_monitored(options)
    if any((path / tune_chart.FILE).is_file() for path in options.folders):
        return draw_tuned(options)
    if any((path / reproduced.FILE).is_file() for path in options.folders):
        return write_reproduced(options)
    runs, two, warnings = read(options.folders)
    for warning in warnings:
        complain("warning", warning)
    if not runs:
        names = ", ".join(str(folder) for folder in options.folders)
        complain("error", f"no records in {names}: expected record.json (a run's --out) or records.jsonl (a sweep's)")
        return EXIT_USAGE

    write = write_table if options.table else write_report
    try:
        write(runs, two, warnings, options.out or options.folders[0] / "report")
    except OSError as error:
        complain("error", f"the report cannot be written: {error}")
        return EXIT_FAILED
    return EXIT_OK


def read(folders):
    """(the runs of all folders, the TwoSweeps of them or None, warnings)."""
    warnings, sides = [], []
    for folder in folders:
        runs, found = records.read_folders([folder])
        sides.append(runs)
        warnings += found
    two = two_sweeps.of_folders(folders, sides, warnings) if two_sweeps.are_two(folders) else None
    return two.runs if two else [run for side in sides for run in side], two, warnings


def draw_monitored(options):
    """Draws the chart of each monitor's CSV file, beside it unless told otherwise. Returns the exit code."""
    kind = "file of samples, as `runahead monitor --out` writes it"
    charts = [(path, options.out or path.parent, path.stem) for path in options.folders]
    return draw_charts(charts, monitor_chart.draw, kind)


def draw_tuned(options):
    """Draws the chart of each folder that `tune` left. Returns the exit code."""
    kind = "result of `runahead tune` that can be drawn"
    charts = [(folder / tune_chart.FILE, options.out or folder / "report", "tune") for folder in options.folders]
    return draw_charts(charts, tune_chart.draw, kind)


def write_reproduced(options):
    """Writes the page and charts of the folder that `reproduce` left. Returns the exit code."""
    if len(options.folders) > 1 or options.table:
        complain("error", "the folder of `runahead reproduce` is reported alone, and without --table")
        return EXIT_USAGE
    folder, warnings = options.folders[0], []
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
    """Draws each of `charts`: a file, which is of `kind`, the folder and the name of its pictures. Returns the exit code."""
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


def write_report(runs, two, warnings, out):
    """Writes the charts and the page, comparison by comparison: the samples of one at a time are in memory."""
    out.mkdir(parents=True, exist_ok=True)
    if two:
        draw_two_sweeps(two, out)
    all_comparisons = comparisons.compare(runs)
    number_of_lines = sum(len(comparison.groups) for comparison in all_comparisons)
    sections = []
    for comparison in all_comparisons:
        found = []
        lines = series.load_lines(comparison, found)
        draw_chart(comparison, lines, out, found)
        for warning in found:
            complain("warning", warning)
        sections.append(page.section(comparison, lines, number_of_lines))
        warnings += found
    page_path = out / "index.html"
    files.write_text(page_path, page.render(runs, all_comparisons, sections, warnings, two))
    print(page_path)


def draw_two_sweeps(two, out):
    """Prints what two sweeps say of each other, and draws their ratios."""
    print(two_sweeps_tables.as_text(two))
    drawing = two_sweeps_charts.draw(two)
    if drawing is not None:
        write_pictures(drawing, out, two_sweeps_charts.SLUG)


def write_table(runs, two, _, out):
    """Writes the table of the runs, or of two sweeps' ratios, as CSV and Markdown; prints the latter."""
    out.mkdir(parents=True, exist_ok=True)
    markdown = two_sweeps_tables.as_markdown(two) if two else summary.as_markdown(runs)
    files.write_text(out / "table.csv", two_sweeps_tables.as_csv(two) if two else summary.as_csv(runs))
    files.write_text(out / "table.md", markdown)
    print(markdown, end="")


def draw_chart(comparison, lines, out, warnings):
    """Draws the picture of a comparison, if anything of it was sampled, and prints its paths."""
    sampled = [line for line in lines if line.main.is_drawable]
    if not sampled:
        warnings.append(f"nothing was sampled of {comparison.subtitle or comparison.slug}: no chart over time")
        return
    write_pictures(figure.draw(comparison, sampled), out, comparison.slug)


def write_pictures(drawing, out, name):
    out.mkdir(parents=True, exist_ok=True)
    png, svg = out / f"{name}.png", out / f"{name}.svg"
    files.write_bytes(png, figure.render(drawing, "png"))
    files.write_bytes(svg, figure.render(drawing, "svg"))
    figure.close(drawing)
    print(png, svg, sep="\n")


def parse(arguments):
    parser = argparse.ArgumentParser(prog="report", description="Draw charts (PNG, SVG) and one HTML page from records.")
    parser.add_argument("folders", metavar="DIR", nargs="+", type=pathlib.Path,
                        help="a run's or a sweep's --out; two sweeps are compared, the second with the first, where they "
                             "have cells in common; others are shown together. Or the --out of `tune`, of `reproduce`, or "
                             "of `monitor`, a file")
    parser.add_argument("--out", type=pathlib.Path, help="where to write (default: <first DIR>/report)")
    parser.add_argument("--table", action="store_true",
                        help="print a table of medians and spreads (of two sweeps: of ratios) instead, and write it as table.csv "
                             "and table.md")
    return parser.parse_args(arguments)


def complain(level, message):
    print(f"runahead: {level}: {message}", file=sys.stderr)
