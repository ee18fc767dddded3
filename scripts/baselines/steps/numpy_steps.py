"""Training steps on NumPy, which has no gradients: the perceptrons (mlp, small), with the baseline's network."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import clock
import problems
from numpy_baseline import NumpyBaseline


def main():
    asked = clock.parse()
    problem = problems.PROBLEMS[asked.problem]()
    network = NumpyBaseline(asked.threads, seed=0).network()
    network.HIDDEN, network.LEARNING_RATE = problems.WIDTHS[asked.problem][1:-1], problem.rate
    network.weights = [array for array in problem.parameters.values() if array.ndim == 2]
    network.biases = [array for array in problem.parameters.values() if array.ndim == 1]

    def step(number):
        _, loss = network.train(*problem.batches[number], read_loss=False)
        return loss

    clock.run(problem, asked.steps, step, float)


main()
