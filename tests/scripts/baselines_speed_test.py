"""Tests of scripts/baselines/speed and of the steps of the frameworks that the project's own environment has."""

import contextlib
import io
import json
import subprocess
import sys
import unittest
from unittest import mock

from script_case import BASELINES, load

SPEED = BASELINES / "speed"
sys.path.insert(0, str(BASELINES))


def last_loss(framework, problem, *options):
    done = subprocess.run([sys.executable, str(BASELINES / "steps" / f"{framework}_steps.py"), problem, "--steps", "2", *options],
                          capture_output=True, text=True, timeout=240)
    if done.returncode:
        raise AssertionError(done.stderr)
    return json.loads(done.stdout)["last_loss"]


class Steps(unittest.TestCase):
    def test_of_numpy_are_those_of_pytorch(self):
        for problem in ("mlp", "small"):
            expected = last_loss("torch", problem)
            self.assertAlmostEqual(last_loss("numpy", problem), expected, delta=1e-5 * expected, msg=problem)

    def test_on_acpu_are_those_on_cpu_to_the_bit(self):
        for problem in ("small", "cnn", "transformer"):
            self.assertEqual(last_loss("torch", problem, "--device", "acpu"), last_loss("torch", problem), problem)


class Comparison(unittest.TestCase):
    """With commands that stand in for the frameworks."""

    def setUp(self):
        self.speed = load(SPEED)
        self.order = []

    def compared(self, answers, rounds):
        """answers: {contestant: its figures, or what running it raises}."""
        def measured(command, threads):
            self.order.append(command[-1])
            answer = answers[command[-1]]
            if isinstance(answer, Exception):
                raise answer
            return answer
        contestants = {name: (lambda problem, threads, name=name: [sys.executable, name]) for name in answers}
        options = mock.Mock(cpus=1, rounds=rounds, only="")
        printed, problems = io.StringIO(), {}
        with mock.patch.multiple(self.speed, CONTESTANTS=contestants, measured=measured), \
                contextlib.redirect_stdout(printed), contextlib.redirect_stderr(io.StringIO()):
            self.speed.compare("mlp", options, problems)
        return problems["mlp"], printed.getvalue()

    def test_fails_those_that_computed_something_else(self):
        found, printed = self.compared({"PyTorch": {"examples_per_second": 100.0, "last_loss": 0.5},
                                        "JAX": {"examples_per_second": 900.0, "last_loss": 0.6},
                                        "MXNet": {"examples_per_second": 50.0, "last_loss": 0.50001}}, rounds=2)
        self.assertEqual(self.order, ["PyTorch", "JAX", "MXNet", "MXNet", "JAX", "PyTorch"])
        self.assertEqual(found["JAX"]["status"], "failed")
        self.assertIn("JAX      failed: the loss is 0.6, not 0.5\n", printed)
        self.assertRegex(printed, r"MXNet +50 +50 +50 +0.500 \(0.500 to 0.500\)\n")

    def test_fails_those_whose_loss_is_no_number_and_compares_with_no_failed_reference(self):
        found, printed = self.compared({"PyTorch": {"examples_per_second": 100.0, "last_loss": float("nan")},
                                        "JAX": {"examples_per_second": 900.0, "last_loss": 0.5}}, rounds=1)
        self.assertEqual(found["PyTorch"], {"status": "failed", "reason": "the loss is nan", "examples_per_second": [], "last_loss": None})
        self.assertRegex(printed, r"JAX +900 +900 +900 +-\n")

    def test_reports_why_there_is_no_figure_and_does_not_try_again(self):
        crash = subprocess.CalledProcessError(1, "x", stderr=b"Traceback\nModuleNotFoundError: No module named 'jax'\n")
        found, _ = self.compared({"PyTorch": {"examples_per_second": 100.0, "last_loss": 0.5}, "JAX": crash}, rounds=3)
        self.assertEqual(found["JAX"], {"status": "absent", "reason": "ModuleNotFoundError: No module named 'jax'",
                                        "examples_per_second": [], "last_loss": None})
        self.assertEqual(self.order.count("JAX"), 1)

    def test_refuses_a_problem_that_is_none(self):
        done = subprocess.run([sys.executable, str(SPEED), "lstm"], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 2)
        self.assertIn("unknown problem 'lstm'; choose from mlp, small, cnn, transformer", done.stderr)


if __name__ == "__main__":
    unittest.main()
