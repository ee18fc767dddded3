"""The wheel: what it is linked to, and what a user has who installs it into a clean environment.

Runs with RUNAHEAD_ALL=1, because it takes minutes. Builds the wheel from the build that is there; torch is shown to the environment
by a .pth file, so that nothing is downloaded.
"""

import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TORCH_PACKAGES = pathlib.Path(importlib.util.find_spec("torch").origin).parent.parent
LINKED = re.compile(r"lib(c|m|dl|rt|pthread|gcc_s|stdc\+\+|torch\w*|c10\w*|cudart)\.so[.\d]*|ld-linux-x86-64\.so\.2")


def run(*command, cwd=None, **environment):
    """Runs a program without the variables that show it this build; returns it finished, with its output as text."""
    mine = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "RUNAHEAD_DEVICE")}
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=600, cwd=cwd,
                          env=mine | environment, check=False)


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        built = run(ROOT / "scripts/build_wheel")
        assert built.returncode == 0, built.stderr
        cls.wheel = pathlib.Path(built.stdout.splitlines()[-1])
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.bin = cls.folder / "environment/bin"
        run(sys.executable, "-m", "venv", "--without-pip", cls.bin.parent)
        cls.packages = next(cls.bin.parent.glob("lib/python3*/site-packages"))
        (cls.packages / "torch.pth").write_text(f"{TORCH_PACKAGES}\n")
        installed = run(sys.executable, "-m", "pip", "--python", cls.bin / "python", "install", "--no-deps", "--no-index", cls.wheel)
        assert installed.returncode == 0, installed.stderr

    def assert_prints(self, expected, *command, **environment):
        finished = run(*command, cwd=self.folder, **environment)
        self.assertEqual(finished.returncode, 0, finished.stderr)
        self.assertRegex(finished.stdout, expected)
        return finished

    def test_is_linked_to_torch_and_the_system_alone_by_relative_paths(self):
        with zipfile.ZipFile(self.wheel) as archive:
            archive.extractall(self.folder / "wheel")
        binaries = [path for path in (self.folder / "wheel").rglob("*") if path.is_file() and path.read_bytes()[:4] == b"\x7fELF"]
        self.assertEqual(len(binaries), 6)
        for binary in binaries:
            dynamic = run("readelf", "-d", binary).stdout
            with self.subTest(binary.name):
                self.assertEqual([name for name in re.findall(r"NEEDED.*\[(.*)\]", dynamic) if not LINKED.fullmatch(name)], [])
                for paths in re.findall(r"(?:RUNPATH|RPATH).*\[(.*)\]", dynamic):
                    self.assertTrue(all(path.startswith("$ORIGIN/") for path in paths.split(":")), paths)

    def test_import_torch_brings_the_device_unless_that_is_switched_off(self):
        self.assert_prints("acpu", self.bin / "python", "-c", "import torch; print(torch.randn(2, device='acpu').device)")
        self.assert_prints("False", self.bin / "python", "-c", "import torch; print(hasattr(torch, 'acpu'))",
                           TORCH_DEVICE_BACKEND_AUTOLOAD="0")

    def test_runs_the_first_program_of_the_readme(self):
        program = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL).group(1)
        self.assert_prints(r"'operations'.* \d+", self.bin / "python", "-c", program)

    def test_runs_a_ready_config_and_draws_it(self):
        self.assert_prints(": ok\n", self.bin / "runahead", "run", "configs/tutorials/mxnet_train.json", "--out", "run",
                           "--set", "/batches=3")
        self.assert_prints(r"index\.html", self.bin / "runahead", "report", "run")
        self.assert_prints(r"runs\.csv\n.*samples\.csv", self.bin / "runahead", "export", "run", "--to", "csv")

    def test_records_a_script_that_does_not_name_the_package_and_draws_it(self):
        script = ("import torch; x = torch.nn.Parameter(torch.ones(2, device='acpu')); step = torch.optim.SGD([x]);"
                  "x.sum().backward(); step.step()")
        self.assert_prints("", self.bin / "python", "-c", script, RUNAHEAD_RECORD="recorded")
        self.assert_prints(r"index\.html", self.bin / "runahead", "report", "recorded")

    def test_the_program_finds_the_torch_beside_it(self):
        for name in ("torch", "nvidia"):
            (self.packages / name).symlink_to(TORCH_PACKAGES / name)
            self.addCleanup((self.packages / name).unlink)
        self.assert_prints("acpu", self.packages / "runahead/bin/runahead", "devices")

    def test_beside_another_torch_import_torch_works_and_the_rest_says_what_to_install(self):
        built = self.packages / "runahead_loader/_build.py"
        self.addCleanup(built.write_text, built.read_text())
        built.write_text(re.sub(r'TORCH_VERSION = ".*"', 'TORCH_VERSION = "2.10.0"', built.read_text()))
        shutil.rmtree(built.parent / "__pycache__")  # Files of one second and one size are taken for the same.
        imported = self.assert_prints("2.0", self.bin / "python", "-c", "import torch; print(torch.ones(2).sum().item())")
        self.assertRegex(imported.stderr, r"\Arunahead: runahead .* was built for torch 2\.10 .*: install torch 2\.10.*\n\Z")
        refused = run(self.bin / "python", "-c", "import runahead")
        self.assertRegex(refused.stderr, r"ImportError: runahead .*: install torch 2\.10")
        self.assert_prints("queued_finished", self.bin / "runahead", "experiments")
        refused = run(self.bin / "runahead", "devices", cwd=self.folder)
        self.assertEqual(refused.returncode, 3)
        self.assertRegex(refused.stderr, r"\Arunahead: error: runahead .*: install torch 2\.10.*\n\Z")


if __name__ == "__main__":
    if os.environ.get("RUNAHEAD_ALL") != "1":
        print("skipped: the wheel takes minutes: RUNAHEAD_ALL=1 tests it")
        sys.exit(77)
    unittest.main()
