"""The output of `runahead monitor --out`: samples of a process tree, and next to them its processes and its command."""

import csv
import dataclasses
import pathlib

import numpy

from report import colours, samples, units

PROCESSES = ".processes.csv"
csv.field_size_limit(1 << 24)  # A command may be longer than csv's own limit.


@dataclasses.dataclass(frozen=True)
class Process:
    process_id: str
    name: str
    first: float  # Seconds since the start.
    last: float
    peak_bytes: float  # None if not measured.


@dataclasses.dataclass(frozen=True)
class Tree:
    """What the list next to the samples says of a process tree. Older lists have no peak."""

    command: str = ""
    peak_bytes: float = None
    is_upper_bound: bool = False
    processes: list = dataclasses.field(default_factory=list)


@dataclasses.dataclass(frozen=True)
class Monitored:
    """One file of samples, and the line that it has in charts."""

    label: str
    columns: dict
    tree: Tree
    colour: str
    dash: str
    status: str = "ok"

    @property
    def highest_sample(self):
        """(time in seconds, bytes) of the highest sample of RSS."""
        times, rss = samples.measured(self.columns, "rss_bytes")
        peak = int(numpy.argmax(rss))
        return float(times[peak]), float(rss[peak])

    @property
    def peak_text(self):
        """The peak that the command prints, which the kernel counts, and the highest sample if that is lower."""
        moment, sampled = self.highest_sample
        at = f"{units.bytes_text(sampled)} at {units.duration_text(moment)}"
        if (self.tree.peak_bytes or 0) <= sampled:
            return at
        return f"{'at most ' if self.tree.is_upper_bound else ''}{units.bytes_text(self.tree.peak_bytes)}; highest sample {at}"

    @property
    def finding(self):
        return f"{self.label}: peak RSS {self.peak_text}."


def read(paths, warn):
    """Reads files of samples. Calls `warn` for damaged rows, which are left out. Raises ValueError naming a file that is not one, OSError if one cannot be read."""
    found = [(read_columns(path, warn), read_tree(path.with_suffix(PROCESSES), warn)) for path in paths]
    commands = [tree.command for _, tree in found] if all(tree.command for _, tree in found) else []
    names = next((names for names in (commands, [path.stem for path in paths]) if len(set(names)) == len(paths)), [str(path) for path in paths])
    styles = colours.distinct((colour, "solid") for colour in colours.of_places([None] * len(found)))
    return [Monitored(name, columns, tree, *style) for name, (columns, tree), style in zip(names, found, styles)]


def read_columns(path, warn):
    try:
        columns = samples.read_samples(path, warn)
    except ValueError as error:
        raise ValueError(f"'{path}' is not a file of samples, as `runahead monitor --out` writes it ({error}); give such a file, or the "
                         "folder of a run or of a sweep") from error
    if len(samples.measured(columns, "rss_bytes")[0]) == 0:
        raise ValueError(f"'{path}' holds no sample of RSS: the command ended too soon; monitor a longer one")
    return columns


def read_tree(path, warn):
    """The list next to the samples: the processes, the command and its peak. Without such a file, nothing is known of them."""
    try:
        with open(path, newline="", encoding="utf-8", errors="replace") as file:
            rows = list(csv.DictReader(file))
        processes = [Process(row["process_id"], row["name"], float(row["first_seconds"]), float(row["last_seconds"]), number(row["rss_peak_bytes"]))
                     for row in rows]
        first = rows[0] if rows else {}
        return Tree(first.get("command") or "", number(first.get("tree_rss_peak_bytes")), first.get("tree_rss_peak_is_upper_bound") == "true", processes)
    except FileNotFoundError:
        return Tree()
    except (OSError, KeyError, TypeError, ValueError, csv.Error) as error:
        warn(f"'{path}' does not list processes as `runahead monitor --out` does ({error}): the report leaves them out")
        return Tree()


def number(text):
    return float(text) if text else None


def are_samples(path):
    """Whether the file holds samples, not the list of processes next to them."""
    return not pathlib.Path(path).name.endswith(PROCESSES)
