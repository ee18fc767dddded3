"""torch's operator database on `acpu`, compared with the same calls on `cpu`.

Every entry with all its sample inputs: forward, in-place, `out=` and gradient, each entry in a forked child with a
time limit. Fails for what the list of expected failures does not say, and for entries on it that pass.

    op_db_test.py                    the first sample of most entries, all of the others; all of each if RUNAHEAD_ALL is 1;
                                     of RUNAHEAD_EVERY entries only one
    op_db_test.py --only REGEX --dtype int64 --out FILE     writes what was found as JSON
"""

import argparse
import json
import os
import pathlib
import re
import sys

import torch

try:
    from torch.testing._internal.common_methods_invocations import op_db
except ImportError as error:
    print(f"skipped: torch's operator database can't be imported: {error}")
    sys.exit(77)

import op_db_children
import op_db_entry
import op_db_report

EXPECTED_FAILURES = pathlib.Path(__file__).with_name("op_db_expected_failures.txt")
PART = 12  # Of so many entries, the first is called with all its samples; of the others one stands for all.
SOME = 1
# An entry is called with one of these.
SETTINGS = ({}, {"workers": 2, "ready_order": "first_ready"}, {"allocation": "in_stream_order"},
            {"workers": 0, "allocation": "at_issue"}, {"workers": 2, "allocation": "caching"})


def run_entry(item):
    """In the child: the device starts here, after the fork."""
    import runahead

    entry, dtype, settings, most_samples = item
    runahead.configure(**settings)
    record = op_db_entry.run_entry(entry, dtype, most_samples)
    runahead.synchronize()
    return record


def parsed(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="REGEX", help="entries whose names match")
    parser.add_argument("--dtype", default="float32", help="of the inputs; failures of others than float32 are only reported")
    parser.add_argument("--out", type=pathlib.Path, metavar="FILE", help="where all that was found goes, as JSON")
    parser.add_argument("--seconds", type=float, default=300, help="time limit of an entry")
    parser.add_argument("--at-once", type=int, default=2, help="entries at a time")
    return parser.parse_args(arguments)


def items_of(only, dtype, expected):
    """Returns (entry, dtype, settings, how many samples) of each entry to call."""
    is_whole = only or os.environ.get("RUNAHEAD_ALL") == "1"
    every = 1 if is_whole else int(os.environ.get("RUNAHEAD_EVERY", "1"))

    def most_samples(number, entry):
        return None if is_whole or number % PART == 0 or entry.formatted_name in expected else SOME

    return [(entry, dtype, SETTINGS[number % len(SETTINGS)], most_samples(number, entry))
            for number, entry in enumerate(op_db) if number % every == 0 and re.search(only or "", entry.formatted_name)]


def main(arguments):
    options = parsed(arguments)
    dtype = getattr(torch, options.dtype)
    expected = op_db_report.read_expected(EXPECTED_FAILURES)
    items = items_of(options.only, dtype, expected)
    records = {}
    for (entry, *_), record in op_db_children.run_in_children(
            run_entry, items, at_once=options.at_once, limit_seconds=options.seconds):
        records[entry.formatted_name] = record
        if op_db_report.is_failure(record):
            print(f"{entry.formatted_name}: {op_db_report.why_failed(record)}", flush=True)
    if options.out:
        report = {"summary": op_db_report.summary_of(records), "entries": records}
        options.out.write_text(json.dumps(report, indent=1) + "\n")
    print(json.dumps(op_db_report.summary_of(records), indent=1))
    if dtype != torch.float32:
        return 0
    wrong = op_db_report.unexpected(records, expected)
    print("\n".join(["NOT EXPECTED:", *wrong] if wrong else ["as expected"]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
