"""An Optuna search for the batch size and sync policy that take the least memory and keep 95 % of the unbounded throughput.

The trials are the cells of one growing sweep. So a choice is never measured twice, the same command continues an
interrupted search, and `runahead report runs/optuna_search` draws all trials.
"""

import json
import subprocess
import sys

import optuna  # 5 or newer

FOLDER, TRIALS = "runs/optuna_search", 30
EXAMPLES = 8192  # in each run, whatever the batch size
SWEEP = {"base": {"experiment": "train", "data": {"seconds_per_batch": "10ms"}},  # a source that takes a while
         "repeats": 3, "timeout": "2min", "memory_limit": "2GiB", "cells": []}
UNBOUNDED = {"batch_size": 1024, "policy": "none"}


def measure(batch_size, policy, **sync):
    """Returns the median time and memory growth. Raises TrialPruned if a run failed or exceeded a limit."""
    cell = {"/data/batch_size": batch_size, "/batches": EXAMPLES // batch_size, "/sync/policy": policy}
    cell |= {f"/sync/{key}": value for key, value in sync.items()}
    if cell not in SWEEP["cells"]:
        SWEEP["cells"].append(cell)
    done = subprocess.run(["runahead", "sweep", "-", "--extend", "--json", "--out", FOLDER], input=json.dumps(SWEEP),
                          stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode not in (0, 4):  # 4: a run did not end well
        sys.exit(done.returncode)
    figures = json.loads(done.stdout)["cells"][SWEEP["cells"].index(cell)]
    if figures["status"] != "ok":
        raise optuna.TrialPruned(f"{cell}: {figures['status']}")
    return figures["total_seconds"]["median"], figures["rss_growth_bytes"]["median"]


def objective(trial, unbounded_seconds):
    """Returns the growth of memory in bytes."""
    batch_size = trial.suggest_categorical("batch_size", [128, 256, 512, 1024])
    policy = trial.suggest_categorical("policy", ["none", "every_batch", "window", "budget"])
    sync = {}
    if policy == "window":
        sync["batches"] = trial.suggest_int("batches", 1, 8)
    elif policy == "budget":
        sync["bytes"] = f"{trial.suggest_int('mebibytes', 16, 256, log=True)}MiB"
    seconds, growth_bytes = measure(batch_size, policy, **sync)
    trial.set_user_attr("throughput", unbounded_seconds / seconds)
    trial.set_constraint("throughput", 0.95 - unbounded_seconds / seconds)  # at most 0
    return growth_bytes


def main():
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=0))
    study.enqueue_trial(UNBOUNDED)
    unbounded_seconds, _ = measure(**UNBOUNDED)
    study.optimize(lambda trial: objective(trial, unbounded_seconds), n_trials=TRIALS)
    best = study.best_trial
    throughput = best.user_attrs["throughput"]
    print(f"{best.params}: memory grows by {best.value / 1e6:.1f} MB, at {throughput:.0%} of the unbounded throughput")
    return study


if __name__ == "__main__":
    main()
