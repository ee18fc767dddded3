"""The contents of each chart, as grouped by `runahead report`."""

import dataclasses

MOST_SHOWN = 100  # A picture takes about half a second, a section up to 150 kB of the page.


@dataclasses.dataclass(frozen=True)
class RunGroup:
    """The repeats of one run, under one label; the first represents the others."""

    label: str
    name: str  # The label without the folder.
    source: str  # The folder; "" if only one is shown.
    policy: str
    policy_place: int  # In the list of all policies; None for an unknown one.
    sentence: str
    runs: list


@dataclasses.dataclass(frozen=True)
class Comparison:
    """One chart, with the sentences and tables below it."""

    title: str
    subtitle: str
    slug: str  # Used in its file names.
    verdict: str
    headline: str
    groups: list
    tables: list


def read(summary, runs):
    """The comparisons of a summary. runs: those of the summary."""
    return [Comparison(one["title"], one["subtitle"], one["slug"], one["verdict"], one["headline"],
                       [read_group(line, runs) for line in one["lines"]], one["tables"]) for one in summary["comparisons"]]


def shown_of(all_comparisons):
    """The comparisons that get charts, at most MOST_SHOWN: the first with samples, then the first without."""
    by_worth = sorted(all_comparisons, key=lambda comparison: not any(run.samples_path.exists() for group in comparison.groups
                                                                      for run in group.runs))
    kept = {comparison.slug for comparison in by_worth[:MOST_SHOWN]}
    return [comparison for comparison in all_comparisons if comparison.slug in kept]


def read_group(line, runs):
    return RunGroup(line["label"], line["name"], line["source"], line["policy"], line["policy_place"], line["sentence"],
                    [runs[index] for index in line["runs"]])
