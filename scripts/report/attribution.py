"""What resident memory is made of: RSS = baseline + parts that counters tell of + the rest."""

import numpy

# Column of samples.csv and key of the record's memory.attribution, what it is called, its colour.
TENSORS = [
    ("parameters_bytes", "parameters", "#0072B2"),
    ("optimizer_state_bytes", "optimiser state", "#56B4E9"),
    ("gradients_bytes", "gradients", "#CC79A7"),
    ("activations_bytes", "activations", "#E69F00"),
    ("inputs_bytes", "inputs", "#D55E00"),
    ("other_tensors_bytes", "other tensors", "#F0E442"),
]
OTHERS = [
    ("executing_bytes", "results being made", "#009E73"),
    ("allocator_cache_bytes", "kept by the allocator", "#999999"),
    ("bookkeeping_bytes", "the queue's bookkeeping", "#555555"),
    ("heap_kept_bytes", "kept by the C library", "#BBBBBB"),
]
ADDED = [*TENSORS, *OTHERS]
UNTOUCHED = "untouched_bytes"
UNTOUCHED_OF = {column: column.replace("_bytes", "_untouched_bytes") for column, *_ in TENSORS}
COLUMNS = {column for column, *_ in ADDED} | {UNTOUCHED, *UNTOUCHED_OF.values()}


def parts(series):
    """Every part over time, as arrays in bytes with one time axis; None if the run was not attributed.

    Returns (times, RSS over the baseline, {column: resident bytes}, the rest): tensors without what is untouched.
    """
    baseline = series.run.number("memory", "attribution", "baseline_bytes")
    columns = series.columns
    if baseline is None or not {"rss_bytes", *UNTOUCHED_OF, *UNTOUCHED_OF.values()} <= columns.keys():
        return None
    there = numpy.isfinite(columns["rss_bytes"]) & numpy.isfinite(columns["parameters_bytes"])
    added = {column: heap_kept(columns) if column == "heap_kept_bytes" else columns.get(column)
             for column, *_ in ADDED}
    added = {column: numpy.nan_to_num(values[there]) for column, values in added.items() if values is not None}
    for column, untouched in UNTOUCHED_OF.items():
        added[column] = added[column] - numpy.nan_to_num(columns[untouched][there])
    rss = columns["rss_bytes"][there] - baseline
    return columns["time_seconds"][there], rss, added, rss - sum(added.values())


def heap_kept(columns):
    """What the C library keeps of freed memory: what its use has fallen by from its highest, as far as it is free."""
    in_use, free = (carried(columns.get(name)) for name in ("heap_in_use_bytes", "heap_free_bytes"))
    if in_use is None or free is None:
        return None
    return numpy.minimum(free, numpy.fmax.accumulate(in_use) - in_use)


def carried(values):
    """A column that is read seldom, with each reading kept until the next."""
    if values is None or not numpy.isfinite(values).any():
        return None
    indices = numpy.where(numpy.isfinite(values), numpy.arange(len(values)), -1)
    newest = numpy.maximum.accumulate(indices)
    return numpy.where(newest >= 0, values[numpy.maximum(newest, 0)], numpy.nan)
