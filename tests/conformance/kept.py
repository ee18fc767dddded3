"""Results of files that ran whole, kept in this repository: the whole takes longer than one machine is there for."""

import json
import pathlib
import subprocess

from store import PASSED

HERE = pathlib.Path(__file__).resolve().parent
KEPT = HERE / "whole_runs.json"
# What a failure says, as much of it as the list of expected failures looks at.
LONGEST_MESSAGE = 160


def read(path: pathlib.Path = KEPT) -> dict[str, dict]:
    """{"suite/file": {"commit", "on_cpu", "rows": {test: row}}}; the rows are those that did not pass on the device."""
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def keep(name: str, rows: dict[str, dict], passes_on_cpu: int, path: pathlib.Path = KEPT) -> None:
    """Keeps what a file came to, in place of what was kept of it before."""
    kept = read(path)
    failed = {test: {"outcome": row["outcome"], "kind": row.get("kind", ""),
                     "message": row.get("message", "")[:LONGEST_MESSAGE]}
              for test, row in sorted(rows.items()) if row["outcome"] != PASSED}
    kept[name] = {"commit": commit(), "on_cpu": passes_on_cpu, "rows": failed}
    lines = [f"{json.dumps(name)}: {json.dumps(entry, ensure_ascii=False)}" for name, entry in sorted(kept.items())]
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def commit() -> str:
    return subprocess.run(["git", "-C", HERE, "rev-parse", "--short", "HEAD"], capture_output=True, text=True,
                          check=True).stdout.strip()
