"""Generators of `acpu` when draws fail, when threads share one, and when they are cloned; draws in every layout."""

import concurrent.futures
import copy
import pickle
import threading
import time
import unittest

import torch
import torch.nn.functional as F

import runahead
from gate import held_worker
from on_both_devices import OnBothDevices

TIME_LIMIT_SECONDS = 60


def drawn(generator=None):
    return torch.randn(20, device="acpu", generator=generator).cpu()


class FailedDraws(unittest.TestCase):
    """A draw that fails is an error of its own result alone."""

    def test_leave_the_generator_as_it_is(self):
        weights = torch.tensor([-1.0, 2.0], device="acpu")
        for generator in (None, torch.Generator("acpu")):
            # For want of memory, and for probabilities that are none.
            for fail in (lambda: torch.randn(1 << 44, device="acpu", generator=generator).sum().item(),
                         lambda: torch.multinomial(weights, 1, generator=generator).cpu()):
                with self.assertRaises(RuntimeError):
                    fail()
                self.assertEqual(drawn(generator).shape, (20,))
                (generator or torch.acpu).manual_seed(3)
                self.assertTrue(torch.equal(drawn(generator), torch.randn(20, generator=torch.Generator().manual_seed(3))))
        torch.multinomial(weights, 1)  # Its result is never read.
        state = torch.acpu.get_rng_state()
        first = drawn()
        torch.acpu.set_rng_state(state)
        self.assertTrue(torch.equal(drawn(), first))
        with self.assertRaises(RuntimeError):
            runahead.synchronize()


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
        def draw_and_read_state():
            torch.randn(20_000, device="acpu")
            torch.acpu.get_rng_state()

        state = torch.acpu.get_rng_state()
        uses = lambda: torch.acpu.manual_seed(3), draw_and_read_state, lambda: torch.acpu.set_rng_state(state)
        with concurrent.futures.ThreadPoolExecutor(len(uses)) as threads:
            for done in [threads.submit(lambda use=use: [use() for _ in range(200)]) for use in uses]:
                done.result(TIME_LIMIT_SECONDS)


class Clones(unittest.TestCase):
    def test_know_their_seed_and_draw_on_from_where_they_were_made(self):
        generator = torch.Generator("acpu")
        self.assertEqual(generator.seed(), generator.initial_seed())
        drawn(generator.manual_seed(3))
        clone = generator.clone_state()
        copies = [clone, clone.clone_state(), copy.deepcopy(generator), pickle.loads(pickle.dumps(generator))]
        expected = drawn(generator)
        for clone in copies:
            self.assertEqual((clone.device.type, clone.initial_seed()), ("acpu", 3))
            self.assertTrue(torch.equal(drawn(clone), expected))


LAYOUTS = (
    lambda x: x, lambda x: x.transpose(0, 1), lambda x: x.permute(3, 1, 0, 2),
    lambda x: x.contiguous(memory_format=torch.channels_last), lambda x: x[::2, :, 1:],
    lambda x: x[:, :1].expand(8, 6, 4, 5))
DRAWS = (
    *(lambda x, mode=mode: torch.native_dropout(x, 0.3, mode) for mode in (True, None, False)),
    lambda x: F.dropout(x, 0.3), lambda x: F.dropout2d(x, 0.3), lambda x: F.alpha_dropout(x, 0.3, training=True),
    torch.bernoulli, lambda x: torch.bernoulli(x, 0.3), lambda x: torch.normal(x, x + 1), lambda x: torch.poisson(5 * x),
    lambda x: torch.binomial(torch.full_like(x, 7.0), x), torch.rand_like, torch.randn_like,
    lambda x: torch.randint_like(x, 10), lambda x: torch.empty_like(x).exponential_(2.0),
    lambda x: x.clone()[:, 1:].uniform_(), lambda x: x.clone().transpose(0, -1).normal_(),
    lambda x: F.rrelu(x - 0.5, training=True), F.gumbel_softmax, lambda x: torch._standard_gamma(x + 1),
    lambda x: F.scaled_dot_product_attention(x, x, x, dropout_p=0.2))


class Draws(OnBothDevices):
    def test_are_those_of_the_cpu_in_every_layout(self):
        def followed(draw, view):
            """Returns what it returns, and what is drawn next."""
            return lambda x: (draw(view(x)), torch.rand(4, device=x.device))

        draws = [followed(draw, view) for view in LAYOUTS for draw in DRAWS]
        for dtype in (torch.float32, torch.float64, torch.bfloat16, torch.float16):
            base = torch.rand(8, 6, 4, 5, generator=torch.Generator().manual_seed(0)).to(dtype)
            self.assert_as_on_cpu(*draws, of=(base,))


if __name__ == "__main__":
    unittest.main()
