#!/usr/bin/env python3
"""Draws what `runahead report` found in records, and results of `tune`, `reproduce` and `monitor`; the work is in report/."""

import sys

EXIT_UNAVAILABLE = 3

try:
    from report.command import main
    from report.files import remove_unfinished_when_ended
except ImportError as error:
    print(f"runahead: error: charts need matplotlib, numpy and plotly ({error}); scripts/setup installs them, or pip install 'runahead[charts]'", file=sys.stderr)
    sys.exit(EXIT_UNAVAILABLE)

if __name__ == "__main__":
    remove_unfinished_when_ended()
    sys.exit(main(sys.argv[1:]))
