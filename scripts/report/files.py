"""Files that are written atomically."""

import contextlib
import os
import pathlib
import signal
import sys
import tempfile

ENDINGS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def remove_unfinished_when_ended():
    """Makes signals that end the program exit it, which removes unfinished files. One that is ignored stays so."""
    for number in ENDINGS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _exit)


def _exit(received, _frame):
    for number in ENDINGS:
        signal.signal(number, signal.SIG_IGN)
    sys.exit(128 + received)


class NotAFolder(ValueError):
    """A file is in the place of a folder."""


def make_folder(path):
    """Creates the folder with its parents. Raises NotAFolder, or OSError if it cannot be created."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        known = next((folder for folder in (path, *path.parents) if os.path.lexists(folder)), path)
        raise NotAFolder(f"'{known}' is a file; give another folder") from error


@contextlib.contextmanager
def staging(folder):
    """A folder within `folder` for what is to move there before the block ends, when it is removed. `folder` is created
    if missing, and removed again if nothing has moved."""
    is_new = not folder.exists()
    make_folder(folder)
    try:
        with tempfile.TemporaryDirectory(prefix=".unfinished-", dir=folder) as staged:
            yield pathlib.Path(staged)
    finally:
        if is_new and not any(folder.iterdir()):
            folder.rmdir()


@contextlib.contextmanager
def all_or_none(folder):
    """A folder for files that move to `folder`, which is created if missing, once the block has ended without an exception."""
    with staging(folder) as staged:
        yield staged
        for path in staged.iterdir():
            os.replace(path, folder / path.name)


def write_text(path, text):
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path, content):
    unfinished = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        unfinished.write_bytes(content)
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)
