"""The samples of the runs of a comparison, as series over time."""

import dataclasses

import numpy

from report import colours, printing, samples


@dataclasses.dataclass(frozen=True)
class Series:
    """The samples of one run by column: arrays as long as `time_seconds`; no columns if nothing was sampled."""

    run: object
    columns: dict
    is_damaged: bool = False  # There are samples, but they cannot be read.

    def of(self, name):
        """(times in seconds, values) of a column where it was measured, up to the last RSS sample; empty if it never
        was."""
        return samples.carried(self.columns, name)

    @property
    def growth(self):
        """RSS in bytes minus the value when the clock started, or minus its first sample if that was not measured."""
        times, rss = self.of("rss_bytes")
        if len(rss) == 0:
            return times, rss
        baseline = self.run.number("memory", "rss_baseline_bytes")
        return times, rss - numpy.float64(rss[0] if baseline is None else baseline)

    @property
    def backlog(self):
        """Batches issued and not finished."""
        return self.of("batches_in_flight")

    @property
    def is_drawable(self):
        return len(self.growth[0]) > 0 or len(self.backlog[0]) > 0


@dataclasses.dataclass(frozen=True)
class Line:
    """The repeats of one run that were sampled: the one that represents them, and the others."""

    group: object
    colour: str
    dash: str
    main: Series
    others: list
    is_damaged: bool = False  # There are samples of some repeat, but they cannot be read.

    @property
    def run(self):
        return self.main.run

    @property
    def label(self):
        """Names the repeat if it is not the one that stands for the others."""
        return self.group.label + ("" if self.run is self.group.runs[0] else f", repeat {self.run.repeat}")

    @property
    def status(self):
        return self.run.status

    @property
    def opacity(self):
        """For charts whose line styles mean something else."""
        return 1.0 if self.dash == "solid" else 0.5


def load_lines(comparison, warnings):
    """Reads the samples of a comparison: a line for each of its groups."""
    groups = comparison.groups
    return [load_line(group, *style, warnings) for group, style in zip(groups, colours.styles_of(groups))]


def load_line(group, colour, dash, warnings):
    """The first run represents its repeats, if it was sampled or none of them was; else a warning names the one that does."""
    loaded = [load(run, warnings) for run in group.runs]
    sampled = [series for series in loaded if series.is_drawable]
    line = Line(group=group, colour=colour, dash=dash, main=(sampled or loaded)[0], others=sampled[1:],
                is_damaged=any(series.is_damaged for series in loaded))
    if line.main is not loaded[0]:
        warnings.append(f"{group.label}: charts show repeat {line.run.repeat}, because repeat {group.runs[0].repeat}, which "
                        "stands for the others elsewhere, has no samples")
    return line


def load(run, warnings):
    """The series of one run. A missing file means that nothing was sampled; one that cannot be read is a warning."""
    if not run.samples_path.exists():
        return Series(run, {})
    try:
        return Series(run, samples.read_samples(run.samples_path, warnings.append))
    except (OSError, ValueError) as error:
        warnings.append(f"{run.samples_path} cannot be drawn: {printing.reason_of(error)}")
        return Series(run, {}, is_damaged=True)
