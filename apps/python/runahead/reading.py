"""`runahead.read`: the records and samples of runs as pandas DataFrames.

`scripts/export` loads this file without the package, which would import torch, so its imports must not need torch.
"""

import io
import json
import math
import operator
import os
import pathlib
import warnings
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas

_SCHEMA_VERSION = 1
_TORN = "is torn: it is not valid JSON"
_LARGEST_SAMPLE = 2.0**64  # Samples are times and 64-bit counts.
_LISTS_OF_FIGURES = ("config", "environment", "time", "memory", "backlog", "loss", "monitor", "cell", "results")


class Runs:
    """The runs of a folder. `records` has one row per run. A notebook shows them as a short table."""

    def __init__(self, records: "pandas.DataFrame", sample_paths: list[pathlib.Path], why_unsampled: list[str]) -> None:
        self.records = records
        self._sample_paths = sample_paths
        self._why_unsampled = why_unsampled

    def samples(self, run: int = 0) -> "pandas.DataFrame":
        """Returns the samples of the run in that row of `records`, indexed by `time_seconds`; NaN if not measured.
        Damaged rows of `samples.csv` are left out with a warning.

        Raises TypeError if `run` is no integer, IndexError if there is no such row, FileNotFoundError if the run has no
        samples, ValueError if `samples.csv` is damaged as a whole.
        """
        path, found = self._sample_path(run), []
        try:
            text = "".join(line for line, _ in sample_rows(path, found.append))
        except ValueError as error:
            raise ValueError(f"the samples of run {run} cannot be read: {path}: {error}") from error
        for message in found:
            warnings.warn(message, stacklevel=2)
        return _pandas().read_csv(io.StringIO(text), index_col="time_seconds")

    def _sample_path(self, run) -> pathlib.Path:
        try:
            row = operator.index(run)
        except TypeError:
            raise TypeError(f"run: found {run!r}; allowed: the number of a row of `records`, counted from 0") from None
        if not 0 <= row < len(self._sample_paths):
            raise IndexError(f"run: found {row}; allowed: the number of a row of `records`, counted from 0; there are {len(self._sample_paths)}")
        path = self._sample_paths[row]
        if not path.is_file():
            raise FileNotFoundError(f"run {row} has no samples: {self._why_unsampled[row]}")
        return path

    def _repr_html_(self) -> str:
        from runahead import run_html
        return run_html.table(self.records.to_dict("records"), self._sample_paths)


def read(folder: str | os.PathLike[str]) -> Runs:
    """Reads the folder of a run, a recording or a sweep. Needs pandas.

        runs = runahead.read("runs/mxnet_memory")
        runs.records[["/sync/policy", "memory.rss_growth_bytes"]]
        runs.samples(0)["rss_bytes"].plot()

    A column is named after its place in `record.json`, `time.total_seconds`; the axes of a sweep keep their names,
    `/sync/policy`. Figures that were not measured are NaN or None. More deeply nested objects stay objects.

    Raises ImportError without pandas, FileNotFoundError if the folder has no records, ValueError for a file in its place
    and if the record of a single run is damaged. A damaged record of a sweep is left out with a warning.
    """
    pandas, found = _pandas(), []
    rows, paths = rows_of(folder, found.append)
    for message in found:
        warnings.warn(message, stacklevel=2)
    return Runs(pandas.DataFrame(rows), paths, [_why_unsampled(row, path) for row, path in zip(rows, paths)])


def rows_of(folder: str | os.PathLike[str], warn: Callable[[str], object] = warnings.warn) -> tuple[list[dict], list[pathlib.Path]]:
    """Returns the data of `read`: for each run a row by column, and the path of its samples, which may be missing.
    Calls `warn` for each record that is left out. Does not need pandas; raises what `read` raises."""
    folder = _folder_of(folder)
    if (folder / "record.json").is_file():
        records = [_single_record(folder / "record.json")]
        paths = [folder / "samples.csv"]
    else:
        by_cell = _records_of_sweep(folder, warn)
        records = list(by_cell.values())
        paths = [folder / "cells" / f"{cell[:12]}-{repeat}" / "samples.csv" for cell, repeat in by_cell]
    return [_flat(record) for record in records], paths


def _why_unsampled(row: dict, path: pathlib.Path) -> str:
    """Why the run would have no samples, and what to do."""
    monitor = row.get("config.monitor")
    if row.get("status") != "ok":
        return f"its status is {row.get('status')}; run it again once the cause is mended"
    if isinstance(monitor, dict) and monitor.get("rate_hz") == 0:
        return "its monitor.rate_hz is 0; run it again with --set /monitor/rate_hz=100"
    return f"there is no {path}; tune keeps none, so use run or sweep"


def sample_rows(path: str | os.PathLike[str], warn: Callable[[str], object]) -> Iterator[tuple[str, list]]:
    """Yields the heading of a samples.csv as (line, names), then its rows as (line, numbers); NaN if not measured. Leaves
    damaged rows out, then calls `warn` once for all of them. Raises ValueError for another file, OSError for one that
    cannot be read."""
    damaged = []
    with open(path, encoding="utf-8") as file:
        try:
            heading = file.readline()
            names = _names_of(heading)
            yield heading, names
            for number, line in enumerate(file, 2):
                values = _values_of(line, len(names))
                if values is not None:
                    yield line, values
                elif line.strip():
                    damaged.append(number)
        except UnicodeDecodeError:
            raise ValueError("it is not text in UTF-8") from None
    if damaged:
        others = f", and {len(damaged) - 1:,} more after it" if len(damaged) > 1 else ""
        warn(f"{path}, line {damaged[0]} is damaged; it is left out{others}")


def _names_of(heading: str) -> list[str]:
    names = heading.rstrip("\n").split(",")
    if not heading:
        raise ValueError("it is empty")
    if names[0] != "time_seconds":
        raise ValueError("its first column is not time_seconds")
    if not heading.endswith("\n"):
        raise ValueError("its heading, in line 1, is torn")
    return names


def _values_of(line: str, count: int) -> list[float] | None:
    """None for a row that is torn, or with other fields than numbers in the range of samples."""
    try:
        values = [float(field) if field else math.nan for field in line.rstrip("\n").split(",")]
    except ValueError:
        return None
    is_whole = len(values) == count and line.endswith("\n") and math.isfinite(values[0])
    return values if is_whole and not any(abs(value) > _LARGEST_SAMPLE for value in values) else None


def _pandas():
    try:
        import pandas
    except ImportError as error:
        raise ImportError("runahead.read needs pandas, which is not installed: pip install pandas, or runahead[pandas]") from error
    return pandas


def _records_of_sweep(folder: pathlib.Path, warn: Callable[[str], object]) -> dict[tuple[str, str], dict]:
    """The newest record of each run, by id and repeat."""
    shards = sorted(path for path in folder.glob("shards/*.jsonl") if path.is_file())
    files = [*filter(pathlib.Path.is_file, [folder / "records.jsonl"]), *shards]
    if not files:
        raise FileNotFoundError(f"'{folder}' has neither record.json nor records.jsonl: name the folder of a run or of a sweep")
    newest, known, merged = {}, set(), set()
    for path in files:
        for number, line in enumerate(path.read_bytes().split(b"\n"), 1):
            if not line.strip() or path in shards and line in known:
                continue
            known.add(line)
            record, problem = _parsed(line, needs_id=True)
            if problem:
                warn(f"{path}, line {number} {problem}; {'this record' if problem == _TORN else 'it'} is left out")
            elif path not in shards or _origin(record) not in merged:
                merged |= {_origin(record)} - {None} if path not in shards else set()
                newest[record["id"], str(record.get("repeat") or 0)] = record
    return newest


def _origin(record: dict) -> str | None:
    """Names a record that was merged from a shard, in which another version may have written other keys; None if it does
    not say when it ended."""
    environment = record.get("environment")
    git = environment.get("git") if isinstance(environment, dict) else None
    return json.dumps([record["id"], record.get("repeat"), record["ended_at"], git]) if record.get("ended_at") else None


def _folder_of(given: str | os.PathLike[str]) -> pathlib.Path:
    if not os.fspath(given):
        raise ValueError("found '' as the folder: name the folder of a run or of a sweep; the current one is '.'")
    folder = pathlib.Path(given)
    if folder.is_file():
        raise ValueError(f"'{folder}' is a file: name its folder, '{folder.parent}'")
    return folder


def _single_record(path: pathlib.Path) -> dict:
    record, problem = _parsed(path.read_bytes(), needs_id=False)
    if problem:
        raise ValueError(f"{path} {problem}")
    return record


def _parsed(text: bytes, needs_id: bool) -> tuple[dict, str]:
    """The record, and the problem in the words of `runahead report`; "" if there is none."""
    try:
        record = json.loads(text.decode("utf-8"), parse_int=_whole_number)
    except (ValueError, RecursionError):
        return {}, _TORN
    if not isinstance(record, dict):
        return {}, "is not a JSON object"
    if needs_id and not (record.get("id") and isinstance(record["id"], str)):
        return {}, "has no id"
    if record.get("schema_version") != _SCHEMA_VERSION:
        if "schema_version" not in record:
            return {}, "is not a record: it has no schema_version"
        return {}, f"has schema_version {json.dumps(record['schema_version'])}, and this version reads {_SCHEMA_VERSION} only"
    return record, ""


def _whole_number(digits: str) -> int | float:
    """An integer that tables can hold, or the float next to it."""
    return int(digits) if len(digits) < 20 and -2**63 <= int(digits) < 2**63 else float(digits)


def _flat(record: dict) -> dict:
    row = {}
    for key, value in record.items():
        if not isinstance(value, dict):
            row[key] = value
        elif key == "axes":
            row |= value
        elif key in _LISTS_OF_FIGURES:
            row |= {f"{key}.{name}": figure for name, figure in value.items()}
        else:
            row[key] = value
    return row
