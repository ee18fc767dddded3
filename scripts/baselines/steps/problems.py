"""The problems that all frameworks train, with the same numbers: parameters and batches from NumPy's seeded generator.

Python 3.8 and newer, with NumPy alone. Float32 throughout; class and token numbers are int32.
"""

import collections

import numpy

# parameters: {name: array}, matrices of (inputs, outputs), convolutions of (outputs, inputs, height, width).
# batches: [(inputs, targets)], which steps take in turn. A step is one batch of SGD at `rate`.
Problem = collections.namedtuple("Problem", "name parameters batches batch_size rate steps")

BATCHES = 8
WIDTHS = {"mlp": (512, 2048, 512, 1), "small": (64, 64, 1)}
CLASSES = 10
TOKENS, TOKENS_PER_EXAMPLE, WIDTH, HEADS, LAYERS = 256, 64, 128, 4, 2


def mlp():
    """The d2l MLP: ReLU, half of the mean squared error to ones."""
    return perceptron("mlp", batch_size=1024, steps=20)


def small():
    """The same with layers so small that the overhead of each operation dominates."""
    return perceptron("small", batch_size=64, steps=3000)


def cnn():
    """Three 3x3 convolutions with ReLU, the second and third of stride 2, the mean over positions, a linear layer; cross entropy.

    Inputs are (64, 3, 32, 32).
    """
    random = numpy.random.default_rng(0)
    widths = [3, 32, 64, 128]
    parameters = {}
    for index, (inputs, outputs) in enumerate(zip(widths, widths[1:])):
        parameters["filter%d" % index] = normal(random, (outputs, inputs, 3, 3), (9 * inputs) ** -0.5)
        parameters["bias%d" % index] = zeros(outputs)
    parameters["head"] = normal(random, (widths[-1], CLASSES), widths[-1] ** -0.5)
    parameters["head_bias"] = zeros(CLASSES)
    batches = [(normal(random, (64, 3, 32, 32)), random.integers(CLASSES, size=64, dtype=numpy.int32)) for _ in range(BATCHES)]
    return Problem("cnn", parameters, batches, batch_size=64, rate=0.01, steps=20)


def transformer():
    """A causal Transformer: 2 layers with the norm first, width 128, 4 heads, 512 in between with ReLU; cross entropy of the next token.

    Inputs are (16, 64) tokens of 256. An example is one sequence.
    """
    random = numpy.random.default_rng(0)
    parameters = {"embedding": normal(random, (TOKENS, WIDTH), 0.02), "positions": normal(random, (TOKENS_PER_EXAMPLE, WIDTH), 0.02)}
    for layer in range(LAYERS):
        for name, inputs, outputs in (("qkv", WIDTH, 3 * WIDTH), ("out", WIDTH, WIDTH), ("up", WIDTH, 4 * WIDTH), ("down", 4 * WIDTH, WIDTH)):
            parameters["%s%d" % (name, layer)] = normal(random, (inputs, outputs), inputs**-0.5)
            parameters["%s_bias%d" % (name, layer)] = zeros(outputs)
        for name in ("attention", "forward"):
            parameters["%s_gain%d" % (name, layer)] = numpy.ones(WIDTH, numpy.float32)
            parameters["%s_shift%d" % (name, layer)] = zeros(WIDTH)
    parameters["gain"], parameters["shift"] = numpy.ones(WIDTH, numpy.float32), zeros(WIDTH)
    parameters["head"] = normal(random, (WIDTH, TOKENS), WIDTH**-0.5)
    texts = [random.integers(TOKENS, size=(16, TOKENS_PER_EXAMPLE + 1), dtype=numpy.int32) for _ in range(BATCHES)]
    batches = [(text[:, :-1].copy(), text[:, 1:].copy()) for text in texts]
    return Problem("transformer", parameters, batches, batch_size=16, rate=0.01, steps=40)


def perceptron(name, batch_size, steps):
    random, widths = numpy.random.default_rng(0), WIDTHS[name]
    parameters = {}
    for index, (inputs, outputs) in enumerate(zip(widths, widths[1:])):
        parameters["weight%d" % index] = normal(random, (inputs, outputs), inputs**-0.5)
        parameters["bias%d" % index] = zeros(outputs)
    batches = [(normal(random, (batch_size, widths[0])), numpy.ones((batch_size, 1), numpy.float32)) for _ in range(BATCHES)]
    return Problem(name, parameters, batches, batch_size, rate=0.005, steps=steps)


def outputs_first(name, array):
    """A matrix of a linear layer as (outputs, inputs), the layout of PyTorch and MXNet; other parameters unchanged."""
    is_of_linear = array.ndim == 2 and name not in ("embedding", "positions")
    return numpy.ascontiguousarray(array.T) if is_of_linear else array


def normal(random, shape, scale=1.0):
    return random.standard_normal(shape, dtype=numpy.float32) * numpy.float32(scale)


def zeros(size):
    return numpy.zeros(size, numpy.float32)


PROBLEMS = {make.__name__: make for make in (mlp, small, cnn, transformer)}
