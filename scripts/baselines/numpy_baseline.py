#!/usr/bin/env python3
"""The tutorials' programs on NumPy: the synchronous reference of the chapters, with gradients by hand."""

import os
import sys

import harness
from baseline import Baseline, Network


class NumpyBaseline(Baseline):
    name = "numpy"

    def __init__(self, threads, seed):
        import numpy
        self.numpy = numpy
        self.generator = numpy.random.default_rng(seed)

    def versions(self):
        return {"numpy": self.numpy.__version__}

    def uniform(self, shape):
        return self.generator.random(shape, dtype=self.numpy.float32)

    def normal(self, shape):
        return self.generator.standard_normal(shape, dtype=self.numpy.float32)

    def ones(self, shape):
        return self.numpy.ones(shape, dtype=self.numpy.float32)

    def dot(self, left, right):
        return self.numpy.dot(left, right)

    def to_host(self, array):
        return array

    def synchronising_functions(self, folder):
        return {
            "item": lambda y: y.sum().item(),
            "print": print,
            "save": lambda y: self.numpy.save(os.path.join(folder, "product.npy"), y),
            "implicit_bool": lambda y: bool(y.sum()),
        }

    def network(self):
        return NumpyNetwork(self)


class NumpyNetwork(Network):
    def __init__(self, baseline):
        self.numpy = baseline.numpy
        widths = (self.FEATURES,) + self.HIDDEN + (1,)
        self.weights = [baseline.normal((fan_in, fan_out)) / self.numpy.float32(fan_in**0.5)
                        for fan_in, fan_out in zip(widths, widths[1:])]
        self.biases = [self.numpy.zeros(width, dtype=self.numpy.float32) for width in widths[1:]]

    def activations(self, inputs):
        """The inputs of each layer, and the outputs of the last."""
        found = [inputs]
        for layer, (weight, bias) in enumerate(zip(self.weights, self.biases)):
            outputs = found[-1] @ weight
            outputs += bias
            if layer < len(self.HIDDEN):
                self.numpy.maximum(outputs, 0, out=outputs)
            found.append(outputs)
        return found

    def train(self, inputs, targets, read_loss):
        *layer_inputs, outputs = self.activations(inputs)
        error = outputs - targets
        loss = 0.5 * self.numpy.square(error).mean()
        gradient = error / self.numpy.float32(len(inputs))
        rate = self.numpy.float32(self.LEARNING_RATE)
        for layer in reversed(range(len(self.weights))):
            weight_gradient, bias_gradient = layer_inputs[layer].T @ gradient, gradient.sum(axis=0)
            if layer > 0:
                gradient = (gradient @ self.weights[layer].T) * (layer_inputs[layer] > 0)
            self.weights[layer] -= rate * weight_gradient
            self.biases[layer] -= rate * bias_gradient
        return float(loss) if read_loss else None, loss

    def predict(self, inputs):
        return self.activations(inputs)[-1]


if __name__ == "__main__":
    sys.exit(harness.main(NumpyBaseline, __file__))
