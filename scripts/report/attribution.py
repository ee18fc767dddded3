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
REST, OVERCOUNTED = "rest_bytes", "overcounted_bytes"  # The rest where it is positive, and where it is negative.
COLUMNS = {column for column, *_ in ADDED} | {UNTOUCHED, *UNTOUCHED_OF.values(), REST, OVERCOUNTED}


def parts(series):
    """Every part over time, as arrays in bytes with one time axis; None if the run was not attributed.

    Returns (times, RSS over the baseline, {column: resident bytes}, the rest): tensors without what is untouched. The
    rest was taken sample by sample: the columns of an old, thinned row need not be of one moment.
    """
    baseline = series.run.number("memory", "attribution", "baseline_bytes")
    columns = series.columns
    if baseline is None or not COLUMNS | {"rss_bytes"} <= columns.keys():
        return None
    there = numpy.isfinite(columns["rss_bytes"]) & numpy.isfinite(columns[REST])
    measured = {column: columns[column][there] for column in COLUMNS | {"rss_bytes", "time_seconds"}}
    added = {column: measured[column] for column, *_ in ADDED}
    for column, untouched in UNTOUCHED_OF.items():
        added[column] = (added[column] - measured[untouched]).clip(min=0)
    return measured["time_seconds"], measured["rss_bytes"] - baseline, added, measured[REST] - measured[OVERCOUNTED]
