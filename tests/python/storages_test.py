"""Storages of `acpu` tensors: what may be set over them, and what of them the device refuses."""

import io
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

    def test_as_strided_beyond_the_storage_is_refused(self):
        x = torch.ones(4, device="acpu")
        with self.assertRaisesRegex(RuntimeError, "out of bounds for storage"):
            x.as_strided((100,), (1,))

    def test_a_tensor_whose_storage_shrinks_is_refused_at_its_next_use(self):
        x = torch.ones(1000, device="acpu")
        x.untyped_storage().resize_(16)
        with self.assertRaisesRegex(RuntimeError, "beyond its storage"):
            x.fill_(7)
        with self.assertRaisesRegex(RuntimeError, "beyond its storage"):
            x.sum()

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
    """Storages go through pickles and the format of torch before 1.6, which share them, as on cpu."""

    def saved_and_loaded(self, saved, location=None):
        file = io.BytesIO()
        torch.save(saved, file, _use_new_zipfile_serialization=False)
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

    def test_files_of_the_legacy_format(self):
        x = torch.arange(3.0, device="acpu")
        loaded = self.saved_and_loaded({"x": x, "part": x[1:]})
        loaded["part"].zero_()
        self.assertEqual((loaded["x"].device.type, loaded["x"].tolist()), ("acpu", [0, 0, 0]))
        moved = self.saved_and_loaded([x.cpu()], "acpu")[0]
        self.assertEqual((moved.device.type, moved.tolist()), ("acpu", [0, 1, 2]))
        with tempfile.TemporaryFile() as file:
            torch.save(x, file, _use_new_zipfile_serialization=False)
            file.seek(0)
            self.assertEqual(torch.load(file).tolist(), [0, 1, 2])

    def test_bytes_are_swapped_in_place(self):
        x = torch.tensor([1, 256], dtype=torch.int16, device="acpu")
        x.untyped_storage().byteswap(torch.int16)
        self.assertEqual(x.tolist(), [256, 1])

class OfElsewhere(unittest.TestCase):
    """The device has no storages but its own: other ways to one are refused with a way out."""

    def setUp(self):
        warnings.simplefilter("ignore", UserWarning)  # Typed storages are deprecated.
        self.addCleanup(warnings.resetwarnings)
        self.x = torch.arange(3.0, device="acpu")

    def assert_refused(self, use):
        with self.assertRaisesRegex(NotImplementedError, "acpu.*(torch.save|cpu)"):
            use()

    def test_slices_of_storages(self):
        part = self.x.untyped_storage()[4:12]
        self.assert_refused(lambda: torch.empty(0, device="acpu").set_(part).fill_(1))
        self.assertEqual(self.x.tolist(), [0, 1, 2])

    def test_whole_storages_are_read_and_copied(self):
        self.assertEqual(self.x.storage().tolist(), [0, 1, 2])
        copy = self.x.untyped_storage().clone()
        self.x.zero_()
        self.assertEqual(torch.empty(0, device="acpu").set_(copy, 0, (3,), (1,)).tolist(), [0, 1, 2])

    def tearDown(self):
        runahead.synchronize()


if __name__ == "__main__":
    unittest.main()
