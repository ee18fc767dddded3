"""Frees that record_stream defers pile up; buffers that are used again, ordered by events, do not.

Copies run on a stream of their own. The memory of a batch belongs to that stream, but the main stream uses it. After
record_stream the allocator gives it out again only once the main stream has passed, so run-ahead keeps every batch.
"""

from dataclasses import dataclass

import gallery  # Before torch: it says what to do where that is missing.
import torch

BATCHES = 32


@dataclass
class Inference:
    weight: torch.Tensor
    batches: list[torch.Tensor]  # Pinned.

    def mean_output(self, inputs: torch.Tensor) -> torch.Tensor:
        return (torch.relu(inputs @ self.weight) @ self.weight).mean()


def prepare(device: torch.device) -> Inference:
    torch.manual_seed(0)
    width = gallery.width(device)
    with gallery.maker(device):
        batches = [torch.randn(width, width).cpu().pin_memory() for _ in range(4)]
        return Inference((torch.randn(width, width) / width**0.5).to(device), batches)


def free_with_record_stream(device: torch.device, inference: Inference) -> torch.Tensor:
    main, copies = torch.accelerator.current_stream(), torch.Stream(device)
    outputs = []
    for i in range(BATCHES):
        with copies:
            inputs = inference.batches[i % 4].to(device, non_blocking=True)
        main.wait_stream(copies)
        outputs.append(inference.mean_output(inputs))
        inputs.record_stream(main)
        del inputs
    return torch.stack(outputs).cpu()


def use_two_buffers_again(device: torch.device, inference: Inference) -> torch.Tensor:
    main, copies = torch.accelerator.current_stream(), torch.Stream(device)
    buffers = [torch.empty_like(inference.batches[0], device=device) for _ in range(2)]
    are_copied = [torch.Event(device) for _ in buffers]
    are_used = [torch.Event(device) for _ in buffers]
    outputs = []
    for i in range(BATCHES):
        buffer, is_copied, is_used = buffers[i % 2], are_copied[i % 2], are_used[i % 2]
        copies.wait_event(is_used)
        with copies:
            buffer.copy_(inference.batches[i % 4], non_blocking=True)
        is_copied.record(copies)
        main.wait_event(is_copied)
        outputs.append(inference.mean_output(buffer))
        is_used.record(main)
    return torch.stack(outputs).cpu()


SCENARIO = gallery.Scenario(
    chart="Batches of a copy stream: record_stream defers their frees until the main stream has passed",
    counter="active_bytes", prepare=prepare, growing=free_with_record_stream,
    remedies={"events": use_two_buffers_again},
    labels={"events": "two buffers, ordered by events"})

if __name__ == "__main__":
    gallery.main(SCENARIO, __doc__)
