#!/usr/bin/env python3
"""Uses `acpu` in every way at once: stress.py [--seconds 60] [--seed 0]; exits 1 and names what went wrong.

Two threads train, each with its own model; a loader with workers and pinned memory feeds one of them; one thread
configures the device again and again, one reads its counters, seeds and synchronises; processes are forked before and
after the device has started; and children end at a random moment while their threads issue. Each loss is held against
the one that the same training gives on `cpu`. For a sanitised build see tests/conformance/README.md.
"""

import argparse
import copy
import os
import random
import subprocess
import sys
import threading
import time

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

LAST_LOSS_TOLERANCE = 1e-4
CHILD_SECONDS = 60


def model_of() -> nn.Module:
    return nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.LayerNorm(32), nn.Linear(32, 1))


def trained(device: str, model: nn.Module, batches) -> float:
    """Trains `model` on `batches`; returns the last loss."""
    model.to(device)
    optimiser = torch.optim.SGD(model.parameters(), lr=0.05, foreach=False)
    loss = None
    for inputs, targets in batches:
        optimiser.zero_grad()
        loss = nn.functional.mse_loss(model(inputs.to(device, non_blocking=True)),
                                      targets.to(device, non_blocking=True))
        loss.backward()
        optimiser.step()
    return loss.item()


def data_of(seed: int) -> TensorDataset:
    generator = torch.Generator().manual_seed(seed)
    return TensorDataset(torch.randn(256, 16, generator=generator), torch.randn(256, 1, generator=generator))


class Stress:
    def __init__(self, seconds: float, seed: int) -> None:
        self.end = time.monotonic() + seconds
        self.random = random.Random(seed)
        self.problems: list[str] = []
        self.counts: dict[str, int] = {}
        self.lock = threading.Lock()

    def repeat(self, name: str, step) -> None:
        while time.monotonic() < self.end and not self.problems:
            try:
                step()
            except Exception as error:  # noqa: BLE001: whatever it is, it is a finding.
                with self.lock:
                    self.problems.append(f"{name}: {type(error).__name__}: {error}")
            with self.lock:
                self.counts[name] = self.counts.get(name, 0) + 1

    def train(self, workers: int) -> None:
        seed = self.random.randrange(1 << 16)
        loader = DataLoader(data_of(seed), batch_size=32, num_workers=workers, pin_memory=workers > 0,
                            multiprocessing_context="fork" if workers else None)
        model = model_of()
        expected = trained("cpu", copy.deepcopy(model), DataLoader(data_of(seed), batch_size=32))
        found = trained("acpu", model, loader)
        if not abs(found - expected) <= LAST_LOSS_TOLERANCE * max(1.0, abs(expected)):
            raise AssertionError(f"loss {found} for {expected} with seed {seed}")

    def configure(self) -> None:
        runahead.configure(workers=self.random.randrange(4),
                           ready_order=self.random.choice(["oldest_first", "first_ready"]),
                           allocation=self.random.choice(["at_execution", "at_issue", "in_stream_order", "caching"]),
                           host_copies=self.random.choice(["snapshot", "keep"]))
        runahead.set_limit(operations=self.random.choice([None, 1, 7, 1000]))
        time.sleep(self.random.uniform(0.0, 0.02))

    def look(self) -> None:
        runahead.backlog()
        runahead.memory_stats()
        runahead.blocking_operators()
        torch.acpu.get_rng_state()
        torch.acpu.manual_seed(self.random.randrange(100))
        torch.randn(100, device="acpu").sum().item()
        runahead.synchronize()

    def fork(self) -> None:
        child = os.fork()
        if child == 0:
            try:
                torch.ones(2, device="acpu")
                os._exit(1)
            except RuntimeError:
                os._exit(0)  # As it should: the device does not come along.
        _, status = os.waitpid(child, 0)
        if status != 0:
            raise AssertionError(f"a forked child ended with status {status}")
        time.sleep(0.2)

    def exit(self) -> None:
        """A child whose daemon threads issue ends at a random moment, in order."""
        child = subprocess.run([sys.executable, __file__, "--exit-after", str(self.random.uniform(0.0, 0.5))],
                               capture_output=True, text=True, timeout=CHILD_SECONDS)
        if child.returncode != 0:
            raise AssertionError(f"a child that exits ended with {child.returncode}: {child.stderr[-2000:]}")


def issue_until_exit(seconds: float) -> None:
    def issue():
        while True:
            torch.ones(64, device="acpu").add(1).sum()

    for _ in range(2):
        threading.Thread(target=issue, daemon=True).start()
    time.sleep(seconds)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--no-forks", action="store_true",
                        help="fork no process that has threads: AddressSanitizer's memory would be locked in it")
    parser.add_argument("--exit-after", type=float, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.exit_after is not None:
        issue_until_exit(arguments.exit_after)
        return 0
    stress = Stress(arguments.seconds, arguments.seed)
    steps = {"train": lambda: stress.train(0), "train with workers": lambda: stress.train(2),
             "configure": stress.configure, "look": stress.look, "fork": stress.fork, "exit": stress.exit}
    if arguments.no_forks:
        del steps["fork"]
        steps["train with workers"] = steps["train"]
    threads = [threading.Thread(target=stress.repeat, args=item) for item in steps.items()]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(", ".join(f"{name} {count}" for name, count in sorted(stress.counts.items())))
    for problem in stress.problems:
        print(problem, file=sys.stderr)
    return 1 if stress.problems else 0


if __name__ == "__main__":
    forked_before = os.fork()  # A process that was forked before the device started may use it.
    import runahead

    runahead.register()
    if forked_before == 0:
        torch.ones(2, device="acpu").sum().item()
        os._exit(0)
    if os.waitpid(forked_before, 0)[1] != 0:
        sys.exit("a process forked before the device started could not use it")
    sys.exit(main())
