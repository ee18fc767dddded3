"""Prints what a JSON file, or each line of a .jsonl file, holds at places: pick.py FILE POINTER...; without places, all that is no
object, each with its place in a line of its own."""

import json
import pathlib
import sys


def value_at(value, pointer):
    for key in pointer.split("/")[1:]:
        value = value[int(key)] if isinstance(value, list) else (value or {}).get(key.replace("~1", "/"))
    return value


def print_all(value, place=""):
    if not isinstance(value, dict) or not value:
        print(place, json.dumps(value))
        return
    for key, member in value.items():
        print_all(member, place + "/" + key.replace("/", "~1"))


path = pathlib.Path(sys.argv[1])
for text in path.read_text().splitlines() if path.suffix == ".jsonl" else [path.read_text()]:
    value = json.loads(text)
    if len(sys.argv) > 2:
        print(*(json.dumps(value_at(value, pointer)) for pointer in sys.argv[2:]))
    else:
        print_all(value)
