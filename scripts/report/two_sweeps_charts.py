"""The ratios of two sweeps as charts: a point with its interval for each cell; left of the line at 1 is better."""

import math

from matplotlib import pyplot, ticker

from report import figure as style
from report import plot, ratios, two_sweeps
from report import two_sweeps_words as words

SLUG = "comparison"
WORSE, BETTER, UNCLEAR = "#D55E00", "#0072B2", "#888888"
# Of a chart: the cells whose figures changed, and then those furthest from 1.
MOST_CELLS = 40
PICTURED = [figure for figure in two_sweeps.FIGURES if figure.name in ("total_seconds", "rss_growth_bytes")]
INCHES_A_CELL, INCHES_AROUND = 0.22, 1.5
PIXELS_A_CELL, PIXELS_AROUND = 22, 80
LONGEST_NAME = 44


def shown_of(compared):
    """What is drawn of one figure: a cell each, the last one at the top."""
    with_ratio = [one for one in compared if one.ratio]
    if len(with_ratio) > MOST_CELLS:
        by_size = sorted(with_ratio, key=lambda one: (not one.change, -abs(distance(one))))[:MOST_CELLS]
        kept = set(map(id, by_size))
        with_ratio = [one for one in with_ratio if id(one) in kept]
    return with_ratio[::-1]


def distance(one):
    """How far off 1: a half is as far as twice."""
    return one.ratio.value - 1 if one.ratio.value >= 1 else 1 - 1 / one.ratio.value


def colour_of(one):
    return WORSE if one.is_worse else BETTER if one.change else UNCLEAR


def name_of(one):
    name = words.cell_name(one.cell)
    return name if len(name) <= LONGEST_NAME else f"{name[:LONGEST_NAME - 1]}…"


def draw(two):
    """The picture of time and memory growth; None if neither has a ratio."""
    panels = [(figure, shown) for figure in PICTURED if (shown := shown_of(two.of(figure)))]
    if not panels:
        return None
    height = INCHES_AROUND * len(panels) + INCHES_A_CELL * sum(len(shown) for _, shown in panels)
    with pyplot.rc_context(style.STYLE):
        drawing, all_axes = pyplot.subplots(len(panels), 1, figsize=(style.SIZE_INCHES[0], height), squeeze=False,
                                            height_ratios=[len(shown) + 2 for _, shown in panels], layout="constrained")
        for axes, (figure, shown) in zip(all_axes[:, 0], panels):
            draw_panel(axes, figure, shown)
        drawing.suptitle(style.plain(f"{two.sources[1]} against {two.sources[0]}"), fontsize=12, fontweight="bold")
    return drawing


def draw_panel(axes, figure, shown):
    for height, one in enumerate(shown):
        ratio = one.ratio
        if ratio.lower is not None:
            axes.plot([ratio.lower, ratio.upper], [height, height], color=colour_of(one), linewidth=1.6)
        axes.plot([ratio.value], [height], "o", color=colour_of(one), markersize=5)
    axes.axvline(1.0, color=style.MUTED, linewidth=0.8)
    axes.set_xscale("log")
    axes.set_xlim(*limits(shown))
    axes.xaxis.set_major_locator(ticker.LogLocator(base=10, subs=(1.0, 2.0, 5.0)) if is_wide(shown) else ticker.MaxNLocator(6))
    axes.xaxis.set_major_formatter(ticker.FuncFormatter(lambda factor, _: f"{factor:.4g}"))
    axes.xaxis.set_minor_locator(ticker.NullLocator())
    axes.set_yticks(range(len(shown)), [style.plain(name_of(one)) for one in shown])
    axes.set_ylim(-0.7, len(shown) - 0.3)
    axes.set_xlabel(f"{figure.heading}: ratio, above 1 is {figure.more}")


def limits(shown):
    """Of the axis: every ratio, and of the intervals what is not far beyond them, around 1."""
    values = [1.0, *(one.ratio.value for one in shown)]
    low, high = min(values) / 1.05, max(values) * 1.05
    widest = max(high / low, 1.2)
    lowers = [one.ratio.lower for one in shown if one.ratio.lower is not None]
    uppers = [one.ratio.upper for one in shown if one.ratio.upper is not None]
    return max(min([low, *lowers]), low / widest) / 1.01, min(max([high, *uppers]), high * widest) * 1.01


def is_wide(shown):
    low, high = limits(shown)
    return high / low > 4


def interactive(two):
    """The charts of the page: one for each figure that has a ratio."""
    return [chart(figure, shown) for figure in two_sweeps.FIGURES if (shown := shown_of(two.of(figure)))]


def chart(figure, shown):
    found = [one.ratio for one in shown]
    trace = {
        "type": "scatter", "mode": "markers", "x": [ratio.value for ratio in found], "y": list(range(len(shown))),
        "text": [plot.words(f"{words.cell_name(one.cell)}: {words.ratio_text(one.ratio)} {one.change}".rstrip()) for one in shown],
        "marker": {"color": [colour_of(one) for one in shown], "size": 9},
        "error_x": {"type": "data", "symmetric": False, "thickness": 1.5, "width": 0,
                    "array": [ratio.upper - ratio.value if ratio.lower is not None else 0 for ratio in found],
                    "arrayminus": [ratio.value - ratio.lower if ratio.lower is not None else 0 for ratio in found]},
        "hovertemplate": "%{text}<extra></extra>", "name": figure.heading,
    }
    names = {"tickvals": list(range(len(shown))), "ticktext": [plot.words(name_of(one)) for one in shown],
             "range": [-0.7, len(shown) - 0.3], "rangemode": "normal", "showgrid": False}
    layout = plot.layout(f"{figure.heading}, ratio", "", hovermode="closest", yaxis=names,
                         xaxis={"type": "log", "range": [math.log10(limit) for limit in limits(shown)], "tickformat": ".4~g"},
                         shapes=[{"type": "line", "x0": 1, "x1": 1, "yref": "paper", "y0": 0, "y1": 1,
                                  "line": {"width": 1, "color": UNCLEAR}}])
    note = f"above 1 is {figure.more}; bars are {ratios.CONFIDENCE * 100:.0f} % intervals"
    return plot.Chart(figure.heading, note, plot.HALF, PIXELS_AROUND + PIXELS_A_CELL * max(len(shown), 4), [trace], layout)
