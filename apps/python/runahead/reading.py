"""`runahead.read`: the records and samples of runs as pandas DataFrames.

`scripts/export` loads this file without the package, which would import torch, so its imports must not need torch.
"""

import json
import os
import pathlib
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
    line that a crash of the sweep left torn is skipped.
    """
    pandas = _pandas()
    rows, paths = rows_of(folder)
    return Runs(pandas.DataFrame(rows), paths)


def rows_of(folder: str | os.PathLike[str]) -> tuple[list[dict], list[pathlib.Path]]:
    """Returns the data of `read`: for each run a row by column, and the path of its samples, which may be missing.
    Does not need pandas; raises what `read` raises."""
    folder = pathlib.Path(folder)
    if (folder / "record.json").is_file():
        records = [_parsed((folder / "record.json").read_text(encoding="utf-8"), folder / "record.json")]
        paths = [folder / "samples.csv"]
    else:
        records = _records_of_sweep(folder)
        paths = [folder / "cells" / _cell(record) / "samples.csv" for record in records]
    return [_flat(record) for record in records], paths


def _pandas():
    try:
        import pandas
    except ImportError as error:
        raise ImportError("runahead.read needs pandas, which is not installed: pip install pandas, or runahead[pandas]") from error
    return pandas


def _records_of_sweep(folder: pathlib.Path) -> list[dict]:
    """The newest record of each run."""
    files = [path for path in [folder / "records.jsonl", *sorted(folder.glob("shards/*.jsonl"))] if path.is_file()]
    if not files:
        raise FileNotFoundError(f"'{folder}' has neither record.json nor records.jsonl: name the folder of a run or of a sweep")
    lines = [line for path in files for line in path.read_text(encoding="utf-8", errors="replace").split("\n")]
    newest = {}
    for line in dict.fromkeys(lines):  # Drops merged lines of a shard, so that none counts as newer than the newest.
        if _is_json(line):
            record = _parsed(line, folder)
            newest[record["id"], record["repeat"]] = record
    return list(newest.values())


def _is_json(line: str) -> bool:
    try:
        json.loads(line)
    except ValueError:
        return False
    return True


def _cell(record: dict) -> str:
    return f"{record['id'][:12]}-{record['repeat']}"


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
        if key == "axes":
            row |= value
        elif key in _LISTS_OF_FIGURES:
            row |= {f"{key}.{name}": figure for name, figure in value.items()}
        else:
            row[key] = value
    return row
