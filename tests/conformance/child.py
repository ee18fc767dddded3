"""One child that runs tests of a file: its events as they come, and its end when a test takes too long or too much."""

import json
import os
import pathlib
import re
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Iterator

HERE = pathlib.Path(__file__).resolve().parent
POLL_SECONDS = 0.2
# How long a test that is asked to end may take to write where it stands.
TRACE_SECONDS = 3
LOG_TAIL_CHARACTERS = 6000
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


class Child:
    def __init__(self, plan: dict, copy: pathlib.Path, scratch: pathlib.Path, environment: dict[str, str]) -> None:
        scratch.mkdir(parents=True, exist_ok=True)
        self.log = scratch / "log.txt"
        self._read_end, write_end = os.pipe()
        plan = plan | {"events": write_end, "log": str(self.log)}
        plan_path = scratch / "plan.json"
        plan_path.write_text(json.dumps(plan))
        command = [sys.executable, "-m", "pytest", "-p", "conformance_plugin", "-p", "no:cacheprovider", "-s", "-q",
                   "-c", os.devnull, "--rootdir", str(copy), "--tb=short", "--disable-warnings", plan["file"]]
        with open(self.log, "ab") as log:
            log.truncate(0)
            self._process = subprocess.Popen(
                command, cwd=copy, stdin=subprocess.DEVNULL, stdout=log, stderr=log, pass_fds=[write_end],
                start_new_session=True, env=environment | {"CONFORMANCE_PLAN": str(plan_path)})
        os.close(write_end)
        self._buffer = b""

    def events(self) -> Iterator[dict | None]:
        """What the child reports; None each time that nothing came for a while. Ends with the child."""
        with selectors.DefaultSelector() as selector:
            selector.register(self._read_end, selectors.EVENT_READ)
            while True:
                is_running = self._process.poll() is None
                came = selector.select(timeout=POLL_SECONDS if is_running else 0)
                part = os.read(self._read_end, 1 << 16) if came else b""
                yield from self._events_of(part)
                # A grandchild may hold the pipe open: the child's end is what counts.
                if not part and not is_running:
                    return
                yield None
                if came and not part:
                    self._process.wait()

    def _events_of(self, part: bytes) -> Iterator[dict]:
        *lines, self._buffer = (self._buffer + part).split(b"\n")
        for line in lines:
            yield json.loads(line)

    @property
    def pid(self) -> int:
        return self._process.pid

    def exit_code(self) -> int:
        return self._process.wait()

    def log_size(self) -> int:
        return self.log.stat().st_size

    def log_tail(self, since: int) -> str:
        return end_of(self.log.read_bytes()[since:])

    def stop(self, pid: int, *, with_trace: bool) -> None:
        """Ends a process of the child's; with_trace lets faulthandler write its stacks first."""
        for number in ([signal.SIGABRT] if with_trace else []) + [signal.SIGKILL]:
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                return
            deadline = time.monotonic() + TRACE_SECONDS
            while number == signal.SIGABRT and is_alive(pid) and time.monotonic() < deadline:
                time.sleep(POLL_SECONDS)

    def close(self) -> None:
        """Ends all that the child started and left."""
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self._process.wait()
        os.close(self._read_end)


def end_of(log: bytes) -> str:
    """The last of what a child wrote, without the list of modules at the end of faulthandler's stacks."""
    text = re.sub(r"^Extension modules: .*\n?", "", log.decode(errors="replace"), flags=re.MULTILINE)
    return text[-LOG_TAIL_CHARACTERS:]


def is_alive(pid: int) -> bool:
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def resident_bytes(pid: int) -> int:
    try:
        return int(pathlib.Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE_BYTES
    except (OSError, IndexError):
        return 0
