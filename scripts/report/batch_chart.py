"""Charts of batches and of the cost model: time by batch, predicted against measured."""

import numpy

from report import plot, units

MILLISECONDS = 1e3


def batch_chart(lines, largest):
    """The time from one batch's end to the next: the cost of a batch while the queue is not empty."""
    traces = []
    for number, line in enumerate(lines):
        finished = numpy.array(line.run.numbers("time", "batch_finished_seconds"), dtype=float)
        batches = numpy.arange(1, len(finished) + 1, dtype=float)
        costs = numpy.diff(finished, prepend=0.0) * MILLISECONDS
        traces.append(plot.curve(number, line, line.group.label, (batches, costs), largest, " ms",
                                 mode="lines+markers", marker={"size": 3}))
    return plot.Chart("Time by batch", "from the end of the batch before to its own end", plot.HALF, 300,
                      [trace for trace in traces if trace], plot.layout("batch", "time (ms)"))


def prediction_charts(lines):
    return [
        prediction_chart(lines, "Total time", plot.LEFT_HALF, 1.0, "s", total_seconds),
        prediction_chart(lines, "Bytes claimed at the peak", plot.HALF, units.MEGABYTE, "MB",
                         backlog_bytes),
    ]


def prediction_chart(lines, title, width, scale, unit, values_of):
    """A row for each line: predicted (hollow) and measured (filled), joined by a bar as long as the error."""
    traces, names = [], []
    for number, line in enumerate(lines):
        predicted, measured = values_of(line.run)
        if predicted is None and measured is None:
            continue
        names.append(line.group.label)
        known = [(value / scale, symbol, name) for value, symbol, name in
                 ((predicted, "diamond-open", "predicted"), (measured, "circle", "measured")) if value is not None]
        traces.append({
            "type": "scatter", "mode": "lines+markers", "meta": {"line": number}, "name": plot.words(line.group.label),
            "x": [value for value, _, _ in known], "y": [plot.wrapped(line.group.label)] * len(known),
            "line": {"color": line.colour, "width": 3},
            "marker": {"symbol": [symbol for _, symbol, _ in known], "size": 13, "color": line.colour,
                       "line": {"width": 2.5, "color": line.colour}},
            "text": [name for _, _, name in known], "hovertemplate": f"%{{text}} %{{x:,.4~g}} {unit}<extra></extra>"})
    layout = plot.layout(f"{title.lower()} ({unit})", "", hovermode="closest", xaxis={"rangemode": "tozero"},
                         yaxis={"type": "category", "automargin": True, "range": [len(names) - 0.5, -0.5]})
    height = 70 + max(80, sum(40 + 14 * plot.wrapped(name).count("<br>") for name in names))
    return plot.Chart(title, "◇ predicted by the cost model, ● measured", width, height, traces, layout)


def total_seconds(run):
    """(predicted, measured) time until the device is idle; each may be None."""
    return run.number("time", "predicted_total_seconds"), run.number("time", "total_seconds")


def backlog_bytes(run):
    """(predicted, measured) peak of the bytes claimed beyond parameters and optimiser state."""
    return run.number("backlog", "predicted_bytes_peak"), run.number("backlog", "bytes_peak")
