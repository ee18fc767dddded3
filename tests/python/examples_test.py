"""The examples in Python and the training loop of `reproduce`, each run as a user runs it. What needs a package that is not
installed is skipped.
"""

import contextlib
import importlib.util
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
EXAMPLES = ROOT / "apps/examples"
REQUIREMENTS = "scripts/requirements/examples.txt, which scripts/setup installs"


def needs(*packages):
    """Skips a test where one of the packages is not installed."""
    missing = [name for name in packages if importlib.util.find_spec(name) is None]
    return unittest.skipIf(missing, f"skipped: {', '.join(missing)} not installed: see {REQUIREMENTS}")


def run(*command, cwd):
    return subprocess.run([sys.executable, *map(str, command)], cwd=cwd, capture_output=True, text=True, timeout=250, check=False)


class ExampleTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)


class TwoLines(ExampleTest):
    def test_runs(self):
        done = run(EXAMPLES / "two_lines.py", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)


class Notebook(unittest.TestCase):
    PATH = EXAMPLES / "asynchronous_computation.ipynb"
    # The same cells over less work: a narrower network, with a bound that it would pass unbounded, and smaller products.
    SMALLER = {"2048": "256", "40_000_000": "16_000_000", "torch.ones(700, 700)": "torch.ones(200, 200)"}

    def setUp(self):
        self.cells = json.loads(self.PATH.read_text(encoding="utf-8"))["cells"]

    def smaller_sources(self):
        """(id, source) of each cell with code."""
        sources = {cell["id"]: "".join(cell["source"]) for cell in self.cells if cell["cell_type"] == "code"}
        for text, replacement in self.SMALLER.items():
            self.assertIn(text, "".join(sources.values()))
            sources = {name: source.replace(text, replacement) for name, source in sources.items()}
        return sources.items()

    @needs("matplotlib", "pandas")
    def test_its_cells_run_in_order_and_the_bounds_hold(self):
        import matplotlib
        matplotlib.use("Agg")
        names = {}
        for name, source in self.smaller_sources():
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compile(source, name, "exec"), names)
        names["folder"].cleanup()
        self.assertIn("aten::nonzero", names["hidden_waits"])
        self.assertEqual(len(names["losses"]), 4)
        self.assertEqual(len(set(names["losses"].values())), 1)
        figures = {name: run.records.iloc[0] for name, run in names["runs"].items()}
        for name, row in figures.items():
            self.assertEqual((row["status"], len(row["time.batch_finished_seconds"])), ("ok", 30), name)
        self.assertLessEqual(figures["window of 2"]["backlog.batches_peak"], 2)
        self.assertLessEqual(figures["40 MB"]["memory.committed_peak_bytes"], names["limit_bytes"])
        self.assertEqual([len(axes.lines) for axes in names["figure"].axes], [4, 4])

    def test_is_stored_without_outputs(self):
        for cell in self.cells:
            if cell["cell_type"] == "code":
                self.assertEqual((cell["outputs"], cell["execution_count"]), ([], None), cell["id"])

    @needs("nbformat")
    def test_has_the_format_of_notebooks(self):
        import nbformat
        nbformat.validate(nbformat.read(self.PATH, nbformat.NO_CONVERT))


@needs("optuna")
class OptunaSearch(ExampleTest):
    def setUp(self):
        super().setUp()
        program = pathlib.Path(os.environ["RUNAHEAD"]).parent
        environment = mock.patch.dict(os.environ, PATH=f"{program}:{os.environ['PATH']}")
        environment.start()
        self.addCleanup(environment.stop)
        specification = importlib.util.spec_from_file_location("optuna_search", EXAMPLES / "optuna_search.py")
        self.search = importlib.util.module_from_spec(specification)
        specification.loader.exec_module(self.search)
        # The same search over less work.
        self.search.FOLDER, self.search.TRIALS, self.search.EXAMPLES = str(self.folder / "out"), 6, 4096
        self.search.SWEEP["base"] |= {"model": {"layers": [16, 1]}, "data": {"features": 8}}
        self.search.SWEEP["repeats"] = 1

    def records(self):
        lines = (self.folder / "out/records.jsonl").read_text().splitlines()
        return [json.loads(line) for line in lines]

    def test_finds_the_least_memory_among_the_trials_that_keep_the_throughput(self):
        study = self.search.main()
        kept = [trial for trial in study.trials if trial.user_attrs["throughput"] >= 0.95]
        self.assertEqual((len(study.trials), study.trials[0].params), (6, self.search.UNBOUNDED))
        self.assertEqual(study.best_value, min(trial.value for trial in kept))
        measured = {record["id"]: record["memory"]["rss_growth_bytes"] for record in self.records()}
        self.assertEqual(len(self.records()), len(self.search.SWEEP["cells"]))
        self.assertLessEqual({trial.value for trial in study.trials}, set(measured.values()))

    def test_a_run_out_of_memory_is_a_pruned_trial(self):
        import optuna
        self.search.SWEEP["memory_limit"] = "16MiB"  # Less than a process with LibTorch has at its start.
        study = optuna.create_study()
        study.enqueue_trial(self.search.UNBOUNDED)
        study.optimize(lambda trial: self.search.objective(trial, 1.0), n_trials=1)
        self.assertEqual(study.trials[0].state, optuna.trial.TrialState.PRUNED)
        self.assertEqual([record["status"] for record in self.records()], ["out_of_memory"])

    def test_a_wrong_config_ends_the_search(self):
        self.search.SWEEP["base"]["optimiser"] = {}
        with self.assertRaises(SystemExit) as ended:
            self.search.main()
        self.assertEqual(ended.exception.code, 2)


TRAIN_LOOP = {
    "seed": 0, "batches": 3, "repeats": 2, "model": {"layers": [8, 4, 1]},
    "data": {"batch_size": 16, "features": 8, "targets": {"width": 1}}, "optimizer": {"learning_rate": 0.005},
    "acpu": {"workers": 1}, "threads": {"intra_op": 1, "pin": True},
}


class TrainLoop(ExampleTest):
    def run_loop(self, packages):
        config = self.folder / "config.json"
        config.write_text(json.dumps(TRAIN_LOOP))
        return run(ROOT / "scripts/tutorials/train_loop.py", config, packages, cwd=self.folder)

    def test_reports_what_all_batches_took_in_each_repeat(self):
        done = self.run_loop(os.environ["PYTHONPATH"])
        self.assertEqual(done.returncode, 0, done.stderr)
        total = json.loads(done.stdout)["total_seconds"]
        self.assertEqual(total["count"], 2)
        self.assertTrue(0 < total["min"] <= total["median"] <= total["max"])

    def test_says_what_is_missing(self):
        environment = os.environ.pop("PYTHONPATH")
        self.addCleanup(os.environ.__setitem__, "PYTHONPATH", environment)
        done = self.run_loop("/nowhere")
        self.assertEqual(done.returncode, 3)
        self.assertIn("scripts/build", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)  # So that a skipped test says why.
