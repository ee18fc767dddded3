"""Pinned host memory: as CUDA's, it is rounded, kept, and used again once the copies in flight have finished."""

import unittest

import torch

import runahead
from gate import held_worker


class PinnedMemory(unittest.TestCase):
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
