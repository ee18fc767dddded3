#!/usr/bin/env python3
"""The seeds' programs on PaddlePaddle's CPU device, which executes every operation at issue."""

import os
import sys

import harness
from peer import Network, Peer


class PaddlePeer(Peer):
    name = "paddle"

    def __init__(self, threads, seed):
        import paddle
        self.paddle = paddle
        paddle.set_device("cpu")
        paddle.seed(seed)

    def versions(self):
        return {"paddlepaddle": self.paddle.__version__}

    def uniform(self, shape):
        return self.paddle.rand(shape)

    def normal(self, shape):
        return self.paddle.randn(shape)

    def ones(self, shape):
        return self.paddle.ones(shape)

    def dot(self, left, right):
        return self.paddle.mm(left, right)

    def to_host(self, array):
        return array.numpy()

    def synchronising_functions(self, folder):
        return {
            "numpy": lambda y: y.numpy(),
            "item": lambda y: y.norm().item(),
            "print": print,
            "save": lambda y: self.paddle.save(y, os.path.join(folder, "product.pdtensor")),
            "implicit_bool": lambda y: bool(y.norm()),
        }

    def network(self):
        return PaddleNetwork(self.paddle)


class PaddleNetwork(Network):
    def __init__(self, paddle):
        self.paddle, nn = paddle, paddle.nn
        wide, narrow = self.HIDDEN
        self.layers = nn.Sequential(nn.Linear(self.FEATURES, wide), nn.ReLU(), nn.Linear(wide, narrow), nn.ReLU(),
                                    nn.Linear(narrow, 1))
        self.optimizer = paddle.optimizer.SGD(learning_rate=self.LEARNING_RATE, parameters=self.layers.parameters())

    def targets(self, batch_size):
        return self.paddle.ones((batch_size, 1))

    def train(self, inputs, targets, read_loss):
        loss = 0.5 * self.paddle.nn.functional.mse_loss(self.layers(inputs), targets)
        loss.backward()
        self.optimizer.step()
        self.optimizer.clear_grad()
        return loss.item() if read_loss else None, loss

    def predict(self, inputs):
        with self.paddle.no_grad():
            return self.layers(inputs)


if __name__ == "__main__":
    sys.exit(harness.main(PaddlePeer, __file__))
