"""The documents' own words for what is timed: which call, and whether it issues, executes or waits."""

ISSUE, EXECUTE, WAIT = "issue", "execute", "wait"

# Experiment: (figure, words, what it is).
TIMES = {
    "dispatch": [
        ("dispatch_seconds", "jnp.dot(x, x) + 3.", ISSUE),
        ("shape_seconds", "… and y.shape, y.dtype", ISSUE),
        ("passed_on_seconds", "… and (y * 2).sum()", ISSUE),
        ("block_seconds", "(jnp.dot(x, x) + 3.).block_until_ready()", WAIT),
        ("copy_seconds", "np.asarray(jnp.dot(x, x) + 3.)", WAIT),
        ("queue_issue_seconds", "many products in a row", ISSUE),
        ("queue_total_seconds", "… and a wait for the last", WAIT),
    ],
    "matmul_loop": [
        ("without_wait_seconds", "10 × paddle.mm(a, a)", ISSUE),
        ("with_wait_seconds", "10 × paddle.mm(a, a); synchronize()", WAIT),
        ("host_seconds", "10 × numpy.dot(a, a)", EXECUTE),
    ],
    "graph": [
        ("issue_seconds", "z = x * y + 2", ISSUE),
        ("read_seconds", "… and print(z)", WAIT),
        ("wide_seconds", "a wide graph, and a wait", WAIT),
    ],
    "queued_finished": [
        ("queued_seconds", "Workloads are queued.", ISSUE),
        ("finished_seconds", "Workloads are finished.", WAIT),
    ],
    "sync_functions": [
        ("execution_seconds", "the product itself", EXECUTE),
        ("loss_ready_seconds", "y.wait_to_read()", WAIT),
        ("all_seconds", "npx.waitall()", WAIT),
        ("host_copy_seconds", "y.asnumpy()", WAIT),
        ("loss_value_seconds", "y.sum().asscalar()", WAIT),
        ("print_seconds", "print(y.sum())", WAIT),
        ("save_seconds", "npx.save(…, y)", WAIT),
        ("implicit_conversion_seconds", "numpy_array[:] = y", WAIT),
        ("issue_seconds", "y = np.dot(x, x)", ISSUE),
        ("shape_seconds", "… and y.shape", ISSUE),
        ("operation_seconds", "… and y + 1", ISSUE),
    ],
}

# The documents' names for the three.
NAMES = [
    ("issue", "dispatch", "the front end hands an operation to the back end", "push: “workloads are queued”", "issue"),
    ("execute", "the computation on the device", "the back end executes it in order of its dependencies",
     "“workloads are finished”", "execute, on the back end"),
    ("wait", "block_until_ready(), np.asarray(y), float(y)", "paddle.device.synchronize(), y.numpy(), print(y)",
     "wait_to_read(), waitall(), asnumpy(), asscalar(), print(y)", "sync policy and its wait: loss_ready, all, host_copy, "
     "loss_value, print, save"),
]
HEADINGS = ("", "JAX", "Paddle", "MXNet", "runahead")
