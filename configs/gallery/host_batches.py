"""Batches that are staged in pinned memory pile up when the loop does not wait; a window or a budget bounds them.

A non-blocking copy reads its pinned source when it runs. Until then the source stays pinned, even if the program has
dropped it, so each batch in flight keeps one pinned block.
"""

from dataclasses import dataclass

import gallery  # Before torch: it says what to do where that is missing.
import torch
import runahead

BATCHES = 24
BATCH_SIZE = 512


@dataclass
class Training:
    model: torch.nn.Module
    optimizer: torch.optim.Optimizer
    batches: list[torch.Tensor]

    def step(self, inputs: torch.Tensor) -> torch.Tensor:
        loss = self.model(inputs).square().mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.detach()


def prepare(device: torch.device) -> Training:
    torch.manual_seed(0)
    width = gallery.width(device)
    with gallery.maker(device):
        layers = [torch.nn.Linear(width, width), torch.nn.ReLU(), torch.nn.Linear(width, width)]
    model = torch.nn.Sequential(*layers).to(device)
    batches = [torch.randn(BATCH_SIZE, width) for _ in range(8)]
    return Training(model, torch.optim.SGD(model.parameters(), lr=0.01), batches)


def train_without_a_wait(device: torch.device, training: Training) -> torch.Tensor:
    losses = []
    for i in range(BATCHES):
        staged = training.batches[i % 8].pin_memory()
        losses.append(training.step(staged.to(device, non_blocking=True)))
    return torch.stack(losses).cpu()


def train_in_a_window(device: torch.device, training: Training) -> torch.Tensor:
    pacer = runahead.Pacer("window", 3, device=device)
    losses = []
    for i in range(BATCHES):
        staged = training.batches[i % 8].pin_memory()
        losses.append(training.step(staged.to(device, non_blocking=True)))
        pacer.after_batch(losses[-1])
    return torch.stack(losses).cpu()


def train_in_a_budget(device: torch.device, training: Training) -> torch.Tensor:
    # One step allocates about 8 times the size of a batch; 2 more batches may be staged.
    pacer = runahead.Pacer("budget", gallery.budget_bytes(device, 10 * training.batches[0].nbytes), device=device)
    losses = []
    for i in range(BATCHES):
        staged = training.batches[i % 8].pin_memory()
        losses.append(training.step(staged.to(device, non_blocking=True)))
        pacer.after_batch(losses[-1], kept=staged)
    return torch.stack(losses).cpu()


SCENARIO = gallery.Scenario(
    chart="Host batches staged in pinned memory, queued ahead of the device",
    counter="pinned_bytes", prepare=prepare, growing=train_without_a_wait,
    remedies={"window": train_in_a_window, "budget": train_in_a_budget},
    labels={"window": "window of 3 batches", "budget": "budget in bytes"})

if __name__ == "__main__":
    gallery.main(SCENARIO, __doc__)
