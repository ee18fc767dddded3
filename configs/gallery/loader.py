"""A DataLoader pins prefetch_factor times workers batches, each rounded up to a power of two; a budget bounds them.

The workers prefetch batches, and a thread of the loader pins each as soon as it arrives. The pinned allocator rounds
1.3 MiB up to 2 MiB. Both loops have at most three batches in flight: it is the loader that runs ahead. The remedy
chooses the prefetch by bytes, and copies each batch into one of three pinned buffers, which are cut from one block and
used again.
"""

from dataclasses import dataclass

import gallery  # Before torch: it says what to do where that is missing.
import torch
import runahead

BATCHES = 24
BATCH_SIZE = 432
WORKERS = 2
BUFFERS = 3
BUDGET_BYTES = 8 << 20


class Batches(torch.utils.data.Dataset):
    """Ready batches; a worker copies one for each index."""

    def __init__(self, width: int) -> None:
        self.batches = torch.randn(4, BATCH_SIZE, width)

    def __len__(self) -> int:
        return BATCHES

    def __getitem__(self, index: int) -> torch.Tensor:
        return self.batches[index % 4].clone()


@dataclass
class Inference:
    weight: torch.Tensor
    batches: Batches

    def mean_output(self, inputs: torch.Tensor) -> torch.Tensor:
        hidden = inputs
        for _ in range(3):
            hidden = torch.relu(hidden @ self.weight)
        return hidden.mean()


def prepare(device: torch.device) -> Inference:
    torch.manual_seed(0)
    width = gallery.width(device)
    with gallery.maker(device):
        weight = (torch.randn(width, width) * (2 / width)**0.5).to(device)
    return Inference(weight, Batches(width))


def load_with_pin_memory(device: torch.device, inference: Inference) -> torch.Tensor:
    loader = torch.utils.data.DataLoader(inference.batches, batch_size=None, num_workers=WORKERS, prefetch_factor=8,
                                         pin_memory=True)
    pacer = runahead.Pacer("window", 3, device=device)
    outputs = []
    for batch in loader:
        outputs.append(inference.mean_output(batch.to(device, non_blocking=True)))
        pacer.after_batch(outputs[-1])
    return torch.stack(outputs).cpu()


def load_within_a_budget(device: torch.device, inference: Inference) -> torch.Tensor:
    batch = inference.batches[0]
    prefetch_factor = max(1, BUDGET_BYTES // (WORKERS * batch.nbytes))
    loader = torch.utils.data.DataLoader(inference.batches, batch_size=None, num_workers=WORKERS,
                                         prefetch_factor=prefetch_factor)
    # One block for all buffers, so that its size is rounded up only once, from 3.8 MiB to 4 MiB.
    buffers = torch.empty(BUFFERS, *batch.shape, pin_memory=True)
    are_copied = [torch.Event(device) for _ in range(BUFFERS)]
    pacer = runahead.Pacer("window", 3, device=device)
    outputs = []
    for i, batch in enumerate(loader):
        buffer, is_copied = buffers[i % BUFFERS], are_copied[i % BUFFERS]
        is_copied.synchronize()
        buffer.copy_(batch)
        inputs = buffer.to(device, non_blocking=True)
        is_copied.record()
        outputs.append(inference.mean_output(inputs))
        pacer.after_batch(outputs[-1])
    return torch.stack(outputs).cpu()


SCENARIO = gallery.Scenario(
    chart="DataLoader: prefetched and pinned batches, each rounded up to a power of two",
    counter="pinned_bytes", prepare=prepare, growing=load_with_pin_memory,
    remedies={"bytes": load_within_a_budget},
    labels={"bytes": "prefetch by bytes, ring of buffers"})

if __name__ == "__main__":
    gallery.main(SCENARIO, __doc__)
