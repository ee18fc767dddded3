"""Reads samples.csv, and thins series for drawing without losing peaks."""

import array

import numpy

from report import reader

# A chart is about 800 pixels wide: more points than this change no pixel and only enlarge the SVG.
LARGEST_DRAWN = 2000


def read_samples(path, warn):
    """Returns the columns by name, as float arrays; NaN if not measured. Calls `warn` once for damaged rows, which are left
    out.

    Raises ValueError if it is not such a file or all its rows are damaged, OSError if it cannot be read.
    """
    values, warnings = array.array("d"), []  # An hour at 1 kHz is 54 million fields, which would take 2 GB as Python floats.
    rows = reader.sample_rows(path, warnings.append)
    _, names = next(rows)
    for _, row in rows:
        values.extend(row)
    if warnings and not values:
        raise ValueError("all its rows are damaged")
    for warning in warnings:
        warn(warning)
    table = numpy.frombuffer(values, dtype=float) if values else numpy.empty(0)
    table = table.reshape(-1, len(names))
    return {name: table[:, index] for index, name in enumerate(names)}


def measured(columns, name):
    """The times and values at which a column was measured; both empty if it never was."""
    if name not in columns:
        return numpy.empty(0), numpy.empty(0)
    times, values = columns["time_seconds"], columns[name]
    there = numpy.isfinite(values) & numpy.isfinite(times)
    return times[there], values[there]


def carried(columns, name):
    """measured(), with the last value repeated at the last RSS sample, because costly columns are read less often."""
    times, values = measured(columns, name)
    rss_times, _ = measured(columns, "rss_bytes")
    if len(values) == 0 or len(rss_times) == 0 or rss_times[-1] <= times[-1]:
        return times, values
    return numpy.append(times, rss_times[-1]), numpy.append(values, values[-1])


def thin(times, values, largest=LARGEST_DRAWN):
    """At most `largest` points (>= 4): the first, the last, and each bucket's lowest and highest."""
    rows = extreme_rows(values, largest)
    return times[rows], values[rows]


def extreme_rows(values, largest):
    """The indices of these points, ascending; all if there are at most `largest`."""
    if len(values) <= largest:
        return numpy.arange(len(values))
    kept = {0, len(values) - 1}
    edges = numpy.linspace(0, len(values), (largest - 2) // 2 + 1).astype(int)
    for start, end in zip(edges[:-1], edges[1:]):
        kept.add(start + int(numpy.argmin(values[start:end])))
        kept.add(start + int(numpy.argmax(values[start:end])))
    return numpy.array(sorted(kept))


def value_at(times, values, time):
    """The newest value at `time`; the first if that comes later. `values` are not empty."""
    index = int(numpy.searchsorted(times, time, side="right")) - 1
    return float(values[max(index, 0)])


def value_after(times, values, time):
    """The first value from `time` on; the last if there is none. `values` are not empty."""
    index = int(numpy.searchsorted(times, time, side="left"))
    return float(values[min(index, len(values) - 1)])
