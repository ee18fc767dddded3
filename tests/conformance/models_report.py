"""The table of a run over the models, for people."""

from __future__ import annotations

import collections
from typing import Any

Record = dict[str, Any]

RIGHT = ("equal", "close")
HEADS = ("model", "from", "status", "difference", "hidden waits")


def is_right(record: Record) -> bool:
    return record["status"] in RIGHT


def difference_of(record: Record) -> str:
    """Returns in words what differs, or why the model failed."""
    if "values" not in record:
        return first_line(record["error"])
    if not record["values_differing"]:
        return f"none in {record['values']} values"
    size = "not to be measured" if record["difference"] is None else f"{record['difference']:.1e}"
    note = "" if record["cpu_repeats"] else "; cpu does not repeat itself"
    return (f"{size}, in {record['values_differing']} of {record['values']} values; "
            f"{record['tolerance']:.0e} is allowed{note}")


def first_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[0][:160] if lines else ""


def waits_of(record: Record) -> str:
    """Returns what the program waited for without asking to, by phase."""
    def listed(waits: dict[str, int]) -> str:
        return ", ".join(f"{name.removeprefix('aten::')} {n}" for name, n in waits.items())

    if "waits" not in record:
        return ""
    phases = [f"{phase.replace('_', ' ')}: {listed(waits)}"
              for phase, waits in record["waits"].items() if waits]
    return "; ".join(phases) or "none"


def row(cells: tuple[str, ...]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def table_of(records: dict[str, Record]) -> str:
    """Returns the table, in Markdown, and a line that counts."""
    lines = [row(HEADS), "|" + "---|" * len(HEADS)]
    lines += [row((name, record["library"], record["status"], difference_of(record),
                   waits_of(record))) for name, record in records.items()]
    counts = collections.Counter(record["status"] for record in records.values())
    statuses = ", ".join(f"{count} {status}" for status, count in counts.most_common())
    return "\n".join([*lines, "", f"{len(records)} models: {statuses}"])
