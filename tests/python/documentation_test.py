"""README and docs: their Python runs, their configs are valid, their commands have the options that they name."""

import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

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
    def run_python(self, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([sys.executable, *arguments], cwd=folder, capture_output=True, text=True, timeout=250, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_python_of_each_page_runs(self):
        pages = [page for page in PAGES if blocks(page, "python")]
        self.assertGreaterEqual(len(pages), 2)
        for page in pages:
            with self.subTest(page=page.name):
                self.run_python("-c", "\n".join([PRELUDE, *blocks(page, "python")]))

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


if __name__ == "__main__":
    unittest.main()
