"""The output of `runahead monitor --out`: samples of a process tree, and next to them its processes and its command."""

import csv
import dataclasses
import pathlib

import numpy

from report import colours, samples, units

PROCESSES = ".processes.csv"


@dataclasses.dataclass(frozen=True)
class Process:
    process_id: str
    name: str
    first: float  # Seconds since the start.
    last: float
    peak_bytes: float  # None if not measured.


@dataclasses.dataclass(frozen=True)
class Monitored:
    """One file of samples, and the line that it has in charts."""

    label: str
    command: str
    columns: dict
    processes: list
    colour: str
    dash: str = "solid"
    status: str = "ok"

    @property
    def finding(self):
        times, rss = samples.measured(self.columns, "rss_bytes")
        peak = int(numpy.argmax(rss))
        return f"{self.label}: peak RSS {units.bytes_text(float(rss[peak]))} at {units.duration_text(float(times[peak]))}."


def read(paths, warn):
    """Reads files of samples. Calls `warn` for damaged rows, which are left out. Raises ValueError naming a file that is not one, OSError if one cannot be read."""
    found = [(path, read_columns(path, warn), *read_processes(path.with_suffix(PROCESSES))) for path in paths]
    commands = [command for *_, command in found]
    are_names = len(set(commands)) == len(commands) and all(commands)
    chosen = colours.of_places([None] * len(found))
    return [Monitored(command if are_names else path.stem, command, columns, processes, colour)
            for (path, columns, processes, command), colour in zip(found, chosen)]


def read_columns(path, warn):
    try:
        columns = samples.read_samples(path, warn)
    except ValueError as error:
        raise ValueError(f"'{path}' is not a file of samples, as `runahead monitor --out` writes it ({error}); give such a file, or the "
                         "folder of a run or of a sweep") from error
    if len(samples.measured(columns, "rss_bytes")[0]) == 0:
        raise ValueError(f"'{path}' holds no sample of RSS: the command ended too soon; monitor a longer one")
    return columns


def read_processes(path):
    """The processes that are listed next to the samples, and the command; ([], "") without such a file."""
    try:
        with open(path, newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        return [Process(row["process_id"], row["name"], float(row["first_seconds"]), float(row["last_seconds"]),
                        float(row["rss_peak_bytes"]) if row["rss_peak_bytes"] else None)
                for row in rows], (rows[0].get("command") or "") if rows else ""
    except (OSError, KeyError, TypeError, ValueError, csv.Error):
        return [], ""


def are_samples(path):
    """Whether the file holds samples, not the list of processes next to them."""
    return not pathlib.Path(path).name.endswith(PROCESSES)
