"""Two sweeps, cell by cell: the ratio of each figure, and what became slower or larger."""

import dataclasses
import statistics

from report import pairing, ratios, records, units

# A change is named if chance does not explain it (ratios.discoveries) and it is worth it: by this share, and by what a
# figure says of itself.
LEAST_CHANGE = 0.01


@dataclasses.dataclass(frozen=True)
class Figure:
    """What is compared of a run. More is worse."""

    keys: tuple  # In the record.
    heading: str
    text_of: object
    more: str  # What a cell became whose figure grew.
    less: str
    least_difference: float = 0.0  # Between medians, in its unit.

    @property
    def name(self):
        return self.keys[-1]


# A process's RSS moves by pages and arenas: what is less than a megabyte is theirs.
FIGURES = [
    Figure(("time", "total_seconds"), "total", units.duration_text, "slower", "faster"),
    Figure(("time", "issue_seconds"), "issue", units.duration_text, "slower", "faster"),
    Figure(("memory", "rss_growth_bytes"), "RSS growth", units.bytes_text, "larger", "smaller", units.MEGABYTE),
    Figure(("memory", "rss_peak_bytes"), "peak RSS", units.bytes_text, "larger", "smaller", units.MEGABYTE),
]


@dataclasses.dataclass(frozen=True)
class Compared:
    """One figure of one cell in both sweeps."""

    figure: Figure
    cell: pairing.Cell
    medians: tuple  # Of the first and the second; None where no run that is ok has the figure.
    counts: tuple  # Of these runs.
    ratio: ratios.Ratio  # None if there is none.
    change: str = ""  # The figure's `more` or `less` if it changed.

    @property
    def is_worse(self):
        return self.change == self.figure.more


@dataclasses.dataclass(frozen=True)
class TwoSweeps:
    """sources: what the sweeps are called. both: cells of both; alone: of one. rows: of each cell of both, its figures."""

    sources: tuple
    both: list
    alone: list
    rows: list

    def of(self, figure):
        """What was found of one figure, a cell each."""
        return [compared for row in self.rows for compared in row if compared.figure is figure]

    @property
    def runs(self):
        """Of the first sweep, then of the second."""
        cells = [*self.both, *self.alone]
        return [*(run for cell in cells for run in cell.first), *(run for cell in cells for run in cell.second)]


def are_two(folders):
    """Whether these are the folders of two sweeps."""
    return (len(folders) == 2 and all(records.has_sweep(folder) for folder in folders)
            and folders[0].resolve() != folders[1].resolve())


def of_folders(folders, sides, warnings):
    """The TwoSweeps of the runs of two folders, `sides`; None and a warning if they have no cell in common."""
    sources = pairing.sources_of(folders)
    found = []
    sides = [pairing.of_one_version([dataclasses.replace(run, source=source) for run in runs], found)
             for source, runs in zip(sources, sides)]
    two = compare(sources, *sides)
    if not two.both:
        warnings.append(f"{sources[0]} and {sources[1]} have no cell in common: they are shown together, not compared")
        return None
    pairing.warn_of_differences(two.both, sources, found)
    warnings += found
    return two


def compare(sources, first, second):
    """The TwoSweeps of two lists of runs."""
    both, alone = pairing.bring_together(first, second)
    found = [compare_figure(figure, cell) for cell in both for figure in FIGURES]
    with_ratio = [compared for compared in found if compared.ratio]
    named = ratios.discoveries([compared.ratio for compared in with_ratio])
    changed = {id(with_ratio[index]) for index in named if is_worth_naming(with_ratio[index])}
    found = [dataclasses.replace(compared, change=direction(compared)) if id(compared) in changed else compared
             for compared in found]
    rows = [found[start:start + len(FIGURES)] for start in range(0, len(found), len(FIGURES))]
    return TwoSweeps(tuple(sources), both, alone, rows)


def compare_figure(figure, cell):
    values = [[value for run in runs if run.status == "ok" and (value := run.number(*figure.keys)) is not None]
              for runs in (cell.first, cell.second)]
    medians = tuple(statistics.median(side) if side else None for side in values)
    return Compared(figure, cell, medians, tuple(map(len, values)), ratios.of_two(*values))


def is_worth_naming(compared):
    difference = compared.medians[1] - compared.medians[0]
    # The medians are what is told beside the ratio of geometric means: one outlier can set these against each other.
    agree = difference * (compared.ratio.value - 1) > 0
    return (agree and abs(compared.ratio.value - 1) >= LEAST_CHANGE
            and abs(difference) >= compared.figure.least_difference)


def direction(compared):
    return compared.figure.more if compared.ratio.value > 1 else compared.figure.less


def over_all(compared):
    """The ratio over all cells of what was found of one figure; None if no cell has one."""
    return ratios.over_all([one.ratio for one in compared if one.ratio])


def broke(cell):
    """Whether all its runs were ok in the first sweep, and not in the second."""
    return is_ok(cell.first) and not is_ok(cell.second)


def was_mended(cell):
    return is_ok(cell.second) and not is_ok(cell.first)


def is_ok(runs):
    return all(run.status == "ok" for run in runs)
