"""Files that are written atomically."""

import os


def write_text(path, text):
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path, content):
    unfinished = path.with_name(path.name + ".part")
    try:
        unfinished.write_bytes(content)
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)
