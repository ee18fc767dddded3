"""The table of a sweep: a row for each combination of axis values, with median and spread over its repeats."""

import collections
import csv
import io
import json
import statistics

from report import labels, units

# Key of the record and, in Markdown, heading and text. Only runs that are ok count: others stopped somewhere.
FIGURES = [
    (("time", "issue_seconds"), "issue", units.seconds_text),
    (("time", "total_seconds"), "total", units.seconds_text),
    (("memory", "rss_growth_bytes"), "RSS growth", units.bytes_text),
    (("backlog", "batches_peak"), "batches in flight", units.count_text),
    (("memory", "held_peak_bytes"), "held", units.bytes_text),
    (("loss", "last"), "final loss", units.loss_text),
]


def rows_of(runs):
    """Lists of runs that differ in their repeat alone, in the order in which they come."""
    rows = collections.OrderedDict()
    for run in runs:
        key = json.dumps(run.axes if run.axes else run.config, sort_keys=True)
        rows.setdefault(key, []).append(run)
    return list(rows.values())


def pointers_of(runs):
    """Every axis of the runs: JSON pointers."""
    return list(dict.fromkeys(pointer for run in runs for pointer in run.axes))


def spread(runs, keys):
    """(median, smallest, largest) of a figure over the runs that are ok; None if none of them has it."""
    values = [value for run in runs if run.status == "ok" and (value := run.number(*keys)) is not None]
    return (statistics.median(values), min(values), max(values)) if values else None


def states(runs):
    """'3 ok', '2 ok, 1 out_of_memory'."""
    counted = collections.Counter(run.status for run in runs)
    return ", ".join(f"{count} {status}" for status, count in counted.most_common())


def as_csv(runs):
    """Numbers in the units of their keys; an empty field is not measured."""
    pointers = pointers_of(runs)
    names = [keys[-1] for keys, *_ in FIGURES]
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow([*(pointers or ["run"]), "states", *(f"{name}_{part}" for name in unique(names)
                                                         for part in ("median", "min", "max"))])
    for row in rows_of(runs):
        spreads = [spread(row, keys) or ("", "", "") for keys, *_ in FIGURES]
        writer.writerow([*axis_fields(row[0], pointers), states(row), *(value for found in spreads for value in found)])
    return buffer.getvalue()


def unique(names):
    """The record's keys, but for 'last', which says nothing without its parent."""
    return ["loss_last" if name == "last" else name for name in names]


def as_markdown(runs):
    """For people: median, and in brackets the smallest and the largest where they differ from it in what is shown."""
    pointers = pointers_of(runs)
    headings = [*(pointers or ["run"]), "states", *(heading for _, heading, _ in FIGURES)]
    body = [[*axis_fields(row[0], pointers), states(row), *(spread_text(row, keys, text_of)
                                                           for keys, _, text_of in FIGURES)]
            for row in rows_of(runs)]
    return markdown_table([headings, *body], len(headings) - len(FIGURES))


def markdown_table(grid, lefts):
    """Rows of texts, the headings first. The first `lefts` columns stand on the left, the others on the right."""
    cells = [[field.replace("|", "\\|").replace("\n", " ") for field in row] for row in grid]
    widths = [max(len(row[column]) for row in cells) for column in range(len(grid[0]))]
    rule = ["-" * width if column < lefts else "-" * (width - 1) + ":" for column, width in enumerate(widths)]
    return "".join(f"| {' | '.join(padded(row, widths, lefts))} |\n" for row in [cells[0], rule, *cells[1:]])


def padded(row, widths, lefts):
    return [field.ljust(width) if column < lefts else field.rjust(width)
            for column, (field, width) in enumerate(zip(row, widths))]


def axis_fields(run, pointers):
    if not pointers:
        return [labels.run_name(run)]
    return [labels.compact(run.axes[pointer]) if pointer in run.axes else "" for pointer in pointers]


def spread_text(runs, keys, text_of):
    found = spread(runs, keys)
    if found is None:
        return units.NOT_MEASURED
    median, smallest, largest = (text_of(value) for value in found)
    return median if smallest == largest else f"{median} ({smallest} to {largest})"
