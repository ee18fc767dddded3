"""The programs of the tutorials that measure memory, on any baseline. One call is one run, in a fresh process.

They return the same as those of programs.py. Runs on Python 3.6 and newer, with the standard library alone.
"""

from measure import MemoryWatch, Stopwatch
from baseline import Network


class Batches:
    """The chapter's data_iter: random inputs, made by the framework on demand, and targets of ones."""

    def __init__(self, baseline, network, parameters):
        self.baseline, self.network = baseline, network
        self.batches, self.batch_size = parameters["batches"], parameters["batch_size"]
        self.made_seconds = None

    def __iter__(self):
        watch = Stopwatch()
        for _ in range(self.batches):
            inputs = self.baseline.normal((self.batch_size, Network.FEATURES))
            targets = self.baseline.ones((self.batch_size,) + self.network.TARGET)
            self.made_seconds = watch.seconds()
            yield inputs, targets


def warmed_up(baseline, parameters, step):
    """A network that has run two batches, and the Batches to run next. step(network, inputs, targets)."""
    network = baseline.network()
    for inputs, targets in Batches(baseline, network, {"batches": 2, "batch_size": parameters["batch_size"]}):
        baseline.wait_for_all(step(network, inputs, targets))
    return network, Batches(baseline, network, parameters)


def figures_of(baseline, batches, run):
    """Times and memory of a run. run: issues all batches, and returns the last issued array."""
    memory, watch = MemoryWatch(), Stopwatch()
    last = run()
    issue = watch.seconds()
    baseline.wait_for_all(last)
    return {"rss_peak_growth_bytes": memory.peak_growth_bytes(), "rss_growth_after_wait_bytes": memory.growth_bytes(),
            "batches_made_seconds": batches.made_seconds, "issue_seconds": issue, "total_seconds": watch.seconds()}


def train(baseline, parameters, folder):
    """The chapter's memory experiment: the loop with and without a wait for the loss of each batch."""
    network, batches = warmed_up(baseline, parameters, lambda network, *batch: network.train(*batch, read_loss=True)[1])
    losses = []

    def run():
        last = None
        for inputs, targets in batches:
            loss, last = network.train(inputs, targets, read_loss=parameters["wait"])
            losses.append(loss)
        return last

    figures = figures_of(baseline, batches, run)
    return figures, {"first_loss": losses[0], "last_loss": losses[-1]}


def predict(baseline, parameters, folder):
    """The same network, forward only; outputs are kept or dropped."""
    network, batches = warmed_up(baseline, parameters, lambda network, inputs, _: network.predict(inputs))
    kept = []

    def run():
        last = None
        for inputs, _ in batches:
            last = network.predict(inputs)
            if parameters["keep"]:
                kept.append(last)
            if parameters["wait"]:
                baseline.wait(last)
        return last

    return figures_of(baseline, batches, run), {}
