#!/usr/bin/env python3
"""Says whether what must hold on a GPU does: scripts/gpu_claims.py OUT [--json]

Reads what scripts/gpu_check left in OUT, the result of the tests and the records of the sweeps of configs/cuda, and prints each
claim with what was expected and what was measured. A ratio is taken repeat by repeat, as the sweeps interleave them, and
then the median over the repeats. What was not measured, be it in one repeat, does not hold; nor does a sweep that is not whole.

Exit codes: 0 all hold · 1 one does not · 2 usage.
"""

import argparse
import dataclasses
import json
import math
import pathlib
import sys
import xml.etree.ElementTree

from gpu_figures import (ELEMENT_BYTES, batch_bytes, charts_of, growth, highest, more_in_flight, peak, setting_of,
                         t2_over_t1, throughput_ratio)
from report import labels, records, summary, units

CONFIGS = pathlib.Path(__file__).resolve().parent.parent / "configs" / "cuda"

LEAST_OF_NONE = 0.98  # Of the throughput of every_batch.
LEAST_OF_WINDOW = 0.99  # Of the throughput of none, one that was found too.
LEAST_T2_OVER_T1 = 5.0
MOST_UNEVEN = 0.02  # Of what is called flat, the largest over the smallest, less 1.
MOST_OFF = 0.25  # How far growth may be off batches in flight times the bytes of one.
LEAST_IN_FLIGHT = 8  # More batches than with a wait after each: with fewer nothing could grow.
LEAST_IN_BUFFERS = 2  # Likewise where a few buffers are used again, which bound it.

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


def is_pair(chart):
    return "none" in chart.by_policy and "every_batch" in chart.by_policy


def claims_of_chart(chart):
    """What holds in each chart that compares `none` with `every_batch`."""
    yield from claims_of_losses(chart)
    for policy, other, least in (("none", "every_batch", LEAST_OF_NONE), ("window", "none", LEAST_OF_WINDOW),
                                 ("adaptive", "none", LEAST_OF_WINDOW)):
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
            yield from claims_of_window(chart)
        elif chart.sweep == "staging" and staging == "pinned":
            yield grows("pinned staging grows with the batches in flight", chart, PEAK_PINNED)
            yield from claims_of_budget(chart)
        elif chart.sweep == "staging" and staging == "pinned_ring":
            yield stays("a ring of pinned buffers does not grow", chart, PEAK_PINNED)
        elif chart.sweep == "copies" and copies == "side_record_stream":
            yield grows("record_stream on a side stream: device memory grows", chart, PEAK_IN_USE)
            yield from claims_of_window(chart)
        elif chart.sweep == "copies" and copies == "side_reuse":
            yield stays("events and reuse on a side stream: it does not", chart, PEAK_IN_USE)
        elif chart.sweep == "expandable_segments":
            yield grows("frees are deferred whatever the segments are", chart, PEAK_IN_USE)
    yield from claims_of_outputs(charts)


def claims_of_flat_memory(chart):
    more = more_in_flight(chart)
    for key in PEAKS_OF_DEVICE:
        peaks = [peak(chart, policy, key) for policy in chart.by_policy]
        is_measured = more is not None and None not in peaks and min(peaks) > 0
        uneven = max(peaks) / min(peaks) - 1 if is_measured else None
        yield Claim(f"one stream is flat in device memory ({key.removesuffix('_peak_bytes')})", chart.where,
                    f"peaks within {MOST_UNEVEN:.0%}, with {LEAST_IN_FLIGHT} more batches in flight",
                    f"within {uneven:.2%}, with {more:g}" if is_measured else units.NOT_MEASURED,
                    is_measured and uneven <= MOST_UNEVEN and more >= LEAST_IN_FLIGHT)


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
    grown, batches = found
    expected = f"less than a batch, {units.bytes_text(each)}, with {LEAST_IN_BUFFERS} more in flight"
    return Claim(text, chart.where, expected, f"{units.bytes_text(grown)}, with {batches:g}",
                 grown < each and batches >= LEAST_IN_BUFFERS)


def claims_of_window(chart):
    """A window admits so many batches: what they keep by the program's own count, and the memory that it is in."""
    batches, each = setting_of(chart, "window", "batches"), batch_bytes(chart)
    most = None if None in (batches, each) else batches * each
    yield bounded("window bounds the bytes in flight", chart, highest(chart, "window", "backlog", "bytes_peak"), most)
    if chart.sweep == "plain":
        yield bounded("window bounds page-locked memory", chart,
                      highest(chart, "window", "memory", "cuda", PEAK_PINNED), plus(most, each))
    else:
        in_use, base = highest(chart, "window", "memory", "cuda", PEAK_IN_USE), peak(chart, "every_batch", PEAK_IN_USE)
        yield bounded("window bounds deferred frees", chart, None if None in (in_use, base) else in_use - base, most,
                      MOST_OFF)  # One batch more, for which a little less may have been taken.


def claims_of_budget(chart):
    most = setting_of(chart, "budget", "bytes")
    yield bounded("budget bounds the bytes in flight", chart, highest(chart, "budget", "backlog", "bytes_peak"), most)
    yield bounded("budget bounds page-locked memory", chart, highest(chart, "budget", "memory", "cuda", PEAK_PINNED),
                  plus(most, batch_bytes(chart)))


def plus(bytes_count, more):
    """A batch of slack, for what else is page-locked."""
    return None if None in (bytes_count, more) else bytes_count + more


def bounded(text, chart, found, most, off=0.0):
    """From one batch, less that share of it, for something was in flight, to the most that the policy admits."""
    each = batch_bytes(chart)
    if None in (found, each, most):
        return Claim(text, chart.where, "from one batch to what it admits", units.NOT_MEASURED, False)
    least = (1 - off) * each
    expected = f"{units.bytes_text(least)} to {units.bytes_text(most)}"
    return Claim(text, chart.where, expected, units.bytes_text(found), least <= found <= most)


def claims_of_outputs(charts):
    """Predictions that are kept take as much memory as they are large."""
    by_outputs = {chart.config.get("outputs"): chart for chart in charts if chart.sweep == "outputs"}
    if not {"kept", "dropped"} <= by_outputs.keys():
        return  # The sweep is not whole, which is told.
    kept = by_outputs["kept"]
    layers = labels.section(kept.config, "model").get("layers") or [0]
    expected = kept.config.get("batches", 0) * (kept.setting("data", "batch_size") or 0) * layers[-1] * ELEMENT_BYTES
    peaks = [peak(by_outputs[outputs], "none", PEAK_IN_USE) for outputs in ("kept", "dropped")]
    is_measured = None not in peaks and expected > 0
    yield Claim("predictions that are kept stay in memory", "outputs", f"{units.bytes_text(expected)}, within {MOST_OFF:.0%}",
                units.bytes_text(peaks[0] - peaks[1]) if is_measured else units.NOT_MEASURED,
                is_measured and abs((peaks[0] - peaks[1]) / expected - 1) <= MOST_OFF)


def claims_of_launch_queue(runs):
    """How many launches fit behind a held device, and the memory that they keep with their outputs."""
    for run in runs:
        outputs = run.config.get("outputs")
        depth, kept = (run.number("results", "launch_queue", key, "median") for key in ("depth", "kept_bytes"))
        unknown = run.get("results", "launch_queue", "depth_unknown_because")  # In one repeat, be it.
        where = f"launch_queue: outputs {outputs}"
        yield Claim("launching blocks when the queue is full", where, "a depth in each repeat",
                    f"{depth:g} launches" if depth and not unknown else unknown or units.NOT_MEASURED,
                    bool(depth) and unknown is None)
        if outputs == "kept":
            each = math.prod(run.numbers("config", "shape")) * ELEMENT_BYTES
            is_measured = bool(depth) and kept is not None
            expected = f"{depth:g} × {units.bytes_text(each)}, within {MOST_OFF:.0%}" if depth else "depth × bytes of an output"
            yield Claim("launches in the queue keep their outputs", where, expected,
                        units.bytes_text(kept) if is_measured else units.NOT_MEASURED,
                        is_measured and abs(kept / (depth * each) - 1) <= MOST_OFF)


def claim_of_programs(out):
    """The seeds' programs and the transfers, which have no bar of their own."""
    names = sorted(path.stem for path in (CONFIGS / "seeds").glob("*.json"))
    ended = [name for name in names
             if [run.status for run in records.read_folders([out / "seeds" / name])[0]] == ["ok"]]
    missing = [name for name in names if name not in ended] + (
        [] if (out / "transfer.json").exists() else ["bench transfer"])
    return Claim("the seeds' programs and bench transfer ended well", "seeds, transfer.json", "all",
                 "without " + ", ".join(missing) if missing else "all", not missing)


def claim_of_version(runs):
    """A folder may hold what an earlier version of the program measured."""
    versions = {(run.get("environment", "runahead"), run.get("environment", "git")) for run in runs}
    told = ", ".join(sorted(" ".join(str(part) for part in version if part) for version in versions))
    return Claim("one version of the program made every record", "all sweeps", "one; else a new OUT",
                 told or units.NOT_MEASURED, len(versions) == 1)


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


def expected_runs(sweep):
    """How many runs the sweep's config asks for."""
    config = json.loads((CONFIGS / f"{sweep}.json").read_text(encoding="utf-8"))
    grid = math.prod(len(values) for values in config["axes"].values())
    return (grid + len(config.get("cells", []))) * config.get("repeats", 1)


def claim_of_cells(sweep, runs):
    """The sweep is whole and each run ended ok; of out_of_memory's batch sizes the largest has no memory, and what follows it runs."""
    sizes = [run.axes.get("/data/batch_size") for run in runs] if sweep == "out_of_memory" else []
    too_large = max((size for size in sizes if records.is_number(size)), default=None)
    wrong = [run for run in runs if run.status != expected_status(run, too_large)]
    asked = expected_runs(sweep)
    expected = f"{asked} ok" if too_large is None else f"{asked}: batch size {too_large} out_of_memory, the others ok"
    return Claim("each run ends as it should", sweep, expected, summary.states(runs) or units.NOT_MEASURED,
                 len(runs) >= asked and not wrong)


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
    claims, charts, all_runs = [claim_of_tests(out), claim_of_programs(out)], [], []
    for sweep in sorted(path.stem for path in CONFIGS.glob("*.json")):
        runs, found = records.read_folders([out / sweep])
        warnings += found
        all_runs += runs
        claims.append(claim_of_cells(sweep, runs))
        if sweep == "out_of_memory":
            claims.append(claim_of_summary(runs))
        if sweep == "launch_queue":
            claims += claims_of_launch_queue(runs)
        charts += charts_of(sweep, runs)
    claims.append(claim_of_version(all_runs))
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
