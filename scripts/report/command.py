"""The command line: which folders, which files are written, which exit code."""

import argparse
import pathlib
import sys

from report import comparisons, figure, files, page, records

EXIT_OK = 0
EXIT_FAILED = 1
EXIT_USAGE = 2


def main(arguments):
    """Writes the report; prints the path of each chart and of the page. Returns the exit code."""
    options = parse(arguments)
    runs, warnings = records.read_folders(options.folders)
    for warning in warnings:
        complain("warning", warning)
    if not runs:
        names = ", ".join(str(folder) for folder in options.folders)
        complain("error", f"no records in {names}: expected record.json (a run's --out) or records.jsonl (a sweep's)")
        return EXIT_USAGE

    try:
        write_report(runs, options.out or options.folders[0] / "report")
    except OSError as error:
        complain("error", f"the report cannot be written: {error}")
        return EXIT_FAILED
    return EXIT_OK


def write_report(runs, out):
    out.mkdir(parents=True, exist_ok=True)
    charts = draw_charts(comparisons.compare(runs), out)
    page_path = out / "index.html"
    files.write_text(page_path, page.render(runs, charts))
    print(page_path)


def parse(arguments):
    parser = argparse.ArgumentParser(prog="report", description="Draw charts (PNG, SVG) and one HTML page from records.")
    parser.add_argument("folders", metavar="DIR", nargs="+", type=pathlib.Path,
                        help="a run's or a sweep's --out; several are shown together")
    parser.add_argument("--out", type=pathlib.Path, help="where to write (default: <first DIR>/report)")
    return parser.parse_args(arguments)


def draw_charts(all_comparisons, out):
    """Draws each comparison that has something to draw; prints the paths."""
    charts = []
    for comparison in all_comparisons:
        lines, warnings = comparisons.load_lines(comparison)
        for warning in warnings:
            complain("warning", warning)
        if not lines:
            complain("warning", f"nothing was sampled of {comparison.subtitle}: no chart")
            continue
        drawing = figure.draw(comparison, lines)
        png, svg = out / f"{comparison.slug}.png", out / f"{comparison.slug}.svg"
        files.write_bytes(png, figure.render(drawing, "png"))
        svg_bytes = figure.render(drawing, "svg")
        files.write_bytes(svg, svg_bytes)
        figure.close(drawing)
        print(png, svg, sep="\n")
        charts.append(page.Chart(comparison=comparison, svg=svg_bytes))
    return charts


def complain(level, message):
    print(f"runahead: {level}: {message}", file=sys.stderr)
