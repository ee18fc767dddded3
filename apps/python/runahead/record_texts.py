"""The texts that a record of a program has: how it ended, and its command. As UTF-8, whatever they contain."""

import os
import sys

import torch


def described(error: BaseException | None, unread: Exception | None = None) -> tuple[str, str | None]:
    """The status and the error text for a record. `unread` is the error of an operation that failed before `error`."""
    # A generator that a loop leaves early ends with a GeneratorExit.
    if error is None or isinstance(error, GeneratorExit) or isinstance(error, SystemExit) and error.code in (None, 0):
        return ("ok", None) if unread is None else described(unread)
    message = _text_of(error).split("\nException raised from ")[0]  # LibTorch appends its frames.
    text = f"{type(error).__name__}: {message}" if message else type(error).__name__
    if unread is not None:
        text += f"; before that, {described(unread)[1]}"
    if isinstance(error, KeyboardInterrupt):
        return "interrupted", text
    lacks_memory = isinstance(error, (MemoryError, torch.OutOfMemoryError)) or "DefaultCPUAllocator" in text
    return "out_of_memory" if lacks_memory else "failed", text


def _text_of(error: BaseException) -> str:
    try:
        return _printable(str(error))
    except Exception:
        return ""


def _printable(text: str) -> str:
    """The text as UTF-8 can hold it: arguments and file names may contain any bytes."""
    return text.encode("utf-8", "replace").decode()


def command() -> list[str]:
    return [_printable(text) for text in (os.path.basename(sys.executable), *sys.argv)]
