#!/usr/bin/env python3
"""The tutorials' programs on PaddlePaddle's CPU device, which executes every operation at issue."""

import sys

import harness
from eager_baseline import EagerBaseline, EagerNetwork


class PaddleBaseline(EagerBaseline):
    name = "paddle"
    suffix = ".pdtensor"

    def __init__(self, threads, seed):
        import paddle
        self.library = paddle
        paddle.set_device("cpu")
        paddle.seed(seed)

    def versions(self):
        return {"paddlepaddle": self.library.__version__}

    def network(self):
        return PaddleNetwork(self.library)


class PaddleNetwork(EagerNetwork):
    def __init__(self, paddle):
        super().__init__(paddle)
        self.optimizer = paddle.optimizer.SGD(learning_rate=self.LEARNING_RATE, parameters=self.layers.parameters())

    def train(self, inputs, targets, read_loss):
        loss = self.loss(inputs, targets)
        loss.backward()
        self.optimizer.step()
        self.optimizer.clear_grad()
        return loss.item() if read_loss else None, loss


if __name__ == "__main__":
    sys.exit(harness.main(PaddleBaseline, __file__))
