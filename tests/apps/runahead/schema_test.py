"""The schemas that `runahead schema` prints, by a validator of JSON Schema: they describe every key, accept what the
program accepts, as it is written and as it is resolved, and refuse what the program refuses. RUNAHEAD names the program.
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


if __name__ == "__main__":
    unittest.main()
