"""A framework made up for tests of scripts/baselines, and the program of its baseline.

FAKE_DOT in the environment says what its dot does besides: "raise", "abort", or "pause" for good after opening the
FIFO that FAKE_FIFO names. FAKE_IMPORT makes importing it fail.
"""

import os
import pathlib
import signal
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "scripts" / "baselines"))

import harness  # noqa: E402 (after the path)
from baseline import Baseline, Network  # noqa: E402


class FakeArray:
    """An array whose elements are all the same."""

    dtype = "float32"

    def __init__(self, shape, value):
        self.shape, self.value = shape, value

    def __add__(self, number):
        return FakeArray(self.shape, self.value + number)

    def __mul__(self, other):
        return FakeArray(self.shape, self.value * other.value)

    def sum(self):
        return FakeArray((), self.value)

    def tolist(self):
        rows, columns = self.shape
        return [[self.value] * columns for _ in range(rows)]


class FakeBaseline(Baseline):
    name = "fake"
    asynchronous = True
    variants = {"train": {"": {"FAKE_LOSS": "1"}, "other": {"FAKE_LOSS": "2"}}}

    def __init__(self, threads, seed):
        if "FAKE_IMPORT" in os.environ:
            raise ImportError("no fake here")
        print("what a framework says when it is imported")

    def versions(self):
        return {"fake": "1.0", "omp_num_threads": os.environ["OMP_NUM_THREADS"]}

    def uniform(self, shape):
        return FakeArray(shape, 0.5)

    normal = uniform

    def ones(self, shape):
        return FakeArray(shape, 1.0)

    def dot(self, left, right):
        misfortune = os.environ.get("FAKE_DOT")
        if misfortune == "raise":
            raise RuntimeError("dot is broken")
        if misfortune == "abort":
            os.abort()
        if misfortune == "pause":
            held_open = open(os.environ["FAKE_FIFO"], "w") if "FAKE_FIFO" in os.environ else None
            signal.pause()
            held_open.close()
        return FakeArray((left.shape[0], right.shape[1]), left.value)

    def to_host(self, array):
        return array

    def synchronising_functions(self, folder):
        return {"print": print, "save": lambda y: (pathlib.Path(folder) / "product").write_text(str(y.value))}

    def network(self):
        return FakeNetwork()


class FakeNetwork(Network):
    def train(self, inputs, targets, read_loss):
        loss = float(os.environ["FAKE_LOSS"])
        return loss if read_loss else None, FakeArray((), loss)

    def predict(self, inputs):
        return FakeArray((inputs.shape[0], 1), 0.0)


if __name__ == "__main__":
    sys.exit(harness.main(FakeBaseline, __file__))
