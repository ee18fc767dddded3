#!/usr/bin/env python3
"""Implements `runahead export`; the work is in export/."""

import sys

from export.command import main
from report.files import remove_unfinished_when_ended

if __name__ == "__main__":
    remove_unfinished_when_ended()
    sys.exit(main(sys.argv[1:]))
