"""How a run on CUDA is shown: device memory and page-locked memory over time, and in words what makes them grow."""

from report import records

ACTIVE, ALLOCATED, PINNED = "cuda_active_bytes", "cuda_allocated_bytes", "cuda_pinned_bytes"
DEFERRED = "deferred"  # Active and not allocated: freed, but still in use by another stream.
# Column of samples.csv, its label, the stroke in pictures, the dash on the page.
GROWTH = (ACTIVE, "growth on the device", "-", "solid")
DEFERRED_FREES = (DEFERRED, "deferred frees on the device", "-", "solid")
PAGE_LOCKED = (PINNED, "page-locked on the host", ":", "dot")
COPIES = {
    "in_order": "one stream: device memory is used again in its order",
    "side_record_stream": "side stream with record_stream: a free waits until the computing stream has passed",
    "side_reuse": "side stream into buffers that are used again, ordered by events",
}
STAGING = {
    "pageable": "each copy from pageable memory is waited for",
    "pinned": "each queued copy keeps its page-locked memory",
    "pinned_ring": "copies from a ring of page-locked buffers",
}


def shown(config):
    """What charts of a run show. With record_stream, that is deferred frees: all active memory goes up and down by far
    more within each batch."""
    return (DEFERRED_FREES if records.section(config, "cuda").get("copies") == "side_record_stream" else GROWTH, PAGE_LOCKED)


def points(series, column):
    """(times, bytes); active bytes are relative to their minimum. Empty if the column was not measured."""
    if column == DEFERRED:
        times, active = series.of(ACTIVE)
        allocated = series.of(ALLOCATED)[1]
        return (times, active - allocated) if len(allocated) == len(active) else (times[:0], active[:0])
    times, values = series.of(column)
    # Relative to the minimum, since parameters would dwarf the rest.
    return times, values - values.min() if column == ACTIVE and len(values) else values


def is_measured(lines):
    return any(len(points(line.main, column)[0]) for line in lines for column, *_ in (GROWTH, PAGE_LOCKED))


def mechanism(config):
    """What makes memory of a run on CUDA accumulate, or prevents that; '' on other devices."""
    if not str(config.get("device") or "").startswith("cuda"):
        return ""
    if config.get("experiment") == "launch_queue":
        parts = ["launches are queued behind a device that is held"]
    else:
        cuda = records.section(config, "cuda")
        parts = [COPIES.get(str(cuda.get("copies"))), STAGING.get(str(cuda.get("staging")))]
    return "; ".join(part for part in [*parts, *options(config)] if part)


def options(config):
    """Other settings of a config that decide which memory is kept."""
    cuda, log_every = records.section(config, "cuda"), config.get("log_every")
    if records.is_number(log_every) and log_every > 0:
        yield f"losses stay on the device, read every {log_every} batches"
    if config.get("outputs") == "kept":
        yield "outputs are kept to the end"
    if cuda.get("allocator") == "cuda_malloc_async":
        yield "memory from cudaMallocAsync"
    if cuda.get("expandable_segments") is True:
        yield "expandable segments"
