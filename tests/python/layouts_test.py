"""Tensors of very many layouts on `acpu`: each operation sees the one that its tensor has.

The device keeps the layouts that it has seen, up to a bound; programs that slice go beyond it.
"""

import unittest

import torch
from torch.ao import quantization

import runahead
from on_both_devices import OnBothDevices

from gate import held_worker

LAYOUTS = 40_000  # More than the device keeps.
PARTS = ((), (2,), (7,), (8,))  # Of the tensors below: layouts that the device knows before.


class ManyLayouts(OnBothDevices):
    @classmethod
    def setUpClass(cls):
        for sizes in PARTS:
            torch.zeros(sizes, device="acpu") + 1
        for row in torch.zeros(LAYOUTS, 1, device="acpu"):
            row + 0
        x = torch.zeros(LAYOUTS, device="acpu")
        for size in range(1, LAYOUTS, 2):
            x[:size].neg_()
        runahead.synchronize()

    def test_views_are_not_taken_for_the_whole(self):
        y = torch.ones(41, 2).to("acpu") + 1
        self.assertEqual(y[0].sum().item(), 4)
        y[0].add_(1)
        self.assertEqual(y.tolist(), [[3, 3]] + [[2, 2]] * 40)
        y = torch.ones(43, device="acpu") * 1.0
        y[0] = 5.0
        self.assertEqual(y.tolist(), [5] + [1] * 42)
        y = torch.empty(5, 7, device="acpu")  # First used through views.
        y[1].fill_(2)
        y[:1].zero_()
        y[2:].zero_()
        self.assertEqual(y.sum().item(), 14)
        self.assertEqual(y.t()[:, 1].tolist(), [2] * 7)

    def test_every_slice_is_written_where_it_is(self):
        x = torch.zeros(9000, device="acpu")
        for i, element in enumerate(x):
            element.add_(i)
        self.assertTrue(torch.equal(x.cpu(), torch.arange(9000.0)))

    def test_attention_over_a_growing_cache_gives_the_cpus_values(self):
        def attend(steps):
            keys, values = steps.new_zeros(2, 200, 8)
            outputs = []
            for i, (query, key, value) in enumerate(steps):
                keys[i], values[i] = key, value
                weights = (keys[: i + 1] @ query).softmax(0)
                outputs.append(weights @ values[: i + 1])
            return torch.stack(outputs)

        self.assert_as_on_cpu(attend, of=(torch.randn(200, 3, 8),), is_refused=False)

    def test_changes_in_place_stay_within_the_tensors_memory(self):
        for _ in range(20):  # A write beyond it would damage the heap.
            around = torch.ones(4 * 6 * 4 * 5 + 200, device="acpu")
            around[100:580].as_strided((4, 6, 4, 5), (1, 4, 120, 24), 100).tril_()
            self.assertEqual((around[:100].sum() + around[580:].sum()).item(), 200)

    def test_sizes_that_depend_on_values_are_not_learned(self):
        for offsets in ([0, 2, 5], [0, 2, 4], [0, 1, 3]):
            self.assert_as_on_cpu(lambda x, i: torch.ops.aten._padded_dense_to_jagged_forward(x, [i]),
                                  of=(torch.ones(2, 4, 3), torch.tensor(offsets)), is_refused=False)

    def test_statistics_that_a_kernel_resizes_are_those_of_cpu(self):
        def observe(x):
            observer = quantization.FusedMovingAvgObsFakeQuantize.with_args(
                observer=quantization.MovingAveragePerChannelMinMaxObserver, quant_min=-128, quant_max=127,
                dtype=torch.qint8, qscheme=torch.per_channel_symmetric)().to(x.device)
            outputs = [observer(x), observer(x * 2), observer(x * 3)]
            return outputs, observer.scale, observer.zero_point, list(observer.activation_post_process.buffers())

        self.assert_as_on_cpu(observe, of=(torch.randn(4, 5),), is_refused=False)

    def test_two_views_of_a_tensor_that_the_program_has_dropped_are_read(self):
        for operator in (torch.add, torch.sub, torch.mul, torch.div):
            with held_worker():
                x = torch.ones((), device="acpu") * 2
                result = operator(x.unsqueeze(0), x.expand(1))
                del x
            self.assertEqual(result.tolist(), operator(torch.tensor([2.0]), torch.tensor([2.0])).tolist())


if __name__ == "__main__":
    unittest.main()
