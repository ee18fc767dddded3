#!/usr/bin/env python3
"""Trains models that others wrote on `acpu` and on `cpu`; compares losses, outputs, final weights.

Each model runs in a process of its own, with a time limit: three training steps and an evaluation
on either device, from the same seed and weights. It needs the package of the build, and in some
folder the libraries that scripts/requirements/models.txt pins:

    PYTHONPATH=build/python:FOLDER .venv/bin/python tests/conformance/models.py --out FILE

Writes a line of JSON for each model and prints a table. What FILE has already is not run again.
Exits 1 where a model failed, crashed, took too long, or differs by more than its tolerance.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import signal
import subprocess
import sys
import time
from typing import Any

from models_cases import Case, all_cases
from models_report import Record, difference_of, is_right, table_of

CHILD = pathlib.Path(__file__).with_name("models_compare.py")
# Nothing may be downloaded, and one thread computes on each device.
ENVIRONMENT = {"HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
LONGEST_TAIL = 2000  # Characters of stderr that the record of a crash keeps.


def parsed(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", nargs="+", metavar="NAME", help="these only")
    parser.add_argument("--list", action="store_true", help="print the names and end")
    parser.add_argument("--out", type=pathlib.Path, metavar="FILE",
                        help="where the records go, a line each")
    parser.add_argument("--retry", action="store_true",
                        help="run again what FILE has as failed or different")
    parser.add_argument("--seconds", type=float, default=300,
                        help="time limit of a model (default: 300)")
    options = parser.parse_args(arguments)
    unknown = sorted(set(options.models or ()) - all_cases().keys())
    if unknown:
        parser.error(f"no model is called {', '.join(unknown)}: --list names them")
    return options


def chosen(names: list[str] | None) -> list[Case]:
    cases = all_cases()
    return [cases[name] for name in names or cases]


def records_in(path: pathlib.Path | None) -> dict[str, Record]:
    """Returns the last record of each model in the file; a line that was cut short is none."""
    records = {}
    for line in path.read_text().splitlines() if path and path.exists() else ():
        try:
            record = json.loads(line)
        except ValueError:
            continue
        records[record["model"]] = record
    return records


def append(path: pathlib.Path | None, record: Record) -> None:
    if path is None:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    # What an interrupted run left of a line stays a line of its own.
    is_cut = path.exists() and path.read_bytes()[-1:] not in (b"", b"\n")
    with path.open("a") as file:
        file.write("\n" * is_cut + json.dumps(record) + "\n")


def run(case: Case, seconds: float) -> Record:
    """Trains the model in a child; returns its record."""
    began = time.monotonic()
    child = subprocess.Popen([sys.executable, str(CHILD), case.name], text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             env=ENVIRONMENT | os.environ, start_new_session=True)
    try:
        result = result_of(child, seconds)
    finally:
        end(child)
    return {"model": case.name, "library": case.library.partition(".")[0],
            "total_seconds": round(time.monotonic() - began, 2), **result}


def result_of(child: subprocess.Popen, seconds: float) -> dict[str, Any]:
    """Returns what the child printed, or how it ended."""
    try:
        stdout, stderr = child.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        return {"status": "timed out", "error": f"not done after {seconds:g} s"}
    last = stdout.splitlines()[-1] if stdout else ""
    if child.returncode == 0 and last.startswith("{"):
        return json.loads(last)
    code = child.returncode
    ended = f"ended by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"
    return {"status": "crashed", "error": ended, "stderr": stderr[-LONGEST_TAIL:]}


def end(child: subprocess.Popen) -> None:
    """Ends the child, and what it started, where it still runs."""
    if child.poll() is None:
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()


def main(arguments: list[str]) -> int:
    options = parsed(arguments)
    cases = chosen(options.models)
    if options.list:
        print(*(f"{case.name:40} {case.library.partition('.')[0]}" for case in cases), sep="\n")
        return 0
    known = records_in(options.out)
    records = {}
    for case in cases:
        record = known.get(case.name)
        if record is None or (options.retry and not is_right(record)):
            record = run(case, options.seconds)
            append(options.out, record)
            print(f"{case.name}: {record['status']}: {difference_of(record)}", file=sys.stderr,
                  flush=True)
        records[case.name] = record
    print(table_of(records))
    return 0 if all(map(is_right, records.values())) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
