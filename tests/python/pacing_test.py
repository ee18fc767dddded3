"""`runahead.Pacer` in a loop of one's own, and what it and `Recording.batch` find in a batch."""

import collections
import concurrent.futures
import dataclasses
import functools
import math
import unittest
import weakref
from unittest import mock

import numpy
import torch

from script_processes import ProcessTest, run  # Before runahead.

import runahead
from runahead import _pacing, pacing
from runahead.batch_contents import examples, pinned_bytes


class Event:
    """Finishes when it is waited for, and writes that down."""

    def __init__(self, log, number):
        self.log, self.number, self.is_finished, self.interrupts = log, number, False, []

    def query(self):
        return self.is_finished

    def synchronize(self):
        if self.interrupts:
            raise self.interrupts.pop()
        self.log.append(self.number)
        self.is_finished = True


class PoliciesOverEvents(unittest.TestCase):
    """What `cuda` runs, on events of the test."""

    def pacer(self, policy, value=None, **keys):
        self.events, self.log, self.waits, self.notices = [], [], [], []

        def record():
            self.events.append(Event(self.log, len(self.events)))
            return self.events[-1]

        return _pacing.EventPacer(policy, value, keys, record, lambda *wait: self.waits.append(wait), self.notices.append)

    def test_each_waits_for_what_its_words_say(self):
        pacer = self.pacer("window", 2)
        for waited in ([], [0], [0, 1]):
            pacer.after_batch(None, 0)
            self.assertEqual(self.log, waited)
        pacer = self.pacer("every_n", 2, wait="host_copy")
        for loss in ("a", "b", "c", None):
            pacer.after_batch(loss, 0)
        self.assertEqual(self.waits, [("host_copy", "b"), ("host_copy", None)])
        pacer = self.pacer("budget", "1kB")
        for kept in (400, 400, 0, 400):
            pacer.after_batch(None, kept)
        self.assertEqual(self.log, [0, 1])
        self.assertEqual(self.notices, [])
        pacer.after_batch(None, 2000)
        self.assertRegex(self.notices[0], "found batches that keep 2.00 kB")

    def test_a_window_keeps_its_size_after_an_interrupted_wait(self):
        pacer = self.pacer("window", 2)
        pacer.after_batch(None, 0)
        self.events[0].interrupts.append(KeyboardInterrupt())
        with self.assertRaises(KeyboardInterrupt):
            pacer.after_batch(None, 0)
        pacer.after_batch(None, 0)
        self.assertEqual(self.log, [0, 1])

    def test_an_error_of_an_event_comes_through(self):
        def record():
            raise RuntimeError("lost device")
        pacer = _pacing.EventPacer("window", 1, {}, record, None, None)
        with self.assertRaisesRegex(RuntimeError, "lost device"):
            pacer.after_batch(None, 0)


class Parameters(unittest.TestCase):
    def test_what_is_wrong_is_named_on_every_device(self):
        for device in ("acpu", "cpu"):
            def pacer(*arguments, **keys):
                return runahead.Pacer(*arguments, device=device, **keys)

            after_batch = pacer("window", numpy.int64(2)).after_batch
            for call, error, words in (
                    (lambda: pacer("windwo"), ValueError, "windwo.*window"),
                    (lambda: pacer("window", 0), ValueError, "sync policy: /batches: found 0"),
                    (lambda: pacer("window", 2, batches=3), ValueError, "found batches twice"),
                    (lambda: pacer("none", 1), ValueError, "takes none"),
                    (lambda: pacer("every_n", 2, wait="soon"), ValueError, "sync policy: /wait"),
                    (lambda: pacer("budget", "1XB"), ValueError, "sync policy: /bytes"),
                    (lambda: pacer("window", n=3), ValueError, "sync policy: /n"),
                    (lambda: pacer(None), TypeError, "Pacer: policy: found None; allowed: the name"),
                    (lambda: pacer("window", math.nan), ValueError, "Pacer: value: found nan; allowed: a finite"),
                    (lambda: pacer("window", batches=[2]), TypeError, r"Pacer: batches: found \[2\]"),
                    (lambda: after_batch(3), TypeError, "after_batch: loss: found 3; allowed: a tensor, and None"),
                    (lambda: after_batch(kept=-1), ValueError, "after_batch: kept: found -1; allowed: a whole number"),
                    (lambda: after_batch(kept=0.5), ValueError, "after_batch: kept: found 0.5"),
                    (lambda: after_batch(kept="256MiB"), ValueError, "after_batch: kept: found '256MiB'; allowed: a whole number")):
                with self.subTest(words, device=device), self.assertRaisesRegex(error, words):
                    call()

    def test_a_gpu_other_than_the_current_one_is_another_device_unless_it_was_given(self):
        gpu = torch.device("cuda:1")
        with mock.patch.object(torch.accelerator, "current_device_index", lambda: 0):
            self.assertTrue(pacing.is_another_of_its_type(gpu, torch.device("cuda")))
            self.assertTrue(pacing.is_another_of_its_type(gpu, torch.device("cuda:0")))
            for device in ("cuda:1", "cpu"):
                self.assertFalse(pacing.is_another_of_its_type(gpu, torch.device(device)), device)

    def test_takes_the_accelerator_unless_it_is_given_a_device(self):
        self.assertEqual(runahead.Pacer("none")._device.type, "acpu")
        self.assertIsNone(runahead.Pacer("window", 2, device="cpu")._pacer)


class OnAcpu(unittest.TestCase):
    def setUp(self):
        runahead.set_limit()
        self.addCleanup(runahead.set_limit)
        self.x = torch.zeros(300, 300, device="acpu")
        runahead.synchronize()

    def most_in_flight(self, pace, batches=20):
        """Operations of one each batch that are in flight before a batch is issued."""
        most = 0
        for _ in range(batches):
            most = max(most, runahead.backlog()["operations"])
            self.x.mm(self.x)
            pace()
        return most

    def test_torchs_own_events_bound_them_as_well(self):
        device = torch.device("acpu")
        events = _pacing.EventPacer("window", 3, {}, functools.partial(pacing.record_event, device), None, None)
        # Two batches, and the operation of an event after each.
        self.assertLessEqual(self.most_in_flight(lambda: events.after_batch(None, 0)), 4)
        for kind in ("loss_value", "loss_ready", "host_copy", "save", "all"):
            loss = self.x.mm(self.x).sum()
            pacing._wait(device, kind, loss)
            self.assertEqual(runahead.backlog()["operations"], 0)

    def test_window_and_every_batch_bound_the_batches_in_flight(self):
        self.assertEqual(self.most_in_flight(runahead.Pacer("every_batch").after_batch), 0)
        pacer = runahead.Pacer("every_batch")
        self.assertEqual(self.most_in_flight(lambda: pacer.after_batch(self.x.mm(self.x).sum())), 0)
        self.assertLessEqual(self.most_in_flight(runahead.Pacer("window", 3).after_batch), 2)

    def test_budget_and_adaptive_bound_committed_bytes(self):
        for policy in ("budget", "adaptive"):
            runahead.set_limit()
            pacer = runahead.Pacer(policy, "4MB")
            runahead.synchronize()
            runahead.reset_peaks()
            kept = 0
            for _ in range(20):
                kept = torch.zeros(300, 300).to("acpu") + kept
                pacer.after_batch()
            with self.subTest(policy):
                self.assertLessEqual(runahead.memory_stats()["committed_peak_bytes"], 4_000_000)

    def test_threads_that_share_a_pacer_take_turns(self):
        pacer = runahead.Pacer("window", 2)

        def loop():
            for _ in range(300):
                pacer.after_batch(self.x.sum())

        with concurrent.futures.ThreadPoolExecutor(4) as threads:
            for loop_ended in [threads.submit(loop) for _ in range(4)]:
                loop_ended.result()

    def test_an_error_of_an_earlier_operation_is_raised(self):
        pacer = runahead.Pacer("every_batch")
        broken = torch.ones(2, device="acpu")[torch.tensor([5]).to("acpu")]
        with self.assertRaisesRegex(RuntimeError, "index"):
            pacer.after_batch(broken.sum())


class Iteration(unittest.TestCase):
    def test_paces_after_each_batch_and_keeps_no_reference_to_it(self):
        calls = []
        pacer = runahead.Pacer("none", device="cpu")
        pacer.after_batch = lambda kept: calls.append(kept)
        self.assertEqual(len(pacer([[1], [2], [3]])), 3)
        for batch in pacer(torch.full((1,), i) for i in range(3)):
            self.assertEqual(batch.item(), len(calls))
            reference = weakref.ref(batch)
            del batch
            self.assertIsNone(reference())
        self.assertEqual(calls, [0, 0, 0])


class LimitOfTheEnvironment(ProcessTest):
    def test_sets_the_limit_without_a_word_in_the_script(self):
        script = "import torch, runahead\nkept = [torch.ones(1000, device='acpu') for _ in range(100)]"
        self.assertRegex(run(script, RUNAHEAD_LIMIT="100kB").stderr, "limit of 100 kB")

    def test_what_is_no_size_is_refused_and_nothing_is_no_limit(self):
        for wrong in ("100XB", "0"):
            finished = run("import runahead", RUNAHEAD_LIMIT=wrong)
            self.assertRegex(finished.stderr, f"ValueError: RUNAHEAD_LIMIT must be a size .*, but is '{wrong}'")
        for none in ("", "off"):
            self.assert_prints("", "import runahead", RUNAHEAD_LIMIT=none)


@dataclasses.dataclass
class Pair:
    name: str
    x: torch.Tensor


class Graph:
    """A batch that has keys but is no mapping, as `Data` of PyTorch Geometric."""

    def __init__(self, x):
        self._parts = {"name": "a graph", "x": x}

    def keys(self):
        return list(self._parts)

    def __getitem__(self, key):
        return self._parts[key]


class BatchContents(unittest.TestCase):
    def test_a_batch_counts_as_its_number_or_the_length_of_its_first_tensor(self):
        x = torch.ones(4, 2)
        for batch in (4, numpy.int64(4), torch.tensor(4), x, x.numpy(), [x, torch.ones(3)], (0, x), ([], {"ids": "x", "x": x}),
                      (torch.tensor(7), x), collections.UserDict(ids=7, x=x), Pair("ids", x), Graph(x)):
            with self.subTest(batch):
                self.assertEqual(examples(batch), 4)
        for batch in (None, object(), [], ["text", 3], {"y": torch.tensor(3)}, Graph(None), Pair):
            with self.subTest(batch):
                self.assertIsNone(examples(batch))

    def test_pinned_tensors_count_wherever_they_are(self):
        x = torch.ones(4, 2).pin_memory()
        for batch in ([x, {"y": x}], collections.UserDict(ids=7, x=x, y=x), [Graph(x), Pair("ids", x)], (x, torch.ones(2), 8, x)):
            with self.subTest(batch):
                self.assertEqual(pinned_bytes(batch), 64)
        for batch in (None, "text", torch.ones(2), x.to("acpu"), object()):
            with self.subTest(batch):
                self.assertEqual(pinned_bytes(batch), 0)


if __name__ == "__main__":
    unittest.main()
