"""Host copies of offloaded activations pile up when the loop does not wait; a window on the way out bounds them.

Hooks copy each activation into pinned memory when autograd saves it, and back when the backward pass needs it. Both
copies are non-blocking. A host copy lives until the copy back has run, so run-ahead keeps those of every batch in
flight.
"""

import collections
from dataclasses import dataclass

import gallery  # Before torch: it says what to do where that is missing.
import torch

BATCHES = 10
BATCH_SIZE = 512
LAYERS = 3
LEAST_OFFLOADED_BYTES = 1 << 20
MOST_COPIES_OUT = 4  # For two layers: while the device computes one, the front end issues the next.


@dataclass
class Training:
    weights: list[torch.nn.Parameter]
    optimizer: torch.optim.Optimizer
    inputs: torch.Tensor

    def step(self, offload: torch.autograd.graph.saved_tensors_hooks) -> torch.Tensor:
        with offload:
            hidden = self.inputs
            for weight in self.weights:
                hidden = torch.nn.functional.silu(hidden @ weight)
            loss = hidden.square().mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.detach()


def prepare(device: torch.device) -> Training:
    torch.manual_seed(0)
    width = gallery.width(device)
    with gallery.maker(device):
        weights = [torch.nn.Parameter((torch.randn(width, width) * (2 / width)**0.5).to(device)) for _ in range(LAYERS)]
        return Training(weights, torch.optim.SGD(weights, lr=0.1), torch.randn(BATCH_SIZE, width).to(device))


def is_offloaded(saved: torch.Tensor) -> bool:
    return not isinstance(saved, torch.nn.Parameter) and saved.nbytes >= LEAST_OFFLOADED_BYTES


def copy_out(activation: torch.Tensor) -> torch.Tensor:
    host = torch.empty(activation.shape, dtype=activation.dtype, pin_memory=True)
    return host.copy_(activation, non_blocking=True)


def train_with_offload(device: torch.device, training: Training) -> torch.Tensor:
    def pack(saved: torch.Tensor) -> torch.Tensor:
        return copy_out(saved) if is_offloaded(saved) else saved

    def unpack(packed: torch.Tensor) -> torch.Tensor:
        return packed.to(device, non_blocking=True)

    offload = torch.autograd.graph.saved_tensors_hooks(pack, unpack)
    return torch.stack([training.step(offload) for _ in range(BATCHES)]).cpu()


def train_with_a_window_on_the_way_out(device: torch.device, training: Training) -> torch.Tensor:
    copies_out: collections.deque[torch.Event] = collections.deque()

    def pack(saved: torch.Tensor) -> torch.Tensor:
        if not is_offloaded(saved):
            return saved
        # A copy out runs only after all earlier batches, whose host copies are free again by then.
        if len(copies_out) == MOST_COPIES_OUT:
            copies_out.popleft().synchronize()
        host = copy_out(saved)
        copies_out.append(torch.accelerator.current_stream().record_event())
        return host

    def unpack(packed: torch.Tensor) -> torch.Tensor:
        return packed.to(device, non_blocking=True)

    offload = torch.autograd.graph.saved_tensors_hooks(pack, unpack)
    return torch.stack([training.step(offload) for _ in range(BATCHES)]).cpu()


SCENARIO = gallery.Scenario(
    chart="Activations offloaded to pinned host memory (save_on_cpu), copies still in flight",
    counter="pinned_bytes", prepare=prepare, growing=train_with_offload,
    remedies={"window": train_with_a_window_on_the_way_out},
    labels={"window": "at most 4 copies in flight"})

if __name__ == "__main__":
    gallery.main(SCENARIO, __doc__)
