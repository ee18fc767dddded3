"""Losses that are kept with their graphs keep every activation of their batch; detached losses do not.

An evaluation loop collects its losses on the device, so that it need not wait for each. Each loss has a graph, and the
graph has what the backward pass would need. A loss of 4 bytes so keeps megabytes.
"""

from dataclasses import dataclass

import gallery  # Before torch: it says what to do where that is missing.
import torch

BATCHES = 24
BATCH_SIZE = 512


@dataclass
class Evaluation:
    model: torch.nn.Module
    batches: list[torch.Tensor]  # On the device.

    def loss(self, i: int) -> torch.Tensor:
        return self.model(self.batches[i % len(self.batches)]).square().mean()


def prepare(device: torch.device) -> Evaluation:
    torch.manual_seed(0)
    width = gallery.width(device)
    with gallery.maker(device):
        layers = [layer for _ in range(3) for layer in (torch.nn.Linear(width, width), torch.nn.SiLU())]
        return Evaluation(torch.nn.Sequential(*layers).to(device),
                          [torch.randn(BATCH_SIZE, width).to(device) for _ in range(4)])


def keep_losses(device: torch.device, evaluation: Evaluation) -> torch.Tensor:
    losses = []
    for i in range(BATCHES):
        losses.append(evaluation.loss(i))
    return torch.stack(losses).detach().cpu()


def keep_detached_losses(device: torch.device, evaluation: Evaluation) -> torch.Tensor:
    losses = []
    for i in range(BATCHES):
        losses.append(evaluation.loss(i).detach())
    return torch.stack(losses).cpu()


SCENARIO = gallery.Scenario(
    chart="Evaluation losses kept in a list, each with its autograd graph (no backward frees it)",
    counter="allocated_bytes", prepare=prepare, growing=keep_losses,
    remedies={"detach": keep_detached_losses},
    labels={"detach": "loss.detach()"})

if __name__ == "__main__":
    gallery.main(SCENARIO, __doc__)
