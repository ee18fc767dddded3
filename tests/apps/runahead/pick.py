"""Prints what a JSON file, or each line of a .jsonl file, holds at places: pick.py FILE POINTER..."""

import json
import pathlib
import sys


def value_at(value, pointer):
    for key in pointer.split("/")[1:]:
        value = value[int(key)] if isinstance(value, list) else (value or {}).get(key.replace("~1", "/"))
    return value


path = pathlib.Path(sys.argv[1])
for text in path.read_text().splitlines() if path.suffix == ".jsonl" else [path.read_text()]:
    print(*(json.dumps(value_at(json.loads(text), pointer)) for pointer in sys.argv[2:]))
