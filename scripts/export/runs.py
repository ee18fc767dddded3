"""The runs of some folders in the form that every format takes: a flat record each, and the samples over time."""

import dataclasses
import datetime
import json
import math
import pathlib
from collections.abc import Callable

from report import reader

# The most points that UIs draw per series; from a longer series, TensorBoard picks that many at random.
LARGEST_SERIES = 1000


@dataclasses.dataclass(frozen=True)
class Run:
    number: int  # In the order of the folders.
    name: str
    folder: pathlib.Path  # Folder of the run or of its sweep, as given.
    record: dict  # Keyed by the columns of `runahead.read`.
    samples_path: pathlib.Path
    warn: Callable[[str], object]  # Called for rows of the samples that are left out.

    @property
    def parameters(self):
        """The run's parameters: its axes and its config, by names whose parts are separated by slashes."""
        chosen = {name: value for name, value in self.record.items() if name.startswith(("/", "config.")) or name == "repeat"}
        return {slashed(name): as_text(value) if isinstance(value, (dict, list)) else value for name, value in chosen.items() if value is not None}

    @property
    def figures(self):
        """The figures that were measured once: finite numbers by such names."""
        return {slashed(name): float(value) for name, value in self.record.items() if is_measured(name, value)}

    @property
    def facts(self):
        """Other words and numbers in the record, as text by such names: the status, the environment."""
        return {slashed(name): as_text(value) for name, value in self.record.items()
                if isinstance(value, (str, int, float)) and not is_measured(name, value) and slashed(name) not in self.parameters}

    @property
    def ended_seconds(self):
        """When the run ended, in seconds since 1970; 0 if its record does not say."""
        try:
            return datetime.datetime.fromisoformat(self.record.get("ended_at")).timestamp()
        except (TypeError, ValueError):
            return 0.0

    @property
    def began_seconds(self):
        """Approximate time 0 of the samples, in seconds since 1970."""
        return max(self.ended_seconds - self.figures.get("time/total_seconds", 0.0), 0.0)

    def samples(self):
        """The samples by column, as returned by `report.samples.read_samples`; no columns if there are none."""
        from report import samples  # Not at the top: it needs numpy, and a missing numpy must be reported in words.
        return self.read_samples(lambda path: samples.read_samples(path, self.warn)) or {}

    def sample_columns(self):
        """The names of the columns alone, which are read fast."""
        return self.read_samples(lambda path: next(reader.sample_rows(path, self.warn))[1]) or []

    def read_samples(self, read_path):
        """What `read_path` returns; None without samples. Raises ValueError that names the file."""
        if not self.samples_path.exists():
            return None
        try:
            return read_path(self.samples_path)
        except ValueError as error:
            raise ValueError(f"{self.samples_path} is damaged: {error}; remove it to export the run without samples") from error

    def series(self):
        """(name, times in seconds, values) of each column that was measured, thinned so that no peak is lost."""
        from report import samples
        columns = self.samples()
        for name in columns:
            times, values = samples.measured(columns, name)
            if name != "time_seconds" and len(values) > 0:
                yield f"samples/{name}", *samples.thin(times, values, LARGEST_SERIES)


def read(folders, warn):
    """The runs of the folders, in order, those of a folder that is given twice once. Calls `warn` for each record that is
    left out. Raises ValueError for a folder without records, and if all are left out."""
    distinct, found = {folder.resolve(): folder for folder in reversed(folders)}, []
    for folder in reversed(distinct.values()):
        rows, paths = read_folder(folder, warn)
        has_repeats = any(row.get("repeat") for row in rows)
        found += [(name_of(folder, row, len(distinct) > 1, has_repeats), folder, row, path) for row, path in zip(rows, paths)]
    if not found:
        raise no_records_in(folders[0])
    return [Run(number, *run, warn) for number, run in enumerate(found)]


def read_folder(folder, warn):
    """The rows and the paths of samples of a folder; none if its only record is damaged."""
    try:
        return reader.rows_of(folder, warn)
    except FileNotFoundError:
        raise no_records_in(folder) from None
    except ValueError as error:
        warn(f"{error}; this record is left out")
        return [], []


def no_records_in(folder):
    return ValueError(f"no records in '{folder}'; give the folder of a run (it has record.json) or of a sweep (it has records.jsonl)")


def name_of(folder, row, is_one_of_several, has_repeats):
    """"policy=none repeat=1" for a sweep, else the name of the folder."""
    axes = [f"{name.rpartition('/')[2]}={as_text(value)}" for name, value in row.items() if name.startswith("/")]
    words = [folder.resolve().name] if is_one_of_several or not axes else []
    return " ".join([*words, *axes, *([f"repeat={row.get('repeat')}"] if has_repeats else [])])


def is_measured(name, value):
    """Whether a column holds a figure: a finite number that is neither a setting nor part of the environment."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        return False
    return not name.startswith(("/", "config.", "environment.")) and name not in ("schema_version", "repeat")


def slashed(column):
    """time.total_seconds -> time/total_seconds: other tools group by slashes."""
    return column.strip("/") if column.startswith("/") else column.replace(".", "/", 1)


def as_text(value):
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
