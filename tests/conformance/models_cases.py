"""What a model of the suite is, how it trains on a device, and the register of all models."""

from __future__ import annotations

import dataclasses
import importlib
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import nn
from torch.utils import _pytree as pytree

STEPS = 3
TOLERANCE = 1e-4
FILES = ("models_torchvision", "models_timm", "models_transformers", "models_sequences",
         "models_written")

Draw = Callable[[], Any]
Forward = Callable[[nn.Module, Any], Any]
MakeOptimizer = Callable[[Iterator[nn.Parameter]], torch.optim.Optimizer]


@dataclasses.dataclass
class Training:
    """A model on its device.

    `step(i)` does the i-th training step and returns what is to be compared, the loss first.
    `evaluate()` is called afterwards, in evaluation mode and without gradients.
    """

    module: nn.Module
    step: Callable[[int], Any]
    evaluate: Callable[[], Any]


Make = Callable[[Any, str], Training]


@dataclasses.dataclass(frozen=True)
class Case:
    """A model by its name. `make(library, device)` gives the Training, once torch is seeded."""

    name: str
    library: str
    make: Make
    tolerance: float

    def training(self, device: str) -> Training:
        return self.make(importlib.import_module(self.library), device)


_CASES: dict[str, Case] = {}


def case(name: str, library: str = "torch", tolerance: float = TOLERANCE) -> Callable[[Make], Make]:
    """Registers the decorated function of (library, device) as a model.

    The library is imported in the child that trains the model, and nowhere else. `tolerance`
    bounds the relative difference where bits differ.
    """
    def register(make: Make) -> Make:
        if name in _CASES:
            raise ValueError(f"two models are called {name}")
        _CASES[name] = Case(name, library, make, tolerance)
        return make

    return register


def all_cases() -> dict[str, Case]:
    """Returns every model by its name."""
    for file in FILES:
        importlib.import_module(file)
    return dict(_CASES)


def placed(tree: Any, device: str) -> Any:
    """Returns the tree with its tensors on the device."""
    return pytree.tree_map(lambda x: x.to(device) if isinstance(x, torch.Tensor) else x, tree)


def drawn(draw: Draw) -> list[Any]:
    """Returns a batch a step and one for the evaluation, on the host."""
    return [draw() for _ in range(STEPS + 1)]


# Every optimiser is given its choice of foreach: its default is another one on each device.
def sgd(parameters: Iterator[nn.Parameter]) -> torch.optim.Optimizer:
    return torch.optim.SGD(parameters, lr=0.01, momentum=0.9, foreach=False)


def adamw(parameters: Iterator[nn.Parameter]) -> torch.optim.Optimizer:
    return torch.optim.AdamW(parameters, lr=1e-3, foreach=False)


def supervised(model: nn.Module, device: str, draw: Draw, loss_of: Forward, outputs_of: Forward, *,
               make_optimizer: MakeOptimizer = sgd) -> Training:
    """Returns the training by one optimiser on batches that `draw` makes on the host."""
    batches = drawn(draw)
    model.to(device).train()
    optimizer = make_optimizer(model.parameters())

    def step(index: int) -> torch.Tensor:
        optimizer.zero_grad()
        loss = loss_of(model, placed(batches[index], device))
        loss.backward()
        optimizer.step()
        return loss.detach()

    return Training(model, step, lambda: outputs_of(model, placed(batches[STEPS], device)))


def classifier(model: nn.Module, device: str, shape: tuple[int, ...], *,
               logits_of: Callable[[Any], torch.Tensor] = lambda result: result,
               make_optimizer: MakeOptimizer = sgd) -> Training:
    """Returns the training of a model that classifies normal numbers into ten classes."""
    return supervised(
        model, device,
        lambda: (torch.randn(shape), torch.randint(10, shape[:1])),
        lambda model, batch: nn.functional.cross_entropy(logits_of(model(batch[0])), batch[1]),
        lambda model, batch: model(batch[0]), make_optimizer=make_optimizer)
