#!/usr/bin/env python3
"""The training loop of `chapters_front_end.json` from Python, on acpu: scripts/tutorials/train_loop.py CONFIG [PACKAGES]

CONFIG is the resolved config of that experiment (JSON), PACKAGES the folder of the package `runahead` (build/python). Pins
front end and back end to a CPU each, as the C++ program does. Prints {"total_seconds": {median, min, max, count}}: all batches,
without a delay and without a wait, until the device is idle. Needs the Python of .venv. Ends after 5 minutes at the latest.

Exit codes: 0 ok · 3 the package is not there.
"""

import json
import os
import pathlib
import signal
import statistics
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
EXIT_UNAVAILABLE = 3
TIME_LIMIT_SECONDS = 300


def main(path, packages):
    signal.alarm(TIME_LIMIT_SECONDS)
    sys.path.insert(0, packages)
    try:
        import runahead
        import torch
    except ImportError as error:
        print(f"{packages}: {error}; scripts/build makes it", file=sys.stderr)
        return EXIT_UNAVAILABLE
    with open(path, encoding="utf-8") as file:
        config = json.load(file)
    runahead.register()
    runahead.set_limit()
    runahead.configure(workers=config["acpu"]["workers"], intra_op_threads=config["threads"]["intra_op"])
    torch.set_num_threads(config["threads"]["intra_op"])
    torch.manual_seed(config["seed"])
    if config["threads"]["pin"]:
        pin(lambda: torch.ones(1, device="acpu").item())
    totals = time_training(torch, runahead.synchronize, config)
    print(json.dumps({"total_seconds": {"median": statistics.median(totals), "min": min(totals), "max": max(totals),
                                        "count": len(totals)}}))
    return 0


def pin(start_workers):
    """Pins this thread and those that it will start to the first CPU, the threads of `start_workers` to the next."""
    cpus = sorted(os.sched_getaffinity(0))
    before = threads()
    start_workers()
    if len(cpus) < 2:
        return
    for worker in threads() - before:
        os.sched_setaffinity(worker, {cpus[1]})
    os.sched_setaffinity(0, {cpus[0]})


def threads():
    return {int(name) for name in os.listdir("/proc/self/task")}


def time_training(torch, synchronize, config):
    """The seconds of each repeat, after a warm-up."""
    network = make_network(torch, config).to("acpu")
    optimizer = torch.optim.SGD(network.parameters(), lr=config["optimizer"]["learning_rate"])
    data = config["data"]
    batches = [(torch.randn(data["batch_size"], data["features"]), torch.ones(data["batch_size"], data["targets"]["width"]))
               for _ in range(config["batches"])]
    totals = []
    for _ in range(1 + config["repeats"]):
        synchronize()
        begun = time.perf_counter()
        train(network, optimizer, batches)
        synchronize()
        totals.append(time.perf_counter() - begun)
    return totals[1:]


def make_network(torch, config):
    layers, width = [], config["data"]["features"]
    for layer_width in config["model"]["layers"]:
        layers += [torch.nn.ReLU()] if layers else []
        layers.append(torch.nn.Linear(width, layer_width))
        width = layer_width
    return torch.nn.Sequential(*layers)


def train(network, optimizer, batches):
    for inputs, targets in batches:
        optimizer.zero_grad()
        loss = (network(inputs.to("acpu", non_blocking=True)) - targets.to("acpu", non_blocking=True)).square().mean() / 2
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2] if len(sys.argv) == 3 else str(ROOT / "build" / "python")))
