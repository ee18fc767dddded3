"""`runahead.read`: the records and samples of runs as pandas DataFrames.

`scripts/export` loads this file without the package, which would import torch, so its imports must not need torch.
"""

import json
import os
import pathlib
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas

_LISTS_OF_FIGURES = ("config", "environment", "time", "memory", "backlog", "loss", "monitor", "cell", "results")


class Runs:
    """The runs of a folder. `records` has one row per run. A notebook shows them as a short table."""

    def __init__(self, records: "pandas.DataFrame", sample_paths: list[pathlib.Path]) -> None:
        self.records = records
        self._sample_paths = sample_paths

    def samples(self, run: int = 0) -> "pandas.DataFrame":
        """Returns the samples of the run in that row of `records`, indexed by `time_seconds`; NaN if not measured.

        Raises IndexError if there is no such row, FileNotFoundError if the run was not sampled.
        """
        if not 0 <= run < len(self._sample_paths):
            raise IndexError(f"found {len(self._sample_paths)} runs, counted from 0, but no run {run}")
        return _pandas().read_csv(self._sample_paths[run], index_col="time_seconds")

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

    Raises ImportError without pandas, FileNotFoundError if the folder has no records, ValueError if a record is damaged. A
    record of a sweep that has no id is left out with a warning. A line that a crash of the sweep left torn is skipped.
    """
    pandas, found = _pandas(), []
    rows, paths = rows_of(folder, found.append)
    for message in found:
        warnings.warn(message, stacklevel=2)
    return Runs(pandas.DataFrame(rows), paths)


def rows_of(folder: str | os.PathLike[str], warn: Callable[[str], object] = warnings.warn) -> tuple[list[dict], list[pathlib.Path]]:
    """Returns the data of `read`: for each run a row by column, and the path of its samples, which may be missing.
    Calls `warn` for each record that is left out. Does not need pandas; raises what `read` raises."""
    folder = pathlib.Path(folder)
    if (folder / "record.json").is_file():
        records = [_parsed((folder / "record.json").read_text(encoding="utf-8"), folder / "record.json")]
        paths = [folder / "samples.csv"]
    else:
        by_cell = _records_of_sweep(folder, warn)
        records = list(by_cell.values())
        paths = [folder / "cells" / f"{cell[:12]}-{repeat}" / "samples.csv" for cell, repeat in by_cell]
    return [_flat(record) for record in records], paths


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
    newest, merged = {}, set()
    for path in files:
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").split("\n"), 1):
            if (path in shards and line in merged) or not _is_json(line):
                continue
            merged.add(line)
            record = _parsed(line, folder)
            if record.get("id") and isinstance(record["id"], str):
                newest[record["id"], str(record.get("repeat") or 0)] = record
            else:
                warn(f"{path}, line {number} has no id; it is left out")
    return newest


def _is_json(line: str) -> bool:
    try:
        json.loads(line)
    except ValueError:
        return False
    return True


def _parsed(text: str, source) -> dict:
    try:
        record = json.loads(text)
    except ValueError as error:
        raise ValueError(f"{source} is damaged: {error}") from error
    if not isinstance(record, dict) or record.get("schema_version") != 1:
        raise ValueError(f"{source} is not a record of schema_version 1")
    return record


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
