#!/usr/bin/env python3
"""The tutorials' programs on JAX. Its CPU client holds at most 32 computations in flight; then a call blocks."""

import os
import sys

import harness
from baseline import Baseline, Network


class JaxBaseline(Baseline):
    """JAX cannot wait for dropped arrays, so waiting for everything means waiting for the last issued array."""

    name = "jax"
    asynchronous = True
    threads_follow_cpus = True

    @staticmethod
    def environment(threads):
        return dict(Baseline.environment(threads), JAX_PLATFORMS="cpu")

    def __init__(self, threads, seed):
        import jax
        import numpy
        self.jax, self.numpy = jax, numpy
        self.keys = self.random_keys(seed)
        self.make_uniform = jax.jit(jax.random.uniform, static_argnums=1)
        self.make_normal = jax.jit(jax.random.normal, static_argnums=1)

    def random_keys(self, seed):
        """Keys made by NumPy: a JAX key is a small array, and making one is an operation as well."""
        generator = self.numpy.random.default_rng(seed)
        while True:
            yield generator.integers(2**32, size=2, dtype=self.numpy.uint32)

    def versions(self):
        import jaxlib
        return {"jax": self.jax.__version__, "jaxlib": jaxlib.__version__, "numpy": self.numpy.__version__}

    def uniform(self, shape):
        return self.make_uniform(next(self.keys), shape)

    def normal(self, shape):
        return self.make_normal(next(self.keys), shape)

    def ones(self, shape):
        return self.jax.numpy.ones(shape)

    def dot(self, left, right):
        return self.jax.numpy.dot(left, right)

    def to_host(self, array):
        return self.numpy.asarray(array)

    def wait(self, array):
        array.block_until_ready()

    def wait_for_all(self, last):
        last.block_until_ready()

    def synchronising_functions(self, folder):
        return {
            "block_until_ready": lambda y: y.block_until_ready(),
            "asarray": self.numpy.asarray,
            "item": lambda y: y.sum().item(),
            "print": print,
            "save": lambda y: self.numpy.save(os.path.join(folder, "product.npy"), y),
            "implicit_bool": lambda y: bool(y.sum()),
        }

    def network(self):
        return JaxNetwork(self)


class JaxNetwork(Network):
    def __init__(self, baseline):
        self.baseline, jax = baseline, baseline.jax
        widths = (self.FEATURES,) + self.HIDDEN + (1,)
        self.parameters = [(baseline.normal((fan_in, fan_out)) / fan_in**0.5, jax.numpy.zeros(fan_out))
                           for fan_in, fan_out in zip(widths, widths[1:])]
        self.forward = jax.jit(self.outputs)
        self.step = jax.jit(self.stepped)

    def outputs(self, parameters, inputs):
        for weight, bias in parameters[:-1]:
            inputs = self.baseline.jax.nn.relu(inputs @ weight + bias)
        weight, bias = parameters[-1]
        return inputs @ weight + bias

    def stepped(self, parameters, inputs, targets):
        def loss_of(parameters):
            return 0.5 * ((self.outputs(parameters, inputs) - targets) ** 2).mean()
        loss, gradients = self.baseline.jax.value_and_grad(loss_of)(parameters)
        update = self.baseline.jax.tree.map(lambda value, gradient: value - self.LEARNING_RATE * gradient, parameters, gradients)
        return update, loss

    def train(self, inputs, targets, read_loss):
        self.parameters, loss = self.step(self.parameters, inputs, targets)
        return loss.item() if read_loss else None, loss

    def predict(self, inputs):
        return self.forward(self.parameters, inputs)


if __name__ == "__main__":
    sys.exit(harness.main(JaxBaseline, __file__))
