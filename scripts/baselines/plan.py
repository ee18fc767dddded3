"""What is measured: the programs, their cases, and the parameters of each. Python 3.6 and newer."""

import collections

import memory_programs
import programs

# cases: {name: parameters}. is_fresh: each run is the first of a process, because earlier runs affect RSS.
Program = collections.namedtuple("Program", "run cases is_fresh")


def plan(quick):
    """{kind of experiment: Program}, with the names of `runahead experiments`. quick: the same cases at smaller sizes,
    those of `runahead reproduce --quick`, so that figures can be compared."""
    large, small = (1000, 500) if quick else (2000, 1000)
    return {
        "dispatch": Program(programs.dispatch, {"default": {"size": small}}, False),
        "queued_finished": Program(programs.queued_finished, {"default": {"size": large}}, False),
        "matmul_loop": Program(programs.matmul_loop, {"default": {"size": 1000, "products": 10}}, False),
        "sync_functions": Program(programs.sync_functions, {"default": {"size": large}}, False),
        "increment": Program(programs.increment, increment_cases(quick), False),
        "graph": Program(programs.graph, {"default": {}}, False),
        "train": Program(memory_programs.train, train_cases(quick), True),
        "predict": Program(memory_programs.predict, predict_cases(quick), True),
    }


def increment_cases(quick):
    """x of shape (1, 2), as in the chapter, where issuing dominates, and of 4 MB, where executing dominates."""
    return {
        "small": {"shape": [1, 2], "operations": 1000, "chained": False},
        "small_chained": {"shape": [1, 2], "operations": 1000, "chained": True},
        "large": {"shape": [1000, 1000], "operations": 60 if quick else 200, "chained": False},
    }


def train_cases(quick):
    return {name: dict(batches_of(quick), wait=wait) for name, wait in (("every_batch", True), ("none", False))}


def predict_cases(quick):
    return {
        "{}_{}".format(keep, wait): dict(batches_of(quick), keep=keep == "kept", wait=wait == "every_batch")
        for keep in ("dropped", "kept") for wait in ("every_batch", "none")
    }


def batches_of(quick):
    return {"batches": 30, "batch_size": 256} if quick else {"batches": 100, "batch_size": 1024}
