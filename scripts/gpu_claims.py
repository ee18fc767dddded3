#!/usr/bin/env python3
"""Says whether what must hold on a GPU does: scripts/gpu_claims.py OUT [--json]

Reads what scripts/gpu_check left in OUT, the result of the tests and the records of the sweeps of configs/cuda, and prints each
claim with what was expected and what was measured. A ratio is taken repeat by repeat, as the sweeps interleave them, and
then the median over the repeats. What was not measured does not hold.

Exit codes: 0 all hold · 1 one does not · 2 usage.
"""

import argparse
import dataclasses
import json
import pathlib
import statistics
import sys
import xml.etree.ElementTree

from report import comparisons, labels, records, summary, units

CONFIGS = pathlib.Path(__file__).resolve().parent.parent / "configs" / "cuda"
ELEMENT_BYTES = 4  # float32.

LEAST_OF_NONE = 0.98  # Of the throughput of every_batch.
LEAST_OF_WINDOW = 0.99  # Of the throughput of none.
LEAST_T2_OVER_T1 = 5.0
MOST_UNEVEN = 0.02  # Of what is called flat, the largest over the smallest, less 1.
MOST_OFF = 0.25  # How far growth may be off batches in flight times the bytes of one.
LEAST_IN_FLIGHT = 8  # More batches than with a wait after each: with fewer nothing could grow.

PEAKS_OF_DEVICE = ("allocated_peak_bytes", "reserved_peak_bytes", "used_peak_bytes")
PEAK_IN_USE = "active_peak_bytes"  # Deferred frees included.
PEAK_PINNED = "pinned_peak_bytes"

EXIT_NOT_HELD, EXIT_USAGE = 1, 2


@dataclasses.dataclass(frozen=True)
class Claim:
    """What should hold, where it was looked at, and what came out."""

    text: str
    where: str
    expected: str
    measured: str
    holds: bool


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
    """The charts that `runahead report` draws of the sweep's runs."""
    for comparison in comparisons.compare(runs):
        by_policy = {}
        for group in comparison.groups:
            by_policy.setdefault(group.policy, []).extend(run for run in group.runs if run.status == "ok")
        first = comparison.groups[0].runs[0]
        axes = [labels.axis_label(*axis) for axis in comparisons.chart_axes(first).items()]
        yield Chart(sweep, ", ".join(axes), first.config, by_policy)


def median(values):
    """Of those that were measured; None if none was."""
    measured = [value for value in values if value is not None]
    return statistics.median(measured) if measured else None


def number(chart, policy, *keys):
    """The median of a figure over the repeats of a policy; None if it was not measured."""
    return median(run.number(*keys) for run in chart.by_policy.get(policy, []))


def peak(chart, policy, key):
    return number(chart, policy, "memory", "cuda", key)


def throughput_ratio(chart, policy, other):
    """The throughput of a policy over that of another: (median over the repeats that both have, how many), or (None, 0)."""
    keys = ("time", "examples_per_second")
    others = {run.repeat: run.number(*keys) for run in chart.by_policy.get(other, [])}
    pairs = [(run.number(*keys), others.get(run.repeat)) for run in chart.by_policy.get(policy, [])]
    ratios = [mine / theirs for mine, theirs in pairs if mine is not None and theirs]
    return median(ratios), len(ratios)


def batch_bytes(chart):
    """Inputs and targets of one batch; None if the config does not say."""
    data = labels.section(chart.config, "data")
    sizes = [data.get("batch_size"), data.get("features"), labels.section(data, "targets").get("width")]
    return None if None in sizes else sizes[0] * (sizes[1] + sizes[2]) * ELEMENT_BYTES


def t2_over_t1(chart):
    """Execution over issue of a batch, None if not measured. Where each batch is waited for the front end waits in its policy alone:
    t1 has no wait in it for a copy from pageable memory, for a ring or for a full launch queue."""
    waited = [(run.number("time", "t1_seconds"), run.number("time", "t2_seconds"))
              for run in chart.by_policy.get("every_batch", [])]
    costs = [cost for cost in waited if None not in cost] or [
        cost for run in chart.by_policy.get("none", []) if (cost := costs_without_fit(run))]
    return median(t2 / t1 for t1, t2 in costs if t1 > 0)


def costs_without_fit(run):
    """(t1, t2) of a kind that fits no cost model (predict), whose few launches never fill the queue; None if unknown."""
    finished, issue = run.numbers("time", "batch_finished_seconds"), run.number("time", "issue_seconds")
    if len(finished) < 2 or issue is None:
        return None
    return issue / len(finished), (finished[-1] - finished[0]) / (len(finished) - 1)


def is_pair(chart):
    return "none" in chart.by_policy and "every_batch" in chart.by_policy


def claims_of_chart(chart):
    """What holds in each chart that compares `none` with `every_batch`."""
    yield from claims_of_losses(chart)
    for policy, other, least in (("none", "every_batch", LEAST_OF_NONE), ("window", "none", LEAST_OF_WINDOW)):
        if policy in chart.by_policy:
            ratio, repeats = throughput_ratio(chart, policy, other)
            yield Claim(f"{policy} keeps the throughput of {other}", chart.where, f"at least {least}",
                        counted(ratio, repeats), ratio is not None and ratio >= least)
    ratio = t2_over_t1(chart)
    yield Claim("t2 is several times t1: batches queue", chart.where, f"at least {LEAST_T2_OVER_T1:g}", shown(ratio),
                ratio is not None and ratio >= LEAST_T2_OVER_T1)


def claims_of_losses(chart):
    """A loss does not depend on who waits when; a prediction has none."""
    if chart.config.get("experiment") != "train":
        return
    pairs = {(run.number("loss", "first"), run.number("loss", "last"))
             for runs in chart.by_policy.values() for run in runs}
    is_whole = all(chart.by_policy.values()) and all(None not in pair for pair in pairs)
    measured = ", ".join(sorted(units.loss_text(last) for _, last in pairs)) or units.NOT_MEASURED
    yield Claim("sync and async losses are equal", chart.where, "one final loss", measured, is_whole and len(pairs) == 1)


def claims_of_memory(charts):
    """Which memory grows with the batches in flight, and which does not."""
    for chart in charts:
        staging, copies = chart.setting("cuda", "staging"), chart.setting("cuda", "copies")
        if chart.sweep == "plain":
            yield from claims_of_flat_memory(chart)
        elif chart.sweep == "staging" and staging == "pinned":
            yield grows("pinned staging grows with the batches in flight", chart, PEAK_PINNED)
        elif chart.sweep == "staging" and staging == "pinned_ring":
            yield stays("a ring of pinned buffers does not grow", chart, PEAK_PINNED)
        elif chart.sweep == "copies" and copies == "side_record_stream":
            yield grows("record_stream on a side stream: device memory grows", chart, PEAK_IN_USE)
        elif chart.sweep == "copies" and copies == "side_reuse":
            yield stays("events and reuse on a side stream: it does not", chart, PEAK_IN_USE)


def claims_of_flat_memory(chart):
    for key in PEAKS_OF_DEVICE:
        peaks = [peak(chart, policy, key) for policy in chart.by_policy]
        is_measured = None not in peaks and min(peaks) > 0
        uneven = max(peaks) / min(peaks) - 1 if is_measured else None
        yield Claim(f"one stream is flat in device memory ({key.removesuffix('_peak_bytes')})", chart.where,
                    f"peaks within {MOST_UNEVEN:.0%}", units.NOT_MEASURED if uneven is None else f"within {uneven:.2%}",
                    is_measured and uneven <= MOST_UNEVEN)


def growth(chart, key):
    """(how much higher the peak of `none` is than that of `every_batch`, how many more batches were in flight), or None."""
    found = [peak(chart, "none", key), peak(chart, "every_batch", key),
             *(number(chart, policy, "backlog", "batches_peak") for policy in ("none", "every_batch"))]
    return None if None in found else (found[0] - found[1], found[2] - found[3])


def grows(text, chart, key):
    found, each = growth(chart, key), batch_bytes(chart)
    if found is None or not each:
        return Claim(text, chart.where, "batches in flight × bytes of a batch", units.NOT_MEASURED, False)
    grown, batches = found
    expected = (f"{batches:g} more in flight (at least {LEAST_IN_FLIGHT}) × {units.bytes_text(each)}, within "
                f"{MOST_OFF:.0%}")
    holds = batches >= LEAST_IN_FLIGHT and abs(grown / (batches * each) - 1) <= MOST_OFF
    return Claim(text, chart.where, expected, units.bytes_text(grown), holds)


def stays(text, chart, key):
    found, each = growth(chart, key), batch_bytes(chart)
    if found is None or not each:
        return Claim(text, chart.where, "less than a batch", units.NOT_MEASURED, False)
    return Claim(text, chart.where, f"less than a batch, {units.bytes_text(each)}", units.bytes_text(found[0]),
                 found[0] < each)


def claim_of_tests(out):
    """Of the JUnit file that ctest wrote."""
    text, expected = "the tests that need a GPU pass", "all, none skipped"
    try:
        suite = xml.etree.ElementTree.parse(out / "tests.xml").getroot()
        total, failed, skipped = (int(suite.get(key, 0)) for key in ("tests", "failures", "skipped"))
    except (OSError, ValueError, xml.etree.ElementTree.ParseError):
        return Claim(text, "tests", expected, units.NOT_MEASURED, False)
    return Claim(text, "tests", expected, f"{total} ran, {failed} failed, {skipped} skipped",
                 total > 0 and failed == 0 and skipped == 0)


def claim_of_cells(sweep, runs):
    """Each run ended ok; of out_of_memory's batch sizes the largest has no memory, and what follows it runs."""
    sizes = [run.axes.get("/data/batch_size") for run in runs] if sweep == "out_of_memory" else []
    too_large = max((size for size in sizes if records.is_number(size)), default=None)
    wrong = [run for run in runs if run.status != expected_status(run, too_large)]
    expected = "all ok" if too_large is None else f"batch size {too_large} out_of_memory, the others ok"
    return Claim("each run ends as it should", sweep, expected, summary.states(runs) or units.NOT_MEASURED,
                 bool(runs) and not wrong)


def expected_status(run, too_large):
    is_too_large = too_large is not None and run.axes.get("/data/batch_size") == too_large
    return "out_of_memory" if is_too_large else "ok"


def claim_of_summary(runs):
    """A record tells what the allocator held when there was no memory."""
    summaries = [run.get("memory", "cuda", "out_of_memory_summary") for run in runs if run.status == "out_of_memory"]
    told = [summary for summary in summaries if isinstance(summary, str) and summary]
    return Claim("a run without memory has the allocator's summary in its record", "out_of_memory", "each",
                 f"{len(told)} of {len(summaries)}", bool(told) and len(told) == len(summaries))


def claims_of(out, warnings):
    """Every claim, in the order in which they are told."""
    claims, charts = [claim_of_tests(out)], []
    for sweep in sorted(path.stem for path in CONFIGS.glob("*.json")):
        runs, found = records.read_folders([out / sweep])
        warnings += found
        claims.append(claim_of_cells(sweep, runs))
        if sweep == "out_of_memory":
            claims.append(claim_of_summary(runs))
        charts += charts_of(sweep, runs)
    for chart in charts:
        if is_pair(chart):
            claims += claims_of_chart(chart)
    return claims + list(claims_of_memory(charts))


def counted(ratio, repeats):
    return units.NOT_MEASURED if ratio is None else f"{ratio:.3f} ({repeats} {'pair' if repeats == 1 else 'pairs'})"


def shown(ratio):
    return units.NOT_MEASURED if ratio is None else f"{ratio:.1f}"


def as_table(claims):
    rows = [[claim.text, claim.where, claim.expected, claim.measured, "yes" if claim.holds else "NO"] for claim in claims]
    return summary.markdown_table([["claim", "where", "expected", "measured", "holds"], *rows], 5)


def as_json(claims):
    return json.dumps({"claims": [dataclasses.asdict(claim) for claim in claims],
                       "hold": all(claim.holds for claim in claims)}, indent=2, ensure_ascii=False) + "\n"


def main(arguments):
    parser = argparse.ArgumentParser(prog="gpu_claims.py", description="Says whether what must hold on a GPU does.")
    parser.add_argument("out", metavar="OUT", type=pathlib.Path, help="what scripts/gpu_check wrote")
    parser.add_argument("--json", action="store_true", help="print one JSON document instead of the table")
    options = parser.parse_args(arguments)
    if not options.out.is_dir():
        print(f"gpu_claims: error: '{options.out}' is no folder: scripts/gpu_check writes it", file=sys.stderr)
        return EXIT_USAGE
    warnings = []
    claims = claims_of(options.out, warnings)
    for warning in warnings:
        print(f"gpu_claims: warning: {warning}", file=sys.stderr)
    print(as_json(claims) if options.json else as_table(claims), end="")
    return 0 if all(claim.holds for claim in claims) else EXIT_NOT_HELD


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
