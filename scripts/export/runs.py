"""The runs of some folders as every format takes them: a flat record each, and what was sampled over time."""

import dataclasses
import datetime
import importlib.util
import json
import math
import pathlib

# The most points that UIs draw of a series; from a longer one, TensorBoard picks that many at random.
LARGEST_SERIES = 1000


@dataclasses.dataclass(frozen=True)
class Run:
    number: int  # In the order of the folders.
    name: str
    folder: pathlib.Path  # As it was given: of the run, or of its sweep.
    record: dict  # By the columns of `runahead.read`.
    samples_path: pathlib.Path

    @property
    def parameters(self):
        """What the run was to do: its axes and its config, by names whose parts slashes separate."""
        chosen = {name: value for name, value in self.record.items() if name.startswith(("/", "config.")) or name == "repeat"}
        return {slashed(name): as_text(value) if isinstance(value, (dict, list)) else value for name, value in chosen.items() if value is not None}

    @property
    def figures(self):
        """What was measured once: finite numbers by such names."""
        return {slashed(name): float(value) for name, value in self.record.items() if is_measured(name, value)}

    @property
    def facts(self):
        """What else the record says in a word or a number, as text by such names: the status, the environment."""
        return {slashed(name): as_text(value) for name, value in self.record.items()
                if isinstance(value, (str, int, float)) and not is_measured(name, value) and slashed(name) not in self.parameters}

    @property
    def ended_seconds(self):
        """When the run ended, since 1970; 0 if its record does not say so."""
        text = self.record.get("ended_at")
        return datetime.datetime.fromisoformat(text).timestamp() if text else 0.0

    @property
    def began_seconds(self):
        """About when the clock of the samples was at 0, since 1970."""
        return max(self.ended_seconds - (self.record.get("time.total_seconds") or 0.0), 0.0)

    def samples(self):
        """The samples by column, as `report.samples.read_samples` gives them; no columns if there are none."""
        from report import samples  # Not at the top: it needs numpy, and a missing numpy is to be reported in words.
        if not self.samples_path.exists():
            return {}
        try:
            return samples.read_samples(self.samples_path)
        except ValueError as error:
            raise ValueError(f"{self.samples_path} is damaged: {error}") from error

    def series(self):
        """(name, times in seconds, values) of each column that was measured, thinned so that no peak is lost."""
        from report import samples
        columns = self.samples()
        for name in columns:
            times, values = samples.measured(columns, name)
            if name != "time_seconds" and len(values) > 0:
                yield f"samples/{name}", *samples.thin(times, values, LARGEST_SERIES)


def read(folders):
    """The runs of the folders, in their order. Raises ValueError for a folder without runs and for damaged records."""
    found = []
    for folder in folders:
        try:
            rows, paths = load_reader().rows_of(folder)
        except FileNotFoundError:
            rows, paths = [], []
        if not rows:
            raise ValueError(f"no records in '{folder}'; give the folder of a run (it has record.json) or of a sweep "
                             "(it has records.jsonl)")
        has_repeats = any(row.get("repeat") for row in rows)
        found += [(name_of(folder, row, len(folders) > 1, has_repeats), folder, row, path) for row, path in zip(rows, paths)]
    return [Run(number, *run) for number, run in enumerate(found)]


def load_reader():
    """Loads only the file of `runahead.read`, since its package imports torch. It is in the sources, or in the package of this file."""
    project = pathlib.Path(__file__).resolve().parent.parent.parent
    path = next(path for path in (project / "apps" / "python" / "runahead" / "reading.py", project / "reading.py") if path.is_file())
    spec = importlib.util.spec_from_file_location("runahead_reading", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def name_of(folder, row, is_one_of_several, has_repeats):
    """"policy=none repeat=1" of a sweep, else the name of the folder."""
    axes = [f"{name.rpartition('/')[2]}={as_text(value)}" for name, value in row.items() if name.startswith("/")]
    words = [folder.resolve().name] if is_one_of_several or not axes else []
    return " ".join([*words, *axes, *([f"repeat={row.get('repeat')}"] if has_repeats else [])])


def is_measured(name, value):
    """Whether a column holds a figure: a finite number that is no setting, and none of the environment."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        return False
    return not name.startswith(("/", "config.", "environment.")) and name not in ("schema_version", "repeat")


def slashed(column):
    """time.total_seconds -> time/total_seconds: other tools group by slashes."""
    return column.strip("/") if column.startswith("/") else column.replace(".", "/", 1)


def as_text(value):
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
