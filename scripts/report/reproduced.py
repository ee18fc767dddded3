"""Reads the results of `runahead reproduce`: its claims, and the records of its runs by name and device."""

import statistics

from report import records

FILE = "reproduce.json"
CLAIM_TEXTS = ("document", "id", "experiment", "claim", "condition", "device", "expected", "measured", "depends_on")


class Reproduced:
    """The claims in order, and figures of the runs."""

    def __init__(self, folder, warnings):
        self.document = read_document(folder / FILE)
        self.claims = self.document["claims"]
        self.runs = {}
        for entry, run in zip(self.document["runs"], read_runs(folder / "records.jsonl", warnings)):
            if not entry.get("attempt"):  # Further attempts are in the text of the claims, not in the charts.
                self.runs.setdefault((entry.get("run"), entry.get("device")), []).append(run)

    @property
    def devices(self):
        return [device for device in self.document["devices"] if isinstance(device, str)]

    def experiments(self):
        """The kinds of experiment, in the order of the claims."""
        return list(dict.fromkeys(claim["experiment"] for claim in self.claims))

    def of(self, name, device):
        """The runs of that name on that device that ended well; one per process."""
        return [run for run in self.runs.get((name, device), []) if run.status == "ok"]

    def spread(self, name, device, *keys):
        """(median, min, max) of a program's repeated measurements, or of the numbers of its processes; None without."""
        runs = self.of(name, device)
        if len(runs) == 1 and (spread := runs[0].mapping(*keys)):
            return records.spread_in(spread)
        numbers = [run.number(*keys) for run in runs]
        if not numbers or None in numbers:
            return None
        return statistics.median(numbers), min(numbers), max(numbers)

    def result(self, name, device, *keys):
        """The value at these keys in the results of the last process; None without."""
        runs = self.of(name, device)
        return runs[-1].get("results", *keys) if runs else None

    def config(self, name, device, *keys):
        """The value at these keys in the config of those runs; None without."""
        runs = self.of(name, device)
        return runs[-1].get("config", *keys) if runs else None


def read_runs(path, warnings):
    """The records in the order in which they were made, which is that of the document's runs."""
    lines = path.read_bytes().splitlines() if path.exists() else []
    parsed = [records.parse(line, f"{path}, line {number}", warnings) for number, line in enumerate(lines, 1)]
    return [records.Run(record or {}, path) for record in parsed]


def read_document(path):
    """Raises ValueError if it is not a document of `reproduce`, OSError if it cannot be read."""
    document = records.parse_json(path.read_bytes())
    kinds = {"claims": list, "runs": list, "devices": list}
    if not isinstance(document, dict) or not all(isinstance(document.get(key), kind) for key, kind in kinds.items()):
        raise ValueError("claims, runs and devices are not in it")
    for claim in document["claims"]:
        if not isinstance(claim, dict) or not all(isinstance(claim.get(key), str) for key in CLAIM_TEXTS):
            raise ValueError("a claim in it lacks its texts")
    if not all(isinstance(run, dict) for run in document["runs"]):
        raise ValueError("a run in it is not an object")
    return document
