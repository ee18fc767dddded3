"""Runs and their samples as pandas DataFrames, for formats that hold tables."""

import numpy
import pandas

from export.runs import as_text

LARGEST_COUNT = 2.0**63


def runs_frame(runs):
    """A row for each run: its number and folder, its axes, and the columns of `runahead.read`. Objects and lists are JSON."""
    columns = list(dict.fromkeys(name for run in runs for name in run.record))
    columns.sort(key=lambda name: not name.startswith("/"))
    frame = pandas.DataFrame({"run": [run.number for run in runs], "folder": [str(run.folder) for run in runs]})
    return pandas.concat([frame, *(column_of(runs, name) for name in columns)], axis="columns")


def column_of(runs, name):
    """A column with its type: seconds are floats, bytes and counts are integers, even if some or all are missing. A
    column of several types is text."""
    values = [run.record.get(name) for run in runs]
    kinds = {type(value) for value in values if value is not None}
    if kinds <= {int, float} and (float in kinds or name.endswith("_seconds")):
        kind = "Float64"
    elif kinds == {int} or not kinds and name.endswith("_bytes"):
        kind = "Int64"
    elif kinds == {bool}:
        kind = "boolean"
    else:
        kind, values = "string", [None if value is None else as_text(value) for value in values]
    return pandas.Series(values, name=name, dtype=kind)


def samples_frames(runs):
    """The samples: a frame for each run that has some, all with the same columns: the run's number, time_seconds and
    everything that any run measured."""
    names = sample_columns(runs)
    for run in runs:
        columns = run.samples()
        if not columns:
            continue
        rows = len(columns["time_seconds"])
        frame = pandas.DataFrame({"run": numpy.full(rows, run.number), "time_seconds": columns["time_seconds"]})
        counted = {name: counts(columns.get(name, numpy.full(rows, numpy.nan))) for name in names}
        yield pandas.concat([frame, pandas.DataFrame(counted)], axis="columns")


def counts(values):
    """A column of whole numbers, to which fractions are rounded; what is beyond 64 bits is missing."""
    whole = numpy.rint(values)
    return pandas.Series(numpy.where(abs(whole) < LARGEST_COUNT, whole, numpy.nan), dtype="Int64")


def sample_columns(runs):
    """All columns of samples except the time, in order of occurrence."""
    names = {}
    for run in runs:
        names |= dict.fromkeys(run.sample_columns())
    return [name for name in names if name != "time_seconds"]
