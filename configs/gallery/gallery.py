"""Shared parts of the scenarios of the pressure gallery: device, counters, clock and command line.

A scenario is a program with a loop that runs ahead, and the same loop with a remedy. Run it with

    python NAME.py --remedy none            one run, without the remedy
    python NAME.py --remedy NAME            one run, with it
    python NAME.py --compare --pairs 5      both in turn, in one process; prints one JSON object

on `acpu`, or with `--device cuda` on a GPU. Every loop uses only features that PyTorch has on both.
"""

import argparse
import contextlib
import gc
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

try:
    import torch
    import runahead
except ImportError as error:
    sys.exit(f"{sys.executable}: {error}. Put a Python that has torch and runahead first in PATH; from the sources: "
             'export PATH="$PWD/.venv/bin:$PATH" PYTHONPATH="$PWD/build/python"')

MIB = 1 << 20

# Prepares what a run needs before the clock starts, such as a model and batches on the host.
Prepare = Callable[[torch.device], Any]
# The loop itself. It returns its results on the host: losses or outputs.
Loop = Callable[[torch.device, Any], torch.Tensor]


@dataclass(frozen=True)
class Scenario:
    """A loop that grows, the remedies for it, and the counter that shows the difference.

    Args:
        chart: the title of its chart, which names what grows.
        labels: the name of each remedy in the chart.
        counter: "allocated_bytes", "active_bytes", "reserved_bytes" or "pinned_bytes".
        prepare: creates the data of both loops.
        growing: the loop without a remedy.
        remedies: the loop with each remedy; `--compare` uses the first by default.
        allocation: the allocation model of `acpu`.
        allocators: allocator settings of a remedy, in the format of PYTORCH_CUDA_ALLOC_CONF.
        allocator: allocator settings of every other run.
        capacity: the maximum size of all segments on `acpu`.
        must_fail: the loop without a remedy must end in torch.OutOfMemoryError, on `acpu`.
    """

    chart: str
    counter: str
    prepare: Prepare
    growing: Loop
    remedies: dict[str, Loop]
    labels: dict[str, str]
    allocation: str = "caching"
    allocators: dict[str, str] = field(default_factory=dict)
    allocator: str = "expandable_segments:False,roundup_power2_divisions:1"
    capacity: str = "off"
    must_fail: bool = False

    def loop(self, remedy: str) -> Loop:
        return self.growing if remedy == "none" else self.remedies[remedy]


@dataclass(frozen=True)
class Run:
    """The measurements of one run: growth of each counter since its start, time, results."""

    growth_bytes: dict[str, int]
    seconds: float
    results: torch.Tensor
    counters_equal: bool | None


def width(device: torch.device) -> int:
    """The width of the layers: large enough that either device takes much longer than the front end."""
    return 768 if device.type == "acpu" else 8192


def maker(device: torch.device) -> torch.device:
    """The device that makes random weights and inputs, as a context. On cuda, the host would take seconds for such wide
    layers."""
    return torch.device("cpu") if device.type == "acpu" else device


def budget_bytes(device: torch.device, in_flight_bytes: int) -> int:
    """A budget for `in_flight_bytes`. On `acpu` a budget bounds committed bytes, which include bytes that are live."""
    return in_flight_bytes + (runahead.memory_stats()["live_bytes"] if device.type == "acpu" else 0)


def main(scenario: Scenario, description: str) -> None:
    """The command line of a scenario."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=["acpu", "cuda"], default="acpu")
    parser.add_argument("--remedy", choices=["none", *scenario.remedies])
    parser.add_argument("--compare", action="store_true", help="without and with the remedy in turn")
    parser.add_argument("--pairs", type=int, default=5)
    options = parser.parse_args()
    if options.compare and options.remedy == "none":
        parser.error("--compare takes a remedy")
    if options.pairs < 1:
        parser.error("--pairs takes a number above 0")
    if options.device == "acpu":
        runahead.register()
    elif not torch.cuda.is_available():
        parser.error("--device cuda: torch found no CUDA device; use acpu")
    device = torch.device(options.device, 0)
    torch.set_num_threads(1)  # For the host's operations: the other cores serve the device and a loader's workers.
    # The first of these operations imports parts of torch for a second, which must not be measured.
    torch.ones(2, 2, device=device).mm(torch.ones(2, 2, device=device)).mean().item()
    if not options.compare:
        _print_run(scenario, device, options.remedy or "none")
        return
    compare = _compare_failing if scenario.must_fail else _compare_growing
    print(json.dumps(compare(scenario, device, options.remedy or next(iter(scenario.remedies)), options.pairs)))


def run(scenario: Scenario, device: torch.device, remedy: str, *, capacity: str | None = None,
        during: contextlib.AbstractContextManager | None = None) -> Run:
    """Runs the loop once, without a remedy if `remedy` is "none".

    Args:
        capacity: replaces the scenario's own.
        during: entered after the preparation, and left when the device has finished.

    Raises:
        torch.OutOfMemoryError: as the scenario does.
    """
    _configure(scenario, device, remedy, scenario.capacity if capacity is None else capacity)
    prepared = scenario.prepare(device)
    _release_caches()
    torch.accelerator.reset_peak_memory_stats()
    torch.get_device_module().reset_peak_host_memory_stats()
    start_bytes = counters("current")
    with during or contextlib.nullcontext():
        start_seconds = time.perf_counter()
        results = scenario.loop(remedy)(device, prepared)
        torch.accelerator.synchronize()
        seconds = time.perf_counter() - start_seconds
    peak_bytes = counters("peak")
    return Run({name: peak_bytes[name] - start_bytes[name] for name in peak_bytes}, seconds, results,
               _has_equal_counters(device))


def counters(statistic: str) -> dict[str, int]:
    """The counters of either device, in bytes: their current values ("current") or their peaks ("peak")."""
    device_stats = torch.accelerator.memory_stats()
    found = {name: device_stats[f"{name}.all.{statistic}"]
             for name in ("allocated_bytes", "active_bytes", "reserved_bytes")}
    # Memory that was freed but must not be reused yet. For peaks this is a lower bound, since the peaks of the two may
    # occur at different times.
    found["pending_bytes"] = found["active_bytes"] - found["allocated_bytes"]
    # In use by the program or by copies in flight, without what the allocator keeps from an earlier run. On cuda, all
    # that the allocator holds, whose cache is empty at the start: torch 2.11 does not subtract freed bytes from active.
    pinned = "active_bytes" if torch.accelerator.current_accelerator().type == "acpu" else "allocated_bytes"
    found["pinned_bytes"] = torch.get_device_module().host_memory_stats()[f"{pinned}.{statistic}"]
    return found


def _print_run(scenario: Scenario, device: torch.device, remedy: str) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        # RUNAHEAD_RECORD, which sweeps and `runahead tune` set, replaces the folder.
        recording = runahead.recording(f"{scratch}/run", device=device, trace=False)
        measured = run(scenario, device, remedy, during=recording)
    name = Path(sys.argv[0]).stem
    growth = ", ".join(f"{counter.removesuffix('_bytes')} {grown_bytes / MIB:.1f} MiB"
                       for counter, grown_bytes in measured.growth_bytes.items() if counter != scenario.counter)
    print(f"{name}, remedy {remedy}, {device.type}: {scenario.counter.replace('_', ' ')} grew by "
          f"{measured.growth_bytes[scenario.counter] / MIB:.1f} MiB ({growth}) in {measured.seconds:.2f} s; "
          f"mean of the results {measured.results.double().mean().item():.6g}")


def _compare_growing(scenario: Scenario, device: torch.device, remedy: str, pairs: int) -> dict[str, Any]:
    # First one uncounted run of each: it loads kernels, and the device learns the layouts of its results.
    for each in ("none", remedy):
        run(scenario, device, each)
    growing: list[Run] = []
    remedied: list[Run] = []
    for pair in range(pairs):
        # The order alternates, so that a drift of the machine's speed favours neither.
        for each in ("none", remedy) if pair % 2 == 0 else (remedy, "none"):
            (growing if each == "none" else remedied).append(run(scenario, device, each))
    growth_bytes = [run.growth_bytes[scenario.counter] for run in growing]
    remedy_bytes = [run.growth_bytes[scenario.counter] for run in remedied]
    # With 5 pairs, the true median lies between the smallest and the largest ratio with a confidence of 94 %: it is
    # outside only if all 5 lie on one side of it, which has a probability of 2 / 2^5.
    times = [after.seconds / before.seconds for before, after in zip(growing, remedied)]
    return {"growth_bytes": growth_bytes, "remedy_bytes": remedy_bytes,
            "least_ratio": min(before / max(after, 1) for before, after in zip(growth_bytes, remedy_bytes)),
            "time_ratio": {"median": statistics.median(times), "least": min(times), "most": max(times)},
            "is_not_slower": min(times) <= 1.02,
            "results_equal": _are_equal(growing + remedied),
            "counters_equal": _all_true(growing + remedied)}


def _compare_failing(scenario: Scenario, device: torch.device, remedy: str, pairs: int) -> dict[str, Any]:
    # Without a capacity the same loop ends well; the remedy must give the same results.
    unbounded = run(scenario, device, "none", capacity="off")
    failures = 0
    remedied: list[Run] = []
    for _ in range(pairs):
        try:
            run(scenario, device, "none")
        except torch.OutOfMemoryError:
            failures += 1
        remedied.append(run(scenario, device, remedy))
    return {"fails_without": failures == pairs, "ends_well_with": len(remedied) == pairs,
            "results_equal": _are_equal([unbounded, *remedied]),
            "counters_equal": _all_true([unbounded, *remedied])}


def _configure(scenario: Scenario, device: torch.device, remedy: str, capacity: str) -> None:
    torch.empty(0, device=device)  # On cuda nothing can be reset before the first tensor.
    _release_caches()
    allocator = scenario.allocators.get(remedy, scenario.allocator)
    if device.type == "acpu":
        # Otherwise the budget of an earlier run would stay. `runahead tune` chooses one for the whole process.
        limit = os.environ.get("RUNAHEAD_LIMIT", "off")
        runahead.set_limit(bytes=None if limit == "off" else limit)
        # Copies from and into pinned memory run later, as on CUDA.
        runahead.configure(allocation=scenario.allocation, allocator=allocator, capacity=capacity, host_copies="keep")
    elif not scenario.must_fail:
        # The environment is read once per process, but `--compare` needs two settings in one process.
        torch._C._accelerator_setAllocatorSettings(allocator)


def _release_caches() -> None:
    gc.collect()
    torch.accelerator.synchronize()
    torch.accelerator.empty_cache()
    if torch.accelerator.current_accelerator().type == "cuda":
        torch._C._host_emptyCache()
    else:
        # The allocator of pinned memory checks for finished copies only when memory is requested.
        torch.empty(1, pin_memory=True)


def _has_equal_counters(device: torch.device) -> bool | None:
    """Whether torch's statistics equal runahead's to the byte; None on a device that runahead does not count."""
    if device.type != "acpu":
        return None
    found, own = counters("current"), runahead.memory_stats()
    return (own["live_bytes"] == found["active_bytes"] and own["allocated_bytes"] == found["allocated_bytes"]
            and own["reserved_bytes"] == found["reserved_bytes"]
            and own["freed_in_flight_bytes"] == found["pending_bytes"])


def _are_equal(runs: list[Run]) -> bool:
    return all(torch.equal(run.results, runs[0].results) for run in runs)


def _all_true(runs: list[Run]) -> bool | None:
    if any(run.counters_equal is None for run in runs):
        return None
    return all(run.counters_equal for run in runs)
