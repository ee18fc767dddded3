"""The ratios of two sweeps as charts: a point with its interval for each cell; left of the line at 1 is better."""

import math

from matplotlib import pyplot, ticker

from report import figure as style
from report import plot

SLUG = "comparison"
WORSE, BETTER, UNCLEAR = "#D55E00", "#0072B2", "#888888"
# Cells per chart: those whose figures changed, then those furthest from 1.
MOST_CELLS = 40
PICTURED = ("total_seconds", "rss_growth_bytes")
INCHES_A_CELL, INCHES_AROUND = 0.22, 1.5
PIXELS_A_CELL, PIXELS_AROUND = 22, 80
LONGEST_NAME = 44


def shown_of(figure):
    """The cells of a figure that are drawn, the last one at the top."""
    cells = figure["cells"]
    if len(cells) > MOST_CELLS:
        by_size = sorted(cells, key=lambda one: (not one["change"], -abs(math.log(one["ratio"]))))[:MOST_CELLS]
        cells = [one for one in cells if any(one is kept for kept in by_size)]
    return cells[::-1]


def colour_of(one):
    return WORSE if one["is_worse"] else BETTER if one["change"] else UNCLEAR


def names_of(shown):
    return style.shortened([one["cell"] for one in shown], LONGEST_NAME)


def remark_on(figure):
    """What is said of cells that are not drawn."""
    cells, from_zero = len(figure["cells"]), figure["changed_without_ratio"]
    remarks = [f"{MOST_CELLS} of {cells:,} cells: those that changed, then those furthest from 1"] if cells > MOST_CELLS else []
    remarks += [f"changes from or to 0 are not shown: {from_zero:,}"] if from_zero else []
    return "; ".join(remarks)


def draw(two):
    """The picture of time and memory growth; None if neither has a ratio."""
    panels = [(figure, shown) for figure in two["figures"] if figure["name"] in PICTURED and (shown := shown_of(figure))]
    if not panels:
        return None
    height = INCHES_AROUND * len(panels) + INCHES_A_CELL * sum(len(shown) for _, shown in panels)
    with pyplot.rc_context(style.STYLE):
        drawing, all_axes = pyplot.subplots(len(panels), 1, figsize=(style.SIZE_INCHES[0], height), squeeze=False,
                                            height_ratios=[len(shown) + 2 for _, shown in panels], layout="constrained")
        for axes, (figure, shown) in zip(all_axes[:, 0], panels):
            draw_panel(axes, figure, shown)
        drawing.suptitle(style.plain(f"{two['sources'][1]} against {two['sources'][0]}"), fontsize=12, fontweight="bold")
    return drawing


def draw_panel(axes, figure, shown):
    for height, one in enumerate(shown):
        if one["lower"] is not None:
            axes.plot([one["lower"], one["upper"]], [height, height], color=colour_of(one), linewidth=1.6)
        axes.plot([one["ratio"]], [height], "o", color=colour_of(one), markersize=5)
    axes.axvline(1.0, color=style.MUTED, linewidth=0.8)
    remark = remark_on(figure)
    axes.set(xscale="log", xlim=limits(shown),
             xlabel=f"{figure['label']}: ratio, above 1 is {figure['more']}" + (f"\n{remark}" if remark else ""))
    axes.xaxis.set_major_locator(ticker.LogLocator(base=10, subs=(1.0, 2.0, 5.0)) if is_wide(shown) else ticker.MaxNLocator(6))
    axes.xaxis.set_major_formatter(ticker.FuncFormatter(lambda factor, _: f"{factor:.4g}"))
    axes.xaxis.set_minor_locator(ticker.NullLocator())
    axes.set_yticks(range(len(shown)), [style.plain(name) for name in names_of(shown)])
    axes.set_ylim(-0.7, len(shown) - 0.3)


def limits(shown):
    """The limits of the axis, around 1: they include every ratio, and the parts of intervals not far beyond them."""
    values = [1.0, *(one["ratio"] for one in shown)]
    low, high = min(values) / 1.05, max(values) * 1.05
    widest = max(high / low, 1.2)
    lowers = [one["lower"] for one in shown if one["lower"] is not None]
    uppers = [one["upper"] for one in shown if one["upper"] is not None]
    return max(min([low, *lowers]), low / widest) / 1.01, min(max([high, *uppers]), high * widest) * 1.01


def is_wide(shown):
    low, high = limits(shown)
    return high / low > 4


def interactive(two):
    """The charts of the page: one for each figure that has a ratio."""
    return [chart(figure, shown) for figure in two["figures"] if (shown := shown_of(figure))]


def chart(figure, shown):
    trace = {
        "type": "scatter", "mode": "markers", "x": [one["ratio"] for one in shown], "y": list(range(len(shown))),
        "text": [plot.words(f"{one['cell']}: {one['text']}") for one in shown],
        "marker": {"color": [colour_of(one) for one in shown], "size": 9},
        "error_x": {"type": "data", "symmetric": False, "thickness": 1.5, "width": 0,
                    "array": [(one["upper"] or one["ratio"]) - one["ratio"] for one in shown],
                    "arrayminus": [one["ratio"] - (one["lower"] or one["ratio"]) for one in shown]},
        "hovertemplate": "%{text}<extra></extra>", "name": figure["label"],
    }
    names = {"tickvals": list(range(len(shown))), "ticktext": [plot.words(name) for name in names_of(shown)],
             "range": [-0.7, len(shown) - 0.3], "rangemode": "normal", "showgrid": False}
    layout = plot.layout(f"{figure['label']}, ratio", "", hovermode="closest", yaxis=names,
                         xaxis={"type": "log", "range": [math.log10(limit) for limit in limits(shown)], "tickformat": ".4~g"},
                         shapes=[{"type": "line", "x0": 1, "x1": 1, "yref": "paper", "y0": 0, "y1": 1,
                                  "line": {"width": 1, "color": UNCLEAR}}])
    note = "; ".join(filter(None, [f"above 1 is {figure['more']}", "bars are confidence intervals", remark_on(figure)]))
    return plot.Chart(figure["label"], note, plot.HALF, PIXELS_AROUND + PIXELS_A_CELL * max(len(shown), 4), [trace], layout)
