#!/usr/bin/env python3
"""Implements `runahead export`; the work is in export/."""

import signal
import sys

from export.command import main

if __name__ == "__main__":
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda received, _frame: sys.exit(128 + received))  # Exiting removes unfinished files.
    sys.exit(main(sys.argv[1:]))
