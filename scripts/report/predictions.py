"""What the cost model predicted of a run, beside what was measured of the same thing; each may be None."""


def total_seconds(run):
    """(predicted, measured) time until the device is idle."""
    return run.number("time", "predicted_total_seconds"), run.number("time", "total_seconds")


def backlog_bytes(run):
    """(predicted, measured) peak of the bytes that the batches run ahead keep.

    The model counts inputs and targets. Of batches made on the host that is what is held; of others it is not counted
    apart from the rest of the live memory.
    """
    is_on_host = run.get("config", "data", "made") == "on_host"
    return (run.number("backlog", "predicted_bytes_peak"),
            run.number("memory", "held_peak_bytes") if is_on_host else None)
