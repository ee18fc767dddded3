"""Training steps on NumPy, which has no gradients: those of the perceptrons (mlp, small), written by hand."""

import clock
import numpy
import problems


def train(parameters, inputs, targets, rate):
    """One step, in place. Returns the loss."""
    layers = [(parameters["weight%d" % index], parameters["bias%d" % index]) for index in range(len(parameters) // 2)]
    seen = [inputs]
    for weight, bias in layers[:-1]:
        seen.append(numpy.maximum(seen[-1] @ weight + bias, 0))
    weight, bias = layers[-1]
    errors = seen[-1] @ weight + bias - targets
    gradient = errors / numpy.float32(len(inputs))
    for (weight, bias), value in zip(reversed(layers), reversed(seen)):
        before = gradient @ weight.T * (value > 0) if value is not inputs else None
        weight -= rate * (value.T @ gradient)
        bias -= rate * gradient.sum(0)
        gradient = before
    return 0.5 * numpy.square(errors).mean()


def main():
    asked = clock.parse()
    problem = problems.PROBLEMS[asked.problem]()
    rate = numpy.float32(problem.rate)
    clock.run(problem, asked.steps, lambda number: train(problem.parameters, *problem.batches[number], rate), float)


main()
