"""Makes `torch.utils.benchmark` wait for `acpu` before it reads the clock, also if it was imported earlier.

torch decides at the import: without an accelerator, its timer would measure the issue of operations alone.
"""

import sys
import timeit

import torch


def wait_before_reading_the_clock() -> None:
    module = sys.modules.get("torch.utils.benchmark.utils.timer")
    if module is None or module.timer is not timeit.default_timer:
        return

    def timer() -> float:
        torch.accelerator.synchronize()
        return timeit.default_timer()

    defaults = module.Timer.__init__.__defaults__
    module.Timer.__init__.__defaults__ = tuple(timer if value is module.timer else value for value in defaults)
    for place in (module, sys.modules.get("torch.utils.benchmark.utils"), sys.modules.get("torch.utils.benchmark")):
        if getattr(place, "timer", None) is timeit.default_timer:
            place.timer = timer
