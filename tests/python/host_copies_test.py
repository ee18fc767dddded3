"""Non-blocking copies from host memory: what they read, and what becomes of their sources."""

import gc
import unittest
import weakref

import torch
from gate import held_worker

import runahead


class HostCopies(unittest.TestCase):
    way = "snapshot"

    def setUp(self):
        runahead.configure(host_copies=self.way)
        self.addCleanup(runahead.configure, host_copies="snapshot")
        self.used = torch.zeros(1000, device="acpu") + 0

    def assert_held(self, count):
        """That the queue holds the memory of `count` vectors."""
        self.assertEqual(runahead.memory_stats()["held_bytes"], count * self.used.nbytes)

    def assert_nothing_is_held(self):
        runahead.synchronize()
        self.assert_held(0)


class Snapshots(HostCopies):
    def test_have_the_values_of_the_call(self):
        host = torch.ones(1000)
        part = torch.zeros(4, 1000, device="acpu")
        with held_worker():
            fresh = host.to("acpu", non_blocking=True)
            self.assert_held(0)  # The values are in the target's own memory.
            self.used.copy_(host, non_blocking=True)
            self.assert_held(1)
            part[1].copy_(torch.from_numpy(host.numpy()), non_blocking=True)
            converted = host.to("acpu", torch.float64, non_blocking=True)
            host.zero_()
        for copy in (fresh, self.used, part, converted):
            self.assertEqual(copy.sum().item(), 1000)
        self.assert_nothing_is_held()

    def test_do_not_keep_their_source(self):
        host = torch.ones(1000)
        watched = weakref.ref(host)
        with held_worker():
            self.used.copy_(host, non_blocking=True)
            del host
            self.assertIsNone(watched())
        self.assertEqual(self.used.sum().item(), 1000)


class KeptSources(HostCopies):
    way = "keep"

    def test_are_let_go_once_the_copy_has_run(self):
        def copy_from(source):
            with torch.no_grad():
                self.used.copy_(source, non_blocking=True)
                self.assert_held(1)
                return source.to("acpu", non_blocking=True)

        for make in (lambda: torch.ones(1000), lambda: torch.nn.Parameter(torch.ones(1000)),
                     lambda: torch.ones(1000, requires_grad=True) * 1):
            source = make()
            watched = weakref.ref(source)
            with held_worker():
                fresh = copy_from(source)
                self.assert_held(2)
                del source
            self.assert_nothing_is_held()
            for copy in (fresh, self.used):
                self.assertEqual((copy.sum().item(), copy.requires_grad), (1000, False))
            gc.collect()
            self.assertIsNone(watched())

    def test_gradients_flow_through_the_copy(self):
        source = torch.ones(3, requires_grad=True)
        (source.to("acpu", non_blocking=True) * 2).sum().backward()
        self.assertEqual(source.grad.tolist(), [2] * 3)

    def test_copies_in_inference_mode_run(self):
        with torch.inference_mode():
            target = torch.zeros(3, device="acpu")
            target.copy_(torch.ones(3), non_blocking=True)
            self.assertEqual(target.tolist(), [1] * 3)
            self.assertEqual(torch.ones(3).to("acpu", non_blocking=True).tolist(), [1] * 3)

    def test_a_changed_source_neither_spoils_its_copy_nor_the_count(self):
        for change in (lambda source: source.t_(), lambda source: source.set_(torch.zeros(7)), lambda source: source.unsqueeze_(0),
                       lambda source: source.resize_(10), lambda source: source.resize_(100_000)):
            source = torch.arange(1000.0).reshape(2, 500)
            expected, target = source.clone(), self.used.view(2, 500)
            with held_worker():
                target.copy_(source, non_blocking=True)
                change(source)
            self.assertTrue(torch.equal(target.cpu(), expected))
            self.assert_nothing_is_held()

    def test_blocking_copies_take_the_values_of_the_call(self):
        source, x = torch.ones(1000), torch.ones(300, 300, device="acpu")
        for _ in range(20):  # What the copy stands behind.
            x = x @ x
        self.used.copy_(source)
        source.zero_()
        self.assertEqual(self.used.sum().item(), 1000)


if __name__ == "__main__":
    unittest.main()
