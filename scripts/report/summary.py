"""Counts of states, and tables in Markdown, for scripts that check results."""

import collections


def states(runs):
    """'3 ok', '2 ok, 1 out_of_memory'."""
    counted = collections.Counter(run.status for run in runs)
    return ", ".join(f"{count} {status}" for status, count in counted.most_common())


def markdown_table(grid, lefts):
    """Rows of texts, the headings first. The first `lefts` columns stand on the left, the others on the right."""
    cells = [[field.replace("|", "\\|").replace("\n", " ") for field in row] for row in grid]
    widths = [max(len(row[column]) for row in cells) for column in range(len(grid[0]))]
    rule = ["-" * width if column < lefts else "-" * (width - 1) + ":" for column, width in enumerate(widths)]
    return "".join(f"| {' | '.join(padded(row, widths, lefts))} |\n" for row in [cells[0], rule, *cells[1:]])


def padded(row, widths, lefts):
    return [field.ljust(width) if column < lefts else field.rjust(width)
            for column, (field, width) in enumerate(zip(row, widths))]
