"""The command line: which folders, which format, which exit code."""

import argparse
import functools
import pathlib
import sys

from export import csv_files, mlflow_store, parquet_files, runs, tensorboard_events
from export.output import Output
from report.printing import complain, fail, print_lines, reason_of

EXIT_FAILED = 1
EXIT_USAGE = 2
EXIT_UNAVAILABLE = 3

# A format has a NAME, the PACKAGES that pip installs for it, and write(runs, output), which returns what was written.
FORMATS = {module.NAME: module for module in (csv_files, parquet_files, tensorboard_events, mlflow_store)}


def main(arguments):
    """Exports runs; prints the path of each file or folder written, or the name of the experiment. Returns the exit
    code."""
    options = parse(arguments)
    if options.to not in FORMATS:
        return fail(EXIT_USAGE, f"--to: found '{options.to}'; allowed: {', '.join(FORMATS)}")
    form = FORMATS[options.to]
    output = Output(options.out or options.folders[0] / "export", is_named=options.out is not None, may_replace=options.force)
    try:
        written = form.write(runs.read(options.folders, functools.partial(complain, "warning")), output)
    except ImportError as error:
        return fail(EXIT_UNAVAILABLE, f"--to {form.NAME} needs {', '.join(form.PACKAGES)} ({error}): "
                                      f"{sys.executable} -m pip install {' '.join(form.PACKAGES)}")
    except ValueError as error:
        return fail(EXIT_USAGE, str(error))
    except OSError as error:
        return fail(EXIT_FAILED, f"the runs cannot be exported: {reason_of(error)}")
    return print_lines(written)


def parse(arguments):
    parser = argparse.ArgumentParser(prog="export", description="Write runs in the format of another tool.")
    parser.add_argument("folders", metavar="FOLDER", nargs="+", type=pathlib.Path, help="of a run or of a sweep")
    parser.add_argument("--to", required=True, metavar="FORMAT", help=", ".join(FORMATS))
    parser.add_argument("--out", type=pathlib.Path, help="where to write (default: FOLDER/export)")
    parser.add_argument("--force", action="store_true", help="replace what an earlier export wrote")
    return parser.parse_args(arguments)
