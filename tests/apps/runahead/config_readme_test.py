#!/usr/bin/env python3
"""The tables of keys in core/config/README.md are what the schemas say: on a failure, paste the table that it shows.

RUNAHEAD names the program that prints the schemas.
"""

import json
import os
import pathlib
import subprocess
import unittest

README = pathlib.Path(__file__).resolve().parents[3] / "core/config/README.md"


class Number(str):
    """A number as the schema writes it."""


def schema_of(kind):
    printed = subprocess.run([os.environ["RUNAHEAD"], "schema", kind], capture_output=True, text=True, check=True).stdout
    return json.loads(printed, parse_float=Number, parse_int=Number)


def text_of(value):
    if isinstance(value, Number):
        return str(value)
    if isinstance(value, list):
        return "[" + ",".join(map(text_of, value)) + "]"
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def range_of(schema):
    least = f"above {schema['exclusiveMinimum']}, up to" if "exclusiveMinimum" in schema else f"{schema['minimum']} to"
    return f"{least} {schema['maximum']}"


def allowed(schema):
    """What a key may be, in words."""
    if "enum" in schema:
        return ", ".join(f"`{name}`" for name in schema["enum"])
    if "anyOf" in schema:
        first, second = schema["anyOf"]
        if second.get("type") == "string":
            return ("size, " if first["type"] == "integer" else "duration, ") + range_of(first)
        return allowed(first) + (" or null" if second.get("type") == "null" else ", or an object")
    if isinstance(schema["type"], list):
        return "object or string"
    if schema["type"] == "array":
        return f"array of {schema['minItems']} to {schema['maxItems']}, each {allowed(schema['items'])}"
    if "maximum" in schema:
        return f"{schema['type']}, {range_of(schema)}"
    if "pattern" in schema:
        return "`cpu`, `acpu`, `cuda`, `cuda:N`"
    return {"string": "text", "boolean": "`true`, `false`"}.get(schema["type"], "object")


def rows_of_key(pointer, schema, alternatives=""):
    if "properties" in schema:
        return rows_of(schema, pointer)
    default = f"`{text_of(schema['default'])}`" if "default" in schema else "required"
    only = f" Only with {alternatives}." if alternatives else ""
    row = f"| `{pointer}` | {default} | {allowed(schema)} | {schema['description']}{only} |\n"
    return row + (rows_of(schema["anyOf"][1], pointer) if "properties" in schema.get("anyOf", [{}, {}])[1] else "")


def rows_of(schema, parent=""):
    rows = "".join(rows_of_key(f"{parent}/{key}", described) for key, described in schema.get("properties", {}).items())
    keys, alternatives = {}, {}  # A key that several alternatives share is one row.
    for name, key, described in keys_of_alternatives(schema):
        if "properties" in keys.get(key, {}) and "properties" in described:
            keys[key]["properties"].update(described["properties"])  # Of a section, what any of them has.
        else:
            keys[key] = described
        alternatives.setdefault(key, []).append(f"`{name}`")
    # Which kind has a key of the whole config is a table of its own.
    return rows + "".join(rows_of_key(f"{parent}/{key}", described, ", ".join(alternatives[key]) if parent else "")
                          for key, described in keys.items())


def keys_of_alternatives(schema):
    for alternative in schema.get("allOf", []):
        condition, = alternative["if"]["properties"].values()
        for key, described in alternative["then"]["properties"].items():
            if described is not False:  # Another kind's.
                yield condition["const"], key, described


def kinds_of(schema):
    kinds = {}
    for kind, key, _ in keys_of_alternatives(schema):
        kinds.setdefault(kind, []).append(f"`/{key}`")
    return "".join(f"| `{kind}` | {', '.join(keys)} |\n" for kind, keys in kinds.items())


class Readme(unittest.TestCase):
    def assert_has(self, heading, rows):
        columns = heading.count("|") - 1
        self.assertIn(f"\n\n{heading}\n|{'---|' * columns}\n{rows}\n", README.read_text() + "\n")

    def test_lists_every_key_as_the_schemas_do(self):
        self.maxDiff = None
        for kind in ("experiment", "sweep"):
            self.assert_has("| key | default | allowed | what it does |", rows_of(schema_of(kind)))
        self.assert_has("| experiment | keys of its own |", kinds_of(schema_of("experiment")))


if __name__ == "__main__":
    unittest.main()
