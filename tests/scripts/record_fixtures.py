"""Made-up records and samples, as runs and sweeps leave them."""

import copy
import json

COLUMNS = ("time_seconds,rss_bytes,live_bytes,reserved_bytes,promised_bytes,held_bytes,operations_in_flight,"
           "batches_in_flight,batches_issued,batches_finished,pss_bytes,cgroup_bytes,cuda_used_bytes,"
           "cuda_allocated_bytes,cuda_reserved_bytes")
BASELINE_BYTES = 400_000_000

RECORD = {
    "schema_version": 1, "id": "f" * 64, "repeat": 0, "status": "ok", "error": None,
    "experiment": "train", "device": "acpu", "axes": {},
    "config": {
        "experiment": "train", "device": "acpu", "batches": 100,
        "model": {"kind": "mlp", "layers": [2048, 512, 1]},
        "data": {"features": 512, "batch_size": 1024, "made": "on_host"},
        "sync": {"policy": "none"},
        "acpu": {"workers": 1, "ready_order": "oldest_first", "allocation": "at_execution", "limit": "off"},
    },
    "environment": {"runahead": "0.1.0", "torch": "2.11.0", "cuda": None, "cores": 2, "memory_bytes": 25_000_000_000},
    "time": {"issue_seconds": 0.26, "total_seconds": 12.2, "t1_seconds": 0.0026, "t2_seconds": 0.12, "t3_seconds": 1e-7,
             "predicted_total_seconds": 12.0,
             "batch_finished_seconds": [0.122 * (batch + 1) for batch in range(100)]},
    "memory": {"rss_baseline_bytes": BASELINE_BYTES, "rss_growth_bytes": 215_000_000, "held_peak_bytes": 203_821_056},
    "backlog": {"batches_peak": 97, "bytes_peak": 5_100_000_000, "predicted_bytes_peak": 5_000_000_000,
                "blocking_operators": {}},
    "loss": {"first": 0.5, "last": 0.00419},
    "results": {"cost_model": {"fitted_batches": 20, "bottleneck": "back_end", "predictions": {
        "none": {"total_seconds": 12.0, "backlog_bytes": 5_000_000_000},
        "every_batch": {"total_seconds": 12.1, "backlog_bytes": 94_400_000}}}},
}


def make_record(**changes):
    """RECORD with some keys changed; 'time__issue_seconds' is the key issue_seconds of time."""
    record = copy.deepcopy(RECORD)
    for path, value in changes.items():
        *parents, key = path.split("__")
        place = record
        for parent in parents:
            place = place[parent]
        place[key] = value
    return record


def sweep_record(cell, policy, **changes):
    """The record of a cell of a sweep over sync policies; `cell` is a hexadecimal digit."""
    axes = {"/sync/policy": policy, **changes.pop("axes", {})}
    return make_record(id=cell * 64, axes=axes, config__sync={"policy": policy, "wait": "loss_value"}, **changes)


def write_samples(folder, rows):
    """rows: (seconds, RSS or None, batches in flight or None); the other columns follow from the batches in flight."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = [",".join(sample_fields(*row)) for row in rows]
    (folder / "samples.csv").write_text("\n".join([COLUMNS, *lines]) + "\n")


def sample_fields(seconds, rss, batches):
    counted = ["" if batches is None else str(batches * factor) for factor in
               (100_000, 100_000, 25_000_000, 2_101_248, 25)]
    issued = "" if batches is None else str(100 if seconds else 0)
    finished = "" if batches is None else str(100 - batches if seconds else 0)
    return [str(seconds), "" if rss is None else str(rss), *counted, "" if batches is None else str(batches), issued,
            finished, *[""] * 5]


def write_attributed_run(folder):
    """A run whose samples say what RSS is made of: parameters, a growing backlog of inputs, and a rest."""
    names = ["parameters", "inputs", "heap_kept"]
    write_run(folder, make_record(
        memory__attribution={"baseline_bytes": BASELINE_BYTES - 8_000_000, "parameters_bytes": 8_000_000},
        results__sample_columns={f"{name}_bytes": {"label": name, "rss_sign": 1} for name in names}))
    header = ["time_seconds", "rss_bytes", *(f"{name}_bytes" for name in names), "inputs_untouched_bytes", "rest_bytes",
              "overcounted_bytes"]
    rows = [[step / 100, BASELINE_BYTES + step * 1_000_000 + 100_000, 8_000_000, step * 1_000_000, 0, 0, 100_000, 0]
            for step in range(100)]
    lines = [",".join(str(value) for value in row) for row in [header, *rows]]
    (folder / "samples.csv").write_text("\n".join(lines) + "\n")


CUDA = {"staging": "pinned", "copies": "in_order", "buffers": 4, "allocator": "native", "expandable_segments": False}


def cuda_config(cuda=(), **changes):
    return {"experiment": "train", "device": "cuda:0", "data": {}, "log_every": 0, "cuda": {**CUDA, **dict(cuda)}, **changes}


def write_cuda_run(folder):
    """A run on CUDA whose samples lack what is costly to read, in one."""
    write_run(folder, make_record(device="cuda", config__device="cuda", config__cuda=CUDA))
    rows = [(0.0, 1300, 4_000_000), (0.1, 1300, ""), (0.2, 1390, 64_000_000)]
    lines = [f"{seconds},{BASELINE_BYTES},1,{active}000000,{pinned}" for seconds, active, pinned in rows]
    (folder / "samples.csv").write_text("\n".join(
        ["time_seconds,rss_bytes,batches_in_flight,cuda_active_bytes,cuda_pinned_bytes", *lines]) + "\n")


def write_run(folder, record, rows=None):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "record.json").write_text(json.dumps(record))
    if rows is not None:
        write_samples(folder, rows)


def write_sweep(folder, records, rows=None):
    """Writes the records, and `rows` as the samples of each that is ok."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "records.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    for record in records:
        if rows is not None and record["status"] == "ok":
            write_samples(folder / "cells" / f"{record['id'][:12]}-{record['repeat']}", rows)


def ramp_rows(seconds=12.2, batches=97, steps=200):
    """A backlog that jumps up and is worked off, with RSS following it."""
    left = [batches * (steps - step) // steps for step in range(steps + 1)]
    return [(0.0, BASELINE_BYTES, 0)] + [(seconds * (step + 1) / (steps + 1), BASELINE_BYTES + 2_101_248 * count, count)
                                         for step, count in enumerate(left)]
