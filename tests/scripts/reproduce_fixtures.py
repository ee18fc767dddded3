"""A made-up result of `runahead reproduce`, with a run and a claim of each experiment."""

import json

import record_fixtures as fixtures


def spread(median):
    return {"median": median, "min": 0.9 * median, "max": 1.2 * median, "count": 7}


def claim(experiment, device="acpu", **changes):
    return {"document": "JAX", "id": f"{experiment}.claim", "experiment": experiment, "claim": "The call returns early.",
            "condition": "dispatch < 10 % of the copy", "device": device, "expected": "holds", "holds": True, "met": True,
            "measured": "1 %", "values": {}, "depends_on": "On the device.", **changes}


def totals(operations):
    return {"operations": operations, "waited_each_seconds": spread(2.0 * operations),
            "waited_once_seconds": spread(1.0 * operations), "issue_seconds": spread(0.5 * operations),
            "predicted_each_seconds": 2.1 * operations, "predicted_once_seconds": 1.1 * operations,
            "error_each": 0.05, "error_once": 0.1}


RESULTS = {
    "dispatch": {"dispatch_seconds": spread(2e-5), "copy_seconds": spread(0.04)},
    "matmul_loop": {"without_wait_seconds": spread(1e-4), "with_wait_seconds": spread(0.5)},
    "graph": {"issue_seconds": spread(1e-5), "read_seconds": spread(1e-4), "text": "0: ones <1>",
              "svg": "<svg xmlns='http://www.w3.org/2000/svg'><text>mul</text></svg>"},
    "queued_finished": {"queued_seconds": spread(1e-4), "finished_seconds": spread(0.3)},
    "sync_functions": {"execution_seconds": spread(0.25), "loss_ready_seconds": spread(0.26)},
    "increment": {"independent": {"runs": [totals(1000), totals(10000)]}, "chained": {"runs": [totals(1000)]}},
    "data_iter": {"batches": [50, 100], "with_wait_elapsed_seconds": [1.0, 2.0], "without_wait_elapsed_seconds": [0.1, 0.2],
                  "with_wait_total_seconds": spread(2.0), "without_wait_total_seconds": spread(1.9)},
    "exercise": {"sizes": [{"elements": 2, "t2_over_t1": 0.2, "fitting_formula": "front_end"},
                           {"elements": 65536, "t2_over_t1": 4.0, "fitting_formula": "back_end"}]},
    "front_end": {"t2_seconds": 0.1, "delays": [{"percent": percent, "seconds_per_batch": spread(0.1 + percent / 1000)}
                                                for percent in (0, 100, 200)]},
}
RUNS = {"graph": "graph.2_workers", "increment": "increment.small"}
MEMORY = {"train": "train.on_device.none", "predict": "predict.dropped.none"}


class Reproduced:
    """What `write` puts into a folder."""

    def __init__(self):
        self.runs, self.records, self.claims = [], [], []
        for experiment, results in RESULTS.items():
            self.add_run(RUNS.get(experiment, experiment), results={experiment: results}, config__size=1000)
            self.claims.append(claim(experiment))
        self.add_run("graph.1_worker", results={"graph": RESULTS["graph"]})
        for experiment, name in MEMORY.items():
            for run, batches in ((f"{name}.short", 50), (f"{name}.long", 100)):
                for process in range(3):
                    self.add_run(run, config__batches=batches, results={"occupied_peak_bytes": 2e6 * batches + process})
            self.claims.append(claim(experiment))

    def add_run(self, name, attempt=0, **changes):
        self.runs.append({"run": name, "device": "acpu", "process": 0, "id": "f" * 64, "status": "ok", "attempt": attempt})
        self.records.append(fixtures.make_record(device="acpu", **changes))

    def write(self, folder, **changes):
        document = {"schema_version": 1, "status": "ok", "quick": False, "devices": ["cpu", "acpu"], "all_met": True,
                    "runs": self.runs, "claims": self.claims, **changes}
        folder.mkdir(exist_ok=True)
        (folder / "reproduce.json").write_text(json.dumps(document))
        (folder / "records.jsonl").write_text("".join(json.dumps(record) + "\n" for record in self.records))
        return folder


def write_baselines(folder, size):
    """Writes a framework's baseline with this parameter, and one that is absent, next to a result."""
    (folder / "baselines").mkdir()
    figures = {"copy_seconds": {"median": 0.02, "min": 0.02, "max": 0.02, "runs": 5}}
    (folder / "baselines/jax.json").write_text(json.dumps({
        "baseline": "jax", "status": "ok", "versions": {"jax": "0.10.2"},
        "programs": {"dispatch": {"cases": {"default": {"parameters": {"size": size}, "figures": figures}}}}}))
    (folder / "baselines/mxnet.json").write_text(json.dumps(
        {"baseline": "mxnet", "status": "absent", "reason": "it is not set up", "programs": None}))
