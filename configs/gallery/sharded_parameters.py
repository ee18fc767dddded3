"""Parameters that are gathered ahead of the computation pile up; a limit on gathered layers in flight bounds them.

Each layer's parameters are kept as shards, as FSDP keeps them, and are gathered on a stream of their own just before
the layer needs them. They are freed after the layer, but record_stream defers that until the layer has run.
Here all shards are on one device, so that torch.cat takes the place of the all-gather.
"""

import collections
from dataclasses import dataclass

import gallery  # Before torch: it says what to do where that is missing.
import torch

LAYERS = 16
SHARDS = 4
PASSES = 3
BATCH_SIZE = 512


@dataclass
class ShardedModel:
    layers: list[list[torch.Tensor]]  # The shards of each.
    inputs: torch.Tensor

    def layer_bytes(self) -> int:
        return sum(shard.nbytes for shard in self.layers[0])


def prepare(device: torch.device) -> ShardedModel:
    torch.manual_seed(0)
    width = gallery.width(device)
    with gallery.maker(device):
        layers = [list((torch.randn(width, width) * (2 / width)**0.5).to(device).chunk(SHARDS)) for _ in range(LAYERS)]
        return ShardedModel(layers, torch.randn(BATCH_SIZE, width).to(device))


def run_layer(hidden: torch.Tensor, shards: list[torch.Tensor], gathers: torch.Stream) -> torch.Tensor:
    main = torch.accelerator.current_stream()
    with gathers:
        weight = torch.cat(shards)
    main.wait_stream(gathers)
    weight.record_stream(main)
    return torch.relu(hidden @ weight)


def gather_without_a_limit(device: torch.device, model: ShardedModel) -> torch.Tensor:
    gathers = torch.Stream(device)
    outputs = []
    for _ in range(PASSES):
        hidden = model.inputs
        for shards in model.layers:
            hidden = run_layer(hidden, shards, gathers)
        outputs.append(hidden.mean())
    return torch.stack(outputs).cpu()


def gather_at_most_two_layers(device: torch.device, model: ShardedModel) -> torch.Tensor:
    gathers = torch.Stream(device)
    in_flight: collections.deque[torch.Event] = collections.deque()
    outputs = []
    for _ in range(PASSES):
        hidden = model.inputs
        for shards in model.layers:
            if len(in_flight) == 2:
                in_flight.popleft().synchronize()
            hidden = run_layer(hidden, shards, gathers)
            in_flight.append(torch.accelerator.current_stream().record_event())
        outputs.append(hidden.mean())
    return torch.stack(outputs).cpu()


def gather_within_a_budget(device: torch.device, model: ShardedModel) -> torch.Tensor:
    # With layers of different sizes, bytes bound memory where a number of layers does not.
    most_bytes = 3 * model.layer_bytes()
    gathers = torch.Stream(device)
    in_flight: collections.deque[tuple[torch.Event, int]] = collections.deque()
    in_flight_bytes = 0
    outputs = []
    for _ in range(PASSES):
        hidden = model.inputs
        for shards in model.layers:
            gathered_bytes = sum(shard.nbytes for shard in shards)
            while in_flight and in_flight_bytes + gathered_bytes > most_bytes:
                is_used, used_bytes = in_flight.popleft()
                is_used.synchronize()
                in_flight_bytes -= used_bytes
            hidden = run_layer(hidden, shards, gathers)
            in_flight.append((torch.accelerator.current_stream().record_event(), gathered_bytes))
            in_flight_bytes += gathered_bytes
        outputs.append(hidden.mean())
    return torch.stack(outputs).cpu()


SCENARIO = gallery.Scenario(
    chart="Sharded layers gathered ahead (FSDP's all-gather), frees deferred by record_stream",
    counter="active_bytes", prepare=prepare, growing=gather_without_a_limit,
    remedies={"limit_2": gather_at_most_two_layers, "budget": gather_within_a_budget},
    labels={"limit_2": "at most 2 gathered layers", "budget": "budget in bytes"})

if __name__ == "__main__":
    gallery.main(SCENARIO, __doc__)
