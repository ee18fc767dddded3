"""Host memory: what non-blocking copies read, what becomes of their sources, and pinned memory."""

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
        for change in (lambda source: source.t_(), lambda source: source.set_(torch.zeros(7)),
                       lambda source: source.unsqueeze_(0), lambda source: source.resize_(10),
                       lambda source: source.resize_(100_000)):
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


class PinnedMemory(unittest.TestCase):
    """As CUDA's, it is rounded, kept, and used again once the copies in flight have finished."""

    def setUp(self):
        self.host = torch.randn(3, 4, generator=torch.Generator().manual_seed(0))
        self.x = self.host.to("acpu")
        self.let_frees_take_effect()

    def let_frees_take_effect(self):
        """Frees wait for their copies, and the next allocation asks whether these have finished."""
        runahead.synchronize()
        torch.empty(16, pin_memory=True)

    def keep_host_memory(self, **settings):
        runahead.configure(host_copies="keep", **settings)
        self.addCleanup(runahead.configure, workers=1, host_copies="snapshot")

    def test_that_a_blocking_copy_has_read_is_used_again_at_once(self):
        pinned = self.host.pin_memory()
        address = pinned.data_ptr()
        with held_worker():
            self.x.add_(1)
            copied = pinned.to("acpu")
            del pinned
            again = torch.empty(3, 4, pin_memory=True)
        self.assertEqual(again.data_ptr(), address)
        self.assertTrue(torch.equal(copied.cpu(), self.host))

    def test_is_kept_for_copies_in_flight_and_used_again_after_them(self):
        pinned = self.host.pin_memory()
        self.assertTrue(pinned.is_pinned() and pinned[1:].is_pinned() and not self.host.is_pinned())
        with held_worker():
            copied = pinned.to("acpu", non_blocking=True)
            address = pinned.data_ptr()
            del pinned
            other = self.host.pin_memory()
            self.assertNotEqual(other.data_ptr(), address)
            other.zero_()
        self.assertTrue(torch.equal(copied.cpu(), self.host))
        runahead.synchronize()
        self.assertEqual(self.host.pin_memory().data_ptr(), address)

    def test_is_rounded_to_powers_of_two_and_active_until_an_allocation_finds_its_copies_finished(self):
        def active():
            return torch.acpu.host_memory_stats()["active_bytes.current"] - before

        before = 0
        before = active()
        pinned = torch.empty(1025, dtype=torch.uint8, pin_memory=True)
        self.assertEqual(active(), 2048)
        del pinned
        self.assertEqual(active(), 0)
        pinned = self.host.pin_memory()
        with held_worker():
            copied = pinned.to("acpu", non_blocking=True)
            del pinned
            self.assertEqual(active(), 64)
        runahead.synchronize()
        self.assertEqual(active(), 64)
        self.let_frees_take_effect()
        self.assertEqual(active(), 0)
        self.assertTrue(torch.equal(copied.cpu(), self.host))

    def test_its_copies_through_memory_of_numpy_are_copies_of_it(self):
        self.keep_host_memory()
        pinned = self.host.pin_memory()
        for alias in (torch.from_numpy(pinned.numpy()), torch.from_numpy(pinned.numpy()[1:])):
            self.assertTrue(alias.is_pinned())
            self.assertTrue(torch.equal(alias.to("acpu", non_blocking=True).cpu(), alias))
            self.assertTrue(torch.equal(alias.to("acpu").cpu(), alias))
            alias.copy_(torch.ones(alias.shape, device="acpu"), non_blocking=True)
            runahead.synchronize()
            self.assertEqual(alias.sum().item(), alias.numel())

    def test_copies_into_it_wait_unless_copies_keep_host_memory(self):
        target = torch.zeros_like(self.host).pin_memory()
        target.copy_(self.x + 0, non_blocking=True)
        self.assertTrue(torch.equal(target, self.host))
        self.keep_host_memory()
        target.zero_()
        with held_worker():
            target.copy_(self.x, non_blocking=True)
            self.assertEqual(target.abs().sum().item(), 0)
            back = target.to("acpu", non_blocking=True)
        self.assertTrue(torch.equal(back.cpu(), self.host))
        self.assertTrue(torch.equal(target, self.host))

    def test_its_copies_are_ordered_as_a_stream_would_order_them(self):
        for workers, is_blocking in ((1, True), (2, True), (2, False)):
            self.keep_host_memory(workers=workers)
            target, copies = torch.empty(1 << 16, pin_memory=True), []
            for i in range(100):
                target.copy_(torch.full((1 << 16,), float(i), device="acpu") + 1, non_blocking=True)
                copies.append(target.to("acpu", non_blocking=not is_blocking))
            for i, copy in enumerate(copies, 1):
                self.assertEqual((copy.min().item(), copy.max().item()), (i, i))

    def test_a_failure_before_it_was_given_out_again_is_forgotten(self):
        self.keep_host_memory()
        index = torch.tensor([100]).to("acpu")
        failed = self.x.index_select(0, index)
        target = torch.empty(failed.shape, pin_memory=True)
        target.copy_(failed, non_blocking=True)
        with self.assertRaises(RuntimeError):
            runahead.synchronize()
        address = target.data_ptr()
        del target
        self.let_frees_take_effect()
        again = torch.ones(failed.shape).pin_memory()
        self.assertEqual(again.data_ptr(), address)
        self.assertEqual(again.to("acpu", non_blocking=True).sum().item(), again.numel())


if __name__ == "__main__":
    unittest.main()
