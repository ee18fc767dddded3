"""What the cost model predicted of a run, beside what was measured of the same thing; each may be None."""

BOTTLENECKS = {"front_end": "front end", "back_end": "back end"}


def bottleneck(run):
    """The side that decides how long a batch takes when nobody waits; None if it is not known."""
    return BOTTLENECKS.get(run.get("results", "cost_model", "bottleneck"))


def fitted_batches(run):
    """How many of the first batches the model was fitted to."""
    return run.number("results", "cost_model", "fitted_batches")


def total_seconds(run):
    """(predicted, measured) time until the device is idle."""
    return run.number("time", "predicted_total_seconds"), run.number("time", "total_seconds")


def backlog_bytes(run):
    """(predicted, measured) peak of the bytes claimed beyond parameters and optimiser state."""
    return run.number("backlog", "predicted_bytes_peak"), run.number("backlog", "bytes_peak")


def of_policy(run, policy):
    """(seconds, bytes): what the total time and the backlog would be under that sync policy, from this run's costs."""
    predicted = ("results", "cost_model", "predictions", policy)
    return run.number(*predicted, "total_seconds"), run.number(*predicted, "backlog_bytes")
