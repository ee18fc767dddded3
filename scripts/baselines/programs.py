"""The programs of the tutorials that measure time, on any baseline. One call is one run.

A program takes a baseline, its parameters and a folder for files, and returns ({figure: number}, {result: value}).
Runs on Python 3.6 and newer, with the standard library alone.
"""

from measure import Stopwatch


def dispatch(baseline, parameters, folder):
    """JAX's asynchronous dispatch: dot(x, x) + 3, until the call returns, until the result is ready, until the
    host has it."""
    size = parameters["size"]
    x = baseline.uniform((size, size))
    baseline.wait_for_all(x)
    figures = {}

    watch = Stopwatch()
    y = baseline.dot(x, x) + 3.0
    figures["dispatch_seconds"], figures["dispatch_cpu_seconds"] = watch.seconds(), watch.cpu_seconds()
    known = tuple(y.shape) == (size, size) and "float32" in str(y.dtype)
    figures["shape_seconds"] = watch.seconds()
    baseline.wait_for_all(y)

    watch = Stopwatch()
    y = baseline.dot(x, x) + 3.0
    baseline.wait(y)
    figures["block_seconds"], figures["block_cpu_seconds"] = watch.seconds(), watch.cpu_seconds()

    watch = Stopwatch()
    baseline.to_host(baseline.dot(x, x) + 3.0)
    figures["copy_seconds"], figures["copy_cpu_seconds"] = watch.seconds(), watch.cpu_seconds()
    return figures, {"shape_and_dtype_known": known}


def queued_finished(baseline, parameters, folder):
    """MXNet's first program: a random matrix, its product with itself, the sum. Both times count from the start."""
    size = parameters["size"]
    watch = Stopwatch()
    x = baseline.uniform((size, size))
    y = baseline.dot(x, x).sum()
    queued = watch.seconds()
    print("sum =", y)
    finished = watch.seconds()
    return {"queued_seconds": queued, "finished_seconds": finished}, {}


def matmul_loop(baseline, parameters, folder):
    """Paddle's warm-up: products of random matrices with themselves, without and with a wait at the end."""
    figures = {}
    for name, waits in (("without_wait_seconds", False), ("with_wait_seconds", True)):
        watch = Stopwatch()
        for _ in range(parameters["products"]):
            a = baseline.normal((parameters["size"], parameters["size"]))
            b = baseline.dot(a, a)
        if waits:
            baseline.wait_for_all(b)
        figures[name] = watch.seconds()
        baseline.wait_for_all(b)
    return figures, {}


def sync_functions(baseline, parameters, folder):
    """A product, and then each function that needs its result. issue_seconds, shape_seconds and operation_seconds
    are for what does not need it: nothing, reading the shape, a further operation."""
    size = parameters["size"]
    x = baseline.uniform((size, size))
    baseline.wait_for_all(x)
    functions = {"issue": lambda y: y, "shape": lambda y: y.shape, "operation": lambda y: y + 1}
    functions.update(baseline.synchronising_functions(folder))
    figures = {}
    for name, function in functions.items():
        watch = Stopwatch()
        y = baseline.dot(x, x)
        last = function(y)
        figures[name + "_seconds"] = watch.seconds()
        baseline.wait_for_all(last if name == "operation" else y)
    return figures, {}


def increment(baseline, parameters, folder):
    """MXNet's y = x + 1, waiting each time and once. The chained form is x = x + 1."""
    operations, chained = parameters["operations"], parameters["chained"]
    x = baseline.ones(tuple(parameters["shape"]))
    baseline.wait_for_all(x)
    wait = baseline.wait

    watch = Stopwatch()
    y = x
    for _ in range(operations):
        y = (y if chained else x) + 1
        wait(y)
    waited_each = watch.seconds()

    watch = Stopwatch()
    y = x
    for _ in range(operations):
        y = (y if chained else x) + 1
    issue = watch.seconds()
    baseline.wait_for_all(y)
    waited_once = watch.seconds()
    return {"waited_each_seconds": waited_each, "waited_once_seconds": waited_once, "issue_seconds": issue,
            "issue_per_operation_seconds": issue / operations}, {}


def graph(baseline, parameters, folder):
    """The chapter's dependency graph, z = x * y + 2."""
    watch = Stopwatch()
    x = baseline.ones((1, 2))
    y = baseline.ones((1, 2))
    z = x * y + 2
    issue = watch.seconds()
    values = baseline.to_host(z).tolist()
    return {"issue_seconds": issue, "read_seconds": watch.seconds()}, {"z": values}
