#!/usr/bin/env python3
"""Runs device-generic tests that strangers wrote on acpu and on cpu, and compares the two: README.md says how.

    run.py run --device cpu|acpu    adds results, test by test; goes on where an earlier run ended
    run.py compare [--page FILE]    counts by file; exits 1 when something failed that was not expected to
    run.py families [--out FILE]    failures that have a cause in common, each with a test that shows it
"""

import argparse
import concurrent.futures
import os
import pathlib
import sys

import compare
import families
from file_run import FileRun, Limits
from selection import Selection
from store import PASSED, Store
from suites import DEVICE, SUITES, Suite
from working_copy import prepare

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
EXIT_USAGE = 2


def main(arguments: list[str]) -> int:
    options = parse(arguments)
    if options.command == "run":
        return run(options)
    found = compare.read(options.results, chosen_suites(options), options.round, keep=options.keep)
    if options.command == "families":
        return families.write(found, options.out)
    return compare.report(found, options.page)


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("run", "compare", "families"))
    parser.add_argument("--tests", type=pathlib.Path, default=os.environ.get("RUNAHEAD_PYTORCH_TESTS"),
                        help="the folder with the suites (RUNAHEAD_PYTORCH_TESTS)")
    parser.add_argument("--results", type=pathlib.Path, default=ROOT / "runs/conformance/results")
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "runs/conformance/work",
                        help="where copies of the suites are made")
    parser.add_argument("--device", choices=("cpu", DEVICE), default=DEVICE)
    parser.add_argument("--suite", action="append", choices=SUITES, help="all of them unless named")
    parser.add_argument("--files", help="names of files with commas between, as test_nn or nn/test_pooling")
    parser.add_argument("--match", default="", help="a pattern of names of tests, as cpu has them")
    parser.add_argument("--sample", type=float, default=1.0, help="the share of tests that run")
    parser.add_argument("--seed", type=int, default=1, help="of the sample: the same seed takes the same tests")
    parser.add_argument("--shard", default="0/1", help="I/N: the I-th of N parts, counted from 0")
    parser.add_argument("--again", choices=("failed",), help="those that had run and did not pass; needs --round")
    parser.add_argument("--unproven", action="store_true",
                        help="with --device cpu: only what ran on the device and did not pass there")
    parser.add_argument("--round", help="rows get this name, and tests that have a row of it are done")
    parser.add_argument("--all", action="store_true", help="also tests that do not pass on cpu")
    parser.add_argument("--together", action="store_true",
                        help="all tests of a file in one process, as pytest runs them; each in a fork otherwise")
    parser.add_argument("--test-seconds", type=float, default=180, help="the limit of one test")
    parser.add_argument("--import-seconds", type=float, default=600, help="the limit of importing one file")
    parser.add_argument("--memory-gb", type=float, default=8, help="the limit of one test's resident memory")
    parser.add_argument("--jobs", type=int, default=1, help="how many files run at once")
    parser.add_argument("--keep", action="store_true", help="compare: keep files that ran whole in whole_runs.json")
    parser.add_argument("--page", type=pathlib.Path, help="compare: the page to write")
    parser.add_argument("--out", type=pathlib.Path, help="families: the page to write")
    options = parser.parse_args(arguments)
    if options.again and not options.round:
        parser.error("--again needs --round: a name for the new results")
    # Children work in another folder.
    options.results, options.work = options.results.resolve(), options.work.resolve()
    return options


def chosen_suites(options: argparse.Namespace) -> list[Suite]:
    return [SUITES[name] for name in options.suite or SUITES]


def run(options: argparse.Namespace) -> int:
    if options.tests is None or not options.tests.is_dir():
        print("run: name the folder with the suites: RUNAHEAD_PYTORCH_TESTS, or --tests", file=sys.stderr)
        return EXIT_USAGE
    runs = [of_file for suite in chosen_suites(options) for of_file in runs_of(suite, options)]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for of_file, counts in zip(runs, pool.map(FileRun.run, runs)):
            words = ", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items())) or "nothing to run"
            print(f"{of_file.device} {of_file.suite} {of_file.file}: {words}", flush=True)
    return 0


def runs_of(suite: Suite, options: argparse.Namespace) -> list[FileRun]:
    """What is to run of a suite; says so where the caller's folder lacks it."""
    if options.device == "cpu" and not suite.has_baseline:
        return []
    if not suite.is_in(options.tests):
        print(f"run: no {suite.folder} in {options.tests}: {suite.name} is left out", file=sys.stderr)
        return []
    named = {name.removesuffix(".py") + ".py" for name in options.files.split(",")} if options.files else None
    files = [file for file in suite.files if named is None or file in named]
    copy = prepare(suite, options.tests, options.device, options.work) if files else pathlib.Path()
    return [run_of_file(suite, file, copy, options) for file in files if (copy / file).is_file()]


def run_of_file(suite: Suite, file: str, copy: pathlib.Path, options: argparse.Namespace) -> FileRun:
    store = Store(options.results, options.device, suite.name, file)
    shard, _, shards = options.shard.partition("/")
    return FileRun(
        device=options.device, package="runahead", suite=suite.name, file=file, copy=copy, store=store,
        selection=Selection(options.sample, options.seed, int(shard), int(shards), tests_by_name(suite, store, options),
                            options.match),
        round_name=options.round or "first", fork=not (options.together or suite.together),
        limits=Limits(options.test_seconds, options.import_seconds, int(options.memory_gb * 1e9)),
        scratch=options.work / "scratch" / f"{options.device}-{suite.name}-{file.replace('/', '.')}",
        environment=environment_of(options.device, copy))


def tests_by_name(suite: Suite, store: Store, options: argparse.Namespace) -> frozenset[str] | None:
    """The tests that a run is limited to; None for all of the file."""
    names = None
    if options.device != "cpu" and suite.has_baseline and not options.all:
        cpu = Store(options.results, "cpu", suite.name, store.file).last_rows()
        names = frozenset(test for test, row in cpu.items() if row["outcome"] == PASSED)
    if options.unproven:
        there = Store(options.results, DEVICE, suite.name, store.file).last_rows()
        names = frozenset(test for test, row in there.items() if row["outcome"] != PASSED)
    if options.again:
        failed = frozenset(test for test, row in store.last_rows().items() if row["outcome"] != PASSED)
        names = failed if names is None else names & failed
    return names


def environment_of(device: str, copy: pathlib.Path) -> dict[str, str]:
    paths = [str(copy), str(copy / "tests"), str(HERE), str(HERE / "shims"), os.environ.get("PYTHONPATH", "")]
    only_for = {"cpu": "cpu"}.get(device, "privateuse1")
    # One thread of its own for each of LibTorch's kernels: forks must find no pool of threads.
    return {"OMP_NUM_THREADS": "1", **os.environ, "PYTHONPATH": os.pathsep.join(paths),
            "PYTORCH_TESTING_DEVICE_ONLY_FOR": only_for, "TORCH_DEVICE_BACKEND_AUTOLOAD": "0", "RUNAHEAD_DEVICE": "acpu",
            "PYTHONDONTWRITEBYTECODE": "1"}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
