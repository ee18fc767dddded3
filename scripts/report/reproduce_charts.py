"""A chart for each experiment of `runahead reproduce`."""

from matplotlib import pyplot, ticker

from report import figure, reproduce_words, units
from report.reproduce_words import EXECUTE, ISSUE, WAIT

WIDTH_INCHES, ROW_INCHES, LINES_INCHES = 8.3, 0.28, 3.6
DEVICE_COLOURS = {"cpu": "#888888", "acpu": "#0072B2", "cuda": "#009E73"}
KIND_COLOURS = {ISSUE: "#D55E00", WAIT: "#0072B2", EXECUTE: "#888888"}
OTHER_COLOUR = "#CC79A7"
MEMORY_RUNS = {
    "train": [("train.on_device.every_batch", "a wait per batch"), ("train.on_device.none", "no wait"),
              ("train.oldest_first.none", "no wait, oldest first"), ("train.at_issue.none", "no wait, memory at issue"),
              ("train.on_host.none", "no wait, data from the host"),
              ("train.on_host.every_batch", "a wait, data from the host")],
    "predict": [("predict.dropped.every_batch", "a wait, outputs dropped"), ("predict.dropped.none", "no wait, dropped"),
                ("predict.on_device.none", "no wait, dropped, data of the device"),
                ("predict.kept.every_batch", "a wait, outputs kept"), ("predict.kept.none", "no wait, kept")],
}
INCREMENT_RUNS = [("increment.small", "x of (1, 2), on acpu"), ("increment.large", "x of 1000 × 1000, on acpu"),
                  ("increment.slow_front_end", "x of (1, 2), a slower front end, on acpu")]
LINE_COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"]


def draw(found, experiment):
    """The figure of an experiment; None if there is nothing to draw."""
    with pyplot.rc_context(figure.STYLE):
        if experiment in reproduce_words.TIMES:
            return draw_times(found, experiment)
        if experiment in MEMORY_RUNS:
            return draw_memory(found, experiment)
        return OTHERS[experiment](found) if experiment in OTHERS else None


def draw_times(found, experiment):
    """One bar per figure and device: the median, with the range of the repeats."""
    run = "graph.2_workers" if experiment == "graph" else experiment
    bars = [(words, kind, device, found.spread(run, device, "results", experiment, key))
            for key, words, kind in reproduce_words.TIMES[experiment] for device in found.devices]
    bars = [bar for bar in bars if bar[3] and bar[3][1] > 0]
    if not bars:
        return None
    drawing, axes = pyplot.subplots(figsize=(WIDTH_INCHES, 1.0 + ROW_INCHES * len(bars)), layout="constrained")
    for place, (_, kind, _, (median, least, most)) in enumerate(bars):
        axes.barh(place, median, color=KIND_COLOURS[kind], xerr=[[median - least], [most - median]], capsize=2, height=0.7)
        axes.annotate(units.duration_text(median), (most, place), xytext=(4, 0), textcoords="offset points", va="center", fontsize=8)
    axes.set_yticks(range(len(bars)), [f"{figure.plain(words)}  {device}" for words, _, device, _ in bars])
    axes.invert_yaxis()
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(duration_tick)
    axes.margins(x=0.12)  # Leaves room for the values.
    axes.set_xlabel("bars: median, whiskers: all repeats")
    drawn = [kind for kind in KIND_COLOURS if any(kind == bar[1] for bar in bars)]
    handles = [pyplot.Rectangle((0, 0), 1, 1, color=KIND_COLOURS[kind]) for kind in drawn]
    axes.legend(handles, drawn, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=len(drawn))
    axes.grid(axis="y", visible=False)
    return drawing


def draw_memory(found, experiment):
    """Peaks over the number of batches, one panel per device."""
    panels = [(device, lines) for device in found.devices if (lines := memory_lines(found, experiment, device))]
    drawing, drawn = line_panels(panels)
    for axes, (device, lines) in drawn:
        is_counted = found.spread(f"{lines[0][0]}.short", device, "results", "occupied_peak_bytes") is not None
        for (_, label, points), colour in zip(lines, LINE_COLOURS):
            batches = [point[0] for point in points]
            medians, least, most = ([point[1][part] / units.MEGABYTE for point in points] for part in range(3))
            axes.plot([0, *batches], [None, *medians], "o-", color=colour, label=label)
            axes.fill_between(batches, least, most, color=colour, alpha=0.2, linewidth=0)
        axes.set(title=device, xlabel="batches", xlim=(0, None),
                 ylabel="peak of live bytes and queued inputs (MB)" if is_counted else "RSS growth (MB)")
        axes.set_ylim(0, 1.1 * max(peak[2] for _, _, points in lines for _, peak in points) / units.MEGABYTE or 1.0)
        axes.legend(fontsize=8)
    return drawing


def memory_lines(found, experiment, device):
    """(run, label, [(batches, spread), …]) for each pair of runs that measured its peaks."""
    lines = []
    for name, label in MEMORY_RUNS[experiment]:
        points = []
        for run in (f"{name}.short", f"{name}.long"):
            peak = (found.spread(run, device, "results", "occupied_peak_bytes")
                    or found.spread(run, device, "memory", "rss_growth_bytes"))
            batches = found.spread(run, device, "config", "batches")
            if peak and batches:
                points.append((batches[0], peak))
        if len(points) == 2:
            lines.append((name, label, points))
    return lines


def draw_increment(found):
    """Measured and predicted totals over n, one panel per run."""
    panels = [(run, title) for run, title in INCREMENT_RUNS
              if found.result(run, "acpu", "increment", "independent", "runs")]
    drawing, drawn = line_panels(panels)
    for axes, (run, title) in drawn:
        for form, style in (("independent", "-"), ("chained", ":")):
            runs = found.result(run, "acpu", "increment", form, "runs") or []
            for way, colour in (("each", KIND_COLOURS[WAIT]), ("once", KIND_COLOURS[ISSUE])):
                draw_totals(axes, runs, way, colour, style, form)
        axes.set(title=title, xscale="log", yscale="log", xlabel="operations", ylabel="time of all")
        axes.xaxis.set_major_formatter(count_tick)
        axes.yaxis.set_major_formatter(duration_tick)
        axes.legend(fontsize=8)
    return drawing


def draw_totals(axes, runs, way, colour, style, form):
    measured, predicted = f"waited_{way}_seconds", f"predicted_{way}_seconds"
    points = [run for run in runs if isinstance(run.get(measured), dict)]
    operations = [run["operations"] for run in points]
    axes.plot(operations, [run[measured]["median"] for run in points], f"o{style}", color=colour,
              label=f"waiting {way}, {form}")
    if form == "independent":
        axes.plot(operations, [run[predicted] for run in points], "x--", color=OTHER_COLOUR,
                  label="predicted" if way == "each" else None)


def draw_data_iter(found):
    """Elapsed time every 50 batches, one panel per device."""
    panels = [device for device in found.devices if found.result("data_iter", device, "data_iter", "batches")]
    drawing, drawn = line_panels(panels)
    for axes, device in drawn:
        batches = found.result("data_iter", device, "data_iter", "batches")
        for way, colour, label in (("with", KIND_COLOURS[WAIT], "a wait per batch"), ("without", KIND_COLOURS[ISSUE], "no wait")):
            elapsed = found.result("data_iter", device, "data_iter", f"{way}_wait_elapsed_seconds")
            total = found.spread("data_iter", device, "results", "data_iter", f"{way}_wait_total_seconds")
            axes.plot(batches, elapsed, "o-", color=colour, label=f"{label}: made")
            if total:
                axes.axhline(total[0], color=colour, linestyle=":", label=f"{label}: computed")
        axes.set(title=device, xlabel="batches made", ylabel="seconds", ylim=(0, None))
        axes.legend(fontsize=8)
    return drawing


def draw_exercise(found):
    """t2 over t1 against the size of x, with the formula that fits."""
    sizes = found.result("exercise", "acpu", "exercise", "sizes")
    if not sizes:
        return None
    drawing, axes = pyplot.subplots(figsize=(WIDTH_INCHES, LINES_INCHES), layout="constrained")
    axes.plot([size["elements"] for size in sizes], [size["t2_over_t1"] for size in sizes], "-", color="#bbbbbb", zorder=1)
    for formula, colour, label in (("front_end", KIND_COLOURS[ISSUE], "n·t1 + t2 + t3 fits"),
                                   ("back_end", KIND_COLOURS[WAIT], "t1 + n·t2 + t3 fits")):
        points = [size for size in sizes if size["fitting_formula"] == formula]
        axes.plot([size["elements"] for size in points], [size["t2_over_t1"] for size in points], "o", color=colour, label=label)
    axes.axhline(1.0, color=figure.MUTED, linestyle=":")
    axes.set_xscale("log", base=2)
    axes.set(yscale="log", xlabel="numbers in x", ylabel="t2 / t1 on acpu")
    axes.xaxis.set_major_formatter(count_tick)
    axes.yaxis.set_major_formatter("{x:g}")
    axes.legend()
    return drawing


def draw_front_end(found):
    """Time per batch over the delay, both in units of t2."""
    drawing, axes = pyplot.subplots(figsize=(WIDTH_INCHES, LINES_INCHES), layout="constrained")
    drawn = [device for device in found.devices if draw_delays(axes, found, device)]
    if not drawn:
        figure.close(drawing)
        return None
    axes.plot([0, 1, 2], [1, 1, 2], ":", color=figure.MUTED, label="max(t2, delay)")
    axes.set(xlabel="front-end delay a batch, over t2", ylabel="time a batch, over t2", ylim=(0, None))
    axes.xaxis.set_major_locator(ticker.MultipleLocator(0.25))
    axes.legend()
    return drawing


def draw_delays(axes, found, device):
    delays = found.result("front_end", device, "front_end", "delays")
    t2 = found.result("front_end", device, "front_end", "t2_seconds")
    if not delays or not t2:
        return False
    times = [[delay["seconds_per_batch"][part] / t2 for delay in delays] for part in ("median", "min", "max")]
    axes.errorbar([delay["percent"] / 100 for delay in delays], times[0],
                  yerr=[[median - least for median, least in zip(times[0], times[1])],
                        [most - median for median, most in zip(times[0], times[2])]],
                  fmt="o-", capsize=3, color=DEVICE_COLOURS.get(device, OTHER_COLOUR), label=device)
    return True


def duration_tick(seconds, _place):
    """'100 µs'."""
    unit, name = next(((unit, name) for unit, name in ((1.0, "s"), (1e-3, "ms")) if seconds >= 0.9995 * unit), (1e-6, "µs"))
    return f"{seconds / unit:,.4g} {name}"


def count_tick(count, _place):
    return f"{count:,.0f}"


def line_panels(panels):
    """A drawing, two panels per row, and (axes, panel) of each; (None, []) if there are none."""
    if not panels:
        return None, []
    columns = min(len(panels), 2)
    rows = -(-len(panels) // columns)
    drawing, all_axes = pyplot.subplots(rows, columns, figsize=(WIDTH_INCHES, LINES_INCHES * rows), layout="constrained",
                                        squeeze=False)
    for spare in list(all_axes.flat)[len(panels):]:
        spare.remove()
    return drawing, zip(all_axes.flat, panels)


OTHERS = {"increment": draw_increment, "data_iter": draw_data_iter, "exercise": draw_exercise, "front_end": draw_front_end}
