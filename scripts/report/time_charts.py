"""Charts over time: memory, backlog, progress, and memory by class."""

import dataclasses

import numpy

from report import attribution, plot, samples, units

TIME_TITLE = "time since the first batch (s)"
MEGABYTES = " MB"

# Colour and dash of a column of samples.csv. A class that is not listed is in the legend, switched off.
GROWTH, PROMISED = "rss_bytes", "promised_bytes"
MEMORY_CLASSES = {
    GROWTH: ("#0072B2", "solid"),
    "live_bytes": ("#009E73", "solid"),
    "reserved_bytes": ("#56B4E9", "dot"),
    PROMISED: ("#E69F00", "solid"),
    "held_bytes": ("#D55E00", "solid"),
    "cuda_allocated_bytes": ("#CC79A7", "solid"),
    "cuda_reserved_bytes": ("#CC79A7", "dot"),
    "cuda_used_bytes": ("#CC79A7", "dash"),
}
OTHER_CLASS = ("#888888", "dot")
DWARFING = 3


def end_of(lines):
    """When the last of the lines ended, and a little more."""
    ends = [moment for line in lines for series in (line.main, *line.others)
            for moment in (series.run.number("time", "total_seconds"), *series.columns.get("time_seconds", [])[-1:])
            if moment is not None and numpy.isfinite(moment)]
    return 1.02 * float(max(ends, default=0.0)) or 1.0


def over_time(title, note, width, height, traces, **layout):
    y_title = layout.pop("y_title")
    return plot.Chart(title, note, width, height, [trace for trace in traces if trace],
                      plot.layout(TIME_TITLE, y_title, **layout), over_time=True)


def megabytes(points):
    return points[0], points[1] / units.MEGABYTE


def growth_chart(lines, largest):
    def growth(series):
        return megabytes(series.growth)

    traces = []
    for number, line in enumerate(lines):
        traces += plot.repeat_curves(number, line, growth, largest)
        traces.append(plot.curve(number, line, line.label, growth(line.main), largest, MEGABYTES))
    traces += [trace for number, line in enumerate(lines) for trace in moments(number, line, growth(line.main))]
    note = "RSS over what it was when the clock started. ▼ last batch issued, ■ last batch finished"
    if any(line.others for line in lines):
        note += "; thin lines are repeats"
    return over_time("Memory growth", note, plot.FULL, 320, traces, y_title="RSS growth (MB)")


def moments(number, line, points):
    """The points on a line's curve where its last batch was issued and where it finished."""
    times, values = points
    # The first sample after the end shows what finished.
    known = [("issue_seconds", "last batch issued", "triangle-down", samples.value_at),
             ("total_seconds", "last batch finished", "square", samples.value_after)]
    for key, name, symbol, height_at in known:
        moment = line.run.number("time", key)
        if moment is None or len(values) == 0:
            continue
        yield {"type": "scatter", "mode": "markers", "x": [moment], "y": [height_at(times, values, moment)],
               "name": name, "meta": {"line": number}, "cliponaxis": False,
               "marker": {"symbol": symbol, "size": 10, "color": line.colour, "line": {"width": 1, "color": "white"}},
               "hovertemplate": f"{name}: {units.duration_text(moment)}<extra></extra>"}


def backlog_charts(lines, largest):
    kinds = [
        ("Batches in flight", "issued, not finished", "batches", "", lambda series: series.backlog),
        ("Operations in flight", "issued, not finished", "operations", "",
         lambda series: series.of("operations_in_flight")),
        ("Bytes held", "by batches on the host that queued operations will read", "held (MB)", MEGABYTES,
         lambda series: megabytes(series.of("held_bytes"))),
        ("Bytes promised", "outputs of queued operations, not allocated yet", "promised (MB)",
         MEGABYTES, lambda series: megabytes(series.of("promised_bytes"))),
    ]
    return [over_time(title, note, plot.HALF if place else plot.FULL, 240, backlog_traces(lines, points_of, largest, unit), y_title=y_title)
            for place, (title, note, y_title, unit, points_of) in enumerate(kinds)]


def backlog_traces(lines, points_of, largest, unit):
    steps = {"shape": "hv"}
    for number, line in enumerate(lines):
        yield from plot.repeat_curves(number, line, points_of, largest, stroke=steps)
        yield plot.curve(number, line, line.label, points_of(line.main), largest, unit, stroke=steps)


def progress_chart(lines, largest):
    traces = []
    for number, line in enumerate(lines):
        for column, name, dash, width in (("batches_issued", "issued", "dot", 1.8),
                                          ("batches_finished", "finished", "solid", 1.5)):
            traces.append(plot.curve(number, line, f"{line.label}: {name}", line.main.of(column), largest, "",
                                     stroke={"shape": "hv", "dash": dash, "width": width}, opacity=line.opacity))
    return over_time("Issue against execution", "issued dotted, finished solid; between them the backlog",
                     plot.HALF, 300, traces, y_title="batches")


def class_charts(lines, largest):
    """One chart per line, all on the same scale and with the same classes switched on."""
    shown = shown_classes(lines)
    highest = max((peak for line in lines for column, peak in class_peaks(line).items() if column in shown), default=0.0)
    scale = {"range": [0, 1.05 * highest]} if highest > 0 else {}
    charts = []
    for number, line in enumerate(lines):
        panel = over_time("Memory by class", line.label, plot.HALF, 260,
                          class_traces(number, line, shown, largest), y_title="memory (MB)", yaxis=dict(scale),
                          **plot.legend())
        charts.append(dataclasses.replace(panel, line=number))
    return charts


def class_points(line, column):
    return megabytes(line.main.growth if column == GROWTH else line.main.of(column))


def class_peaks(line):
    """The highest value (MB) of each listed class that was measured."""
    points = {column: class_points(line, column)[1] for column in MEMORY_CLASSES}
    return {column: float(values.max()) for column, values in points.items() if len(values)}


def shown_classes(lines):
    """The listed classes that are switched on. Promised memory is not allocated yet, so it starts switched off if it
    dwarfs the others."""
    columns = set(MEMORY_CLASSES)
    peaks = [class_peaks(line) for line in lines]
    promised = max((found.get(PROMISED, 0.0) for found in peaks), default=0.0)
    others = max((peak for found in peaks for column, peak in found.items() if column != PROMISED), default=0.0)
    return columns - {PROMISED} if promised > DWARFING * others else columns


def class_traces(number, line, shown, largest):
    _, parts_of_rss = attribution.columns_of(line.run)
    others = {column: OTHER_CLASS for column in line.main.columns
              if column.endswith("_bytes") and column not in MEMORY_CLASSES and column not in parts_of_rss}
    for column, (colour, dash) in (MEMORY_CLASSES | others).items():
        name = "RSS growth" if column == GROWTH else line.run.label(column)
        trace = plot.curve(number, line, name, class_points(line, column), largest, MEGABYTES,
                           stroke={"color": colour, "dash": dash})
        if trace and column not in shown:
            trace["visible"] = "legendonly"
        yield trace
