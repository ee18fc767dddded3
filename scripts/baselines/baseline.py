"""The interface that a framework must implement to run the programs.

Runs on Python 3.6 and newer, with the standard library alone. A framework is imported when its baseline is created: in
a separate process, after the CPUs and the environment variables of that process have been set.
"""


class Baseline:
    """A framework. Arrays are its own, float32, on its CPU device. Calls issue; only methods that say so wait.

    The defaults in this class fit a framework that executes every operation at issue.
    """

    name = None
    # Whether operations are queued for a back end, so that calls may return before they are executed.
    asynchronous = False
    # Whether the framework uses as many threads as CPUs, whatever --threads says.
    threads_follow_cpus = False
    # {program: {variant: environment variables}}: cases of the program are measured with each; "" is the plain variant.
    variants = {}

    @staticmethod
    def environment(threads):
        """The environment variables of the framework's process, which its libraries read."""
        count = str(threads)
        return {"OMP_NUM_THREADS": count, "OPENBLAS_NUM_THREADS": count, "MKL_NUM_THREADS": count}

    def __init__(self, threads, seed):
        """Imports the framework, and sets its number of threads and its random seed."""
        raise NotImplementedError

    def versions(self):
        """{distribution: version} of the packages that compute."""
        raise NotImplementedError

    def uniform(self, shape):
        """Random numbers in [0, 1)."""
        raise NotImplementedError

    def normal(self, shape):
        """Random numbers with mean 0 and standard deviation 1."""
        raise NotImplementedError

    def ones(self, shape):
        raise NotImplementedError

    def dot(self, left, right):
        """The product of two matrices."""
        raise NotImplementedError

    def to_host(self, array):
        """Converts the array to NumPy. Waits for it."""
        raise NotImplementedError

    def synchronising_functions(self, folder):
        """{name: function of a matrix}: the framework's functions that wait for a result or must read it.

        folder: where functions that save may write.
        """
        raise NotImplementedError

    def network(self):
        """A new Network with its own parameters."""
        raise NotImplementedError

    def wait(self, array):
        """Waits until the array has been computed."""

    def wait_for_all(self, last):
        """Waits until everything issued has been executed. last: the array issued last, for frameworks without a
        wait for everything."""


class Network:
    """The multilayer perceptron of the chapter, 512 -> 2048 -> 512 -> 1 with ReLU, and SGD with rate 0.005 on
    half of the mean squared error."""

    FEATURES = 512
    HIDDEN = (2048, 512)
    LEARNING_RATE = 0.005
    # The shape of a target: (), if the loss requires that.
    TARGET = (1,)

    def train(self, inputs, targets, read_loss):
        """Issues one step. inputs: (batch, 512); targets: (batch, 1), or (batch,) if the loss requires that.

        read_loss: wait for the loss, at the point of a step where users of the framework do.
        Returns (the loss as a number or None, an array that is computed when the step is done).
        """
        raise NotImplementedError

    def predict(self, inputs):
        """Issues the forward pass; returns the outputs, (batch, 1)."""
        raise NotImplementedError
