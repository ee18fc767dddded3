"""What became of the cells of a sweep in another, in sentences."""

import collections

from report import labels, ratios, summary, two_sweeps, units

MOST_NAMED = 5
METHOD = (f"Ratios of geometric means, second over first, of the runs that are ok; in brackets {ratios.CONFIDENCE * 100:.0f} % confidence "
          "intervals (Welch's, over logarithms), which take two repeats on each side. A change is named from "
          f"{two_sweeps.LEAST_CHANGE * 100:.0f} % on, in memory from 1 MB on, if of all that are named "
          f"{ratios.FALSE_DISCOVERIES * 100:.0f} % "
          "at most are chance (Benjamini and Hochberg).")


def cell_name(cell):
    """Its axes; without any, what tells its runs apart."""
    axes = [labels.axis_label(pointer, value) for pointer, value in cell.axes.items()]
    return ", ".join(axes) or labels.sync_label(cell.runs[0].mapping("config", "sync")) or "the only cell"


def cells_text(count):
    return f"{count} cell" if count == 1 else f"{count} cells"


def headline(two):
    """'runs/new against runs/old, 12 cells: 2 slower, 1 larger; 1 no longer ok.'"""
    counted = collections.Counter(word for row in two.rows for word in {one.change for one in row if one.change})
    order = dict.fromkeys(word for figure in two_sweeps.FIGURES for word in (figure.more, figure.less))
    parts = [", ".join(f"{counted[word]} {word}" for word in order if counted[word]) or nothing_named(two)]
    broken, mended = (sum(map(what, two.both)) for what in (two_sweeps.broke, two_sweeps.was_mended))
    parts += [f"{broken} no longer ok"] if broken else []
    parts += [f"{mended} ok now"] if mended else []
    return f"{two.sources[1]} against {two.sources[0]}, {cells_text(len(two.both))}: {'; '.join(parts)}."


def nothing_named(two):
    if any(one.ratio and one.ratio.chance is not None for row in two.rows for one in row):
        return "no change beyond chance"
    return "no interval, which takes two repeats that are ok in each sweep, and scatter"


def sentences(two):
    """Figure by figure, then the cells whose state changed and those that have no partner."""
    found = [sentence for figure in two_sweeps.FIGURES for sentence in of_figure(two.of(figure), figure)]
    found += listed("no longer ok", [state_change(cell) for cell in two.both if two_sweeps.broke(cell)])
    found += listed("ok now", [state_change(cell) for cell in two.both if two_sweeps.was_mended(cell)])
    for side, source in enumerate(two.sources):
        found += listed(f"only in {source}", [cell_name(cell) for cell in two.alone if not (cell.second, cell.first)[side]])
    return found


def of_figure(compared, figure):
    """The ratio over all cells, and each direction in which cells changed; [] if no cell has a ratio."""
    with_ratio = [one for one in compared if one.ratio]
    if not with_ratio:
        return []
    overall = ratio_text(two_sweeps.over_all(with_ratio))
    found = [f"{figure.heading}: {overall} over {cells_text(len(with_ratio))}"]
    for word in (figure.more, figure.less):
        changed = [one for one in with_ratio if one.change == word]
        changed.sort(key=lambda one: one.ratio.value, reverse=word == figure.more)
        found += listed(f"{figure.heading}, {word}", [change_text(one) for one in changed])
    return found


def listed(heading, items):
    """['heading (3): first; second; third'], of many the first ones; [] without any."""
    if not items:
        return []
    more = [f"and {len(items) - MOST_NAMED} more"] if len(items) > MOST_NAMED else []
    return [f"{heading} ({len(items)}): {'; '.join([*items[:MOST_NAMED], *more])}"]


def change_text(one):
    first, second = (one.figure.text_of(median) for median in one.medians)
    return f"{cell_name(one.cell)} {ratio_text(one.ratio)}, from {first} to {second}"


def state_change(cell):
    return f"{cell_name(cell)}, {states_text(cell)}"


def states_text(cell):
    """'3 ok', or '3 ok, then 2 ok, 1 crashed' where the sweeps differ."""
    first, second = (summary.states(runs) for runs in (cell.first, cell.second))
    return first if first == second else f"{first}, then {second}"


def ratio_text(ratio):
    """'1.31 (1.25 to 1.38)'; '1.31' where there is no interval; a dash without a ratio."""
    if ratio is None:
        return units.NOT_MEASURED
    if ratio.lower is None:
        return factor_text(ratio.value)
    return f"{factor_text(ratio.value)} ({factor_text(ratio.lower)} to {factor_text(ratio.upper)})"


def factor_text(factor):
    return units.three_digits(factor) if 0.0995 <= factor < 999.5 else f"{factor:.2g}"
