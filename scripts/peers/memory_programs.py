"""The programs of the seeds that measure memory, on any peer. One call is one run, in a fresh process.

They return as those of programs.py do. Runs on Python 3.6 and newer, with the standard library alone.
"""

from measure import MemoryWatch, Stopwatch
from peer import Network


class Batches:
    """The chapter's data_iter: random inputs, made by the framework as they are asked for, and targets of ones."""

    def __init__(self, peer, network, parameters):
        self.peer, self.network = peer, network
        self.batches, self.batch_size = parameters["batches"], parameters["batch_size"]
        self.made_seconds = None

    def __iter__(self):
        watch = Stopwatch()
        for _ in range(self.batches):
            inputs = self.peer.normal((self.batch_size, Network.FEATURES))
            targets = self.network.targets(self.batch_size)
            self.made_seconds = watch.seconds()
            yield inputs, targets


def warmed_up(peer, parameters, step):
    """A network on which two batches have been run, and batches to come. step: of a network, inputs and targets."""
    network = peer.network()
    for inputs, targets in Batches(peer, network, {"batches": 2, "batch_size": parameters["batch_size"]}):
        peer.wait_for_all(step(network, inputs, targets))
    return network, Batches(peer, network, parameters)


def figures_of(peer, batches, run):
    """Times and memory of a run. run: issues all batches, and returns what was issued last."""
    memory, watch = MemoryWatch(), Stopwatch()
    last = run()
    issue = watch.seconds()
    peer.wait_for_all(last)
    return {"rss_peak_growth_bytes": memory.peak_growth_bytes(), "rss_growth_after_wait_bytes": memory.growth_bytes(),
            "batches_made_seconds": batches.made_seconds, "issue_seconds": issue, "total_seconds": watch.seconds()}


def train(peer, parameters, folder):
    """The chapter's memory experiment: the loop with and without a wait for the loss of each batch."""
    network, batches = warmed_up(peer, parameters, lambda network, *batch: network.train(*batch, read_loss=True)[1])
    losses = []

    def run():
        last = None
        for inputs, targets in batches:
            loss, last = network.train(inputs, targets, read_loss=parameters["wait"])
            losses.append(loss)
        return last

    figures = figures_of(peer, batches, run)
    return figures, {"first_loss": losses[0], "last_loss": losses[-1]}


def predict(peer, parameters, folder):
    """The same network, forward only; outputs are kept or dropped."""
    network, batches = warmed_up(peer, parameters, lambda network, inputs, _: network.predict(inputs))
    kept = []

    def run():
        last = None
        for inputs, _ in batches:
            last = network.predict(inputs)
            if parameters["keep"]:
                kept.append(last)
            if parameters["wait"]:
                peer.wait(last)
        return last

    return figures_of(peer, batches, run), {}
