"""A case in a separate process: the parent's request, and the child's measurement and answer.

The child is the baseline's own program, called with --case and the request as JSON; its answer is JSON on its stdout.
Runs on Python 3.6 and newer, with the standard library alone.
"""

import json
import os
import subprocess
import sys
import tempfile
import time

from plan import plan

LONGEST_REASON = 500


class Launcher:
    """Starts children of one program, one after the other, until a deadline on the monotonic clock."""

    def __init__(self, program, environment, deadline):
        self.program, self.environment, self.deadline = program, environment, deadline

    def ask(self, request, environment):
        """Runs a request and waits for its answer: a dict with status (ok, failed or timed_out) and reason."""
        left = self.deadline - time.monotonic()
        if left <= 0:
            return {"status": "timed_out", "reason": "no time was left to start it"}
        variables = dict(os.environ, **self.environment)
        variables.update(environment)
        try:
            child = subprocess.run([sys.executable, self.program, "--case", json.dumps(request)], env=variables,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=left)
        except subprocess.TimeoutExpired:
            return {"status": "timed_out", "reason": "it was still running when the time was up"}
        if child.returncode != 0:
            return {"status": "failed", "reason": reason_of(child)}
        return dict(json.loads(child.stdout.decode("utf-8")), status="ok", reason=None)


def reason_of(child):
    """The last line that a child wrote to stderr; for a Python program, the exception."""
    lines = child.stderr.decode("utf-8", "replace").strip().splitlines()
    if child.returncode < 0:
        return "killed by signal {}".format(-child.returncode)
    return lines[-1].strip()[-LONGEST_REASON:] if lines else "exit code {}".format(child.returncode)


def measure_here(baseline_class, text):
    """Measures a request in this process, and prints the answer. Returns the exit code.

    What the programs and the framework print goes to stderr.
    """
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    request = json.loads(text)
    # Before the framework is imported: some count the CPUs that they may use.
    os.sched_setaffinity(0, request["cpus"])
    baseline = baseline_class(request["threads"], request["seed"])
    if request["program"] is None:
        answer = {"versions": dict(baseline.versions(), python=".".join(map(str, sys.version_info[:3])))}
    else:
        answer = {"runs": runs_of(baseline, request)}
    with answers:
        json.dump(answer, answers, allow_nan=False)
    sys.stdout.flush()
    return 0


def runs_of(baseline, request):
    run = plan(request["quick"])[request["program"]].run
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(request["warm_up"]):
            run(baseline, request["parameters"], folder)
        measured = [run(baseline, request["parameters"], folder) for _ in range(request["runs"])]
    return [{"figures": figures, "results": results} for figures, results in measured]
