"""Streams and events of `acpu`, through torch's generic ones and `torch.acpu`."""

import itertools
import threading
import unittest

import torch

import runahead
from gate import Gate


class StreamTest(unittest.TestCase):
    def setUp(self):
        runahead.configure(workers=2)
        self.gate = Gate()
        self.addCleanup(runahead.configure, workers=1)
        self.addCleanup(self.gate.opened.set)


class CurrentStream(StreamTest):
    def test_is_the_default_stream_until_one_is_chosen(self):
        self.assertEqual(torch.acpu.current_stream(), torch.acpu.default_stream())
        self.assertEqual(torch.accelerator.current_stream(), torch.acpu.default_stream("acpu:0"))

    def test_every_way_to_choose_one_is_undone_at_its_end(self):
        side, other = torch.acpu.Stream(), torch.Stream(device="acpu", priority=-1)
        for choose in (lambda: side, lambda: torch.acpu.stream(side)):
            with choose():
                self.assertEqual(torch.acpu.current_stream(), side)
                with torch.acpu.stream(other), torch.acpu.stream(None):
                    self.assertEqual(torch.accelerator.current_stream(), other)
                self.assertEqual(torch.acpu.current_stream(), side)
        torch.acpu.set_stream(side)
        torch.accelerator.set_stream(torch.acpu.default_stream())
        torch.acpu.set_stream(None)
        self.assertEqual(torch.acpu.current_stream(), torch.acpu.default_stream())

    def test_is_each_threads_own(self):
        seen = []
        with torch.acpu.Stream():
            thread = threading.Thread(target=lambda: seen.append(torch.acpu.current_stream()))
            thread.start()
            thread.join()
        self.assertEqual(seen, [torch.acpu.default_stream()])

    def test_one_that_there_is_not_is_refused(self):
        kind = torch.acpu.default_stream().device_type
        with self.assertRaisesRegex(RuntimeError, "there is no stream 1000"):
            torch.acpu.set_stream(torch.Stream(stream_id=1000, device_index=0, device_type=kind))
        with self.assertRaisesRegex(ValueError, "there is one device"):
            torch.acpu.current_stream("cuda")


class Order(StreamTest):
    def test_streams_overlap_and_answer_for_themselves(self):
        side, default = torch.acpu.Stream(), torch.acpu.default_stream()
        with side:
            self.gate.ones()
        x = torch.ones(4, device="acpu") + 1
        default.synchronize()

        self.assertTrue(default.query())
        self.assertFalse(side.query())
        self.assertEqual(x.tolist(), [2] * 4)
        self.gate.opened.set()
        side.synchronize()
        self.assertTrue(side.query())

    def test_events_and_wait_stream_order_across_streams(self):
        waits = [lambda first, second: second.wait_stream(first),
                 lambda first, second: second.wait_event(first.record_event()),
                 lambda first, second: first.record_event().wait(second)]
        for wait, has_work in itertools.product(waits, (True, False)):  # A stream that only waits is synchronised alike.
            self.gate = Gate()
            first, second = torch.acpu.Stream(), torch.acpu.Stream()
            with first:
                self.gate.ones()
            wait(first, second)
            with second:
                if has_work:
                    torch.ones(4, device="acpu").add_(1)
            event = second.record_event()
            self.assertFalse(event.query() or second.query())
            opener = self.gate.open_once_waited_for()
            (event if has_work else second).synchronize()
            opener.join()
            self.assertTrue(first.query() and second.query())

    def test_data_orders_without_an_event(self):
        with torch.acpu.Stream():
            made = self.gate.ones()
        total = made.sum()
        made.record_stream(torch.acpu.current_stream())
        self.gate.opened.set()
        self.assertEqual(total.item(), 4)


    def test_recorded_streams_hold_the_memory_of_lazy_views_and_no_copy(self):
        stream = torch.acpu.Stream()
        runahead.synchronize()
        before = runahead.memory_stats()["allocated_bytes"]
        made = torch.zeros(1024, dtype=torch.complex64, device="acpu")
        runahead.synchronize()
        allocated = runahead.memory_stats()["allocated_bytes"]
        for view in (made.conj(), made.conj().imag, torch._neg_view(made.real)):
            view.record_stream(stream)
            del view
        runahead.synchronize()
        self.assertEqual(runahead.memory_stats()["allocated_bytes"], allocated)
        del made
        runahead.synchronize()
        self.assertEqual(runahead.memory_stats()["allocated_bytes"], before)


class Synchronisation(StreamTest):
    """Each way to wait for the device waits for work on all its streams."""

    def test_waits_for_everything(self):
        for synchronize in (torch.accelerator.synchronize, torch.acpu.synchronize, runahead.synchronize,
                            lambda: torch.accelerator.synchronize("acpu:0")):
            self.gate = Gate()
            with torch.acpu.Stream():
                x = self.gate.ones()
            opener = self.gate.open_once_waited_for()
            synchronize()
            opener.join()
            self.assertEqual(runahead.backlog()["operations"], 0)
            self.assertEqual(x.tolist(), [1] * 4)


class Events(StreamTest):
    def test_time_passes_between_them_and_they_can_be_recorded_again(self):
        start, end = torch.acpu.Event(enable_timing=True), torch.Event("acpu", enable_timing=True)
        self.assertTrue(end.query())
        with self.assertRaisesRegex(ValueError, "must be recorded"):
            start.elapsed_time(end)
        for event in (start, end, end):
            event.record()
        self.gate.ones()
        end.record()
        self.assertFalse(end.query())
        with self.assertRaisesRegex(RuntimeError, "must be completed"):
            start.elapsed_time(end)
        self.gate.opened.set()
        end.synchronize()
        self.assertTrue(end.query())
        self.assertGreater(start.elapsed_time(end), 0)


class Autograd(StreamTest):
    def test_backward_runs_on_the_stream_of_the_forward(self):
        side, seen = torch.acpu.Stream(), []
        x = torch.ones(4, device="acpu", requires_grad=True)
        with side:
            y = x * 2
            y.register_hook(lambda gradient: seen.append(torch.acpu.current_stream()))
            loss = (y * y).sum()
        loss.backward()

        self.assertEqual(seen, [side])
        self.assertEqual(x.grad.tolist(), [8] * 4)


if __name__ == "__main__":
    unittest.main()
