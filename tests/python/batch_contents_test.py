"""What `Recording.batch` and `Pacer.after_batch` find in a batch."""

import collections
import dataclasses
import unittest

import numpy
import torch

import runahead  # noqa: F401  Registers acpu, which pins memory.
from runahead.batch_contents import examples, pinned_bytes


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


class BatchContentsTest(unittest.TestCase):
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
