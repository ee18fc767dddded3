"""Results on disk: one JSONL file a test file, to which each finished test adds a row. The last row of a test holds."""

import json
import pathlib
import threading

PASSED = "passed"
OUTCOMES = (PASSED, "failed", "skipped", "xfailed", "crashed", "timed_out", "out_of_memory", "absent")
# The row of a file whose module could not be imported or that ended before its first test.
WHOLE_FILE = "<the file>"


class Store:
    """The rows of one device and one test file."""

    def __init__(self, folder: pathlib.Path, device: str, suite: str, file: str) -> None:
        self.file = file
        self.path = folder / device / suite / (file.removesuffix(".py").replace("/", ".") + ".jsonl")
        self._lock = threading.Lock()

    def rows(self) -> list[dict]:
        if not self.path.is_file():
            return []
        found = []
        for line in self.path.read_text(encoding="utf-8").splitlines():
            try:
                found.append(json.loads(line))
            except ValueError:
                # A run that was killed may leave half a line.
                continue
        return found

    def last_rows(self, round_name: str | None = None) -> dict[str, dict]:
        """{test: its last row}, of one round or of all."""
        return {row["test"]: row for row in self.rows() if round_name in (None, row["round"])}

    def add(self, row: dict) -> None:
        data = json.dumps(row) + "\n"
        with self._lock:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with open(self.path, "a", encoding="utf-8") as out:
                out.write(data)

    def note_count(self, tests: int) -> None:
        """Notes how many tests the file has."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._count_path().write_text(f"{tests}\n", encoding="utf-8")

    def is_whole(self) -> bool:
        """Whether every test of the file has a row."""
        path = self._count_path()
        return path.is_file() and len(self.last_rows().keys() - {WHOLE_FILE}) >= int(path.read_text(encoding="utf-8"))

    def _count_path(self) -> pathlib.Path:
        return self.path.with_suffix(".count")

    def mend_end(self) -> None:
        """Ends a half-written last line, so that the next row begins a line of its own."""
        if self.path.is_file() and self.path.stat().st_size:
            data = self.path.read_bytes()
            if not data.endswith(b"\n"):
                with open(self.path, "ab") as out:
                    out.write(b"\n")
