"""The schemas that `runahead schema` prints, by a validator of JSON Schema: they describe every key, accept what the
program accepts, as it is written and as it is resolved, and refuse what the program refuses. And the tables of keys in
core/config/README.md are what they say: on a failure, paste the table that it shows. RUNAHEAD names the program.
"""

import json
import os
import pathlib
import subprocess
import unittest

from jsonschema import Draft202012Validator

ROOT = pathlib.Path(__file__).resolve().parents[3]
EXAMPLES = json.loads((ROOT / "tests/data/example_configs.json").read_text())
CONFIGS = {str(path.relative_to(ROOT)): json.loads(path.read_text()) for path in sorted(ROOT.glob("configs/**/*.json"))}
WRONG = [{"batches": 0}, {"batches": "7"}, {"batches": 1.5}, {"nothing": 1}, {"data": {"nothing": 1}}, {"data": []},
         {"model": {"layers": []}}, {"loss": "l3"}, {"sync": {"policy": "windw"}}, {"sync": {"policy": "window", "n": 3}},
         {"sync": {"policy": "window", "batches": 0}}, {"acpu": {"limit": "of"}}, {"threads": {"pin": 1}}, {"products": 3}]
DEVICES = ["cpu", "acpu", "cuda", "cuda:0", "cuda:127", "cuda:1234", "cuda:", "cuda:x", "cuda:-1", "cpu:0", "gpu", "", "cuda:0 "]


def runahead(*arguments, document=None):
    """Returns whether the program accepts it, and what it prints."""
    done = subprocess.run([os.environ["RUNAHEAD"], *arguments], input=json.dumps(document), capture_output=True, text=True, cwd=ROOT)
    return done.returncode != 2, done.stdout


class Schemas(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.schemas = {kind: json.loads(runahead("schema", kind)[1]) for kind in ("experiment", "sweep")}

    def errors_of(self, document):
        kind = "experiment" if "experiment" in document else "sweep"
        return [error.message for error in Draft202012Validator(self.schemas[kind]).iter_errors(document)]

    def assert_described(self, schema, place):
        for key, described in schema.get("properties", {}).items():
            if described is False:
                continue  # No key of this kind.
            self.assertTrue(described.get("description"), f"{place}/{key}")
            if "properties" in described:
                self.assert_described(described, f"{place}/{key}")
            elif f"{place}/{key}" not in ("/experiment", "/base", "/command"):
                self.assertIn("default", described, f"{place}/{key}")
        for alternative in schema.get("allOf", []):
            self.assert_described(alternative["then"], place)

    def test_are_schemas_that_describe_every_key(self):
        for schema in self.schemas.values():
            Draft202012Validator.check_schema(schema)
            self.assertEqual(schema["$schema"], Draft202012Validator.META_SCHEMA["$id"])
            self.assert_described(schema, "")

    def test_accept_every_config_of_the_project_and_each_kind_of_value(self):
        self.assertGreater(len(CONFIGS), 30)
        for name, document in [*CONFIGS.items(), *((str(example), example) for example in EXAMPLES)]:
            with self.subTest(name):
                self.assertEqual(self.errors_of(document), [])
                is_accepted, resolved = runahead("validate", name if name in CONFIGS else "-", document=document)
                self.assertTrue(is_accepted)
                if resolved:  # Not where a program or a file that the config names is missing.
                    self.assertEqual(self.errors_of(json.loads(resolved)), [])

    def test_refuse_what_is_refused(self):
        for changes in [*WRONG, *({"device": device} for device in DEVICES)]:
            document = {"experiment": "train", **changes}
            with self.subTest(changes):
                self.assertEqual(not self.errors_of(document), runahead("validate", "-", document=document)[0])


README = ROOT / "core/config/README.md"


class Number(str):
    """A number as the schema writes it."""


def schema_of(kind):
    return json.loads(runahead("schema", kind)[1], parse_float=Number, parse_int=Number)


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
