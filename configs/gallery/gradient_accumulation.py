"""Where memory is claimed at issue, micro-batches that nothing waits for keep activations of all; a budget bounds them.

Gradients are accumulated over several micro-batches before an optimiser's step. Each output takes its memory when its
operation is issued, and gives it back after the operation that reads it last has run. XLA on CPU works so. On CUDA one
stream uses the memory again in its own order, and this loop does not grow.
"""

from dataclasses import dataclass

import gallery  # Before torch: it says what to do where that is missing.
import torch
import runahead

MICRO_BATCHES = 24
MICRO_BATCH_SIZE = 256


@dataclass
class Training:
    model: torch.nn.Module
    optimizer: torch.optim.Optimizer
    micro_batches: list[torch.Tensor]  # On the host.

    def accumulate(self, inputs: torch.Tensor) -> torch.Tensor:
        loss = self.model(inputs).square().mean() / MICRO_BATCHES
        loss.backward()
        return loss.detach()

    def results(self, losses: list[torch.Tensor]) -> torch.Tensor:
        parameters = [parameter.detach().cpu().flatten() for parameter in self.model.parameters()]
        return torch.cat([torch.stack(losses).cpu(), *parameters])


def prepare(device: torch.device) -> Training:
    torch.manual_seed(0)
    width = gallery.width(device)
    with gallery.maker(device):
        layers = [torch.nn.Linear(width, width), torch.nn.ReLU(), torch.nn.Linear(width, width)]
    model = torch.nn.Sequential(*layers).to(device)
    return Training(model, torch.optim.SGD(model.parameters(), lr=0.1),
                    [torch.randn(MICRO_BATCH_SIZE, width) for _ in range(4)])


def accumulate_without_a_wait(device: torch.device, training: Training) -> torch.Tensor:
    losses = []
    for i in range(MICRO_BATCHES):
        inputs = training.micro_batches[i % 4].to(device)
        losses.append(training.accumulate(inputs))
    training.optimizer.step()
    return training.results(losses)


def accumulate_within_a_budget(device: torch.device, training: Training) -> torch.Tensor:
    # On acpu, single operations that would exceed the budget are delayed, so it need not hold a whole micro-batch.
    pacer = runahead.Pacer("budget", gallery.budget_bytes(device, 24 * gallery.MIB), device=device)
    losses = []
    for i in range(MICRO_BATCHES):
        inputs = training.micro_batches[i % 4].to(device)
        losses.append(training.accumulate(inputs))
        pacer.after_batch(losses[-1], kept=inputs.nbytes)
    training.optimizer.step()
    return training.results(losses)


SCENARIO = gallery.Scenario(
    chart="Gradient accumulation, outputs claimed at issue (as XLA on CPU): activations of all micro-batches",
    counter="active_bytes", prepare=prepare, growing=accumulate_without_a_wait,
    remedies={"budget": accumulate_within_a_budget},
    labels={"budget": "budget in bytes"}, allocation="at_issue")

if __name__ == "__main__":
    gallery.main(SCENARIO, __doc__)
