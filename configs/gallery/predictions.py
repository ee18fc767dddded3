"""Predictions that are kept on the device pile up there; copied out in a window of two, they do not.

A loop that collects its predictions keeps the memory of each. Copied out at once, each would make the loop wait. Two
pinned buffers let the copy of one batch run while the next is computed.
"""

from dataclasses import dataclass

import gallery  # Before torch: it says what to do where that is missing.
import torch

BATCHES = 32
BATCH_SIZE = 512


@dataclass
class Inference:
    weight: torch.Tensor
    batches: list[torch.Tensor]  # On the device.

    def predict(self, i: int) -> torch.Tensor:
        return torch.relu(self.batches[i % 4] @ self.weight) @ self.weight


def prepare(device: torch.device) -> Inference:
    torch.manual_seed(0)
    width = gallery.width(device)
    with gallery.maker(device):
        return Inference((torch.randn(width, width) * (2 / width)**0.5).to(device),
                         [torch.randn(BATCH_SIZE, width).to(device) for _ in range(4)])


def keep_predictions(device: torch.device, inference: Inference) -> torch.Tensor:
    predictions = []
    for i in range(BATCHES):
        predictions.append(inference.predict(i))
    return torch.stack([prediction.cpu() for prediction in predictions])


def copy_predictions_out(device: torch.device, inference: Inference) -> torch.Tensor:
    shape = inference.batches[0].shape
    predictions = torch.empty(BATCHES, *shape)
    buffers = torch.empty(2, *shape, pin_memory=True)
    are_copied = [torch.Event(device) for _ in buffers]
    for i in range(BATCHES + 2):
        buffer, is_copied = buffers[i % 2], are_copied[i % 2]
        if i >= 2:
            is_copied.synchronize()
            predictions[i - 2] = buffer
        if i < BATCHES:
            buffer.copy_(inference.predict(i), non_blocking=True)
            is_copied.record()
    return predictions


SCENARIO = gallery.Scenario(
    chart="Predictions kept on the device until the end",
    counter="allocated_bytes", prepare=prepare, growing=keep_predictions,
    remedies={"copy_out": copy_predictions_out},
    labels={"copy_out": "copied out, two buffers"})

if __name__ == "__main__":
    gallery.main(SCENARIO, __doc__)
