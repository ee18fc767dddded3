#!/usr/bin/env python3
"""Draws what `runahead report` found in records, and results of `tune`, `reproduce` and `monitor`; the work is in report/."""

import signal
import sys

EXIT_UNAVAILABLE = 3

for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, lambda received, _frame: sys.exit(128 + received))  # Exiting removes unfinished files.

try:
    from report.command import main
except ImportError as error:
    print(f"runahead: error: charts need matplotlib, numpy and plotly ({error}); scripts/setup installs them, or pip install 'runahead[charts]'", file=sys.stderr)
    sys.exit(EXIT_UNAVAILABLE)

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
