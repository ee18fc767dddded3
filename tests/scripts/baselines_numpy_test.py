"""Tests of scripts/baselines/numpy_baseline.py: the one baseline whose framework the project's own environment has."""

import contextlib
import io
import json
import sys
import unittest

from script_case import BASELINES

sys.path.insert(0, str(BASELINES))

import numpy  # noqa: E402 (after the path)

import case_process  # noqa: E402
from numpy_baseline import NumpyBaseline  # noqa: E402
from plan import plan  # noqa: E402


class Network(unittest.TestCase):
    """One step with the gradients by hand, against differences of the loss."""

    def setUp(self):
        baseline = NumpyBaseline(threads=1, seed=0)
        self.network = baseline.network()
        self.network.LEARNING_RATE = 1.0
        self.network.weights = [weight.astype(numpy.float64) for weight in self.network.weights]
        self.network.biases = [bias.astype(numpy.float64) for bias in self.network.biases]
        self.inputs = baseline.normal((4, 512)).astype(numpy.float64)
        self.targets = numpy.ones((4, 1))

    def loss(self):
        return 0.5 * ((self.network.predict(self.inputs) - self.targets) ** 2).mean()

    def difference(self, array, index):
        """The loss's derivative by one element, from two losses next to it."""
        width, kept = 1e-6, array[index]
        array[index] = kept + width
        above = self.loss()
        array[index] = kept - width
        below = self.loss()
        array[index] = kept
        return (above - below) / (2 * width)

    def test_steps_along_the_gradient(self):
        arrays = self.network.weights + self.network.biases
        before = [array.copy() for array in arrays]
        indices = [numpy.unravel_index(array.size // 2, array.shape) for array in arrays]
        expected = [self.difference(array, index) for array, index in zip(arrays, indices)]
        loss = self.loss()
        read, _ = self.network.train(self.inputs, self.targets, read_loss=True)
        self.assertAlmostEqual(read, loss)
        stepped = [old[index] - new[index] for old, new, index in zip(before, arrays, indices)]
        numpy.testing.assert_allclose(stepped, expected, rtol=1e-4, atol=1e-8)

# Parameters at which a case takes milliseconds.
SMALL = {"size": 32, "products": 2, "operations": 10, "batches": 3, "batch_size": 4}


class Programs(unittest.TestCase):
    def test_each_runs_in_every_case(self):
        for name, program in plan(quick=True).items():
            for case, parameters in program.cases.items():
                with self.subTest(program=name, case=case), contextlib.redirect_stdout(io.StringIO()):
                    small = {key: SMALL.get(key, value) for key, value in parameters.items()}
                    request = {"quick": True, "program": name, "parameters": small, "runs": 1, "warm_up": 1 - program.is_fresh}
                    run, = case_process.runs_of(NumpyBaseline(threads=1, seed=0), request)
                    json.dumps(run, allow_nan=False)


if __name__ == "__main__":
    unittest.main()
