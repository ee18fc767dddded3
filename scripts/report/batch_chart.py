"""The chart of the time by batch."""

import numpy

from report import plot

MILLISECONDS = 1e3


def chart(lines, largest):
    """The time from one batch's end to the next: the cost of a batch while the queue is not empty."""
    traces = []
    for number, line in enumerate(lines):
        finished = numpy.array(line.run.numbers("time", "batch_finished_seconds"), dtype=float)
        batches = numpy.arange(1, len(finished) + 1, dtype=float)
        costs = numpy.diff(finished, prepend=0.0) * MILLISECONDS
        traces.append(plot.curve(number, line, line.label, (batches, costs), largest, " ms",
                                 mode="lines+markers", marker={"size": 3}))
    return plot.Chart("Time by batch", "from the end of the batch before to its own end", plot.HALF, 300,
                      [trace for trace in traces if trace], plot.layout("batch", "time (ms)"))
