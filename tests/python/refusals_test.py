"""What `acpu` refuses at the call, as `cpu` does with the same errors, and the operator database does not know."""

import unittest

import torch
import torch._dynamo  # Loads Python's Meta kernels, which check less than LibTorch's own.
from torch.nn import functional

import runahead
from on_both_devices import OnBothDevices


class Types(OnBothDevices):
    def test_that_only_one_way_of_an_operator_takes(self):
        images, kernel = torch.ones(1, 1, 5, 5, device="acpu"), torch.ones(1, 1, 2, 2, device="acpu")
        functional.conv2d(images.int(), kernel.int())
        torch.linalg.svdvals(torch.empty(0, 3, dtype=torch.half, device="acpu"))
        torch.pdist(torch.ones(1, 3, device="acpu").half())
        x, places = torch.zeros(3, dtype=torch.complex64, device="acpu"), torch.zeros(3, dtype=torch.long, device="acpu")
        x.scatter_reduce(0, places, x, "sum")
        torch.cumsum(x[0] == 0, 0, dtype=torch.bool)
        small = torch.ones(4, 4, 4, dtype=torch.bfloat16, device="acpu")
        torch.bmm(small, small.transpose(1, 2))
        torch.ones(5, 1).to(torch.float8_e5m2).to("acpu").flip(1)  # Has nothing to flip.
        self.assert_refused_as_on_cpu(
            lambda x: torch.linalg.svdvals(x.half().outer(x.half())),
            lambda x: torch.linalg.matrix_norm(x.bfloat16().outer(x.bfloat16()), "nuc"),
            lambda x: functional.conv2d(images.to(x.device).int(), kernel.to(x.device).int(), dilation=2),
            lambda x: functional.conv2d(images.to(x.device), kernel.to(x.device), dilation=-1),
            lambda x: functional.conv3d(x.expand(1, 1, 4, 4, 3), x.expand(1, 1, 2, 2, 3), padding=-1),
            lambda x: torch.pdist(torch.ones(2, 3, device=x.device).half()),
            lambda x: x.to(torch.complex64).scatter_reduce(0, places.to(x.device), x.to(torch.complex64), "amin"),
            lambda x: torch.cumsum(x > 0, 0, dtype=torch.bool),
            lambda x: torch.bmm(x.expand(4, 3, 3), x.expand(4, 3, 3).to(torch.uint8)),
            lambda x: x.expand(3, 3).to(torch.float8_e5m2).flip(1),
            lambda x: x.to(torch.float8_e5m2) * x[:1].to(torch.float8_e5m2))

    def test_of_random_draws(self):
        torch.empty(0, dtype=torch.complex64, device="acpu").bernoulli_(0.5)
        self.assert_refused_as_on_cpu(
            lambda x: x.to(torch.complex64).bernoulli_(0.5), lambda x: x.bernoulli_((x > 0).long()),
            lambda x: x.random_(5, 2), lambda x: x.random_(0), lambda x: x.bernoulli_(2),
            lambda x: functional.dropout(x.to(torch.complex64)),
            lambda x: torch.multinomial(x, 0), lambda x: torch.multinomial(x, 4),
            lambda x: torch.multinomial(x.expand(2, 1, 3), 1), lambda x: torch.multinomial(x, 1, out=x.double()))

    def test_of_masks_and_indices(self):
        self.assert_refused_as_on_cpu(
            lambda x: x[x], lambda x: torch.where(x, x, x), lambda x: x.copy_(x.new_zeros(4)), lambda x: x[:1].expand(2)[7])

    def test_of_numbers_that_a_type_cannot_hold(self):
        uses = (lambda x, n: x.masked_fill(x > 0, n), lambda x, n: x.scatter(0, x[:1].long(), n), lambda x, n: x.pow(n),
                lambda x, n: x.add(x, alpha=n), lambda x, n: functional.threshold(x, n, n), lambda x, n: x.clamp(max=n),
                lambda x, n: x.index_fill(0, x[:1].long(), n), lambda x, n: torch.addmm(x, x[None], x.outer(x), beta=n))
        for dtype, good, bad in ((torch.half, 7.0, 1e5), (torch.int8, 7, 300)):
            for number in (good, bad):  # The device learns the call by the first.
                self.assert_as_on_cpu(*uses, of=(torch.arange(3).to(dtype), number))

    def test_that_are_mixed(self):
        self.assert_refused_as_on_cpu(
            lambda x: functional.nll_loss(x[None], torch.tensor([0], device=x.device), x.half()),
            lambda x: torch.addbmm(x[None], x[None, :, None], x.half()[None, None]),
            lambda x: torch.dot(x, x.double()), lambda x: functional.linear(x, x.bfloat16()[None]))


class Shapes(OnBothDevices):
    def test_that_only_kernels_look_at(self):
        self.assert_refused_as_on_cpu(
            lambda x: torch.zeros(5, 0, device=x.device).max(), lambda x: torch.median(x.view(1, 3)[:, :0], 1),
            lambda x: torch.mode(x[:0]), lambda x: torch.mode(x.new_zeros(0, 0), 1), lambda x: torch.median(x.new_zeros(0, 0), 0),
            lambda x: torch.rsub(x, x > 0), lambda x: torch.nanmedian(x[:0], 0), lambda x: torch.bucketize(x, x[None]),
            lambda x: functional.conv1d(x.view(3, 1, 1), x[:2].view(1, 1, 2), stride=2),
            lambda x: torch.searchsorted(x[None].expand(2, 3), x[None].expand(3, 3)),
            lambda x: torch.addbmm(x.expand(2, 3), x.expand(1, 2, 3), x.double().expand(1, 3, 3)),
            lambda x: torch.channel_shuffle(x.expand(1, 4, 3), -2), lambda x: functional.huber_loss(x, x, delta=-1.0),
            lambda x: functional.unfold(x.expand(1, 1, 3, 3), 2, padding=-1),
            lambda x: x.index_fill(0, torch.tensor([0], dtype=torch.int32, device=x.device), x.sum()),
            lambda x: functional.grid_sample(x.expand(1, 1, 3, 3), torch.zeros(1, 3, 3, 2, dtype=torch.int64, device=x.device)))

    def test_of_lists_and_factors_that_do_not_fit_an_image(self):
        image, kernel = (1, 1, 4, 4, 4), (1, 1, 2, 2, 2)
        ones = lambda x, sizes: x.new_ones(sizes)
        self.assert_refused_as_on_cpu(
            lambda x: functional.conv3d(ones(x, image), ones(x, kernel), stride=(1, 2)),
            lambda x: functional.conv3d(ones(x, image), ones(x, kernel), stride=()),
            lambda x: functional.conv2d(ones(x, image[:4]), ones(x, kernel[:4]), padding=(1, 1, 1)),
            lambda x: functional.conv1d(ones(x, image[:3]), ones(x, kernel[:3]), dilation=(1, 2)),
            lambda x: functional.conv_transpose3d(ones(x, image), ones(x, kernel), output_padding=(0, 0)),
            lambda x: functional.pixel_shuffle(ones(x, (1, 4, 2, 2)), 2**32))

    def test_of_recurrent_weights_and_states(self):
        ones = lambda x, *sizes: x.new_ones(sizes)
        lstm = lambda x, rows, second=4: torch.lstm_cell(
            ones(x, 2, 3), (ones(x, 2, 4), ones(x, 2, second)), ones(x, rows, 3), ones(x, 16, 4))
        gru = lambda x, rows, hidden_rows: torch.gru_cell(ones(x, 2, 3), ones(x, 2, 4), ones(x, rows, 3), ones(x, hidden_rows, 4))
        packed = lambda x, rows: torch.gru(ones(x, 6, 3), torch.tensor([2, 2, 2]), ones(x, 1, rows, 4),
                                           [ones(x, 12, 3), ones(x, 12, 4)], False, 1, 0.0, False, False)
        self.assert_refused_as_on_cpu(
            lambda x: lstm(x, 1), lambda x: lstm(x, 15), lambda x: lstm(x, 16, second=5), lambda x: gru(x, 1, 12),
            lambda x: gru(x, 2, 12), lambda x: gru(x, 12, 11), lambda x: packed(x, 3),
            lambda x: torch.gru(ones(x, 2, 3, 4), ones(x, 1, 3, 4), [x] * 3, True, 1, 0.0, True, False, False))
        self.assert_as_on_cpu(lambda x: packed(x, 2), of=(torch.arange(3.0),), is_refused=False)
        self.assert_as_on_cpu(  # Rows after those of the sequences are ignored.
            lambda x: torch.gru(x, torch.tensor([3, 2]), ones(x, 1, 3, 4), [ones(x, 12, 3), ones(x, 12, 4)], False, 1, 0.0, False, False),
            of=(torch.randn(6, 3),), is_refused=False)

    def test_of_fused_updates_whose_lists_do_not_fit(self):
        sgd = lambda x, grads, buffers, momentum: torch._fused_sgd_(
            [x.clone()], [x] * grads, [x.clone()] * buffers, momentum=momentum, weight_decay=0.0, lr=0.1, dampening=0.0,
            nesterov=False, maximize=False, is_first_step=False)
        adam = lambda x, grads, maxima, amsgrad: torch._fused_adamw_(
            [x.clone()], [x] * grads, [x.clone()], [x.clone()], [x.clone()] * maxima, [x.new_ones(())], lr=0.1, beta1=0.9,
            beta2=0.9, weight_decay=0.0, eps=1e-8, amsgrad=amsgrad, maximize=False)
        self.assert_refused_as_on_cpu(
            lambda x: sgd(x, 1, 0, 0.9), lambda x: sgd(x, 1, 1, 0.0), lambda x: sgd(x, 0, 1, 0.9),
            lambda x: adam(x, 1, 0, True), lambda x: adam(x, 1, 1, False), lambda x: adam(x, 0, 0, False),
            lambda x: functional.scaled_dot_product_attention(*[x.new_ones(1, 2, 4, 8)] * 3, dropout_p=-1.0))

    def test_of_storages_below_nothing(self):
        with self.assertRaisesRegex(RuntimeError, "a storage cannot have -1 bytes"):
            torch.ones(2, device="acpu").untyped_storage().resize_(-1)

    def test_that_callers_ask_to_be_checked(self):
        self.assert_refused_as_on_cpu(
            lambda x: torch.linalg.cholesky_ex(-torch.eye(3, device=x.device), check_errors=True),
            lambda x: torch.linalg.inv_ex(x.outer(x), check_errors=True),
            lambda x: torch.linalg.solve_ex(x.outer(x), x, check_errors=True),
            lambda x: torch.linalg.eig(x.outer(x) / 0))

    def test_of_given_results_and_their_dimensions(self):
        whole = lambda x: x.outer(x)
        self.assert_refused_as_on_cpu(
            lambda x: torch.softmax(whole(x), 3, out=whole(x)), lambda x: torch.sort(x, dim=9, out=(x.clone(), x.long())),
            lambda x: torch.all(x, out=x.long()), lambda x: torch.any(whole(x), (0, 0), out=x[0] > 0),
            lambda x: torch.amax(whole(x) > 0, 1, out=x.clone()), lambda x: torch.index_add(x, 0, x.long(), x[:2], out=x.clone()),
            lambda x: torch.linalg.vector_norm(x, dim=4, out=x[0].clone()), lambda x: torch.renorm(whole(x), 2, 9, 1),
            lambda x: torch.linalg.vector_norm(x, out=x[0].int()), lambda x: torch.isin(x, x, out=x.clone()))

    def test_that_rules_of_the_device_leave_to_the_kernel(self):
        square = lambda x: x.outer(x)
        long, image = lambda x: x.long(), lambda x: x.expand(1, 1, 3, 3)
        self.assert_refused_as_on_cpu(
            lambda x: x.clone().bernoulli_(x[:2]), lambda x: x.index_select(0, long(x)[None]), lambda x: x[0].index_select(9, long(x)[:1]),
            lambda x: torch.addmm(x.expand(1, 3, 3), square(x), square(x)), lambda x: torch.addmm(x[:2], square(x), square(x)),
            lambda x: torch.cross(x, long(x), dim=0), lambda x: torch.linalg.lu(square(x), pivot=False),
            lambda x: functional.binary_cross_entropy(x, long(x)), lambda x: x.clone().addr_(x, x),
            lambda x: functional.cross_entropy(x[None], long(x)[:1], long(x)), lambda x: functional.cross_entropy(square(x), x),
            lambda x: functional.nll_loss(square(x).double(), x.double()), lambda x: functional.nll_loss(image(x), image(x)[0]),
            lambda x: x[:0].index_copy(0, long(x)[:1], x[:1]), lambda x: x.quantile(x.cfloat()),
            lambda x: functional.adaptive_avg_pool2d(x.expand(1, 1, 1, 3, 3), 2),
            lambda x: functional.conv_transpose2d(image(x), image(x), output_padding=1),
            lambda x: functional.conv_transpose2d(image(x), image(x), groups=0),
            lambda x: functional.smooth_l1_loss(x, x, beta=-1.0), lambda x: x[x.double()],
            lambda x: long(x).scatter(0, long(x), float("nan")),
            lambda x: torch.ops.aten.convolution_backward(image(x)[..., :1, :1], image(x), image(x), None, [1, 1], [0, 0], [1, 1],
                                                          False, [1, 1], 1, [True, True, False]))

    def test_of_lists_that_differ_in_length(self):
        def step(x, update, *lengths, **settings):
            update(*([x.clone() for _ in range(length)] for length in lengths), weight_decay=0.0, lr=0.1, maximize=False, **settings)

        adam = {"beta1": 0.9, "beta2": 0.99, "eps": 1e-8, "amsgrad": False}
        sgd = {"momentum": 0.9, "dampening": 0.0, "nesterov": False, "is_first_step": True}
        self.assert_refused_as_on_cpu(
            lambda x: step(x, torch._fused_sgd_, 2, 1, 2, **sgd), lambda x: step(x, torch._fused_adam_, 2, 2, 1, 2, 0, 2, **adam),
            lambda x: step(x, torch._fused_adamw_, 2, 2, 2, 1, 0, 2, **adam),
            lambda x: step(x, torch._fused_adagrad_, 2, 2, 1, 2, lr_decay=0.0, eps=1e-8),
            lambda x: torch._foreach_add_([x, x], [x]), lambda x: torch._foreach_copy_([x, x], [x]))

    def test_of_a_number_are_found_after_a_call_that_only_differs_in_it(self):
        for use, good, bad in ((functional.huber_loss, {"delta": 1.0}, {"delta": -1.0}),
                               (functional.smooth_l1_loss, {"beta": 1.0}, {"beta": -1.0}),
                               (lambda x, y, p: torch.cdist(x[None], y[None], p), {"p": 1.0}, {"p": -1.0}),
                               (lambda x, y, std: torch.normal(x, std), {"std": 1.0}, {"std": -1.0})):
            self.assert_as_on_cpu(lambda x: use(x, x, **good), of=(torch.arange(3.0),), is_refused=False)
            self.assert_refused_as_on_cpu(lambda x: use(x, x, **bad))

    def test_of_masks_leave_what_they_were_to_change(self):
        def changed(y, *indices):
            with self.assertRaises(IndexError):
                y[indices] = 1.0
            return y

        host_mask = torch.tensor([True, True, True, False])
        self.assert_as_on_cpu(
            lambda y: changed(y, y.new_ones(3, 5) > 0), lambda y: changed(y, slice(None), y.new_ones(4, 2) > 0),
            lambda y: changed(y, torch.tensor([0, 1], device=y.device), host_mask), of=(torch.zeros(3, 4),))

    def test_of_quantiles(self):
        for q in (-0.2, 1.2, float("nan")):
            self.assert_refused_as_on_cpu(lambda x: torch.quantile(x, torch.tensor([q], device=x.device)),
                                          lambda x: torch.nanquantile(x, torch.tensor([0.5, q], device=x.device)))


class Overlaps(OnBothDevices):
    def test_of_what_is_read_and_written(self):
        self.assert_refused_as_on_cpu(
            lambda x: x[1:].add_(x[:2]), lambda x: x[:1].expand(3).add_(1), lambda x: x[:1].expand(3).copy_(x),
            lambda x: torch.add(x[:2], 1, out=x[1:]),
            lambda x: torch.cat([x[:1], x[1:2]], out=x[1:]), lambda x: torch.take(x, x.long(), out=x),
            lambda x: (lambda y: torch.index_select(y, 0, x.long(), out=y))(x.repeat(2)[::2]),
            lambda x: torch.gather(x, 0, x.long(), out=x),
            lambda x: (lambda y: y.copy_(y[0]))(x.new_zeros(2, 3)))

    def test_where_there_is_none_nothing_waits(self):
        whole, mask = torch.ones(4, 6, device="acpu"), torch.ones(4, 6, device="acpu") > 0
        left, right = whole.chunk(2, 1)
        uses = (lambda: left.mul_(right), lambda: left.sub_(right), lambda: left.copy_(right), lambda: left.mul_(left),
                lambda: torch.sigmoid(left, out=right), lambda: torch.mul(right, left, out=left),
                lambda: torch.where(mask, left.new_zeros(4, 6), whole, out=whole), lambda: torch.where(mask, whole, whole, out=whole))
        for use in uses:
            use()
        runahead.reset_peaks()
        for use in uses:
            use()
        self.assertEqual(runahead.blocking_operators(), {})


if __name__ == "__main__":
    unittest.main()
