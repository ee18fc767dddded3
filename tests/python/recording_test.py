"""`runahead.recording`, RUNAHEAD_RECORD and `runahead.read`."""

import csv
import json
import math
import os
import pathlib
import signal
import sys
import tempfile
import threading
import unittest
from unittest import mock

import torch
import torch._dynamo  # noqa: F401  Here, since the first optimiser of each script would import it.

from script_processes import ProcessTest, run  # Before runahead.

import runahead
from runahead import loop_recording, recorded_loops, registration

RELEASED = threading.Event()
LIBRARY = torch.library.Library("recording_test", "DEF")
LIBRARY.define("wait(Tensor(a!) x) -> ()")
LIBRARY.impl("wait", lambda x: RELEASED.wait(60) and None, "CPU")


class RecordingTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.parent = pathlib.Path(folder.name)
        self.folder = self.parent / "run"

    def record(self):
        return json.loads((self.folder / "record.json").read_text())

    def options(self):
        return {"folder": str(self.folder), "command": [], "trace": True, "rate_hz": 1000.0, "torch": None}

    def columns(self):
        with open(self.folder / "samples.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        return {name: [float(row[name]) for row in rows if row[name]] for name in rows[0]}


def train(run, device, batches=5):
    """Returns what is on the device for good, and the last loss."""
    model = torch.nn.Linear(64, 64).to(device)
    optimizer = torch.optim.Adam(model.parameters())
    for _ in range(batches):
        inputs = torch.randn(32, 64).to(device)
        optimizer.zero_grad()
        loss = model(inputs).square().mean()
        loss.backward()
        optimizer.step()
        run.batch(inputs)
    return model, optimizer, loss


class OnEachDevice(RecordingTest):
    def test_writes_what_the_toolkits_own_runs_write(self):
        for device in ("acpu", "cpu"):
            self.folder = self.parent / device
            with self.subTest(device), runahead.recording(self.folder, device=device) as recording:
                train(recording, device)
            record, columns = self.record(), self.columns()
            self.assertEqual((record["status"], record["experiment"], record["device"]), ("ok", "recording", device))
            self.assertEqual((record["results"]["batches_finished"], record["results"]["examples"]), (5, 160))
            self.assertEqual(len(record["time"]["batch_finished_seconds"]), 5)
            self.assertAlmostEqual(record["time"]["examples_per_second"] * record["time"]["total_seconds"], 160)
            self.assertGreater(record["memory"]["rss_peak_bytes"], 0)
            self.assertEqual(columns["batches_finished"][-1], 5)
            trace = json.loads((self.folder / "trace.json").read_text())
            slices = [event["name"] for event in trace["traceEvents"] if event["ph"] == "X"]
            self.assertLessEqual({"batch 1", "batch 5", "issue", "drain"}, set(slices))
            self.assertNotIn("batch 6", slices)
            self.assertEqual(trace["otherData"]["operations_recorded"] > 50, device == "acpu")

    def test_on_acpu_batches_are_in_flight_until_the_worker_has_run_them_and_memory_has_classes(self):
        RELEASED.clear()
        with runahead.recording(self.folder) as recording:
            torch.ops.recording_test.wait(torch.zeros(1, device="acpu"))
            kept = train(recording, "acpu")
            RELEASED.set()
        del kept
        record, columns = self.record(), self.columns()
        self.assertEqual(record["backlog"]["batches_peak"], 5)
        self.assertGreater(record["backlog"]["operations_peak"], 50)
        for name in ("inputs", "activations", "gradients", "optimizer_state"):
            self.assertGreater(max(columns[f"{name}_bytes"]), 0, name)
        self.assertIn("activations_bytes", record["memory"]["attribution"])

    def test_the_time_to_issue_leaves_out_waits_of_its_own_thread_alone(self):
        RELEASED.clear()
        x = torch.zeros(1, device="acpu")
        with runahead.recording(self.folder) as recording:
            recording.batch(1)
            torch.ops.recording_test.wait(x)
            logger = threading.Thread(target=x.item)
            logger.start()
            recording.batch(1)
            RELEASED.set()
            logger.join()
        time = self.record()["time"]
        self.assertTrue(0 <= time["t1_seconds"] <= time["total_seconds"], time)

        with runahead.recording(self.parent / "two") as recording:
            counter = threading.Thread(target=recording.batch)
            counter.start()
            counter.join()
            recording.batch()
        self.folder = self.parent / "two"
        self.assertIsNone(self.record()["time"]["t1_seconds"])

    def test_batches_finish_by_torchs_events_where_the_device_library_is_not_loaded(self):
        loop = recorded_loops.EventLoop(torch.device("acpu"), self.options())
        RELEASED.clear()
        x = torch.randn(300, 300, device="acpu")
        torch.ops.recording_test.wait(x)
        for _ in range(3):
            x = (x @ x).mul_(1e-3)
            loop.batch(8, [x])
        self.assertGreater(runahead.backlog()["operations"], 3)
        RELEASED.set()
        self.assertIsNone(loop.finish())
        loop.write({"status": "ok", "error": None})
        record = self.record()
        self.assertEqual((record["results"]["batches_finished"], record["device"]), (3, "acpu"))
        finished = record["time"]["batch_finished_seconds"]
        self.assertEqual(finished, sorted(finished))
        self.assertLessEqual(finished[-1], record["time"]["total_seconds"])

    def test_peaks_that_the_program_resets_stay_in_the_record(self):
        with runahead.recording(self.folder) as recording:
            resets = runahead.reset_peaks, torch.acpu.reset_peak_memory_stats, torch.accelerator.reset_peak_memory_stats, int
            for reset, size in zip(resets, (1000, 2000, 3000, 1000)):
                x = torch.ones(size, device="acpu")
                x.nonzero()
                del x
                runahead.synchronize()
                recording.batch(1)
                reset()
        self.assertEqual(self.record()["memory"]["live_peak_bytes"] // 4000, 3 + 6)  # nonzero() has integers of 8 bytes.
        self.assertEqual(self.record()["backlog"]["blocking_operators"], {"aten::nonzero": 4})

    def test_threads_may_train_and_count_batches_while_memory_is_classified_and_other_observers_go_on(self):
        hooks = len(torch.nn.modules.module._global_forward_pre_hooks)
        self.addCleanup(sys.setswitchinterval, sys.getswitchinterval())
        with runahead.recording(self.folder, trace=False) as recording:
            sys.setswitchinterval(1e-6)
            model, pacer = torch.nn.Identity(), runahead.Pacer("adaptive")
            threads = [threading.Thread(target=lambda: [recording.batch(model(1)) for _ in range(2000)]) for _ in range(4)]
            for thread in threads:
                thread.start()
            pacer.after_batch((torch.ones(2, device="acpu") * 2).sum())
            for thread in threads:
                thread.join()
        self.assertEqual(self.record()["results"]["batches_finished"], 8000)
        self.assertFalse((self.folder / "trace.json").exists())
        self.assertEqual(len(torch.nn.modules.module._global_forward_pre_hooks), hooks)


class Failures(RecordingTest):
    def test_an_exception_goes_through_and_the_record_names_it(self):
        for error, status in ((ValueError("boom"), "failed"), (MemoryError(), "out_of_memory"), (KeyboardInterrupt(), "interrupted"),
                              (torch.OutOfMemoryError("too much"), "out_of_memory"), (SystemExit(0), "ok"), (GeneratorExit(), "ok")):
            self.folder = self.parent / f"{type(error).__name__}"
            with self.subTest(status), self.assertRaises(type(error)), runahead.recording(self.folder):
                raise error
            self.assertEqual(self.record()["status"], status)
            self.assertEqual(self.record()["error"] is None, status == "ok")

    def test_an_error_that_no_wait_has_reported_is_raised_at_the_end(self):
        with self.assertRaisesRegex(RuntimeError, "index"), runahead.recording(self.folder):
            torch.ones(2, device="acpu")[torch.tensor([5]).to("acpu")]
        self.assertEqual(self.record()["status"], "failed")
        self.assertRegex(self.record()["error"], r"\A[^\n]*index[^\n]*\Z")  # Without LibTorch's frames.
        runahead.synchronize()

    def test_an_exception_hides_no_failed_operation(self):
        with self.assertRaisesRegex(StopIteration, "end"), self.assertWarnsRegex(UserWarning, "before that, .*index"):
            with runahead.recording(self.folder):
                torch.ones(2, device="acpu")[torch.tensor([5]).to("acpu")]
                raise StopIteration("end")
        self.assertRegex(self.record()["error"], r"\AStopIteration: end; before that, [^\n]*index[^\n]*\Z")

    def test_an_exception_hides_no_signal_of_the_last_wait(self):
        for error in (KeyboardInterrupt(), SystemExit(143), TimeoutError("too long")):
            def handle(_number, _frame, error=error):
                raise error

            self.addCleanup(signal.signal, signal.SIGUSR1, signal.signal(signal.SIGUSR1, handle))
            self.folder = self.parent / type(error).__name__
            with self.subTest(error), self.assertRaises(type(error)) as raised:
                with mock.patch.object(registration.native(), "synchronize") as wait, runahead.recording(self.folder):
                    wait.side_effect = lambda: signal.raise_signal(signal.SIGUSR1)
                    raise ValueError("epoch failed")
            self.assertIsInstance(raised.exception.__context__, ValueError)
            self.assertRegex(self.record()["error"], type(error).__name__)

    def test_misuse_is_refused_and_leaves_nothing_behind(self):
        (self.parent / "file").touch()
        with runahead.recording(self.folder) as recording:
            with self.assertRaisesRegex(RuntimeError, "under way in this process: end it before the next"):
                with runahead.recording(self.parent / "nested"):
                    pass
            for inputs in (-1, 1.5, "text", 2**63, torch.tensor(1.5)):
                with self.assertRaisesRegex(ValueError, "allowed: a number of examples, 0 or more, or the batch itself"):
                    recording.batch(inputs)
        with self.assertRaisesRegex(RuntimeError, "has ended"):
            recording.batch()
        for folder, keys, error, words in (
                ("", {}, ValueError, "name one, which need not exist"),
                (self.folder, {}, ValueError, "holds a record.json; give a folder without results"),
                (self.parent / "device", {"device": "acpu:1"}, ValueError, "found acpu:1; there is one, acpu:0"),
                *((self.parent / f"rate {rate}", {"rate_hz": rate}, ValueError, "rate_hz: found .*; allowed: 0.001 to 10000 samples")
                  for rate in (0, -1, 1e9, math.nan, "fast", None)),
                (self.parent / "trace", {"trace": "no"}, TypeError, "trace: found 'no'; allowed: True and False"),
                (self.parent / "file", {}, ValueError, "/file' is a file; give another folder"),
                ("/proc/none", {}, RuntimeError, "cannot create the folder '/proc/none': No such file")):
            with self.subTest(folder), self.assertRaisesRegex(error, words), runahead.recording(folder, **keys):
                pass
        self.assertEqual(sorted(path.name for path in self.parent.iterdir()), ["file", "run"])
        self.assertEqual(self.record()["results"]["batches_issued"], 0)
        self.assertIsNone(loop_recording._active)

    def test_a_forked_child_leaves_the_recording_to_its_parent(self):
        script = f"""
import os, torch, runahead
with runahead.recording({str(self.folder)!r}, device="cpu") as recording:
    child = os.fork()
    if child == 0:
        try:
            recording.batch()
        except RuntimeError as error:
            print(error)
        with runahead.recording({str(self.parent / "child")!r}, device="cpu") as own:
            own.batch(1)
        raise SystemExit(0)
    assert os.waitpid(child, 0)[1] == 0
    recording.batch(1)
"""
        finished = run(script)
        self.assertEqual((finished.returncode, finished.stderr), (0, ""))
        self.assertRegex(finished.stdout, "forked from the one that is recorded")
        self.assertEqual(self.record()["results"]["batches_issued"], 1)
        self.assertTrue((self.parent / "child/record.json").exists())


TRAIN = """
import subprocess, sys, torch, runahead
model = torch.nn.Linear(8, 8).to(DEVICE)
optimizer = torch.optim.SGD(model.parameters())
for _ in range(3):
    model(torch.ones(4, 8).to(DEVICE)).sum().backward()
    optimizer.step()
"""


class FromTheEnvironment(RecordingTest, ProcessTest):
    def test_a_program_is_recorded_without_a_change_and_its_children_are_not(self):
        child = "subprocess.run([sys.executable, '-c', 'import runahead'], check=True)"
        for device in ("acpu", "cpu"):
            self.folder = self.parent / device
            finished = run(TRAIN.replace("DEVICE", repr(device)) + child, RUNAHEAD_RECORD=str(self.folder),
                           RUNAHEAD_RECORD_TRACE="0")
            self.assertEqual((finished.returncode, finished.stderr), (0, ""))
            record = self.record()
            self.assertEqual((record["status"], record["device"], record["results"]["batches_finished"]), ("ok", device, 3))
            self.assertEqual(("acpu" in record["config"], record["results"]["limit_bytes"] is None), (device == "acpu", device == "cpu"))
            self.assertEqual(sorted(os.listdir(self.folder)), ["record.json", "samples.csv"])

    def test_a_function_that_is_compiled_calls_modules_as_it_would_without_a_recording(self):
        compiled = ("step = torch.compile(lambda x: model(x).sum(), backend='aot_eager', fullgraph=True)\n"
                    "for _ in range(10):\n    step(torch.ones(4, 8).to('acpu')).backward()\n    optimizer.step()\n"
                    "print(torch._dynamo.utils.counters['stats']['unique_graphs'])\n")
        finished = run(TRAIN.replace("DEVICE", "'acpu'") + compiled, RUNAHEAD_RECORD=str(self.folder))
        self.assertEqual((finished.returncode, finished.stderr, finished.stdout), (0, "", "1\n"))
        self.assertEqual(self.record()["results"]["batches_finished"], 13)

    def test_the_record_says_how_the_program_ended(self):
        kept = ("import torch, runahead\nkept = torch.autograd.backward\n"  # A function that the first recording replaces.
                "with runahead.recording('not here') as recording: recording.batch(7)")
        finished = ("import torch, runahead\nfrom runahead import registration\ntorch.ones(1, device='acpu')\n"
                    "with runahead.recording('not here'): registration.native().finish()")
        elsewhere = f"import os\nos.chdir({str(self.parent)!r})\nimport runahead\nos.chdir('/')"
        for name, script, code, error, examples in (
                ("failed", "import runahead\nraise ValueError('boom')", 1, "ValueError: boom", None),
                ("kept", kept, 0, None, 7),
                ("text", "import sys\nsys.argv.append('\\udcff')\nimport runahead\nraise ValueError('bad \\udcff')", 1,
                 "ValueError: bad ?", None),
                ("finished", finished, 0, None, None), ("relative/folder", elsewhere, 0, None, None)):
            self.folder = self.parent / name
            with self.subTest(name):
                ended = run(script, RUNAHEAD_RECORD=name if script == elsewhere else str(self.folder))
                self.assertEqual((ended.returncode, ended.stderr == ""), (code, code == 0), ended.stderr)
                record = self.record()
                self.assertEqual((record["status"], record["error"]), ("failed" if error else "ok", error))
                self.assertEqual(record["results"].get("examples"), examples)

    def test_what_cannot_be_used_is_one_line_and_the_program_goes_on(self):
        for environment, words in (({"RUNAHEAD_RECORD": "/proc/none"}, "cannot create the folder '/proc/none': "),
                                   ({"RUNAHEAD_RECORD": str(self.folder), "RUNAHEAD_RECORD_TRACE": "no"}, "RUNAHEAD_RECORD_TRACE: found 'no'; allowed: 1, and 0")):
            finished = run("import runahead\nprint(1)", **environment)
            self.assertEqual((finished.returncode, finished.stdout), (0, "1\n"))
            self.assertRegex(finished.stderr, rf"\Arunahead: nothing is recorded: {words}.*\n\Z")
        self.assertFalse(self.folder.exists())


if __name__ == "__main__":
    unittest.main()
