"""Runs the tests of one file: children one after the other, until each test that was chosen has a row."""

import dataclasses
import pathlib
import time

from child import Child, resident_bytes
from selection import Selection
from store import WHOLE_FILE, Store

@dataclasses.dataclass(frozen=True)
class Limits:
    # Of one test, and of the import of a test file with all its collecting.
    test_seconds: float
    import_seconds: float
    resident_bytes: int


@dataclasses.dataclass(frozen=True)
class FileRun:
    device: str
    package: str
    suite: str
    file: str
    copy: pathlib.Path
    store: Store
    selection: Selection
    round_name: str
    limits: Limits
    scratch: pathlib.Path
    environment: dict[str, str]
    # Each test in a fork of a process that has imported the file, or all in one process, as pytest does by itself.
    fork: bool

    def run(self) -> dict[str, int]:
        """Returns how many tests came to which outcome."""
        self.store.mend_end()
        counts: dict[str, int] = {}
        while True:
            done = set(self.store.last_rows(self.round_name)) - {WHOLE_FILE}
            watch = Watch(self, done, counts)
            if watch.watch():
                return counts
            # A child that ended before its first test would do so again.
            if watch.tests == 0:
                watch.add(WHOLE_FILE, "failed", kind="import", message=watch.log)
                return counts


class Watch:
    """What goes on in one child."""

    def __init__(self, run: FileRun, done: set[str], counts: dict[str, int]) -> None:
        self._run, self._done, self._counts = run, done, counts
        # The test that runs now, the process it runs in, and since when; before the first, the import.
        self._test: str | None = None
        self._pid = 0
        self._since = time.monotonic()
        self._log_began = 0
        self._is_collected = False
        self.tests = 0
        self.log = ""

    def watch(self) -> bool:
        """Returns whether no test is left."""
        run = self._run
        plan = {"device": run.device, "package": run.package, "file": run.file, "fork": run.fork,
                "selection": run.selection.to_json(), "done": sorted(self._done)}
        child = Child(plan, run.copy, run.scratch, run.environment)
        try:
            for event in child.events():
                if event is None:
                    self._look(child)
                else:
                    self._take(event, child)
            code = child.exit_code()
            self.log = child.log_tail(self._log_began)
        finally:
            child.close()
        if self._test is not None:
            self._finish("crashed", kind=f"exit code {code}", message=self.log)
            return False
        # 5 is pytest's word for no test at all; 2 and up to 4 are errors of its own or of the import.
        return self._is_collected and code in (0, 1, 5)

    def _take(self, event: dict, child: Child) -> None:
        what = event.pop("event")
        if what == "collected":
            self._is_collected = True
            print(f"{self._run.device} {self._run.suite} {self._run.file}: {event['tests']} tests, {event['chosen']} "
                  f"chosen, {event['waiting']} to run", flush=True)
            self._run.store.note_count(event["tests"])
            for name in event["absent"]:
                self.add(name, "absent")
        elif what == "start":
            self._test, self._pid, self._since = event["test"], event["pid"], time.monotonic()
            self._log_began = child.log_size()
        elif event.pop("test") != self._test:
            # The end of a process whose test has its row already.
            pass
        elif what == "finish":
            self._finish(event.pop("outcome"), **event)
        elif what == "crash":
            self._finish("crashed", **event)
        else:
            self._finish("crashed", kind="ended by itself")

    def _look(self, child: Child) -> None:
        """Ends the test, or the import, when it is over a limit."""
        if self._test is None and self._is_collected:
            return
        limits, pid = self._run.limits, self._pid if self._test else child.pid
        is_late = time.monotonic() - self._since > (limits.test_seconds if self._test else limits.import_seconds)
        is_large = resident_bytes(pid) > limits.resident_bytes
        if is_late or is_large:
            child.stop(pid, with_trace=is_late)
            if self._test is not None:
                self._finish("timed_out" if is_late else "out_of_memory", message=child.log_tail(self._log_began))

    def _finish(self, outcome: str, **what) -> None:
        name, self._test = self._test, None
        self.tests += 1
        self.add(name, outcome, **({"seconds": round(time.monotonic() - self._since, 3)} | what))

    def add(self, test: str, outcome: str, **what) -> None:
        self._counts[outcome] = self._counts.get(outcome, 0) + 1
        self._run.store.add({"test": test, "outcome": outcome, "round": self._run.round_name}
                            | {key: value for key, value in what.items() if value != ""})
