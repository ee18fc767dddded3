#!/usr/bin/env python3
"""The tutorials' programs on PyTorch's own CPU device, which executes every operation at issue."""

import sys

import harness
from eager_baseline import EagerBaseline, EagerNetwork


class TorchBaseline(EagerBaseline):
    name = "torch"
    suffix = ".pt"

    def __init__(self, threads, seed):
        import torch
        self.library = torch
        torch.set_num_threads(threads)
        torch.manual_seed(seed)

    def versions(self):
        return {"torch": self.library.__version__}

    def network(self):
        return TorchNetwork(self.library)


class TorchNetwork(EagerNetwork):
    def __init__(self, torch):
        super().__init__(torch)
        self.optimizer = torch.optim.SGD(self.layers.parameters(), lr=self.LEARNING_RATE)

    def train(self, inputs, targets, read_loss):
        self.optimizer.zero_grad()
        loss = self.loss(inputs, targets)
        loss.backward()
        self.optimizer.step()
        return loss.item() if read_loss else None, loss


if __name__ == "__main__":
    sys.exit(harness.main(TorchBaseline, __file__))
