"""Storages of `acpu` tensors: what may be set over them, and what of them the device refuses."""

import io
import itertools
import pickle
import tempfile
import unittest
import warnings

import torch
import torch.multiprocessing  # Teaches the pickler tensors.

import runahead


class Bounds(unittest.TestCase):
    """No tensor reaches beyond its storage: it grows, as on cpu, or the call is refused."""

    def test_set_beyond_the_storage_lets_it_grow(self):
        x, y = torch.zeros(4, device="acpu"), torch.ones(4, device="acpu")
        x.set_(y.untyped_storage(), 0, (100_000,), (1,))
        x[4:].fill_(7)
        self.assertEqual(x.sum().item(), 4 + 7 * 99_996)
        self.assertEqual(y.tolist(), [1] * 4)
        self.assertEqual(x.untyped_storage().nbytes(), 400_000)

    def test_set_with_an_offset_and_strides_counts_them(self):
        x, y = torch.zeros(1, device="acpu"), torch.ones(4, device="acpu")
        x.set_(y.untyped_storage(), 2, (3, 2), (5, 2))
        self.assertEqual(x.untyped_storage().nbytes(), 4 * (2 + 2 * 5 + 2 + 1))
        x.fill_(3)
        self.assertEqual(y.tolist(), [1, 1, 3, 1])
        self.assertEqual(x.sum().item(), 18)

    def test_set_within_the_storage_shares_it(self):
        x, y = torch.zeros(4, device="acpu"), torch.arange(6.0, device="acpu")
        x.set_(y.untyped_storage(), 1, (2, 2), (2, 1))
        x.mul_(10)
        self.assertEqual(y.tolist(), [0, 10, 20, 30, 40, 5])

    def test_beyond_a_storage_that_does_not_grow_is_refused_at_the_next_use(self):
        x = torch.ones(1000, device="acpu")
        with self.assertRaisesRegex(RuntimeError, "out of bounds for storage"):
            x.as_strided((2000,), (1,))
        x.untyped_storage().resize_(16)
        for use in (lambda: x.fill_(7), x.sum):
            with self.assertRaisesRegex(RuntimeError, "beyond its storage"):
                use()

    def test_resizing_to_nothing_leaves_the_storage(self):
        x = torch.arange(6.0, device="acpu")[3:]
        x.untyped_storage().resize_(0)
        self.assertEqual(x.resize_(0, 4).untyped_storage().nbytes(), 0)

    def test_a_checkpoint_whose_tensor_is_larger_than_its_storage_does_no_harm(self):
        storage = torch.ones(4, device="acpu").storage()
        x = torch._utils._rebuild_tensor(storage, 0, (1000,), (1,))
        self.assertEqual(x.untyped_storage().nbytes(), 4000)
        self.assertEqual(x[:4].sum().item(), 4)
        x.fill_(1)
        self.assertEqual(x.sum().item(), 1000)


class Files(unittest.TestCase):
    """Storages go through pickles and both formats of torch's files, which share them, as on cpu."""

    def saved_and_loaded(self, saved, is_new, location=None, make=io.BytesIO):
        with make() as file:
            torch.save(saved, file, _use_new_zipfile_serialization=is_new)
            file.seek(0)
            return torch.load(file, map_location=location)

    def test_pickles(self):
        model = torch.nn.Linear(2, 2).to("acpu")
        copy = pickle.loads(pickle.dumps(model))
        x = torch.ones(3, 2, device="acpu")
        self.assertTrue(torch.equal(copy(x), model(x)))
        for x in (x.t(), x.bfloat16()[1:], torch.empty(0, 3, device="acpu"), torch.ones((), device="acpu", requires_grad=True)):
            copy = pickle.loads(pickle.dumps(x))
            self.assertEqual((copy.device.type, copy.stride(), copy.requires_grad), ("acpu", x.stride(), x.requires_grad))
            self.assertTrue(torch.equal(copy, x))

    def test_of_both_formats_keep_values_devices_and_what_is_shared(self):
        host = torch.arange(3.0)
        for is_new, x in itertools.product((True, False), (host, host.to("acpu"))):
            for location in ("cpu", "acpu", None):
                whole, part = self.saved_and_loaded([x, x[1:]], is_new, location)
                self.assertEqual((whole.device.type, whole.tolist()), (location or x.device.type, [0, 1, 2]))
                part.zero_()
                self.assertEqual(whole.tolist(), [0, 0, 0])
            self.assertEqual(self.saved_and_loaded(x, is_new, make=tempfile.TemporaryFile).tolist(), [0, 1, 2])

    def test_bytes_are_swapped_in_place(self):
        x = torch.tensor([1, 256], dtype=torch.int16, device="acpu")
        x.untyped_storage().byteswap(torch.int16)
        self.assertEqual(x.tolist(), [256, 1])


class OfElsewhere(unittest.TestCase):
    def test_slices_are_refused_and_whole_storages_are_read_and_copied(self):
        self.enterContext(warnings.catch_warnings())
        warnings.simplefilter("ignore", UserWarning)  # Typed storages are deprecated.
        x, empty = torch.arange(3.0, device="acpu"), torch.empty(0, device="acpu")
        with self.assertRaisesRegex(NotImplementedError, "acpu.*(torch.save|cpu)"):
            empty.set_(x.untyped_storage()[4:12]).fill_(1)
        self.assertEqual(x.storage().tolist(), [0, 1, 2])
        copy = x.untyped_storage().clone()
        x.zero_()
        self.assertEqual(empty.set_(copy, 0, (3,), (1,)).tolist(), [0, 1, 2])
        runahead.synchronize()


if __name__ == "__main__":
    unittest.main()
