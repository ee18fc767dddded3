"""Two sweeps as tables: text for a terminal, Markdown, CSV, HTML. A row for each cell."""

import csv
import io

from report import summary, tables, two_sweeps
from report import two_sweeps_words as words

# Of a terminal's table: the cells that changed come first.
MOST_ROWS = 100


def headings():
    return ["cell", "states", *(figure.heading for figure in two_sweeps.FIGURES)]


def fields(row):
    """The texts of a cell's row."""
    cell = row[0].cell
    return [words.cell_name(cell), words.states_text(cell), *map(figure_text, row)]


def figure_text(one):
    return f"{words.ratio_text(one.ratio)} {one.change}".rstrip()


def by_change(rows):
    """The rows with the cells that changed first, otherwise in their order."""
    return sorted(rows, key=lambda row: -sum(bool(one.change) for one in row))


def as_text(two):
    """The sentences and the table, for a terminal."""
    shown = by_change(two.rows)[:MOST_ROWS]
    lines = [words.headline(two), *(f"  {sentence}" for sentence in words.sentences(two)), ""]
    grid = [headings(), *map(fields, shown)]
    widths = [max(len(row[column]) for row in grid) for column in range(len(grid[0]))]
    lines += ["  ".join(field.ljust(width) for field, width in zip(row, widths)).rstrip() for row in grid]
    if len(two.rows) > len(shown):
        lines.append(f"and {len(two.rows) - len(shown)} cells more: --table shows all")
    return "\n".join([*lines, words.METHOD]) + "\n"


def as_markdown(two):
    """The sentences as a list, and every cell."""
    listed = "".join(f"- {escaped(sentence)}\n" for sentence in words.sentences(two))
    grid = [headings(), *map(fields, two.rows)]
    table = summary.markdown_table(grid, len(grid[0]))
    return f"{escaped(words.headline(two))}\n\n{listed}\n{table}\n{words.METHOD}\n"


def escaped(text):
    return text.replace("|", "\\|").replace("\n", " ")


def as_csv(two):
    """Numbers in the units of their keys; an empty field is not measured. Cells of one sweep alone have no ratios."""
    pointers = summary.pointers_of([run for cell in [*two.both, *two.alone] for run in cell.runs])
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    parts = ("first_median", "first_count", "second_median", "second_count", "ratio", "ratio_lower", "ratio_upper", "change")
    writer.writerow([*(pointers or ["run"]), "states_first", "states_second",
                     *(f"{figure.name}_{part}" for figure in two_sweeps.FIGURES for part in parts)])
    alone = [[two_sweeps.compare_figure(figure, cell) for figure in two_sweeps.FIGURES] for cell in two.alone]
    for row in [*two.rows, *alone]:
        cell = row[0].cell
        writer.writerow([*summary.axis_fields(cell.runs[0], pointers), summary.states(cell.first), summary.states(cell.second),
                         *(value for one in row for value in csv_fields(one))])
    return buffer.getvalue()


def csv_fields(one):
    ratio = [one.ratio.value, one.ratio.lower, one.ratio.upper] if one.ratio else [None] * 3
    first, second = one.medians
    found = [first, one.counts[0], second, one.counts[1], *ratio, one.change]
    return ["" if value is None else value for value in found]


def as_html(two):
    """Every cell; what became worse is marked."""
    rows = [html_row(row) for row in two.rows]
    return tables.table(headings(), rows, "sortable", texts={"cell", "states"}) if rows else ""


def html_row(row):
    cell = row[0].cell
    state = ' class="not-ok"' if two_sweeps.broke(cell) else ""
    figures = "".join(tables.cell(figure_text(one), one.ratio.value if one.ratio else None, kind_of(one)) for one in row)
    return (f"<tr{state}>{tables.cell(words.cell_name(cell), kind='text')}{tables.cell(words.states_text(cell), kind='text')}"
            f"{figures}</tr>")


def kind_of(one):
    return "not-ok" if one.is_worse else "differs" if one.change else ""
