"""Draws the chart of each scenario for docs/gallery.md: its counter against time, without a remedy and with each.

What was there before the loop does not count, except where a capacity bounds all that is reserved.

    python draw.py                    all scenarios, into configs/figures/gallery
    python draw.py NAME… --out DIR    some of them
"""

import argparse
import importlib
import pathlib
import sys
import threading
import time

import gallery  # Before torch: it says what to do where that is missing.
import matplotlib
import runahead
import torch

matplotlib.use("Agg")

from matplotlib import pyplot, ticker  # noqa: E402 (the backend comes first)

HERE = pathlib.Path(__file__).parent
SCENARIOS = sorted(sweep.stem for sweep in HERE.glob("*.json"))
FIGURES = HERE.parent / "figures" / "gallery"
SIZE_INCHES = (8.3, 2.6)
DOTS_PER_INCH = 140
STYLE = {"font.size": 10, "axes.titlesize": 11, "axes.grid": True, "grid.color": "#dddddd", "grid.linewidth": 0.6,
         "axes.spines.top": False, "axes.spines.right": False, "axes.axisbelow": True, "savefig.facecolor": "white"}
# Okabe and Ito's colours, which colour-blind readers can also distinguish.
GROWING, REMEDIES = "#D55E00", ["#0072B2", "#009E73"]
SAMPLE_SECONDS = 0.001
# The counter below the scenario's own, and the meaning of the gap between the two.
BELOW = {"active_bytes": ("allocated_bytes", "freed, still pending"),
         "reserved_bytes": ("allocated_bytes", "reserved, not allocated")}


class Samples:
    """The counters over a loop, read by a separate thread during the block; their growth, unless `absolute`."""

    def __init__(self, absolute: bool) -> None:
        self.seconds: list[float] = []
        self.sampled_bytes: dict[str, list[int]] = {}
        self.failed = False
        self._absolute = absolute
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._sample)

    def __enter__(self) -> "Samples":
        self._start_bytes = gallery.counters("current")
        if self._absolute:
            self._start_bytes = dict.fromkeys(self._start_bytes, 0)
        self._start_seconds = time.perf_counter()
        self._add()
        self._thread.start()
        return self

    def __exit__(self, error_type: type | None, *_: object) -> None:
        self._ended.set()
        self._thread.join()
        self._add()
        self.failed = error_type is not None

    def _sample(self) -> None:
        while not self._ended.wait(SAMPLE_SECONDS):
            self._add()

    def _add(self) -> None:
        self.seconds.append(time.perf_counter() - self._start_seconds)
        for name, now_bytes in gallery.counters("current").items():
            self.sampled_bytes.setdefault(name, []).append(now_bytes - self._start_bytes[name])

    def mebibytes(self, counter: str) -> list[float]:
        return [each / gallery.MIB for each in self.sampled_bytes[counter]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scenarios", nargs="*", metavar="NAME", help="all unless named: " + ", ".join(SCENARIOS))
    parser.add_argument("--device", choices=["acpu", "cuda"], default="acpu")
    parser.add_argument("--out", type=pathlib.Path, default=FIGURES)
    options = parser.parse_args()
    if unknown := sorted(set(options.scenarios) - set(SCENARIOS)):
        parser.error(f"no scenario {', '.join(unknown)}; there are {', '.join(SCENARIOS)}")
    if options.device == "acpu":
        runahead.register()
    torch.set_num_threads(1)
    sys.setswitchinterval(SAMPLE_SECONDS / 10)  # Lets the sampling thread run during the loop.
    options.out.mkdir(parents=True, exist_ok=True)
    for name in options.scenarios or SCENARIOS:
        path = options.out / f"{name}.png"
        with pyplot.rc_context(STYLE):
            figure = draw(importlib.import_module(name).SCENARIO, torch.device(options.device, 0))
            figure.savefig(path, dpi=DOTS_PER_INCH, metadata={"Software": None})
            pyplot.close(figure)
        print(path)


def draw(scenario: gallery.Scenario, device: torch.device) -> pyplot.Figure:
    figure, panel = pyplot.subplots(figsize=SIZE_INCHES, layout="constrained")
    counter = "reserved_bytes" if scenario.must_fail else scenario.counter
    draw_growing(panel, counter, sample(scenario, device, "none"))
    for remedy, colour in zip(scenario.remedies, REMEDIES):
        samples = sample(scenario, device, remedy)
        panel.plot(samples.seconds, samples.mebibytes(counter), color=colour, linewidth=1.4,
                   label=scenario.labels[remedy])
    if scenario.must_fail:
        draw_capacity(panel, scenario)
    panel.set_title(scenario.chart, loc="left")
    panel.set_xlabel("seconds since the loop began")
    panel.set_ylabel(f"{counter.removesuffix('_bytes')} memory, MiB")
    panel.xaxis.set_major_locator(ticker.MaxNLocator(8))
    panel.set_xlim(left=0)
    panel.set_ylim(bottom=-panel.get_ylim()[1] / 50)  # Keeps a line at zero visible.
    panel.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    return figure


def sample(scenario: gallery.Scenario, device: torch.device, remedy: str) -> Samples:
    """Samples the second of two runs; the first loads kernels."""
    for samples in (Samples(scenario.must_fail), Samples(scenario.must_fail)):
        try:
            gallery.run(scenario, device, remedy, during=samples)
        except torch.OutOfMemoryError:
            if not scenario.must_fail:
                raise
    return samples


def draw_growing(panel: pyplot.Axes, counter: str, samples: Samples) -> None:
    grown = samples.mebibytes(counter)
    panel.plot(samples.seconds, grown, color=GROWING, linewidth=1.8, label="without a remedy", zorder=3)
    below, gap = BELOW.get(counter, (counter, ""))
    lower = samples.mebibytes(below)
    if max(high - low for high, low in zip(grown, lower)) > max(grown) / 4:
        panel.fill_between(samples.seconds, lower, grown, color=GROWING, alpha=0.18, linewidth=0, label=gap)
    if samples.failed:
        panel.plot(samples.seconds[-1:], [max(grown)], "X", color=GROWING, markersize=10,
                   label="torch.OutOfMemoryError")


def draw_capacity(panel: pyplot.Axes, scenario: gallery.Scenario) -> None:
    capacity_mebibytes = float(scenario.capacity.removesuffix("MiB"))
    panel.axhline(capacity_mebibytes, color="#555555", linestyle="--", linewidth=1,
                  label=f"capacity, {capacity_mebibytes:.0f} MiB")


if __name__ == "__main__":
    main()
