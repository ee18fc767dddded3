"""What a command prints, once everything is written: a stream that is closed or full leaves no half of it."""

import os
import sys


def print_lines(lines):
    """Prints the lines. Returns the exit code: a reader that has read enough, as in `| head -1`, is no failure."""
    try:
        print(*lines, sep="\n", flush=True)
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Else Python fails again when it exits.
        return 0 if isinstance(error, BrokenPipeError) else fail(1, f"cannot write to stdout: {error.strerror}")
    return 0


def fail(code, message):
    complain("error", message)
    return code


def complain(level, message):
    note(f"{level}: {message}")


def note(message):
    try:
        print(f"runahead: {message}", file=sys.stderr)
    except OSError:
        pass  # The reader has gone.


def reason_of(error):
    """The text of an exception: of the system's errors the file and the reason, without a number."""
    strerror, filename = getattr(error, "strerror", None), getattr(error, "filename", None)
    return f"'{filename}': {strerror}" if strerror and filename is not None else str(strerror or error)
