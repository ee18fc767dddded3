"""Generators of `acpu` when draws fail, when threads share one, and when they are cloned; draws in every layout."""

import copy
import pickle
import threading
import time
import unittest

import torch
import torch.nn.functional as F

import runahead
from gate import held_worker

TIME_LIMIT_SECONDS = 60


def drawn(generator=None):
    return torch.randn(20, device="acpu", generator=generator).cpu()


class FailedDraws(unittest.TestCase):
    """A draw that fails is an error of its own result alone."""

    def tearDown(self):
        try:
            runahead.synchronize()
        except RuntimeError:
            pass  # A draw that is not read.

    def assert_goes_on(self, fail, generator=None):
        with self.assertRaises(RuntimeError):
            fail(generator)
        self.assertEqual(drawn(generator).shape, (20,))
        (generator or torch.acpu).manual_seed(3)
        self.assertTrue(torch.equal(drawn(generator), torch.randn(20, generator=torch.Generator().manual_seed(3))))

    def test_for_want_of_memory(self):
        for generator in (None, torch.Generator("acpu")):
            self.assert_goes_on(
                lambda generator: torch.randn(1 << 44, device="acpu", generator=generator).sum().item(), generator)

    def test_for_probabilities_that_are_none(self):
        weights = torch.tensor([-1.0, 2.0], device="acpu")
        for generator in (None, torch.Generator("acpu")):
            self.assert_goes_on(lambda generator: torch.multinomial(weights, 1, generator=generator).cpu(), generator)

    def test_that_nobody_read(self):
        torch.acpu.manual_seed(3)
        torch.multinomial(torch.tensor([-1.0, 2.0], device="acpu"), 1)
        state = torch.acpu.get_rng_state()
        first = drawn()
        torch.acpu.set_rng_state(state)
        self.assertTrue(torch.equal(drawn(), first))


class ThreadsThatShareAGenerator(unittest.TestCase):
    def test_that_set_its_state_may_change_the_tensor_at_once(self):
        generator, on_host = torch.Generator("acpu"), torch.Generator().manual_seed(5)
        state = on_host.get_state()
        with held_worker():
            generator.set_state(state)
            state.zero_()
            drawn_on_acpu = torch.rand(20, device="acpu", generator=generator)
            self.assertEqual(generator.initial_seed(), 5)
            del generator  # What is queued outlives it.
        self.assertTrue(torch.equal(drawn_on_acpu.cpu(), torch.rand(20, generator=on_host)))

    def test_see_its_state_between_two_draws(self):
        for given in (None, torch.Generator("acpu").manual_seed(5).get_state()):
            generator, on_host = torch.Generator("acpu").manual_seed(3), torch.Generator().manual_seed(3)
            seen = []
            use = (lambda: seen.append(generator.get_state())) if given is None else lambda: generator.set_state(given)
            with held_worker():
                draws = [torch.rand(2000, device="acpu", generator=generator)]
                issued = runahead.backlog()["operations"]
                thread = threading.Thread(target=use)
                thread.start()
                until = time.monotonic() + TIME_LIMIT_SECONDS
                while runahead.backlog()["operations"] == issued and time.monotonic() < until:
                    self.assertTrue(thread.is_alive() or given is not None)
                draws.append(torch.rand(2000, device="acpu", generator=generator))
            thread.join(TIME_LIMIT_SECONDS)
            expected = [torch.rand(2000, generator=on_host)]
            if given is None:
                self.assertTrue(torch.equal(seen[0], on_host.get_state()))
            else:
                on_host.set_state(given)
            expected.append(torch.rand(2000, generator=on_host))
            self.assertTrue(torch.equal(torch.stack(draws).cpu(), torch.stack(expected)))

    def test_may_read_its_state_and_seed_it_while_draws_are_queued(self):
        def seed():
            for i in range(200):
                torch.acpu.manual_seed(i)

        def read_state():
            for _ in range(200):
                torch.randn(20_000, device="acpu")
                torch.acpu.get_rng_state()

        def set_state():
            state = torch.acpu.get_rng_state()
            for _ in range(200):
                torch.acpu.set_rng_state(state)

        threads = [threading.Thread(target=use, daemon=True) for use in (seed, read_state, set_state)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(TIME_LIMIT_SECONDS)
        self.assertEqual([thread.is_alive() for thread in threads], [False] * 3)


class Clones(unittest.TestCase):
    def test_know_their_seed(self):
        generator = torch.Generator("acpu")
        self.assertEqual(generator.seed(), generator.initial_seed())
        clone = generator.manual_seed(3).clone_state()
        self.assertEqual(clone.initial_seed(), 3)
        self.assertEqual(clone.clone_state().initial_seed(), 3)

    def test_draw_on_from_where_they_were_made(self):
        generator = torch.Generator("acpu").manual_seed(3)
        drawn(generator)
        clone = generator.clone_state()
        self.assertTrue(torch.equal(drawn(clone), drawn(generator)))

    def test_may_be_copied_or_pickled(self):
        generator = torch.Generator("acpu").manual_seed(3)
        drawn(generator)
        copies = [copy.deepcopy(generator), pickle.loads(pickle.dumps(generator))]
        expected = drawn(generator)
        for clone in copies:
            self.assertEqual((clone.device.type, clone.initial_seed()), ("acpu", 3))
            self.assertTrue(torch.equal(drawn(clone), expected))


LAYOUTS = {
    "contiguous": lambda x: x,
    "transposed": lambda x: x.transpose(0, 1),
    "permuted": lambda x: x.permute(3, 1, 0, 2),
    "channels_last": lambda x: x.contiguous(memory_format=torch.channels_last),
    "sliced": lambda x: x[::2, :, 1:],
    "expanded": lambda x: x[:, :1].expand(8, 6, 4, 5),
}

DRAWS = {
    "native_dropout": lambda x: torch.native_dropout(x, 0.3, True),
    "native_dropout, as trained": lambda x: torch.native_dropout(x, 0.3, None),
    "native_dropout, evaluated": lambda x: torch.native_dropout(x, 0.3, False),
    "dropout": lambda x: F.dropout(x, 0.3),
    "dropout2d": lambda x: F.dropout2d(x, 0.3),
    "alpha_dropout": lambda x: F.alpha_dropout(x, 0.3, training=True),
    "bernoulli": torch.bernoulli,
    "bernoulli of a number": lambda x: torch.bernoulli(x, 0.3),
    "normal": lambda x: torch.normal(x, x + 1),
    "poisson": lambda x: torch.poisson(5 * x),
    "binomial": lambda x: torch.binomial(torch.full_like(x, 7.0), x),
    "rand_like": torch.rand_like,
    "randn_like": torch.randn_like,
    "randint_like": lambda x: torch.randint_like(x, 10),
    "exponential_": lambda x: torch.empty_like(x).exponential_(2.0),
    "uniform_ of a part": lambda x: x.clone()[:, 1:].uniform_(),
    "normal_ of a transposed": lambda x: x.clone().transpose(0, -1).normal_(),
    "rrelu": lambda x: F.rrelu(x - 0.5, training=True),
    "gumbel_softmax": F.gumbel_softmax,
    "standard_gamma": lambda x: torch._standard_gamma(x + 1),
    "attention": lambda x: F.scaled_dot_product_attention(x, x, x, dropout_p=0.2),
}


def results_of(draw, x):
    """Values and strides of what it returns, and what is drawn next."""
    (torch.acpu if x.device.type == "acpu" else torch.default_generator).manual_seed(11)
    try:
        results = draw(x)
    except RuntimeError as error:
        return str(error)
    results = results if isinstance(results, tuple) else (results,)
    following = torch.rand(4, device=x.device)
    return [(result.stride(), result.cpu().tolist()) for result in (*results, following)]


class Draws(unittest.TestCase):
    def test_are_those_of_the_cpu_in_every_layout(self):
        for dtype in (torch.float32, torch.float64, torch.bfloat16, torch.float16):
            base = torch.rand(8, 6, 4, 5, generator=torch.Generator().manual_seed(0)).to(dtype)
            for layout, view in LAYOUTS.items():
                for name, draw in DRAWS.items():
                    with self.subTest(draw=name, layout=layout, dtype=dtype):
                        expected, found = results_of(draw, view(base)), results_of(draw, view(base.to("acpu")))
                        if not isinstance(expected, str):
                            self.assertEqual(found, expected)


if __name__ == "__main__":
    unittest.main()
