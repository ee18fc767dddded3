"""The JSON document of a baseline: its parts, and writing it. README.md explains their meaning.

Runs on Python 3.6 and newer, with the standard library alone.
"""

import json
import os
import statistics

SCHEMA_VERSION = 2


def unmeasured(baseline, status, reason):
    """The document of a baseline that could not be queried, for example because it is absent."""
    return {
        "schema_version": SCHEMA_VERSION, "baseline": baseline, "status": status, "reason": reason, "versions": None,
        "asynchronous": None, "quick": None, "runs": None, "threads": None, "machine": None, "programs": None,
    }


def case(parameters, environment):
    """A case that is not measured yet."""
    return {"status": "interrupted", "reason": "not measured", "parameters": parameters, "environment": environment,
            "figures": None, "results": None}


def spread(values):
    """Median, minimum and maximum of at least one number; None if one of them was not measured."""
    if not values or any(value is None for value in values):
        return None
    return {"median": statistics.median(values), "min": min(values), "max": max(values), "runs": len(values)}


def spreads(runs):
    """The spread of each figure. runs: one dict of figures by name per run."""
    return {name: spread([run[name] for run in runs]) for name in runs[0]}


def status_of(programs):
    """(status, reason) of a document: that of the first case that is not ok."""
    for name, program in programs.items():
        for case_name, found in program["cases"].items():
            if found["status"] != "ok":
                return found["status"], "{} {}: {}".format(name, case_name, found["reason"])
    return "ok", None


def machine():
    """The machine that measured the figures; None for values that the system does not report."""
    return {"cpu": first_field("/proc/cpuinfo", "model name"), "cores": os.cpu_count(),
            "memory_bytes": os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")}


def first_field(path, name):
    try:
        with open(path, encoding="utf-8", errors="replace") as lines:
            for line in lines:
                key, _, value = line.partition(":")
                if key.strip() == name:
                    return value.strip()
    except OSError:
        pass
    return None


def aligned(rows, is_ruled=False):
    """The lines of a table: the first column is left-aligned, the others right-aligned. A row with fewer cells than the
    first is a name and text, which do not widen other columns. is_ruled: adds a line below the first row."""
    full = [row for row in rows if len(row) == len(rows[0])]
    widths = [max(map(len, column)) for column in zip(*full)]
    widths[0] = max(len(row[0]) for row in rows)
    if is_ruled:
        rows = [rows[0], ["-" * width for width in widths], *rows[1:]]
    return ["  ".join([row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:]))])
            if len(row) == len(widths) else "  ".join([row[0].ljust(widths[0]), *row[1:]]) for row in rows]


def write(document, path):
    """Writes the document atomically."""
    unfinished = "{}.part".format(path)
    try:
        with open(unfinished, "w", encoding="utf-8") as file:
            file.write(text_of(document))
        os.replace(unfinished, str(path))
    finally:
        if os.path.exists(unfinished):
            os.unlink(unfinished)


def text_of(document):
    return json.dumps(document, indent=2, allow_nan=False) + "\n"
