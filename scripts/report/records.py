"""Finds and reads records: record.json of a run, records.jsonl of a sweep. Missing or torn ones are warnings."""

import dataclasses
import json
import pathlib

SCHEMA_VERSION = 1
CELL_ID_DIGITS = 12  # Of the id, in the name of a cell's folder.


@dataclasses.dataclass(frozen=True)
class Run:
    """One record, and where its samples are (the file may be missing)."""

    record: dict
    samples_path: pathlib.Path

    def get(self, *keys):
        """The value below these keys; None if it was not measured or is not there."""
        value = self.record
        for key in keys:
            value = value.get(key) if isinstance(value, dict) else None
        return value

    @property
    def status(self):
        return self.get("status") or "unknown"

    @property
    def config(self):
        return self.get("config") or {}

    @property
    def axes(self):
        return self.get("axes") or {}

    @property
    def repeat(self):
        return self.get("repeat") or 0


def read_folders(folders):
    """Returns the runs of all folders, in order, and what went wrong, in words."""
    runs, warnings = [], []
    for folder in folders:
        if (folder / "records.jsonl").exists():
            runs += read_sweep(folder, warnings)
        if (folder / "record.json").exists():
            runs += read_run(folder, warnings)
    return runs, warnings


def read_run(folder, warnings):
    path = folder / "record.json"
    record = parse(path.read_bytes(), str(path), warnings)
    return [] if record is None else [Run(record, folder / "samples.csv")]


def read_sweep(folder, warnings):
    """Of several records of one cell and repeat, the last one counts."""
    path = folder / "records.jsonl"
    newest = {}
    for number, line in enumerate(path.read_bytes().splitlines(), 1):
        record = parse(line, f"{path}, line {number}", warnings) if line.strip() else None
        if record is None:
            continue
        cell_id, repeat = str(record.get("id")), record.get("repeat") or 0
        cell = folder / "cells" / f"{cell_id[:CELL_ID_DIGITS]}-{repeat}"
        newest[cell_id, repeat] = Run(record, cell / "samples.csv")
    return list(newest.values())


def parse(text, source, warnings):
    """The record in `text`, or None and a warning."""
    try:
        record = json.loads(text)
    except ValueError as error:
        warnings.append(f"{source} is not a record and is left out: {error}")
        return None
    if not isinstance(record, dict):
        warnings.append(f"{source} is not a record and is left out: it is not a JSON object")
        return None
    if record.get("schema_version") != SCHEMA_VERSION:
        warnings.append(f"{source} has schema_version {record.get('schema_version')}, this report knows {SCHEMA_VERSION}")
    return record
