#!/usr/bin/env python3
"""A training script as anyone may have one: it knows nothing of runahead. Trains an MLP with torch; without torch, fits a line."""

import argparse
import random

try:
    import torch
except ImportError:
    torch = None


def train_mlp(options):
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(512, options.width), torch.nn.ReLU(), torch.nn.Linear(options.width, 1)).to(options.device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.005)
    loss = None
    for _ in range(options.batches):
        inputs = torch.randn(options.batch_size, 512).to(options.device)
        loss = (model(inputs) - 1).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


def fit_line(options):
    draws = random.Random(0)
    slope, offset, loss = 0.0, 0.0, 0.0
    for _ in range(options.batches):
        inputs = [draws.gauss(0, 1) for _ in range(options.batch_size)]
        errors = [slope * x + offset - (2 * x + 1) for x in inputs]
        slope -= 0.1 * sum(error * x for error, x in zip(errors, inputs)) / len(inputs)
        offset -= 0.1 * sum(errors) / len(errors)
        loss = sum(error * error for error in errors) / len(errors)
    return loss


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--width", type=int, default=256)
    parser.add_argument("--batches", type=int, default=100)
    parser.add_argument("--device", default="cpu")
    options = parser.parse_args()
    print("loss", fit_line(options) if torch is None else train_mlp(options))


if __name__ == "__main__":
    main()
