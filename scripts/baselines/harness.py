"""Runs a baseline: each case in a child process with a time limit, and collects the document of all cases.

The parent never imports the framework, so a crash or a hang of it costs one case. Runs on Python 3.6 and newer, with
the standard library alone.
"""

import argparse
import os
import signal
import sys
import time

import case_process
import document
from plan import plan

EXIT_OK, EXIT_FAILED, EXIT_ABSENT, EXIT_INTERRUPTED = 0, 1, 3, 130
DEFAULT_RUNS = 5
MOST_THREADS = 2
DEFAULT_TIMEOUT_SECONDS = 1800.0


def main(baseline_class, program, arguments=None):
    """The command line of a baseline. program: the path of its file. Returns the exit code."""
    options = parse(arguments)
    if options.case is not None:
        return case_process.measure_here(baseline_class, options.case)
    signal.signal(signal.SIGTERM, stop)
    return deliver(Measurement(baseline_class, os.path.abspath(program), options).run(), options.out)


def stop(*_):
    raise KeyboardInterrupt


def deliver(measured, path):
    """Writes the document to a file, or to stdout if path is None. Returns the exit code for its status."""
    if path is None:
        sys.stdout.write(document.text_of(measured))
    else:
        document.write(measured, path)
    codes = {"ok": EXIT_OK, "absent": EXIT_ABSENT, "interrupted": EXIT_INTERRUPTED}
    return codes.get(measured["status"], EXIT_FAILED)


def parse(arguments):
    parser = argparse.ArgumentParser(description="Run the tutorials' programs on a framework; write a JSON document of figures.")
    parser.add_argument("--out", metavar="FILE", type=file_to_write, help="where the document is written (default: stdout)")
    add_options(parser)
    parser.add_argument("--name", help=argparse.SUPPRESS)
    parser.add_argument("--case", help=argparse.SUPPRESS)
    return parser.parse_args(arguments)


def add_options(parser):
    """Adds the options shared by a baseline and scripts/baselines/run."""
    parser.add_argument("--quick", action="store_true", help="smaller sizes, the same programs")
    parser.add_argument("--programs", metavar="NAME,…", type=names, default=list(plan(False)),
                        help="of {} (default: all)".format(", ".join(plan(False))))
    parser.add_argument("--runs", metavar="N", type=at_least_one, default=DEFAULT_RUNS,
                        help="runs of each case, after a warm-up (default: {})".format(DEFAULT_RUNS))
    parser.add_argument("--threads", metavar="N", type=at_least_one, default=1,
                        help="threads that compute an operation (default: 1)")
    parser.add_argument("--cpus", metavar="N", type=at_least_one, default=MOST_THREADS,
                        help="CPUs that the process is kept on (default: {}, or fewer where there are "
                             "fewer)".format(MOST_THREADS))
    parser.add_argument("--timeout", metavar="SECONDS", type=positive_seconds, default=DEFAULT_TIMEOUT_SECONDS,
                        help="for the whole baseline; what is not measured by then is timed_out "
                             "(default: {:.0f})".format(DEFAULT_TIMEOUT_SECONDS))


def as_arguments(options):
    """The command-line arguments that add_options() would parse into these options."""
    words = ["--programs", ",".join(options.programs), "--runs", str(options.runs), "--threads", str(options.threads),
             "--cpus", str(options.cpus), "--timeout", str(options.timeout)]
    return words + (["--quick"] if options.quick else [])


def file_to_write(text):
    folder = os.path.dirname(os.path.abspath(text))
    if os.path.isdir(text) or not os.path.isdir(folder):
        raise argparse.ArgumentTypeError("'{}' cannot be written: name a file in a folder that is there".format(text))
    return text


def names(text):
    known, asked = plan(False), text.split(",")
    for name in asked:
        if name not in known:
            raise argparse.ArgumentTypeError("'{}' is not a program: {} are".format(name, ", ".join(known)))
    return asked


def at_least_one(text):
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError("'{}' is not a number from 1 on".format(text))
    return int(text)


def positive_seconds(text):
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0.0 < seconds < float("inf"):
        raise argparse.ArgumentTypeError("'{}' is not a number of seconds above 0".format(text))
    return seconds


class Measurement:
    """One document, from the versions of the framework to the last case."""

    def __init__(self, baseline_class, program, options):
        self.baseline_class, self.options = baseline_class, options
        self.name = options.name or baseline_class.name
        self.cpus = sorted(os.sched_getaffinity(0))[:options.cpus]
        self.threads = len(self.cpus) if baseline_class.threads_follow_cpus else options.threads
        self.launcher = case_process.Launcher(
            program, dict(baseline_class.environment(self.threads)), time.monotonic() + options.timeout)
        self.request = {"quick": options.quick, "threads": self.threads, "cpus": self.cpus, "seed": 0}

    def run(self):
        """Returns the document; if interrupted, with the measurements up to then."""
        answer = self.launcher.ask(dict(self.request, program=None), {})
        if answer["status"] != "ok":
            status = "absent" if answer["status"] == "failed" else answer["status"]
            return document.unmeasured(self.name, status, answer["reason"])
        programs = {name: {"cases": {}} for name in self.options.programs}
        try:
            for name in self.options.programs:
                self.measure_program(name, programs[name]["cases"])
            status, reason = document.status_of(programs)
        except KeyboardInterrupt:
            status, reason = "interrupted", "stopped by a signal"
        return {
            "schema_version": document.SCHEMA_VERSION, "baseline": self.name, "status": status,
            "reason": reason, "versions": answer["versions"], "asynchronous": self.baseline_class.asynchronous,
            "quick": self.options.quick, "runs": self.options.runs,
            "threads": {"compute": self.threads, "cpus": self.cpus}, "machine": document.machine(),
            "programs": programs,
        }

    def measure_program(self, name, cases):
        """Fills in the cases of a program, for each variant. Fresh processes of different cases take turns."""
        program = plan(self.options.quick)[name]
        for suffix, environment in self.variants_of(name):
            for case_name, parameters in program.cases.items():
                cases[case_name + suffix] = document.case(parameters, environment)
        asked = [(case, dict(self.request, program=name, parameters=case["parameters"])) for case in cases.values()]
        if program.is_fresh:
            rounds = [[self.ask(case, request, runs=1, warm_up=0) for case, request in asked]
                      for _ in range(self.options.runs)]
        else:
            rounds = [[self.ask(case, request, runs=self.options.runs, warm_up=1) for case, request in asked]]
        for (case, _), answers in zip(asked, zip(*rounds)):
            conclude(case, answers)

    def variants_of(self, name):
        """(suffix of the case's name, environment variables) of each variant; the plain one has no suffix."""
        variants = self.baseline_class.variants.get(name, {"": {}})
        return [("_" + variant if variant else "", environment) for variant, environment in variants.items()]

    def ask(self, case, request, runs, warm_up):
        return self.launcher.ask(dict(request, runs=runs, warm_up=warm_up), case["environment"])


def conclude(case, answers):
    """Fills in a case from the answers of its processes."""
    for answer in answers:
        if answer["status"] != "ok":
            case.update(status=answer["status"], reason=answer["reason"])
            return
    runs = [run for answer in answers for run in answer["runs"]]
    case.update(status="ok", reason=None, figures=document.spreads([run["figures"] for run in runs]),
                results=runs[-1]["results"])
