#!/usr/bin/env python3
"""The tutorials' programs on MXNet: 1.9.1, the last version, and 1.3.1, for which the chapter was written.

Python 3.6 and newer. MXNet has a dependency engine with one worker for the CPU, and no bound on its queue.
"""

import os
import sys

import harness
from baseline import Baseline, Network

# Requests for temporary space share this many resources, and operations that share one wait for each other even if they
# are otherwise independent. Since 1.5, these include the chapter's random inputs: with the default (4), inputs are made
# no earlier than layers run; with many resources they run ahead, as in 1.3.1.
FEW_TEMPORARY_SPACES = {"MXNET_CPU_TEMP_COPY": "4"}
MANY_TEMPORARY_SPACES = {"MXNET_CPU_TEMP_COPY": "1000"}
TEMPORARY_SPACES = {"": FEW_TEMPORARY_SPACES, "temp_copy_1000": MANY_TEMPORARY_SPACES}


class MxnetBaseline(Baseline):
    name = "mxnet"
    asynchronous = True
    variants = {
        "train": TEMPORARY_SPACES,
        "predict": TEMPORARY_SPACES,
        # MXNet's own synchronous engine.
        "increment": {"": {}, "naive_engine": {"MXNET_ENGINE_TYPE": "NaiveEngine"}},
    }

    def __init__(self, threads, seed):
        import mxnet
        self.mxnet, self.nd = mxnet, mxnet.nd
        mxnet.random.seed(seed)

    def versions(self):
        import numpy
        return {"mxnet": self.mxnet.__version__, "numpy": numpy.__version__}

    def uniform(self, shape):
        return self.nd.random.uniform(shape=shape)

    def normal(self, shape):
        return self.nd.random.normal(shape=shape)

    def ones(self, shape):
        return self.nd.ones(shape)

    def dot(self, left, right):
        return self.nd.dot(left, right)

    def to_host(self, array):
        return array.asnumpy()

    def wait(self, array):
        array.wait_to_read()

    def wait_for_all(self, last):
        self.nd.waitall()

    def synchronising_functions(self, folder):
        return {
            "wait_to_read": lambda y: y.wait_to_read(),
            "waitall": lambda y: self.nd.waitall(),
            "asnumpy": lambda y: y.asnumpy(),
            "asscalar": lambda y: y.norm().asscalar(),
            "print": print,
            "save": lambda y: self.nd.save(os.path.join(folder, "product"), y),
            "implicit_bool": lambda y: bool(y.norm()),
        }

    def network(self):
        return MxnetNetwork(self.mxnet)


class MxnetNetwork(Network):
    TARGET = ()

    def __init__(self, mxnet):
        from mxnet import autograd, gluon
        self.autograd = autograd
        self.layers = gluon.nn.Sequential()
        self.layers.add(*(gluon.nn.Dense(width, activation="relu") for width in self.HIDDEN), gluon.nn.Dense(1))
        self.layers.initialize()
        self.trainer = gluon.Trainer(self.layers.collect_params(), "sgd", {"learning_rate": self.LEARNING_RATE})
        self.loss = gluon.loss.L2Loss()

    def train(self, inputs, targets, read_loss):
        with self.autograd.record():
            loss = self.loss(targets, self.layers(inputs))
        # The chapter reads the loss before the backward pass is issued.
        value = float(loss.mean().asscalar()) if read_loss else None
        loss.backward()
        self.trainer.step(inputs.shape[0])
        return value, loss

    def predict(self, inputs):
        return self.layers(inputs)


if __name__ == "__main__":
    sys.exit(harness.main(MxnetBaseline, __file__))
