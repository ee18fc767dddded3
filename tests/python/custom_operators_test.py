"""Operators of other libraries on `acpu`, run by their CPU kernels."""

import unittest

import torch
from torch.utils import _pytree as pytree

import runahead
from gate import held_worker
from on_both_devices import OnBothDevices


class CustomOperators(OnBothDevices):
    def setUp(self):
        super().setUp()
        self.library = torch.library.Library("custom_operators_test", "FRAGMENT")
        self.addCleanup(lambda: self.library._destroy())
        self.addCleanup(runahead.synchronize)  # First: a call that is queued needs the library.

    def define(self, schema, kernel, fake=None):
        self.library.define(schema)
        name = schema.split("(")[0]
        self.library.impl(name, kernel, "CPU")
        if fake is not None:
            torch.library.register_fake(f"custom_operators_test::{name}", fake, lib=self.library)
        return getattr(torch.ops.custom_operators_test, name)

    def test_shapes_that_depend_on_values_are_never_taken_for_known(self):
        def fake(x):  # Needs a fake tensor, so it is done without.
            return x.new_empty(torch.library.get_ctx().new_dynamic_size())

        parts = self.define("parts(Tensor x) -> (Tensor, Tensor[])", lambda x: (x[x > 0], [x[x < 0], x[x == 0]]))
        positive = self.define("positive(Tensor x) -> Tensor", lambda x: x[x > 0], fake)
        for values in ([1.0, -1, 0], [1.0, 2, 3], [-1.0, -1, -1], [1.0, -1, 2], [0.0, 0, 0]):
            self.assert_as_on_cpu(positive, parts, of=(torch.tensor(values),), is_refused=False)

    def test_a_fake_kernel_gives_the_shapes_and_nothing_waits(self):
        double = self.define("double(Tensor x) -> Tensor", lambda x: x * 2, torch.empty_like)
        x = torch.ones(3, device="acpu")
        runahead.reset_peaks()
        self.assertEqual(double(x).tolist(), [2] * 3)
        self.assertEqual(runahead.blocking_operators(), {})

    def test_kernels_may_be_registered_after_the_first_call(self):
        x = torch.ones(3, device="acpu")
        double = self.define("double_later(Tensor x) -> Tensor", lambda x: x * 2)
        self.assertEqual(double(x).tolist(), [2] * 3)
        torch.library.register_fake("custom_operators_test::double_later", torch.empty_like, lib=self.library)
        self.library.define("triple_later(Tensor x) -> Tensor")
        triple = torch.ops.custom_operators_test.triple_later
        torch.library.register_fake("custom_operators_test::triple_later", torch.empty_like, lib=self.library)
        with self.assertRaises(NotImplementedError):
            triple(x)
        self.library.impl("triple_later", lambda x: x * 3, "CPU")
        runahead.reset_peaks()
        for _ in range(3):
            self.assertEqual(double(x).tolist() + triple(x).tolist(), [2] * 3 + [3] * 3)
        self.assertEqual(runahead.blocking_operators(), {})

    def test_a_fake_kernel_that_is_wrong_is_believed_once(self):
        first = self.define("first_two(Tensor x) -> Tensor", lambda x: x[:2].clone(), torch.empty_like)
        x = torch.ones(3, device="acpu")
        with self.assertRaisesRegex(RuntimeError, "was issued for a result of shape"):
            first(x).cpu()
        for _ in range(2):
            self.assertEqual(first(x).tolist(), [1, 1])

    def test_the_shape_that_a_fake_kernel_gives_may_depend_on_any_number(self):
        resampled = self.define("resampled(Tensor x, float ratio) -> Tensor",
                                lambda x, ratio: x.new_ones(int(len(x) * ratio)),
                                lambda x, ratio: x.new_empty(int(len(x) * ratio)))
        for ratio in (1.0, 2.0, 0.5, 3.0):
            self.assert_as_on_cpu(resampled, of=(torch.ones(4), ratio), is_refused=False)

    def test_a_call_that_is_queued_when_its_library_is_destroyed_fails(self):
        with held_worker():
            library = torch.library.Library("destroyed_library", "DEF")
            library.define("f(Tensor x) -> Tensor")
            library.impl("f", lambda x: x * 2, "CPU")
            library.impl("f", torch.empty_like, "Meta")
            y = torch.ops.destroyed_library.f.default(torch.ones(4, device="acpu"))
            library._destroy()
            self.define("g(Tensor x) -> Tensor", lambda x: x * 1000)
        with self.assertRaisesRegex(RuntimeError, "destroyed_library::f was destroyed while a call was queued"):
            y.cpu()

    def test_autograd_sees_what_a_kernel_has_changed(self):
        doubled = self.define("doubled_(Tensor(a!) x) -> ()", lambda x: x.mul_(2) and None)
        for device in ("cpu", "acpu"):
            factor, x = torch.ones(1, device=device), torch.ones(1, device=device, requires_grad=True)
            y = x * factor
            doubled(factor)
            with self.assertRaisesRegex(RuntimeError, "modified by an inplace operation"):
                y.sum().backward()

    def test_a_change_counts_once(self):
        @torch.library.custom_op("custom_operators_test::added_", mutates_args={"x"}, device_types="cpu")
        def added(x: torch.Tensor, y: torch.Tensor) -> None:
            x.add_(y)

        x = torch.zeros(3, device="acpu")
        added(x, torch.ones(3, device="acpu"))
        self.assertEqual((x._version, x.tolist()), (1, [1] * 3))

    def test_an_alias_is_returned_by_a_kernel_that_reads(self):
        def checked(x):
            if x.sum().item() <= 0:
                raise ValueError("nothing is left")
            return x[1:]

        check = self.define("check(Tensor(a) x) -> Tensor(a)", checked)
        x = torch.ones(3, device="acpu") + 0
        y = check(x)
        y.add_(5)
        self.assertEqual((x.tolist(), y.tolist()), ([1, 6, 6], [6, 6]))
        with self.assertRaisesRegex(Exception, "nothing is left"):
            check(-x).cpu()
        weight = torch.ones(3, device="acpu", requires_grad=True)
        loss = (x * weight).sum()
        check(x).mul_(2)
        with self.assertRaisesRegex(RuntimeError, "modified by an inplace operation"):
            loss.backward()

    def test_views_are_views_although_fake_kernels_give_their_shapes(self):
        tail = self.define("tail(Tensor(a) x) -> Tensor(a)", lambda x: x[1:], lambda x: x[1:])
        halves = self.define("halves(Tensor(a -> *) x) -> Tensor(a)[]", lambda x: [x[:2], x[2:]])
        packed = self.define("packed(Tensor(a) x) -> Tensor(a)", lambda x: x.contiguous())

        def written(function):
            def write(x):
                for part in pytree.tree_leaves(function(x)):
                    part.add_(10)
                return x
            return write

        for x in (torch.arange(4.0), torch.arange(8.0)[::2]):
            for function in (tail, halves, packed):
                self.assert_as_on_cpu(function, written(function), of=(x,), is_refused=False)

    def test_results_may_be_expanded(self):
        ones = lambda x: torch.ones(1).expand(4)
        self.assert_as_on_cpu(self.define("mask(Tensor x) -> Tensor", ones),
                              self.define("known_mask(Tensor x) -> Tensor", ones, lambda x: x.new_ones(1).expand(4)),
                              self.define("masks(Tensor x) -> Tensor[]", lambda x: [ones(x), x + 1]),
                              of=(torch.arange(4.0),), is_refused=False)

    def test_a_list_of_numbers_is_that_of_the_call(self):
        @torch.jit.script
        def flipped(x):
            dimensions = [0]
            y = torch.flip(x, dimensions)
            dimensions[0] = 1
            return y

        x = torch.arange(4.0).view(2, 2)
        with torch.inference_mode(), held_worker():
            y = flipped(x.to("acpu"))
        self.assertEqual(y.tolist(), x.flip(0).tolist())

    def test_draws_of_the_hosts_generator_come_in_the_order_of_calls(self):
        self.library.define("noisy_(Tensor(a!) x) -> Tensor(a!)", tags=torch.Tag.nondeterministic_seeded)
        self.library.impl("noisy_", lambda x: x.copy_(torch.rand(3)), "CPU")

        def drawn(x):
            torch.manual_seed(0)
            torch.ops.custom_operators_test.noisy_(x)
            torch.manual_seed(1)
            return x

        self.assert_as_on_cpu(drawn, of=(torch.zeros(3),), is_refused=False)

    def test_an_operator_that_fails_says_so_and_works_again(self):
        def inverse(x):
            if (x == 0).any():
                raise ValueError("a zero has no inverse")
            return 1 / x

        invert = self.define("invert(Tensor x) -> Tensor", inverse)
        for _ in range(2):
            with self.assertRaisesRegex(Exception, "a zero has no inverse"):
                invert(torch.zeros(3, device="acpu")).cpu()
            self.assertEqual(invert(torch.full((3,), 2.0, device="acpu")).tolist(), [0.5] * 3)

    def test_those_that_come_and_go_are_not_taken_for_one_another(self):
        x = torch.arange(4.0, device="acpu")
        for i in range(30):
            library = torch.library.Library("gone_test", "FRAGMENT")
            if i % 2 == 0:
                library.define("f(Tensor x) -> Tensor")
                library.impl("f", lambda x: x + 1, "CPU")
            else:
                library.define("f(Tensor(a!) x, int n) -> (Tensor(a!), Tensor)")
                library.impl("f", lambda x, n: (x, x + n), "CPU")
            function = torch.ops.gone_test.f.default
            result = function(x) if i % 2 == 0 else function(x, i)[1]
            self.assertEqual(result.tolist(), [value + (1 if i % 2 == 0 else i) for value in range(4)])
            del function, result
            runahead.synchronize()
            library._destroy()
            if hasattr(torch.ops.gone_test, "f"):
                delattr(torch.ops.gone_test, "f")


if __name__ == "__main__":
    unittest.main()
