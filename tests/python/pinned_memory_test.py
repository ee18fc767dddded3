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

    def test_is_rounded_to_powers_of_two_and_counted(self):
        before = torch.acpu.host_memory_stats()["active_bytes.current"]
        pinned = torch.empty(1025, dtype=torch.uint8, pin_memory=True)
        self.assertEqual(torch.acpu.host_memory_stats()["active_bytes.current"] - before, 2048)
        del pinned
        self.assertEqual(torch.acpu.host_memory_stats()["active_bytes.current"], before)

    def test_counts_as_active_until_an_allocation_finds_its_copies_finished(self):
        active = lambda: torch.acpu.host_memory_stats()["active_bytes.current"]
        before = active()
        pinned = self.host.pin_memory()
        with held_worker():
            copied = pinned.to("acpu", non_blocking=True)
            del pinned
            self.assertEqual(active() - before, 64)
        runahead.synchronize()
        self.assertEqual(active() - before, 64)
        self.let_frees_take_effect()
        self.assertEqual(active(), before)
        self.assertTrue(torch.equal(copied.cpu(), self.host))

    def test_its_copies_through_memory_of_numpy_are_copies_of_it(self):
        runahead.configure(host_copies="keep")
        self.addCleanup(runahead.configure, host_copies="snapshot")
        pinned = self.host.pin_memory()
        for alias in (torch.from_numpy(pinned.numpy()), torch.from_numpy(pinned.numpy()[1:])):
            self.assertTrue(alias.is_pinned())
            self.assertTrue(torch.equal(alias.to("acpu", non_blocking=True).cpu(), alias))
            self.assertTrue(torch.equal(alias.to("acpu").cpu(), alias))
            alias.copy_(torch.ones(alias.shape, device="acpu"), non_blocking=True)
            runahead.synchronize()
            self.assertEqual(alias.sum().item(), alias.numel())

    def test_copies_into_it_wait(self):
        target = torch.zeros_like(self.host).pin_memory()
        target.copy_(self.x + 0, non_blocking=True)
        self.assertTrue(torch.equal(target, self.host))

    def test_copies_into_it_return_at_once_where_copies_keep_host_memory(self):
        runahead.configure(host_copies="keep")
        self.addCleanup(runahead.configure, host_copies="snapshot")
        target = torch.zeros_like(self.host).pin_memory()
        with held_worker():
            target.copy_(self.x, non_blocking=True)
            self.assertEqual(target.abs().sum().item(), 0)
            back = target.to("acpu", non_blocking=True)
        self.assertTrue(torch.equal(back.cpu(), self.host))
        self.assertTrue(torch.equal(target, self.host))

    def test_a_blocking_copy_from_it_comes_after_a_copy_into_it(self):
        runahead.configure(host_copies="keep")
        self.addCleanup(runahead.configure, host_copies="snapshot")
        target = torch.zeros(1 << 20, pin_memory=True)
        for i in range(20):
            target.copy_(torch.full((1 << 20,), float(i), device="acpu") + 1, non_blocking=True)
            self.assertEqual(target.to("acpu").min().item(), i + 1)

    def test_its_copies_are_ordered_with_two_workers_as_a_stream_would_order_them(self):
        self.addCleanup(runahead.configure, workers=1, host_copies="snapshot")
        runahead.configure(workers=2, host_copies="keep")
        target = torch.empty(1 << 16, pin_memory=True)
        copies = []
        for i in range(100):
            target.copy_(torch.full((1 << 16,), float(i), device="acpu"), non_blocking=True)
            copies.append(target.to("acpu", non_blocking=True))
        for i, copy in enumerate(copies):
            self.assertEqual(copy.min().item(), i)
            self.assertEqual(copy.max().item(), i)

    def test_a_failure_before_it_was_given_out_again_is_forgotten(self):
        runahead.configure(host_copies="keep")
        self.addCleanup(runahead.configure, host_copies="snapshot")
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
