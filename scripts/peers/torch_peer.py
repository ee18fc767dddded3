#!/usr/bin/env python3
"""The seeds' programs on PyTorch's own CPU device, which executes every operation at issue."""

import os
import sys

import harness
from peer import Network, Peer


class TorchPeer(Peer):
    name = "torch"

    def __init__(self, threads, seed):
        import torch
        self.torch = torch
        torch.set_num_threads(threads)
        torch.manual_seed(seed)

    def versions(self):
        return {"torch": self.torch.__version__}

    def uniform(self, shape):
        return self.torch.rand(shape)

    def normal(self, shape):
        return self.torch.randn(shape)

    def ones(self, shape):
        return self.torch.ones(shape)

    def dot(self, left, right):
        return self.torch.mm(left, right)

    def to_host(self, array):
        return array.numpy()

    def synchronising_functions(self, folder):
        return {
            "numpy": lambda y: y.numpy(),
            "item": lambda y: y.norm().item(),
            "print": print,
            "save": lambda y: self.torch.save(y, os.path.join(folder, "product.pt")),
            "implicit_bool": lambda y: bool(y.norm()),
        }

    def network(self):
        return TorchNetwork(self.torch)


class TorchNetwork(Network):
    def __init__(self, torch):
        self.torch, nn = torch, torch.nn
        wide, narrow = self.HIDDEN
        self.layers = nn.Sequential(nn.Linear(self.FEATURES, wide), nn.ReLU(), nn.Linear(wide, narrow), nn.ReLU(),
                                    nn.Linear(narrow, 1))
        self.optimizer = torch.optim.SGD(self.layers.parameters(), lr=self.LEARNING_RATE)

    def targets(self, batch_size):
        return self.torch.ones((batch_size, 1))

    def train(self, inputs, targets, read_loss):
        self.optimizer.zero_grad()
        loss = 0.5 * self.torch.nn.functional.mse_loss(self.layers(inputs), targets)
        loss.backward()
        self.optimizer.step()
        return loss.item() if read_loss else None, loss

    def predict(self, inputs):
        with self.torch.no_grad():
            return self.layers(inputs)


if __name__ == "__main__":
    sys.exit(harness.main(TorchPeer, __file__))
