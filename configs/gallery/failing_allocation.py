"""An allocation fails although enough memory is about to be free; one that waits for what is in flight does not.

Copies on a stream of their own are freed with record_stream, so that their memory is pending until the main stream has
passed. With a capacity, run-ahead fills it with pending memory, and the next copy finds none. Some allocators then
fail. CUDA's waits for the device and tries again, so there this loop ends well in any case; on acpu
allocator="wait_before_failing:False" switches that off.
"""

from collections.abc import Callable
from dataclasses import dataclass

import gallery  # Before torch: it says what to do where that is missing.
import torch

BATCHES = 32


@dataclass
class Inference:
    weight: torch.Tensor
    batches: list[torch.Tensor]  # Pinned.

    def mean_output(self, inputs: torch.Tensor) -> torch.Tensor:
        return (inputs @ self.weight).mean()


def prepare(device: torch.device) -> Inference:
    torch.manual_seed(0)
    width = gallery.width(device)
    with gallery.maker(device):
        batches = [torch.randn(width, width).cpu().pin_memory() for _ in range(4)]
        return Inference((torch.randn(width, width) / width**0.5).to(device), batches)


def run(device: torch.device, inference: Inference, copy: Callable[[torch.Tensor], torch.Tensor]) -> torch.Tensor:
    main, copies = torch.accelerator.current_stream(), torch.Stream(device)
    outputs = []
    for i in range(BATCHES):
        with copies:
            inputs = copy(inference.batches[i % 4])
        main.wait_stream(copies)
        outputs.append(inference.mean_output(inputs))
        inputs.record_stream(main)
        del inputs
    return torch.stack(outputs).cpu()


def fail(device: torch.device, inference: Inference) -> torch.Tensor:
    return run(device, inference, lambda batch: batch.to(device, non_blocking=True))


def wait_and_go_on(device: torch.device, inference: Inference) -> torch.Tensor:
    def copy_or_wait_and_copy(batch: torch.Tensor) -> torch.Tensor:
        try:
            return batch.to(device, non_blocking=True)
        except torch.OutOfMemoryError:
            torch.accelerator.synchronize()  # After this, pending memory is free.
            return batch.to(device, non_blocking=True)

    return run(device, inference, copy_or_wait_and_copy)


SCENARIO = gallery.Scenario(
    chart="Out of memory although most is freed: an allocator that does not wait for pending frees",
    counter="active_bytes", prepare=prepare, growing=fail, remedies={"wait": wait_and_go_on},
    labels={"wait": "catch, synchronize, try once more"},
    allocator="wait_before_failing:False", capacity="64MiB", must_fail=True)

if __name__ == "__main__":
    gallery.main(SCENARIO, __doc__)
