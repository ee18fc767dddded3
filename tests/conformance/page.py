"""The page of results: counts by file, expected failures by reason."""

import collections

HEAD = """# Results of the strangers' tests

Written by `tests/conformance/run.py compare --page`; [README.md](README.md) says what the suites are. A test counts when it passes on
`cpu` in the same environment; one that then skips on `acpu` counts as failed. *Expected* are failures that
[expected_failures.json](expected_failures.json) gives a reason for; what it takes out of the count is listed below. Where fewer ran
than pass on `cpu`, a seeded sample ran. A commit names where a file ran whole earlier ([whole_runs.json](whole_runs.json)).

"""
LONGEST_LINE = 160


def first_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_LINE else line[:LONGEST_LINE] + "…"


def table(columns: list[str], rows: list[list]) -> str:
    lines = [f"| {' | '.join(columns)} |", "|" + "---|" * len(columns)]
    lines += [f"| {' | '.join(str(cell) for cell in row)} |" for row in rows]
    return "\n".join(lines) + "\n"


def counts_table(files: list) -> str:
    """A row for each file, and one for all of each suite."""
    columns = ["suite", "file", "pass on cpu", "run on acpu", "pass", "share", "fail", "skip", "crash", "time out",
               "other", "expected", "not counted", "commit"]
    rows, suites = [], collections.defaultdict(list)
    for result in files:
        rows.append([result.suite, result.file, *counts([result]), result.commit])
        suites[result.suite].append(result)
    rows += [[suite, "**all**", *counts(of_suite), ""] for suite, of_suite in suites.items()]
    return table(columns, rows)


def counts(results: list) -> list:
    def total(*outcomes: str) -> int:
        return sum(result.outcomes[outcome] for result in results for outcome in outcomes)

    ran, passed = sum(result.ran for result in results), total("passed")
    failures = sum(len(result.failures) for result in results)
    unexpected = sum(len(result.unexpected) for result in results)
    share = f"{100 * passed / ran:.1f} %" if ran else "–"
    return [sum(result.on_cpu for result in results), ran, passed, share, total("failed"), total("skipped"),
            total("crashed"), total("timed_out"), total("xfailed", "out_of_memory", "absent"), failures - unexpected,
            sum(len(result.not_counted) for result in results)]


def reasons_table(failures: list) -> str:
    by_reason = collections.defaultdict(list)
    for failure in failures:
        by_reason[failure.expectation.reason].append(failure)
    rows = [[len(of_reason), reason, f"`{of_reason[0].name}`"]
            for reason, of_reason in sorted(by_reason.items(), key=lambda item: -len(item[1]))]
    return table(["tests", "reason", "for example"], rows)


def whole(found) -> str:
    every = [failure for result in found.files for failure in result.failures]
    known = [failure for failure in every if failure.expectation is not None]
    outside = [failure for result in found.files for failure in result.not_counted]
    unexpected = [failure for failure in every if failure.expectation is None]
    text = HEAD + counts_table(found.files)
    if known:
        text += "\n## Expected failures\n\n" + reasons_table(known)
    if outside:
        text += "\n## Not counted\n\n" + reasons_table(outside)
    text += f"\nFailures without a reason: {len(unexpected)}.\n"
    return text
