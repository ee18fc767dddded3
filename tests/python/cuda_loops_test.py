"""Recordings and pacers of loops on `cuda`, over events and counters of the test: no GPU is needed."""

import contextlib
import csv
import json
import pathlib
import tempfile
import unittest
from unittest import mock

import torch

import runahead
from runahead import pacing, recorded_loops


class Event:
    """Passes at once, unless it is lost. What it is asked uses the GPU that is current then."""

    def __init__(self, cuda):
        self._cuda, self.is_lost = cuda, False
        cuda.events.append(self)

    def record(self, stream):
        self._cuda.use(stream)

    def query(self):
        self._cuda.use()
        if self.is_lost:
            raise RuntimeError("lost")
        return True

    def synchronize(self):
        self._cuda.use()

    def elapsed_time(self, _later):
        self._cuda.use()
        return 1.0


class OnCuda(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name, "run")
        self.events, self.used, self.current, self.is_capturing, self.allocator = [], set(), 0, False, "native"
        counted = {f"{name}_bytes": {"all": {"current": 7}} for name in ("allocated", "reserved", "active", "requested")}
        for patch in (
                mock.patch.multiple(torch.cuda, is_initialized=lambda: True, mem_get_info=self.asked((30, 100)),
                                    memory_stats=self.counted({"allocated_bytes.all.peak": 9, "num_ooms": 0}),
                                    reset_peak_memory_stats=self.counted(None), get_allocator_backend=lambda: self.allocator,
                                    get_device_name=self.asked("GPU"), is_current_stream_capturing=lambda: self.is_capturing,
                                    Event=lambda enable_timing: Event(self), device=self.device, current_stream=self.index_of),
                mock.patch.object(torch.cuda.memory, "memory_stats_as_nested_dict", self.counted(counted)),
                mock.patch.multiple(torch.accelerator, synchronize=self.use, current_device_index=lambda: self.current),
                mock.patch.object(pacing, "_device_or_accelerator", torch.device)):
            self.enterContext(patch)

    def use(self, device=None):
        self.assertFalse(self.is_capturing)
        self.used |= {self.current, self.index_of(device)}

    def asked(self, answer):
        return lambda device: self.used.add(self.index_of(device)) or answer

    def counted(self, answer):
        return lambda device: self.assertNotEqual(self.allocator, "pluggable") or self.asked(answer)(device)

    def index_of(self, device):
        index = device.index if isinstance(device, torch.device) else device
        return self.current if index is None else index

    @contextlib.contextmanager
    def device(self, device):
        before, self.current = self.current, self.index_of(device)
        yield
        self.current = before

    def end(self, loop):
        self.assertIsNone(loop.finish())
        loop.write({"status": "ok", "error": None})
        return json.loads((self.folder / "record.json").read_text())

    def last_sample(self):
        with open(self.folder / "samples.csv", newline="") as file:
            return list(csv.DictReader(file))[-1]

    def loop(self, device="cuda:0"):
        options = {"folder": str(self.folder), "command": [], "trace": True, "rate_hz": 1000.0, "torch": None}
        return recorded_loops.EventLoop(torch.device(device), options)

    def test_the_counters_are_taken_at_each_batch_and_reported(self):
        loop = self.loop()
        with self.assertRaisesRegex(ValueError, "found a tensor on cuda:1; the recording is of cuda:0"):
            loop.batch(8, [mock.Mock(spec=torch.Tensor, device=torch.device("cuda:1"))])
        on_both = [mock.Mock(spec=torch.Tensor, device=torch.device("cuda", i), is_pinned=lambda: False) for i in (0, 1)]
        loop.batch(8, on_both)
        record = self.end(loop)
        self.assertEqual((record["device"], record["environment"]["gpu"]), ("cuda:0", "GPU"))
        cuda = record["memory"]["cuda"]
        self.assertEqual([cuda[key] for key in ("used_bytes", "allocated_peak_bytes", "num_ooms", "active_bytes")], [70, 9, 0, None])
        self.assertEqual(self.last_sample()["cuda_requested_bytes"], "7")
        self.assertEqual(len(record["time"]["batch_finished_seconds"]), 1)

    def test_what_an_allocator_does_not_count_is_not_measured(self):
        for self.allocator, allocated in (("cudaMallocAsync", "7"), ("pluggable", "")):
            with self.subTest(self.allocator):
                self.folder = self.folder.with_name(self.allocator)
                loop = self.loop()
                loop.batch(8, None)
                cuda = self.end(loop)["memory"]["cuda"]
                self.assertEqual((cuda["requested_bytes"], cuda["num_ooms"], cuda["used_bytes"]), (None, None, 70))
                self.assertEqual([self.last_sample()[f"cuda_{name}_bytes"] for name in ("allocated", "requested")], [allocated, ""])

    def test_a_capture_of_a_cuda_graph_is_not_disturbed_and_a_lost_event_stops_no_count(self):
        loop = self.loop()
        pacer = runahead.Pacer("every_batch", device="cuda:0")
        loop.batch(8, None)
        self.is_capturing = True
        loop.batch(8, None)
        pacer.after_batch()
        self.is_capturing = False
        self.events[-1].is_lost = True
        with self.assertRaisesRegex(RuntimeError, "lost"):
            loop.batch(8, None)
        loop.batch(8, None)
        results = self.end(loop)["results"]
        self.assertEqual((results["batches_issued"], results["batches_finished"]), (2, 1))

    def test_nothing_is_done_on_a_gpu_that_is_not_theirs(self):
        pacers = [runahead.Pacer(policy, device="cuda:1") for policy in ("every_batch", "window")]
        loop = self.loop("cuda:1")
        for _ in range(3):
            loop.batch(8, None)
            for pacer in pacers:
                pacer.after_batch()
        self.assertEqual(self.end(loop)["results"]["batches_finished"], 3)
        self.assertEqual(self.used, {1})

    def test_a_recording_stays_on_the_gpu_that_was_current_when_it_began(self):
        loop = self.loop("cuda")
        loop.batch(8, None)
        self.current = 1
        loop.batch(8, None)
        self.assertEqual(self.end(loop)["results"]["batches_finished"], 2)
        self.assertEqual(self.used, {0})


if __name__ == "__main__":
    unittest.main()
