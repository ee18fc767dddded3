"""The list of expected failures: which tests may fail on the device, why, and which don't count at all."""

import dataclasses
import json
import pathlib
import re

LIST = pathlib.Path(__file__).resolve().parent / "expected_failures.json"


@dataclasses.dataclass
class Expectation:
    reason: str
    # Both must be found in the test's full name, `suite/file::Class::test`, and in what its failure says.
    tests: re.Pattern
    message: re.Pattern
    # False: the test is outside of what is counted, as it asks for what no device of one kind can have.
    counts: bool = True
    used: int = 0

    def covers(self, name: str, message: str) -> bool:
        return self.tests.search(name) is not None and self.message.search(message) is not None

    @property
    def names_tests_alone(self) -> bool:
        """Then a test that it names and that passes was not expected to."""
        return self.message.pattern == ""


def read(path: pathlib.Path = LIST) -> list[Expectation]:
    return [Expectation(entry["reason"], re.compile(entry.get("tests", "")), re.compile(entry.get("message", "")),
                        entry.get("counts", True))
            for entry in json.loads(path.read_text(encoding="utf-8"))]


def find(expectations: list[Expectation], name: str, message: str) -> Expectation | None:
    for expectation in expectations:
        if expectation.covers(name, message):
            expectation.used += 1
            return expectation
    return None
