"""Which runs belong into one chart: the same experiment but for its sync policy (and its limit).

Where two sweeps are compared their runs share charts, and each sweep has lines of its own. Repeats of a run share a line: the one with the median total time is drawn, the others lightly behind it.
"""

import collections
import dataclasses
import json
import re

from report import labels

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
    if run.source:  # Of two sweeps, whose configs may differ in what is no axis.
        return canonical(chart_axes(run))
    config = dict(run.config)
    config.pop("sync", None)
    config["acpu"] = {key: value for key, value in run.mapping("config", "acpu").items() if key != "limit"}
    return canonical([config, chart_axes(run)])


def line_key(run):
    return canonical([run.source, run.get("config", "sync"), run.get("config", "acpu", "limit"), line_axes(run)])


def canonical(value):
    return json.dumps(value, sort_keys=True)


def make_comparison(runs, taken, is_alone):
    groups = make_groups(runs)
    axes = {} if is_alone else chart_axes(runs[0])
    subtitle = labels.setting(runs[0].config)
    # Most axes are in the subtitle already, as values of the config.
    extra = [labels.axis_label(pointer, value) for pointer, value in chart_axes(runs[0]).items()
             if str(value).replace("_", " ") not in subtitle.replace("_", " ")]
    return Comparison(title=labels.title({group.policy for group in groups}, runs[0].config.get("experiment")),
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
    names = [(members[0].source, labels.sync_label(members[0].mapping("config", "sync"))) for members in lines.values()]
    groups = []
    for (source, name), members in zip(names, lines.values()):
        if not name or names.count((source, name)) > 1:
            axes = [labels.axis_label(pointer, value) for pointer, value in line_axes(members[0]).items()]
            name = ", ".join(part for part in [name, *axes] if part) or "run"
        policy = members[0].get("config", "sync", "policy") or ""
        groups.append(RunGroup(label=labels.with_source(name, source), policy=str(policy), runs=members))
    return groups


def by_median_total(runs):
    """The run with the median total time first (among those that are ok, if any are), then the others."""
    complete = [run for run in runs if run.status == "ok" and run.number("time", "total_seconds") is not None]
    if not complete:
        return list(runs)
    complete.sort(key=lambda run: run.number("time", "total_seconds"))
    median = complete[(len(complete) - 1) // 2]
    return [median] + [run for run in runs if run is not median]
