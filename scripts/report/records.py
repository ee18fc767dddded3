"""Reads records for the report: those that a summary lists, and those of a file."""

import dataclasses
import json
import pathlib

SCHEMA_VERSION = 1
LARGEST = 1e30  # Beyond any figure that is measured; charts overflow some way above it.


@dataclasses.dataclass(frozen=True)
class Run:
    """One record, and the path of its samples (the file may be missing).

    A record of another version may hold anything anywhere, so a value of the wrong type counts as missing.
    """

    record: dict
    samples_path: pathlib.Path
    name: str = ""  # In tables.

    def get(self, *keys):
        """The value below these keys; None if it was not measured or is missing."""
        value = self.record
        for key in keys:
            value = value.get(key) if isinstance(value, dict) else None
        return value

    def number(self, *keys):
        """The finite number below these keys, or None."""
        value = self.get(*keys)
        return value if is_number(value) else None

    def numbers(self, *keys):
        """The list of finite numbers below these keys; empty for anything else."""
        values = self.get(*keys)
        return values if isinstance(values, list) and all(is_number(value) for value in values) else []

    def mapping(self, *keys):
        """The object below these keys, or an empty one."""
        value = self.get(*keys)
        return value if isinstance(value, dict) else {}

    @property
    def status(self):
        status = self.get("status")
        return status if status and isinstance(status, str) else "unknown"

    def label(self, column):
        """The label of a column of samples.csv, from its probe."""
        label = self.get("results", "sample_columns", column, "label")
        return label if isinstance(label, str) else column.removesuffix("_bytes").replace("_", " ")

    @property
    def config(self):
        return self.mapping("config")

    @property
    def repeat(self):
        return self.get("repeat") or 0


def section(document, name):
    """The object of that name, or an empty one."""
    value = document.get(name)
    return value if isinstance(value, dict) else {}


def is_number(value):
    """Whether a JSON value is a number that can be drawn."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < LARGEST


def spread_in(value):
    """(median, min, max) of an object that has these numbers; None for anything else."""
    parts = [value.get(part) for part in ("median", "min", "max")] if isinstance(value, dict) else [None]
    return tuple(parts) if all(is_number(part) for part in parts) else None


def read_listed(listed):
    """The runs that a summary lists by file and line, in the same order."""
    lines = {}
    for path in dict.fromkeys(run["path"] for run in listed):
        wanted = {run["line"] for run in listed if run["path"] == path}
        with open(path, "rb") as file:
            if wanted == {0}:
                lines[path, 0] = json.load(file)
            else:
                lines |= {(path, number): json.loads(line) for number, line in enumerate(file, 1) if number in wanted}
    return [Run(lines[run["path"], run["line"]], pathlib.Path(run["samples"]), run["name"]) for run in listed]


def parse(text, source, warnings):
    """The record in `text`; adds a warning and returns None if there is none."""
    try:
        record = parse_json(text)
    except ValueError as error:
        warnings.append(f"{source} is left out: {error}")
        return None
    if not isinstance(record, dict):
        warnings.append(f"{source} is left out: it is not a JSON object")
        return None
    if record.get("schema_version") != SCHEMA_VERSION:
        warnings.append(f"{source} has schema_version {record.get('schema_version')}, this report knows "
                        f"{SCHEMA_VERSION}: figures may be missing or mean something else")
    return record


def parse_json(text):
    """The JSON value in the bytes. Raises ValueError in words."""
    try:
        return json.loads(text.decode("utf-8"))
    except (ValueError, RecursionError):
        raise ValueError("it is not valid JSON") from None
