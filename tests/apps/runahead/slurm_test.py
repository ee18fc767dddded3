"""Sweeps through a real Slurm, which scripts/slurm_local starts in a folder of its own; cells are run by the stub.

Exits with 77 and the reason if there can be no Slurm; with 1 if RUNAHEAD_EXPECT_SLURM=1 requires one. RUNAHEAD and
RUNAHEAD_CELL name the programs.
"""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

SLURM_LOCAL = pathlib.Path(__file__).resolve().parents[3] / "scripts" / "slurm_local"
EXIT_UNAVAILABLE, EXIT_SKIPPED = 3, 77
START_SECONDS, PATIENCE_SECONDS = 300, 600  # A start may install packages.
CELLS, AT_ONCE = 20, 4
OVER_MEMORY, OVER_TIME = 3, 5
# The shard enforces a cell's limits before Slurm does; tighter limits for Slurm make it the one that ends cells.
LIMITS = {"timeout": 600, "memory_limit": "2GB"}
SLURMS_MEMORY, SLURMS_TIME = "--sbatch=--mem=400M", "--sbatch=--time=1"


class Slurm:
    """A single-node Slurm, for as long as the tests run."""

    def __init__(self, folder):
        self.folder = folder
        # Room for all tasks at once, so that the array's throttle is the bound.
        self.started = self.start()
        self.environment = {**os.environ, "SLURM_CONF": self.started.stdout.strip()}

    def start(self):
        """How the start ended; one that takes too long is interrupted, which leaves nothing behind."""
        command = [SLURM_LOCAL, "start", "--dir", self.folder, "--cpus", "8", "--memory", "8192"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            try:
                out, err = process.communicate(timeout=START_SECONDS)
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGINT)
                out, err = process.communicate()
        return subprocess.CompletedProcess(command, process.returncode, out, err)

    def stop(self):
        subprocess.run([SLURM_LOCAL, "stop", "--dir", self.folder], check=True, capture_output=True, timeout=START_SECONDS)

    def call(self, *command):
        return subprocess.run(command, env=self.environment, capture_output=True, text=True, timeout=PATIENCE_SECONDS)

    def tasks(self, state):
        """The tasks in a state, by Slurm's names. Asks again while a busy Slurm does not answer."""
        def answer():
            listed = self.call("squeue", "--noheader", "--array", f"--states={state}", "--format=%i")
            return listed if listed.returncode == 0 else None

        return wait_until(answer, "squeue answers").stdout.split()


class Sweep:
    """A sweep over seeds in a folder of its own."""

    def __init__(self, slurm, folder, cells, more=None):
        self.slurm, self.folder, self.out = slurm, folder, folder / "a 100% sweep"
        self.gate = folder / "gate"
        self.config = folder / "config.json"
        self.processes = []
        self.config.write_text(json.dumps({"base": {"experiment": "train", "batches": 3, "device": "cpu"},
                                           "axes": {"/seed": list(range(cells))}, **(more or {})}))

    def start(self, modes="ok", *arguments):
        environment = {**self.slurm.environment, "STUB_CELL_MODES": modes, "STUB_CELL_GATE": str(self.gate)}
        with open(self.folder / "stderr.txt", "w") as stderr:
            process = subprocess.Popen([os.environ["RUNAHEAD"], "sweep", self.config, "--out", self.out, "--launcher", "slurm",
                                        "--progress", *arguments], env=environment, stdout=subprocess.DEVNULL, stderr=stderr)
        self.processes.append(process)
        return process

    def run(self, modes="ok", *arguments):
        """Returns the exit code."""
        return self.start(modes, *arguments).wait(PATIENCE_SECONDS)

    def end(self):
        """Cleans up after a failed test."""
        for process in self.processes:
            process.kill()
            process.wait()
        self.slurm.call("scancel", "--user", str(os.geteuid()))

    def stderr(self):
        return (self.folder / "stderr.txt").read_text()

    def records(self):
        path = self.out / "records.jsonl"
        text = path.read_text() if path.exists() else ""
        # The last line may be incomplete.
        return [json.loads(line) for line in text[:text.rfind("\n") + 1].splitlines()]

    def states(self):
        """The seed of each cell that has records to the statuses of those, oldest first."""
        states = {}
        for record in self.records():
            states.setdefault(record["axes"]["/seed"], []).append(record["status"])
        return states

    def begun_cells(self):
        """How many cells have begun, so that an interrupt finds them; Slurm calls a task running before it starts."""
        return len(list(self.out.glob("cells/*/stdout.txt")))

    def error_of(self, seed):
        return [record["error"] for record in self.records() if record["axes"]["/seed"] == seed][-1]

    def arrays(self):
        return sorted(path.name for path in (self.out / "slurm").iterdir() if path.name.isdigit())


def wait_until(condition, what):
    """Polls until `condition` returns something true, and returns that: no command of Slurm blocks until a task is in a
    state, and a sweep stores records later still."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not (found := condition()):
        if time.monotonic() > deadline:
            raise AssertionError(f"not reached within {PATIENCE_SECONDS} s: {what}")
        time.sleep(0.2)
    return found


class LauncherTest(unittest.TestCase):
    slurm = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def sweep(self, cells, **more):
        sweep = Sweep(self.slurm, self.folder, cells, more)
        self.addCleanup(sweep.end)
        return sweep

    def assert_nothing_left(self):
        """A task may complete a while after its record appears."""
        wait_until(lambda: not self.slurm.tasks("pending,running,completing"), "nothing is left")


class Limits(LauncherTest):
    def test_an_array_that_was_cancelled_half_way_completes_when_it_is_submitted_again(self):
        sweep = self.sweep(CELLS, **LIMITS)
        self.cancel_half_way(sweep)
        modes = f"{OVER_MEMORY}=allocate,{OVER_TIME}=hang"
        self.assertEqual(sweep.run(modes, "--jobs", str(AT_ONCE), SLURMS_MEMORY, SLURMS_TIME), 4, sweep.stderr())

        states = sweep.states()
        self.assertEqual(sorted(states), list(range(CELLS)))
        self.assertEqual(states[OVER_MEMORY][-1], "out_of_memory")
        self.assertEqual(states[OVER_TIME][-1], "timed_out")
        for seed in set(range(CELLS)) - {OVER_MEMORY, OVER_TIME}:
            self.assertEqual([state for state in states[seed] if state != "interrupted"], ["ok"], seed)
        self.assertIn("Slurm ended it for its memory, over its limit of 400M", sweep.error_of(OVER_MEMORY))
        self.assertIn("Slurm ended it at its time limit of 00:01:00", sweep.error_of(OVER_TIME))
        self.assertRegex(sweep.stderr(), r"Slurm array \d+: .*ended")
        self.assert_nothing_left()

    def cancel_half_way(self, sweep):
        """Of cells 0 to 9 one hangs, as do all later ones; at the interrupt the rest have ended and four run."""
        waiting = [OVER_TIME, *range(CELLS // 2, CELLS)]
        modes = ",".join([f"{OVER_MEMORY}=allocate", *(f"{seed}=graceful" for seed in waiting)])
        process = sweep.start(modes, "--jobs", str(AT_ONCE), SLURMS_MEMORY)
        wait_until(lambda: len(sweep.records()) == CELLS // 2 - 1, "half of the cells have ended")
        wait_until(lambda: sweep.begun_cells() == CELLS // 2 - 1 + AT_ONCE, "others run")
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(PATIENCE_SECONDS), 130, sweep.stderr())
        self.assert_nothing_left()
        states = sweep.states()
        self.assertEqual(states[OVER_MEMORY], ["out_of_memory"])
        stopped = sorted(seed for seed, names in states.items() if "interrupted" in names)
        self.assertEqual(stopped, waiting[:AT_ONCE])
        kept = [record for record in sweep.records() if record["axes"]["/seed"] == OVER_TIME]
        self.assertIsNotNone(kept[0]["time"]["total_seconds"], "what it had measured is kept")

    def test_a_shard_enforces_the_limits_of_its_cell_to_the_second(self):
        sweep = self.sweep(3, timeout=10, memory_limit="200MB")
        # Slurm's limit is far higher, so that the shard ends the cell.
        self.assertEqual(sweep.run("0=hang,1=allocate", "--sbatch=--mem=1G"), 4, sweep.stderr())
        self.assertEqual(sweep.states(), {0: ["timed_out"], 1: ["out_of_memory"], 2: ["ok"]})
        self.assertIn("resident memory reached", sweep.error_of(1))


class Interference(LauncherTest):
    """Kills, cancels and requeues during a sweep."""

    def start_gated(self, cells):
        sweep = self.sweep(cells)
        process = sweep.start("gated")
        wait_until(lambda: sweep.begun_cells() == cells, "all cells run")
        return sweep, process

    def end_gated(self, sweep, process):
        """Opens the gate. Returns the exit code of the sweep."""
        sweep.gate.touch()
        code = process.wait(PATIENCE_SECONDS)
        self.assert_nothing_left()
        return code

    def test_a_sweep_takes_over_the_array_of_one_that_was_killed(self):
        sweep, process = self.start_gated(4)
        process.kill()
        process.wait()
        self.assertEqual(len(self.slurm.tasks("running")), 4, "cells go on without the sweep")
        self.assertEqual(self.end_gated(sweep, sweep.start("gated")), 0, sweep.stderr())
        self.assertEqual(sweep.states(), {seed: ["ok"] for seed in range(4)})
        self.assertEqual(len(sweep.arrays()), 1)

    def test_a_sweep_merges_records_written_after_it_was_killed(self):
        sweep, process = self.start_gated(2)
        process.kill()
        process.wait()
        sweep.gate.touch()
        wait_until(lambda: not self.slurm.tasks("pending,running,completing"), "the cells have ended")
        self.assertEqual(sweep.run(), 0, sweep.stderr())
        self.assertEqual(sweep.states(), {0: ["ok"], 1: ["ok"]})
        self.assertEqual(len(sweep.arrays()), 1)

    def test_a_task_cancelled_by_others_is_interrupted_and_the_rest_go_on(self):
        sweep, process = self.start_gated(3)
        task = min(self.slurm.tasks("running"))
        self.slurm.call("scancel", task)
        wait_until(lambda: len(sweep.records()) == 1, "it has a record")
        self.assertEqual(self.end_gated(sweep, process), 4, sweep.stderr())
        self.assertEqual(sweep.states(), {0: ["interrupted"], 1: ["ok"], 2: ["ok"]})

    def test_a_requeued_task_runs_its_cell_again(self):
        sweep, process = self.start_gated(2)
        task = min(self.slurm.tasks("running"))
        self.slurm.call("scontrol", "requeue", task)
        wait_until(lambda: task in self.slurm.tasks("pending"), "it waits again")

        def runs_again():
            # A requeued task is not eligible for two minutes, and cannot be changed while it completes.
            self.slurm.call("scontrol", "update", f"JobId={task}", "StartTime=now")
            return task in self.slurm.tasks("running")

        wait_until(runs_again, "it runs again")
        self.assertEqual(self.end_gated(sweep, process), 0, sweep.stderr())
        # Slurm may leave the shard the time to note that its cell was interrupted.
        self.assertIn(sweep.states(), [{0: states, 1: ["ok"]} for states in (["ok"], ["interrupted", "ok"])])


class Submission(LauncherTest):
    def test_a_rejected_array_is_reported_in_slurms_words(self):
        sweep = self.sweep(2)
        self.assertEqual(sweep.run("ok", "--sbatch=--partition=nowhere"), 1)
        self.assertIn("invalid partition", sweep.stderr().lower())
        self.assertEqual(sweep.run(), 0, sweep.stderr())


def main():
    with tempfile.TemporaryDirectory(prefix="slurm-") as folder:
        LauncherTest.slurm = Slurm(pathlib.Path(folder) / "cluster")
        if LauncherTest.slurm.started.returncode == EXIT_UNAVAILABLE:
            print(f"no Slurm here: {LauncherTest.slurm.started.stderr.strip()}")
            return 1 if os.environ.get("RUNAHEAD_EXPECT_SLURM") == "1" else EXIT_SKIPPED
        if LauncherTest.slurm.started.returncode != 0:
            print(LauncherTest.slurm.started.stderr, file=sys.stderr)
            return 1
        try:
            return 0 if unittest.main(exit=False).result.wasSuccessful() else 1
        finally:
            LauncherTest.slurm.stop()


if __name__ == "__main__":
    sys.exit(main())
