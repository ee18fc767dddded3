"""Which runs belong into one chart: the same experiment but for its sync policy (and its limit).

Repeats of a run share a line: the one with the median total time is drawn, the others lightly behind it.
"""

import collections
import dataclasses
import json
import re

import numpy

from report import labels, samples

# Axes below these pointers are told apart by lines, all others by charts.
LINE_POINTERS = ("/sync", "/acpu/limit")
LONGEST_SLUG = 80


@dataclasses.dataclass(frozen=True)
class RunGroup:
    """The repeats of one run, under one label."""

    label: str
    policy: str
    runs: list


@dataclasses.dataclass(frozen=True)
class Comparison:
    """One chart."""

    title: str
    subtitle: str
    slug: str  # Of its files.
    groups: list


@dataclasses.dataclass(frozen=True)
class Series:
    """What one run draws: (times, values) each, seconds and bytes or batches; empty if not measured."""

    run: object
    growth: tuple
    backlog: tuple


@dataclasses.dataclass(frozen=True)
class Line:
    """A group with its samples: the run that stands for it, and its other repeats."""

    group: RunGroup
    main: Series
    others: list


def compare(runs):
    """Sorts runs into comparisons, in the order in which they come."""
    charts = collections.OrderedDict()
    for run in runs:
        charts.setdefault(chart_key(run), []).append(run)
    taken = set()
    return [make_comparison(members, taken, is_alone=len(charts) == 1) for members in charts.values()]


def is_line_pointer(pointer):
    return any(pointer == line or pointer.startswith(line + "/") for line in LINE_POINTERS)


def chart_axes(run):
    return {pointer: value for pointer, value in run.axes.items() if not is_line_pointer(pointer)}


def line_axes(run):
    return {pointer: value for pointer, value in run.axes.items() if is_line_pointer(pointer)}


def chart_key(run):
    config = dict(run.config)
    config.pop("sync", None)
    config["acpu"] = {key: value for key, value in (config.get("acpu") or {}).items() if key != "limit"}
    return canonical([config, chart_axes(run)])


def line_key(run):
    limit = (run.config.get("acpu") or {}).get("limit")
    return canonical([run.config.get("sync"), limit, line_axes(run)])


def canonical(value):
    return json.dumps(value, sort_keys=True)


def make_comparison(runs, taken, is_alone):
    groups = make_groups(runs)
    axes = {} if is_alone else chart_axes(runs[0])
    subtitle = labels.setting(runs[0].config)
    # Most axes are in the subtitle already, as values of the config.
    extra = [labels.axis_label(pointer, value) for pointer, value in chart_axes(runs[0]).items()
             if str(value).replace("_", " ") not in subtitle.replace("_", " ")]
    return Comparison(title=labels.title({group.policy for group in groups}),
                      subtitle=" · ".join(part for part in [subtitle, *extra] if part),
                      slug=make_slug(axes, taken), groups=groups)


def make_slug(axes, taken):
    words = [labels.axis_label(pointer, value) for pointer, value in axes.items()]
    base = re.sub(r"[^A-Za-z0-9_.]+", "-", " ".join(["memory", *words])).strip("-.")[:LONGEST_SLUG]
    slug, number = base, 2
    while slug in taken:
        slug, number = f"{base}-{number}", number + 1
    taken.add(slug)
    return slug


def make_groups(runs):
    lines = collections.OrderedDict()
    for run in runs:
        lines.setdefault(line_key(run), []).append(run)
    names = [labels.sync_label(members[0].config.get("sync") or {}) for members in lines.values()]
    groups = []
    for name, members in zip(names, lines.values()):
        if not name or names.count(name) > 1:
            axes = [labels.axis_label(pointer, value) for pointer, value in line_axes(members[0]).items()]
            name = ", ".join(part for part in [name, *axes] if part) or "run"
        policy = (members[0].config.get("sync") or {}).get("policy") or ""
        groups.append(RunGroup(label=name, policy=policy, runs=members))
    return groups


def load_lines(comparison):
    """Reads the samples of a comparison. Returns the lines that have any, and warnings."""
    lines, warnings = [], []
    for group in comparison.groups:
        series = [loaded for run in by_median_total(group.runs) if (loaded := load_series(run, warnings))]
        if series:
            lines.append(Line(group=group, main=series[0], others=series[1:]))
    return lines, warnings


def by_median_total(runs):
    """The run with the median total time first (among those that are ok, if any are), then the others."""
    complete = [run for run in runs if run.status == "ok" and run.get("time", "total_seconds") is not None]
    if not complete:
        return list(runs)
    complete.sort(key=lambda run: run.get("time", "total_seconds"))
    median = complete[(len(complete) - 1) // 2]
    return [median] + [run for run in runs if run is not median]


def load_series(run, warnings):
    """The series of one run; None if nothing was sampled."""
    if not run.samples_path.exists():
        return None
    try:
        columns = samples.read_samples(run.samples_path)
    except (OSError, ValueError) as error:
        warnings.append(f"{run.samples_path} cannot be drawn: {error}")
        return None
    growth = samples.measured(columns, "rss_bytes")
    backlog = samples.measured(columns, "batches_in_flight")
    if len(growth[0]) == 0 and len(backlog[0]) == 0:
        return None
    return Series(run=run, growth=over_baseline(run, growth), backlog=backlog)


def over_baseline(run, rss):
    """RSS less what it was when the clock started; less its first sample if that was not measured."""
    times, values = rss
    if len(values) == 0:
        return rss
    baseline = run.get("memory", "rss_baseline_bytes")
    return times, values - numpy.float64(values[0] if baseline is None else baseline)
