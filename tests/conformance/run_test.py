"""Tests of the runner's parts that need neither torch nor the strangers' tests: plain unittest."""

import json
import pathlib
import re
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import compare
import expected
import families
import skew
from selection import Selection, neutral_name
from store import Store


def expectation(**fields) -> expected.Expectation:
    return expected.Expectation(fields.get("reason", "why"), re.compile(fields.get("tests", "")),
                                re.compile(fields.get("message", "")), fields.get("counts", True))


class Names(unittest.TestCase):
    def test_the_device_leaves_the_name(self):
        for name in ("TestViewPRIVATEUSE1::test_view_acpu_float32", "TestViewACPU::test_view_acpu_float32"):
            self.assertEqual(neutral_name(name, "acpu"), "TestViewCPU::test_view_cpu_float32")
        self.assertEqual(neutral_name("TestA::test_acpux_acpu", "acpu"), "TestA::test_acpux_cpu")
        self.assertEqual(neutral_name("test_contract[acpu]", "acpu"), "test_contract[acpu]")

    def test_edits_name_the_device(self):
        edits = skew.edits_for("npu", "cpu")
        self.assertEqual(skew.edited('only_for="privateuse1"', edits), "only_for='cpu'")
        self.assertEqual(skew.edited("torch_npu.npu.synchronize(); x.npu()", edits), "torch.cpu.synchronize(); x.cpu()")
        self.assertEqual(skew.edited("device='npu:0'", skew.edits_for("npu", "acpu")), "device='acpu:0'")


class Samples(unittest.TestCase):
    NAMES = [f"test_{number}" for number in range(2000)]

    def taken(self, **fields) -> set[str]:
        return {name for name in self.NAMES if Selection(**fields).takes("file.py", name)}

    def test_a_share_depends_on_the_seed_alone(self):
        tenth = self.taken(share=0.1, seed=1)
        self.assertEqual(tenth, self.taken(share=0.1, seed=1))
        self.assertNotEqual(tenth, self.taken(share=0.1, seed=2))
        self.assertLess(abs(len(tenth) - 200), 60)
        self.assertLess(tenth, self.taken(share=0.3, seed=1))

    def test_shards_are_the_whole_in_parts(self):
        parts = [self.taken(shard=shard, shards=3) for shard in range(3)]
        self.assertEqual(set().union(*parts), set(self.NAMES))
        self.assertEqual(sum(map(len, parts)), len(self.NAMES))

    def test_a_selection_survives_json(self):
        selection = Selection(share=0.5, only=frozenset({"a", "b"}))
        self.assertEqual(Selection.from_json(json.loads(json.dumps(selection.to_json()))), selection)


class Results(unittest.TestCase):
    def test_the_last_row_holds_and_half_a_line_is_no_row(self):
        with tempfile.TemporaryDirectory() as folder:
            store = Store(pathlib.Path(folder), "acpu", "2.6", "nn/test_a.py")
            store.add({"test": "t", "outcome": "failed", "round": "first"})
            store.add({"test": "t", "outcome": "passed", "round": "second"})
            with open(store.path, "a") as out:
                out.write('{"test": "u", "outc')
            store.mend_end()
            store.add({"test": "v", "outcome": "passed", "round": "second"})
            self.assertEqual({test: row["outcome"] for test, row in store.last_rows().items()},
                             {"t": "passed", "v": "passed"})
            self.assertEqual(store.last_rows("first")["t"]["outcome"], "failed")

    def test_a_file_is_whole_when_each_of_its_tests_has_a_row(self):
        with tempfile.TemporaryDirectory() as folder:
            store = Store(pathlib.Path(folder), "acpu", "2.6", "test_a.py")
            store.add({"test": "t", "outcome": "passed", "round": "first"})
            self.assertFalse(store.is_whole())
            store.note_count(2)
            store.add({"test": "t", "outcome": "failed", "round": "second"})
            self.assertFalse(store.is_whole())
            store.add({"test": "u", "outcome": "passed", "round": "second"})
            self.assertTrue(store.is_whole())


class Comparison(unittest.TestCase):
    CPU = {name: {"outcome": "passed"} for name in "abcd"} | {"e": {"outcome": "failed"}}

    def compared(self, rows: dict[str, dict], *expectations: expected.Expectation) -> compare.FileResult:
        return compare.compare_file("s", "f.py", rows, self.CPU, list(expectations))

    def test_what_fails_on_cpu_does_not_count_and_a_skip_is_a_failure(self):
        result = self.compared({"a": {"outcome": "passed"}, "b": {"outcome": "skipped"}, "e": {"outcome": "failed"}})
        self.assertEqual((result.on_cpu, result.ran, result.passed), (4, 2, 1))
        self.assertEqual([failure.name for failure in result.unexpected], ["s/f.py::b"])

    def test_an_expected_failure_counts_unless_told_otherwise(self):
        rows = {"a": {"outcome": "failed", "kind": "RuntimeError", "message": "sparse"}, "b": {"outcome": "crashed"}}
        result = self.compared(rows, expectation(message="^failed RuntimeError: sparse"),
                               expectation(tests="f.py::b", counts=False))
        self.assertEqual((result.ran, result.unexpected, len(result.not_counted)), (1, [], 1))

    def test_a_pass_of_what_should_fail_is_named(self):
        result = self.compared({"a": {"outcome": "passed"}}, expectation(tests="::a$"))
        self.assertEqual(result.unexpected_passes, ["s/f.py::a"])

    def test_failures_that_say_the_same_are_a_family(self):
        rows = {"a": {"outcome": "failed", "message": "shape [2, 3] of torch.float32 at 0x7f"},
                "b": {"outcome": "failed", "message": "shape [4] of torch.int64 at 0x80"}}
        first, second = self.compared(rows).failures
        self.assertEqual(families.key_of(first), families.key_of(second))


class TheList(unittest.TestCase):
    def test_it_can_be_read_and_each_entry_says_why(self):
        for each in expected.read():
            self.assertTrue(each.reason)
            self.assertTrue(each.tests.pattern or each.message.pattern)


if __name__ == "__main__":
    unittest.main()
