"""Figures of one chart of a sweep of configs/cuda, over the repeats of each sync policy, for gpu_claims.py."""

import dataclasses
import json
import statistics

from report import labels

ELEMENT_BYTES = 4  # float32.


@dataclasses.dataclass(frozen=True)
class Chart:
    """The runs of one chart of a sweep that ended ok, by sync policy: lists, empty where none did."""

    sweep: str
    name: str
    config: dict
    by_policy: dict

    @property
    def where(self):
        return f"{self.sweep}: {self.name}" if self.name else self.sweep

    def setting(self, section, key):
        """What the config says; None if it does not."""
        return labels.section(self.config, section).get(key)


def charts_of(sweep, runs):
    """The charts that `runahead report` draws of the sweep's runs: they differ in their sync policy alone."""
    charts = {}
    for run in runs:
        config = {key: value for key, value in run.config.items() if key != "sync"}
        charts.setdefault(json.dumps([config, chart_axes(run)], sort_keys=True), []).append(run)
    for members in charts.values():
        by_policy = {}
        for run in members:
            ok = by_policy.setdefault(str(run.get("config", "sync", "policy") or ""), [])
            ok += [run] if run.status == "ok" else []
        axes = [labels.axis_label(*axis) for axis in chart_axes(members[0]).items()]
        yield Chart(sweep, ", ".join(axes), members[0].config, by_policy)


def chart_axes(run):
    return {pointer: value for pointer, value in run.axes.items() if not f"{pointer}/".startswith("/sync/")}


def median(values):
    """None if there is none, or one was not measured."""
    values = list(values)
    return statistics.median(values) if values and None not in values else None


def number(chart, policy, *keys):
    """The median of a figure over the repeats of a policy; None if it was not measured."""
    return median(run.number(*keys) for run in chart.by_policy.get(policy, []))


def highest(chart, policy, *keys):
    """Likewise the highest."""
    values = [run.number(*keys) for run in chart.by_policy.get(policy, [])]
    return max(values) if values and None not in values else None


def peak(chart, policy, key):
    return number(chart, policy, "memory", "cuda", key)


def throughput_ratio(chart, policy, other):
    """The throughput of a policy over that of another: (median over its repeats, or None if one lacks either; how many)."""
    keys = ("time", "examples_per_second")
    others = {run.repeat: run.number(*keys) for run in chart.by_policy.get(other, [])}
    pairs = [(run.number(*keys), others.get(run.repeat)) for run in chart.by_policy.get(policy, [])]
    return median(None if mine is None or not theirs else mine / theirs for mine, theirs in pairs), len(pairs)


def batch_bytes(chart):
    """Inputs and targets of one batch; None if the config does not say."""
    data = labels.section(chart.config, "data")
    sizes = [data.get("batch_size"), data.get("features"), labels.section(data, "targets").get("width")]
    return None if None in sizes else sizes[0] * (sizes[1] + sizes[2]) * ELEMENT_BYTES


def t2_over_t1(chart):
    """Execution over issue of a batch, None if not measured. Where each batch is waited for the front end waits in its policy alone:
    t1 has no wait in it for a copy from pageable memory, for a ring or for a full launch queue."""
    if chart.config.get("experiment") == "train":
        costs = [(run.number("time", "t1_seconds"), run.number("time", "t2_seconds"))
                 for run in chart.by_policy.get("every_batch", [])]
    else:
        costs = [costs_without_fit(run) for run in chart.by_policy.get("none", [])]
    return median(None if None in (t1, t2) or t1 <= 0 else t2 / t1 for t1, t2 in costs)


def costs_without_fit(run):
    """(t1, t2) of a kind that fits no cost model (predict), whose few launches never fill the queue; None if unknown."""
    finished, issue = run.numbers("time", "batch_finished_seconds"), run.number("time", "issue_seconds")
    if len(finished) < 2 or issue is None:
        return None, None
    return issue / len(finished), (finished[-1] - finished[0]) / (len(finished) - 1)


def setting_of(chart, policy, key):
    """The number that the policy was given; None if no run says."""
    return median(run.number("config", "sync", key) for run in chart.by_policy.get(policy, []))


def more_in_flight(chart):
    """How many more batches were in flight under `none` than under `every_batch`, at most; None if not measured."""
    found = [number(chart, policy, "backlog", "batches_peak") for policy in ("none", "every_batch")]
    return None if None in found else found[0] - found[1]


def growth(chart, key):
    """(how much higher the peak of `none` is than that of `every_batch`, how many more batches were in flight), or None."""
    found = [peak(chart, "none", key), peak(chart, "every_batch", key), more_in_flight(chart)]
    return None if None in found else (found[0] - found[1], found[2])
