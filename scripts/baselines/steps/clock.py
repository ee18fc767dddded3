"""Runs a framework's training steps and prints the figures: the command line of every NAME_steps.py."""

import argparse
import json
import time

import problems

WARM_UP_STEPS = 4


def parse(more_options=lambda parser: None):
    parser = argparse.ArgumentParser()
    parser.add_argument("problem", choices=sorted(problems.PROBLEMS))
    parser.add_argument("--threads", type=int, default=1, help="that compute an operation")
    parser.add_argument("--steps", type=int, help="measured steps (default: the problem's)")
    more_options(parser)
    return parser.parse_args()


def run(problem, steps, step, read):
    """Prints {"examples_per_second", "last_loss"}.

    step(number of the batch): issues a training step and returns its loss, on the device. read(loss): waits for the
    step and returns the loss as a number.
    """
    steps = steps or problem.steps
    for number in range(WARM_UP_STEPS + steps):
        if number == WARM_UP_STEPS:
            read(loss)
            started = time.perf_counter()
        loss = step(number % len(problem.batches))
    last = read(loss)
    seconds = time.perf_counter() - started
    print(json.dumps({"examples_per_second": steps * problem.batch_size / seconds, "last_loss": last}))
