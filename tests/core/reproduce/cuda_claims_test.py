"""The claims on CUDA, on what an H100 measured: all hold, and each change of the results fails exactly the claims that it is about.

RUNAHEAD names the program, H100 the folder of the results.
"""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

MIB = 1 << 20
BYTES, TIME = "/memory/cuda", "/time/total_seconds"
TESTS = '<testsuite name="gpu" tests="12" failures="0" disabled="0" skipped="0"/>'
# Of a sweep's cells with these values of its axes: a key, its value as it was or at the same place of another cell, the claims to fail.
CHANGES = [
    ("losses", {16, "none"}, TIME, lambda x, at: x / 0.97, {"losses.16.none_keeps_the_throughput"}),
    ("plain", {"window"}, TIME, lambda x, at: x / 0.98, {"plain.window_keeps_the_throughput"}),
    ("plain", {"window"}, TIME, lambda x, at: x / 0.995, set()),
    ("allocator", {"native", "none"}, "/loss/last", lambda x, at: x * 1.1, {"allocator.native.losses_are_equal"}),
    ("staging", {"pageable", "every_batch"}, "/time/t1_seconds", lambda x, at: 1.0, {"staging.pageable.batches_queue"}),
    ("outputs", {"kept", "none"}, "/time/issue_seconds", lambda x, at: 2.0, {"outputs.kept.batches_queue"}),
    # As of a run that issued more batches than have their time kept.
    ("outputs", {"kept", "none"}, "/time/batch_finished_seconds", lambda x, at: x[:4], set()),
    ("outputs", {"kept", "none"}, f"{BYTES}/active_peak_bytes", lambda x, at: at({"dropped", "none"}), {"outputs.kept.predictions_stay"}),
    ("plain", {"adaptive"}, f"{BYTES}/reserved_peak_bytes", lambda x, at: at({"none"}) * 103 // 100,
     {"plain.reserved_memory_is_flat"}),
    ("plain", {"window"}, "/backlog/bytes_peak", lambda x, at: x * 2, {"plain.window_bounds_bytes"}),
    ("plain", {"window"}, f"{BYTES}/pinned_peak_bytes", lambda x, at: 17 * MIB, {"plain.window_bounds_pinned_memory"}),
    ("staging", {"pinned", "none"}, f"{BYTES}/pinned_peak_bytes", lambda x, at: 50 * MIB, {"staging.pinned.pinned_memory_grows"}),
    ("staging", {"pinned", "budget"}, "/backlog/bytes_peak", lambda x, at: 17 * MIB, {"staging.pinned.budget_bounds_bytes"}),
    ("staging", {"pinned", "budget"}, f"{BYTES}/pinned_peak_bytes", lambda x, at: MIB, {"staging.pinned.budget_bounds_pinned_memory"}),
    ("staging", {"pinned_ring", "none"}, f"{BYTES}/pinned_peak_bytes", lambda x, at: 22 * MIB,
     {"staging.pinned_ring.pinned_memory_is_constant"}),
    ("copies", {"side_record_stream", "window"}, f"{BYTES}/active_peak_bytes", lambda x, at: at({"side_record_stream", "every_batch"}),
     {"copies.side_record_stream.window_bounds_deferred_frees"}),
    ("copies", {"side_reuse", "none"}, "/backlog/batches_peak", lambda x, at: 2, {"copies.side_reuse.memory_is_constant"}),
    ("expandable_segments", {True, "none"}, f"{BYTES}/active_peak_bytes", lambda x, at: at({True, "every_batch"}),
     {"expandable_segments.true.memory_grows"}),
    ("launch_queue", {"kept"}, "/results/launch_queue/kept_bytes", lambda x, at: 1e8, {"launch_queue.kept.launches_keep_outputs"}),
    ("launch_queue", {"dropped"}, "/results/launch_queue/depth_unknown_because", lambda x, at: "slow",
     {"launch_queue.dropped.launching_blocks"}),
    ("launch_queue", {"dropped"}, "/status", lambda x, at: "failed", {"launch_queue.dropped.launching_blocks", "launch_queue.is_whole"}),
    ("plain", {"none"}, "/backlog/batches_peak", lambda x, at: 8,
     {"plain.allocated_memory_is_flat", "plain.reserved_memory_is_flat", "plain.used_memory_is_flat"}),
    ("copies", {"side_reuse", "none"}, "/environment/git", lambda x, at: "another", {"versions.are_one"}),
]


def place(record, pointer):
    *parents, key = pointer.split("/")[1:]
    for parent in parents:
        record = record[parent]
    return record, key


class CudaClaims(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name) / "h100"
        shutil.copytree(os.environ["H100"], self.folder)
        (self.folder / "tests.xml").write_text(TESTS)  # The tests that need a GPU were not a part of it.
        self.records = {path.parent.name: [json.loads(line) for line in path.read_text().splitlines()]
                        for path in self.folder.glob("*/records.jsonl")}
        for record in sum(self.records.values(), []):
            record["time"]["total_seconds"] = 2.0
        for sweep in self.records:
            self.write(sweep)

    def write(self, sweep):
        (self.folder / sweep / "records.jsonl").write_text("".join(json.dumps(record) + "\n" for record in self.records[sweep]))

    def failing(self):
        """The claims that do not hold, without the "cuda." that each begins with."""
        judged = subprocess.run([os.environ["RUNAHEAD"], "reproduce", "--judge", self.folder, "--json"], capture_output=True, text=True)
        self.claims = {claim["id"].removeprefix("cuda."): claim for claim in json.loads(judged.stdout)["claims"]}
        failing = {name for name, claim in self.claims.items() if not claim["holds"]}
        self.assertEqual(judged.returncode, 5 if failing else 0)
        return failing

    def cells(self, sweep, values):
        return [record for record in self.records[sweep] if values <= set(record["axes"].values())]

    def test_hold_of_what_an_h100_measured(self):
        self.assertEqual(self.failing(), set())

    def test_fail_with_the_figures_that_they_are_about(self):
        for sweep, values, pointer, change, expected in CHANGES:
            kept = json.dumps(self.records[sweep])

            def at(others):
                holder, key = place(self.cells(sweep, others)[0], pointer)
                return holder[key]

            for record in self.cells(sweep, values):
                holder, key = place(record, pointer)
                holder[key] = change(holder[key], at)
            self.write(sweep)
            with self.subTest(sweep=sweep, values=values, pointer=pointer):
                self.assertEqual(self.failing(), expected)
            self.records[sweep] = json.loads(kept)
            self.write(sweep)

    def test_losses_that_differ_are_shown_whole(self):
        for record in self.cells("losses", {0, "none"}):
            record["loss"] = {"first": 2.0, "last": 0.5}
        self.write("losses")
        self.assertEqual(self.failing(), {"losses.0.losses_are_equal"})
        self.assertRegex(self.claims["losses.0.losses_are_equal"]["measured"], r"^loss from .* to .*, from 2\.0 to 0\.5$")

    def test_ask_for_as_many_runs_as_the_sweeps_were(self):
        for sweep in self.records:
            self.records[sweep] = [record for record in self.records[sweep] if record["repeat"] < 2]
            self.write(sweep)
        self.assertIn("plain.is_whole", self.failing())
        for path in self.folder.glob("*/sweep.json"):
            config = json.loads(path.read_text())
            path.write_text(json.dumps({**config, "repeats": min(config["repeats"], 2)}))
        self.assertEqual(self.failing(), set())

    def test_count_the_last_record_of_a_cell(self):
        self.records["plain"].insert(0, {**self.records["plain"][0], "status": "failed"})
        self.write("plain")
        self.assertEqual(self.failing(), set())
        self.records["losses"].pop()
        self.write("losses")
        self.assertIn("losses.is_whole", self.failing())

    def test_fail_with_a_run_out_of_memory_that_has_no_summary_or_ends_well(self):
        too_large = max(self.records["out_of_memory"], key=lambda record: record["axes"]["/data/batch_size"])
        too_large["memory"]["cuda"]["out_of_memory_summary"] = ""
        self.write("out_of_memory")
        self.assertEqual(self.failing(), {"out_of_memory.has_a_summary"})
        too_large["status"] = "ok"
        self.write("out_of_memory")
        self.assertEqual(self.failing(), {"out_of_memory.has_a_summary", "out_of_memory.is_whole"})

    def test_fail_with_what_the_folder_lacks(self):
        for text in (TESTS.replace('skipped="0"', 'skipped="1"'), TESTS[:20]):
            (self.folder / "tests.xml").write_text(text)
            self.assertEqual(self.failing(), {"tests.pass"})
        (self.folder / "tests.xml").write_text(TESTS)
        (self.folder / "transfer.json").unlink()
        self.assertEqual(self.failing(), {"programs.end_well"})


if __name__ == "__main__":
    unittest.main()
