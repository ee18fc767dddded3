"""What a run over the operator database found: tables, and whether it was expected."""

import pathlib

import torch

DATA_DEPENDENT_TAGS = {torch.Tag.dynamic_output_shape, torch.Tag.data_dependent_output}
# `item()` and the like, which the device does not count as waits for a shape.
READS = "a read"


def is_failure(record):
    return "crash" in record or bool(record["failures"])


def why_failed(record):
    if "crash" in record:
        return record["crash"]
    variant, line = next(iter(record["failures"].items()))
    return f"{variant}: {line}"


def _depends_on_data(operator):
    name, _, overload = operator.removeprefix("aten::").partition(".")
    packet = getattr(torch.ops.aten, name, None)
    found = getattr(packet, overload or "default", None)
    return found is not None and bool(DATA_DEPENDENT_TAGS & set(found.tags))


def blocks_by_nature(record):
    """Whether all that a second call waited for is what LibTorch tags as depending on values, or a read."""
    return bool(record["blocking"]) and all(name == READS or _depends_on_data(name) for name in record["blocking"])


def read_expected(path):
    """Returns {entry: reason} of a list with lines `entry  reason`; # begins a comment."""
    lines = [line.split("#")[0].split(maxsplit=1) for line in pathlib.Path(path).read_text().splitlines()]
    return {words[0]: words[1] for words in lines if words}


def summary_of(records):
    """Returns the counts by class."""
    ran = {name: record for name, record in records.items() if "crash" in record or record["dtype"] is not None}
    right = {name: record for name, record in ran.items() if not is_failure(record)}
    shaped = {name: record for name, record in right.items() if not blocks_by_nature(record)}
    free = [name for name, record in shaped.items() if not record["blocking"]]
    return {
        "entries": len(records),
        "not_for_this_dtype": len(records) - len(ran),
        "calls": sum(sum(record.get("calls", {}).values()) for record in ran.values()),
        "right": len(right),
        "right_share": len(right) / max(1, len(ran)),
        "crashed": sum("crash" in record for record in ran.values()),
        "bit_equal": sum(not record["unequal"] for record in right.values()),
        "without_data_dependent_shapes": len(shaped),
        "second_call_free_of_waits": len(free),
        "second_call_free_share": len(free) / max(1, len(shaped)),
    }


def unexpected(records, expected):
    """Returns the lines to fail with: failures that are not on the list, and entries on it that pass."""
    lines = [f"{name}: {why_failed(record)}" for name, record in records.items()
             if is_failure(record) and name not in expected]
    return lines + [f"{name}: passes, but is on the list of expected failures" for name in expected
                    if name in records and not is_failure(records[name]) and records[name]["dtype"] is not None]
