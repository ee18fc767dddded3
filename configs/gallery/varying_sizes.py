"""Batches whose size varies make the caching allocator reserve far more than is ever allocated; larger segments do not.

Each batch has longer sequences than the one before. No segment that the allocator keeps is large enough for the next
batch, so it reserves another. Only one of them is in use at a time. An expandable segment grows instead; rounding makes
similar sizes share a segment.
"""

from dataclasses import dataclass

import gallery  # Before torch: it says what to do where that is missing.
import torch

SEQUENCES = 32
LENGTHS = range(288, 769, 32)
FEATURES = 512
TOKENS = 512


@dataclass
class Inference:
    embedding: torch.Tensor
    batches: list[torch.Tensor]  # Token numbers, on the device.


def prepare(device: torch.device) -> Inference:
    torch.manual_seed(0)
    embedding = torch.randn(TOKENS, FEATURES).to(device)
    return Inference(embedding, [torch.randint(TOKENS, (SEQUENCES, length)).to(device) for length in LENGTHS])


def embed_longer_and_longer_sequences(device: torch.device, inference: Inference) -> torch.Tensor:
    # The remedies set how the allocator works, not what the loop does.
    outputs = []
    for tokens in inference.batches:
        embedded = torch.nn.functional.embedding(tokens, inference.embedding)  # 18 MiB to 48 MiB.
        outputs.append(embedded.mean(dim=1))
        del embedded
    return torch.stack(outputs).cpu()


SCENARIO = gallery.Scenario(
    chart="Batches of growing size: segments that the caching allocator keeps (fragmentation)",
    counter="reserved_bytes", prepare=prepare, growing=embed_longer_and_longer_sequences,
    remedies={"expandable_segments": embed_longer_and_longer_sequences,
              "rounding": embed_longer_and_longer_sequences},
    labels={"expandable_segments": "expandable_segments:True", "rounding": "roundup_power2_divisions:2"},
    allocators={"expandable_segments": "expandable_segments:True,roundup_power2_divisions:1",
                "rounding": "expandable_segments:False,roundup_power2_divisions:2"})

if __name__ == "__main__":
    gallery.main(SCENARIO, __doc__)
