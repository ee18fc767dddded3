"""The device's results compared with those of cpu: which tests count, which of them pass, which failures were expected."""

import dataclasses
import pathlib
import sys

import expected
import kept
import page
from store import OUTCOMES, PASSED, WHOLE_FILE, Store
from suites import DEVICE, Suite


@dataclasses.dataclass(frozen=True)
class Failure:
    suite: str
    file: str
    test: str
    row: dict
    expectation: expected.Expectation | None

    @property
    def name(self) -> str:
        return full_name(self.suite, self.file, self.test)


@dataclasses.dataclass
class FileResult:
    suite: str
    file: str
    # Tests that pass on cpu, as far as known; of them those that ran on the device and count.
    on_cpu: int = 0
    ran: int = 0
    outcomes: dict[str, int] = dataclasses.field(default_factory=lambda: dict.fromkeys(OUTCOMES, 0))
    failures: list[Failure] = dataclasses.field(default_factory=list)
    not_counted: list[Failure] = dataclasses.field(default_factory=list)
    unexpected_passes: list[str] = dataclasses.field(default_factory=list)
    # Where the results were kept from: "" for those of this machine.
    commit: str = ""

    @property
    def passed(self) -> int:
        return self.outcomes[PASSED]

    @property
    def unexpected(self) -> list[Failure]:
        return [failure for failure in self.failures if failure.expectation is None]


@dataclasses.dataclass(frozen=True)
class Found:
    files: list[FileResult]
    expectations: list[expected.Expectation]


def full_name(suite: str, file: str, test: str) -> str:
    return f"{suite}/{file}::{test}"


def said(row: dict) -> str:
    """What a failure says, with the kind of the error before it."""
    return f"{row['outcome']} {row.get('kind', '')}: {row.get('message', '')}"


def read(results: pathlib.Path, suites: list[Suite], round_name: str | None, *, keep: bool = False) -> Found:
    """Compares every file that has results of the device; files that have none here are taken from those kept.

    `keep` keeps the files that ran whole.
    """
    expectations = expected.read()
    files, kept_files = [], kept.read()
    for suite in suites:
        for file in suite.files:
            store = Store(results, DEVICE, suite.name, file)
            rows = store.last_rows(round_name)
            cpu = Store(results, "cpu", suite.name, file).last_rows() if suite.has_baseline else None
            name = f"{suite.name}/{file}"
            if rows:
                files.append(compare_file(suite.name, file, rows, cpu, expectations))
                if keep and cpu is not None and store.is_whole():
                    counted = {test: row for test, row in rows.items() if test in passing(cpu, rows)}
                    kept.keep(name, counted, len(counted))
            elif name in kept_files:
                files.append(of_kept(suite.name, file, kept_files[name], expectations))
    return Found(files, expectations)


def passing(cpu: dict[str, dict], rows: dict[str, dict]) -> set[str]:
    """The tests that pass on cpu. One that passes on the device and did not run on cpu counts: the kernels are the same."""
    found = {test for test, row in cpu.items() if row["outcome"] == PASSED}
    return found | {test for test, row in rows.items() if row["outcome"] == PASSED and test not in cpu}


def of_kept(suite: str, file: str, of_file: dict, expectations: list[expected.Expectation]) -> FileResult:
    result = FileResult(suite, file, on_cpu=of_file["on_cpu"], commit=of_file["commit"])
    for test, row in of_file["rows"].items():
        add(result, test, row, expectations)
    result.outcomes[PASSED] = of_file["on_cpu"] - len(of_file["rows"])
    result.ran += result.outcomes[PASSED]
    return result


def compare_file(suite: str, file: str, rows: dict[str, dict], cpu: dict[str, dict] | None,
                 expectations: list[expected.Expectation]) -> FileResult:
    result = FileResult(suite, file)
    passes = None if cpu is None else passing(cpu, rows)
    result.on_cpu = len(rows) if passes is None else len(passes)
    for test, row in rows.items():
        if test == WHOLE_FILE or passes is None or test in passes:
            add(result, test, row, expectations)
    return result


def add(result: FileResult, test: str, row: dict, expectations: list[expected.Expectation]) -> None:
    name = full_name(result.suite, result.file, test)
    if row["outcome"] == PASSED:
        if any(each.names_tests_alone and each.covers(name, "") for each in expectations):
            result.unexpected_passes.append(name)
    else:
        failure = Failure(result.suite, result.file, test, row, expected.find(expectations, name, said(row)))
        if failure.expectation is not None and not failure.expectation.counts:
            result.not_counted.append(failure)
            return
        result.failures.append(failure)
    result.ran += 1
    result.outcomes[row["outcome"]] += 1


def report(found: Found, page_path: pathlib.Path | None) -> int:
    """Prints the counts and what was not expected; returns the exit code."""
    text = page.counts_table(found.files)
    print(text)
    for result in found.files:
        for failure in result.unexpected:
            print(f"failed: {failure.name}: {page.first_line(said(failure.row))}")
        for name in result.unexpected_passes:
            print(f"passed, but expected to fail: {name}")
    if page_path is not None:
        page_path.write_text(page.whole(found), encoding="utf-8")
    is_bad = any(result.unexpected for result in found.files)
    if not found.files:
        print("compare: no results of the device", file=sys.stderr)
    return 1 if is_bad or not found.files else 0
