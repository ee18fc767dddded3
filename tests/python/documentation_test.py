"""README and docs: their Python and their commands run, their configs are valid."""

import importlib.util
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

import torch._dynamo  # noqa: F401  Here, since the first backward pass of each page would import it.

from script_processes import run

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "apps").rglob("README.md"))]
# What the blocks of a page take for granted.
PRELUDE = """
import torch, runahead
loader = [(torch.randn(4, 8), torch.randn(4, 1)) for _ in range(3)]
layer = torch.nn.Linear(8, 1).to("acpu")
def step(inputs, targets):
    loss = (layer(inputs.to("acpu")) - targets.to("acpu")).square().mean()
    loss.backward()
    return loss
"""
FEWER_STEPS = {"range(1000)": "range(20)"}  # Of the README.

# A program of one's own, as the pages name it.
TRAIN_PY = """
import torch, runahead
model = torch.nn.Linear(64, 1).to("acpu")
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(20):
    optimizer.zero_grad()
    model(torch.randn(32, 64).to("acpu")).square().mean().backward()
    optimizer.step()
"""
TRAIN = {"experiment": "train", "batches": 10, "model": {"layers": [8, 1]}, "data": {"features": 4, "batch_size": 8}}
SWEEP = {"base": TRAIN, "axes": {"/sync/policy": ["none", "window"]}, "repeats": 2}
# The ready configs run for minutes; a few small batches of them show as well that the command works.
FEWER_BATCHES = """#!/bin/sh
case "$1 $2" in
  "run configs/"*) set -- "$@" --set /batches=5 --set /model/layers=[8,1] --set /data/batch_size=16 ;;
  "sweep configs/"*) set -- "$@" --set /base/batches=5 --set /base/model/layers=[8,1] --set /base/data/batch_size=16 ;;
esac
exec "$RUNAHEAD" "$@"
"""
NEEDED = {"parallel ": lambda: shutil.which("parallel"),  # Else the command is not run: what it needs is not here.
          "parquet": lambda: importlib.util.find_spec("pyarrow"),
          "tensorboard": lambda: importlib.util.find_spec("tensorboard"),
          "MLFLOW_TRACKING_URI": lambda: False,  # A server.
          "nohup ": lambda: False,  # A scheduler.
          "scripts/": lambda: False, "cmake ": lambda: False}  # Set-up.


def blocks(page, language):
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def commands():
    """(page, words) of each line that calls one of our programs or scripts."""
    for page in PAGES:
        for block in blocks(page, "sh"):
            for line in block.replace("\\\n", " ").splitlines():
                words = shlex.split(line, comments=True)
                for start, word in enumerate(words):
                    if word == "runahead" or word.startswith("scripts/"):
                        yield page, words[start:]
                        break


class Documentation(unittest.TestCase):
    def test_python_of_each_page_runs(self):
        pages = [page for page in PAGES if blocks(page, "python")]
        self.assertGreaterEqual(len(pages), 2)
        programs = ["\n".join([PRELUDE, *blocks(page, "python")]) for page in pages]
        for steps, fewer in FEWER_STEPS.items():
            programs = [program.replace(steps, fewer) for program in programs]
        for page, program in zip(pages, programs):
            with self.subTest(page=page.name), tempfile.TemporaryDirectory() as folder:
                done = run(f"import os; os.chdir({folder!r})\n{program}")
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_configs_are_valid(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        (pathlib.Path(folder.name) / "experiment.json").write_text('{"experiment": "train"}')  # As pages name it.
        found = 0
        for page in [*PAGES, ROOT / "core" / "config" / "README.md"]:
            for block in blocks(page, "json"):
                if not {"experiment", "base"} & set(json.loads(block)):
                    continue
                found += 1
                with self.subTest(page=page.name, config=block):
                    done = subprocess.run([os.environ["RUNAHEAD"], "validate", "-"], cwd=folder.name, input=block,
                                          capture_output=True, text=True, check=False)
                    self.assertIn(done.returncode, (0, 3), done.stderr)  # 3: a program that is not here
        self.assertGreaterEqual(found, 4)

    def test_commands_have_the_options_that_pages_name(self):
        helps = {}
        found = 0
        for page, words in commands():
            with self.subTest(page=page.name, command=" ".join(words)):
                if words[0] != "runahead":
                    self.assertTrue((ROOT / words[0]).is_file())
                    continue
                found += 1
                command = words[1]
                if command.startswith("-"):
                    continue
                if command not in helps:
                    helps[command] = subprocess.run([os.environ["RUNAHEAD"], command, "--help"], capture_output=True, text=True, check=True).stdout
                # What follows -- is a command of the user's.
                ours = words[2:words.index("--")] if "--" in words else words[2:]
                for option in (word.partition("=")[0] for word in ours if word.startswith("--")):
                    self.assertRegex(helps[command], rf"(?<![\w-]){re.escape(option)}(?![\w-])")
        self.assertGreaterEqual(found, 10)


class Results(unittest.TestCase):
    """What results.md says of other pages' tables."""

    def setUp(self):
        self.results = (ROOT / "docs" / "results.md").read_text(encoding="utf-8")

    def test_counts_of_the_operator_database(self):
        table = (ROOT / "tests" / "python" / "README.md").read_text(encoding="utf-8")
        entries, right, equal, free, fixed = re.search(r"^\| float32, .*? \| (\d+) \| (\d+) \| (\d+) \| (\d+) of (\d+) \|$", table, re.MULTILINE).groups()
        self.assertIn(f"of {entries} entries, {right} are correct, and {equal} of these are equal to `cpu` in every bit", self.results)
        self.assertIn(f"{free} of the {fixed} entries whose shapes do not depend on values", self.results)

    def test_counts_of_tests_of_other_projects(self):
        table = (ROOT / "tests" / "conformance" / "RESULTS.md").read_text(encoding="utf-8")
        rows = re.findall(r"^\| ([\d.]+) \| (\S+) \| \d+ \| (\d+) \| (\d+) \|", table, re.MULTILINE)
        whole = {suite: (int(run), int(passed)) for suite, file, run, passed in rows if file == "**all**"}
        self.assertEqual(set(whole), {"2.6", "2.11"})
        for suite, (run_count, passed) in whole.items():
            files = sum(row[0] == suite for row in rows) - 1
            self.assertRegex(self.results, rf"{passed:,} of {run_count:,} (pass )?\({re.escape(suite)}, {files} files\)")


class Commands(unittest.TestCase):
    """Those of a page, in its order, in a folder where what it takes for granted is there."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "configs").symlink_to(ROOT / "configs")
        (self.folder / "train.py").write_text(TRAIN_PY)
        (self.folder / "train.json").write_text(json.dumps(TRAIN))
        (self.folder / "my_sweep.json").write_text(json.dumps(SWEEP))
        programs = self.folder / "bin"
        programs.mkdir()
        # A link to Python would not find the packages of its environment.
        for name, script in {"runahead": FEWER_BATCHES, "python": f'#!/bin/sh\nexec "{sys.executable}" "$@"\n'}.items():
            (programs / name).write_text(script)
            (programs / name).chmod(0o755)
        self.environment = dict(os.environ, PATH=f"{programs}:{os.environ['PATH']}", RUNAHEAD_PYTHON=sys.executable)

    def execute(self, line, allowed=(0,)):
        done = subprocess.run(["sh", "-c", line], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=250, check=False)
        self.assertIn(done.returncode, allowed, done.stdout + done.stderr)

    def execute_page(self, name):
        executed = 0
        for line in (line for block in blocks(ROOT / "docs" / name, "sh") for line in block.splitlines()):
            if all(is_here() for word, is_here in NEEDED.items() if word in line):
                with self.subTest(command=line):
                    self.execute(line, allowed=(0, 6) if "--fail-if" in line else (0,))
                executed += 1
        return executed

    def test_of_experiments(self):
        self.assertGreaterEqual(self.execute_page("experiments.md"), 5)

    def test_of_sweeps(self):
        self.assertGreaterEqual(self.execute_page("sweeps.md"), 5)

    def test_of_reports(self):
        self.execute("runahead sweep my_sweep.json --out runs/mxnet_memory")
        shutil.copytree(self.folder / "runs" / "mxnet_memory", self.folder / "runs" / "before")
        shutil.copytree(self.folder / "runs" / "mxnet_memory", self.folder / "runs" / "after")
        for name in ("m.csv", "other.csv"):
            self.execute(f"runahead monitor --out {name} -- sleep 1")
        self.assertGreaterEqual(self.execute_page("report.md"), 4)

    def test_of_your_program(self):
        for name in ("mine", "other"):
            self.execute(f"runahead run train.json --out runs/{name}")
        self.assertGreaterEqual(self.execute_page("your_program.md"), 4)
        self.assertTrue((self.folder / "runs" / "unchanged" / "record.json").is_file())

    def test_of_the_gallery(self):
        module = pathlib.Path(importlib.util.find_spec("runahead").origin)
        for name, target in {"bin/runahead": os.environ["RUNAHEAD"], "python": module.parents[1]}.items():
            (self.folder / "build" / name).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / "build" / name).symlink_to(target)
        (self.folder / ".venv").symlink_to(sys.prefix)
        (block,) = blocks(ROOT / "docs" / "gallery.md", "sh")
        lines = [line for line in block.splitlines() if not re.search("--compare|draw.py|--remedy window", line)]  # They take long.
        self.assertEqual(len(lines), 3)
        self.execute("\n".join(["set -e", *lines]))
        if not torch.cuda.is_available():
            self.execute("PYTHONPATH=build/python .venv/bin/python configs/gallery/kept_losses.py --device cuda", allowed=(2,))


if __name__ == "__main__":
    unittest.main()
