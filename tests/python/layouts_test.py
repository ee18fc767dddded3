"""Tensors of very many layouts on `acpu`: each operation sees the one that its tensor has.

The device keeps the layouts that it has seen, up to a bound; programs that slice go beyond it.
"""

import unittest

import torch

import runahead

LAYOUTS = 40_000  # More than the device keeps.
PARTS = ((), (2,), (7,), (8,))  # Of the tensors below: layouts that the device knows before.


def use_the_layouts_of_parts():
    for sizes in PARTS:
        torch.zeros(sizes, device="acpu") + 1


def use_many_slices():
    rows = torch.zeros(LAYOUTS, 1, device="acpu")
    for row in rows:
        row + 0
    runahead.synchronize()


def use_many_sizes():
    x = torch.zeros(LAYOUTS, device="acpu")
    for size in range(1, LAYOUTS, 2):
        x[:size].neg_()
    runahead.synchronize()


class ManyLayouts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        use_the_layouts_of_parts()
        use_many_slices()
        use_many_sizes()

    def test_a_view_of_a_result_is_not_taken_for_the_whole(self):
        y = torch.ones(41, 2).to("acpu") + 1
        self.assertEqual(y[0].sum().item(), 4)
        y[0].add_(1)
        self.assertEqual(y.tolist(), [[3, 3]] + [[2, 2]] * 40)

    def test_an_element_may_be_assigned(self):
        y = torch.ones(43, device="acpu") * 1.0
        y[0] = 5.0
        self.assertEqual(y.tolist(), [5] + [1] * 42)

    def test_memory_that_is_first_used_through_a_view_is_right(self):
        y = torch.empty(5, 7, device="acpu")
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
        def attend(device):
            torch.manual_seed(0)
            steps = torch.randn(200, 3, 8).to(device)
            keys = torch.zeros(200, 8, device=device)
            values = torch.zeros(200, 8, device=device)
            outputs = []
            for i, (query, key, value) in enumerate(steps):
                keys[i], values[i] = key, value
                weights = (keys[: i + 1] @ query).softmax(0)
                outputs.append(weights @ values[: i + 1])
            return torch.stack(outputs).cpu()

        torch.testing.assert_close(attend("acpu"), attend("cpu"))


class LayoutsOfResults(unittest.TestCase):
    def test_results_have_the_strides_of_the_cpus_whatever_was_called_before(self):
        def sums(device):
            a, b = torch.zeros(5, 1, 4, device=device).transpose(0, 2), torch.zeros(1, 3, device=device).t()
            return [torch.add(a, b, alpha=2), a + b, torch.sub(a, b, alpha=0.5), a - b]

        def given_results(device):
            x = torch.ones(3, 4, device=device).t()
            return [getattr(torch.ops.aten, name).out(x, out=x.new_empty(0))
                    for name in ("gelu", "hardshrink", "softshrink", "celu", "mish", "softplus")] + [torch.where(x > 0, x, x, out=x.new_empty(0))]

        def one_element_dimensions(device):
            images = torch.zeros(2, 1, 1, 2, device=device, dtype=torch.float64).permute(0, 3, 1, 2)
            series = torch.zeros(9, 1, 3, device=device).transpose(1, 2)
            return [torch.nn.functional.adaptive_avg_pool2d(images, 2),
                    torch.nn.functional.conv_transpose1d(series, torch.zeros(3, 4, 2, device=device)),
                    torch.nn.functional.conv1d(series, torch.zeros(4, 3, 1, device=device))]

        def strides_of_one_element(device):
            column, gradient = torch.zeros(12, device=device).as_strided((2, 3, 1), (3, 1, 5)), torch.ones(2, 3, 1, device=device)
            x = column.requires_grad_()
            hardtanh = torch.nn.functional.hardtanh(x)
            return [torch.nn.functional.hardswish(x), torch.autograd.grad(hardtanh, x, torch.empty_like(hardtanh))[0],
                    torch.nn.functional.huber_loss(column.detach(), gradient, reduction="none")]

        def contiguous_in_two_formats(device):
            one_pixel = torch.zeros(6, device=device).as_strided((2, 3, 1, 1), (3, 1, 3, 3))
            one_channel = torch.zeros(40, device=device).as_strided((2, 1, 4, 5), (20, 1, 5, 1))
            return [layer(x) for x in (one_pixel, one_channel) for layer in (
                torch.nn.BatchNorm2d(x.shape[1]).to(device), torch.nn.BatchNorm2d(x.shape[1]).to(device).eval(),
                lambda x: torch.where(x > 0, x, x), lambda x: torch.where(x > 0, x, 0.0), lambda x: torch.where(x[:0] > 0, x[:0], 1))]

        def pooled_series(device):
            series = torch.zeros(2, 9, 3, device=device).transpose(1, 2)
            return [torch.nn.functional.max_pool1d(series, 2), torch.nn.functional.max_pool1d(series.requires_grad_(), 2)]

        for results in (sums, given_results, one_element_dimensions, strides_of_one_element, contiguous_in_two_formats, pooled_series):
            with self.subTest(results.__name__):
                self.assertEqual([y.stride() for y in results("acpu")], [y.stride() for y in results("cpu")])


class OneTensorTwice(unittest.TestCase):
    """torch runs many operations in place by passing `self` as the result, too, and kernels look whether it is."""

    def test_changes_in_place_stay_within_the_tensors_memory(self):
        for _ in range(20):  # A write beyond it would damage the heap.
            around = torch.ones(4 * 6 * 4 * 5 + 200, device="acpu")
            around[100:580].as_strided((4, 6, 4, 5), (1, 4, 120, 24), 100).tril_()
            self.assertEqual((around[:100].sum() + around[580:].sum()).item(), 200)


if __name__ == "__main__":
    unittest.main()
