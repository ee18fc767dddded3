"""The composition of resident memory: RSS = baseline + counted parts + the rest. The record names the parts."""

import numpy

# Colours of the parts, in drawing order.
COLOURS = ["#0072B2", "#CC79A7", "#56B4E9", "#E69F00", "#D55E00", "#F0E442", "#009E73", "#999999", "#555555", "#BBBBBB", "#7A5230", "#882255"]
REST, OVERCOUNTED = "rest_bytes", "overcounted_bytes"  # The positive and the negative part of the rest.


def untouched(column):
    """The column of bytes that a part counts but that are not resident yet."""
    return column.replace("_bytes", "_untouched_bytes")


def columns_of(run):
    """The columns that make up RSS: those that are added up, bottom first, tensors before the rest; and every column
    involved."""
    described = run.mapping("results", "sample_columns")
    signs = {column: run.number("results", "sample_columns", column, "rss_sign") for column in described}
    added = [column for column in described if signs[column] == 1]
    every = {column for column in described if signs[column]} | {untouched(column) for column in added} | {REST, OVERCOUNTED}
    return added, every


def parts(series):
    """Every part over time, as arrays in bytes with one time axis; None if the run was not attributed.

    Returns (times, RSS over the baseline, {column: resident bytes}, the rest). Tensors exclude untouched bytes. The
    rest was computed for each sample: the columns of an old, thinned row need not be from the same moment.
    """
    baseline = series.run.number("memory", "attribution", "baseline_bytes")
    columns, (added, _) = series.columns, columns_of(series.run)
    if baseline is None or not added or not {*added, "rss_bytes", REST, OVERCOUNTED} <= columns.keys():
        return None
    there = numpy.isfinite(columns["rss_bytes"]) & numpy.isfinite(columns[REST])
    resident = {}
    for column in sorted(added, key=lambda column: untouched(column) not in columns):
        not_there_yet = columns.get(untouched(column), numpy.zeros(len(there)))
        resident[column] = (columns[column] - not_there_yet)[there].clip(min=0)
    rest = columns[REST][there] - columns[OVERCOUNTED][there]
    return columns["time_seconds"][there], columns["rss_bytes"][there] - baseline, resident, rest
