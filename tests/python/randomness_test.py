"""Generators of `acpu` when draws fail, when threads share one, and when they are cloned."""

import threading
import unittest

import torch

import runahead

TIME_LIMIT_SECONDS = 60


def drawn(generator=None):
    return torch.randn(20, device="acpu", generator=generator).cpu()


class FailedDraws(unittest.TestCase):
    """A draw that fails is an error of its own result alone."""

    def tearDown(self):
        try:
            runahead.synchronize()
        except RuntimeError:
            pass  # A draw that nobody read.

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
        clone = torch.Generator("acpu").manual_seed(3).clone_state()
        self.assertEqual(clone.initial_seed(), 3)
        self.assertEqual(clone.clone_state().initial_seed(), 3)

    def test_draw_on_from_where_they_were_made(self):
        generator = torch.Generator("acpu").manual_seed(3)
        drawn(generator)
        clone = generator.clone_state()
        self.assertTrue(torch.equal(drawn(clone), drawn(generator)))


if __name__ == "__main__":
    unittest.main()
