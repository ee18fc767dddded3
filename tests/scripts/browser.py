"""A headless Chromium for tests, driven by its DevTools protocol over a pipe: no port, no library, no network."""

import contextlib
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
ANSWER_SECONDS = 60
# It would ask its maker for updates and variations; a refused proxy is what it gets.
ARGUMENTS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--disable-background-networking", "--disable-extensions", "--disable-component-update",
             "--proxy-server=127.0.0.1:1", "--remote-debugging-pipe", "about:blank"]


class BrowserError(Exception):
    """The browser ended, did not answer in time, or refused a command."""


def program():
    """The path of the system's Chromium, or None. A script that only prints where to get one does not count."""
    found = [path for name in PROGRAMS if (path := shutil.which(name))]
    return next((path for path in found if answers(path)), None)


def answers(path):
    try:
        asked = subprocess.run([path, "--version"], stdin=subprocess.DEVNULL, capture_output=True,
                               timeout=ANSWER_SECONDS)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return asked.returncode == 0


class Browser:
    """One page of a Chromium of its own. A context manager; everything is gone after it."""

    def __init__(self):
        self._resources = contextlib.ExitStack()
        self._unread = b""
        self._session = None
        self._number = 0
        self.requests, self.complaints = [], []

    def __enter__(self):
        with contextlib.ExitStack() as started:
            profile = started.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))
            self._start(started, profile)
            target = self.call("Target.createTarget", url="about:blank")["targetId"]
            self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
            for domain in ("Page", "Runtime", "Log", "Network"):
                self.call(f"{domain}.enable")
            self._resources = started.pop_all()
        return self

    def __exit__(self, *_):
        self._resources.close()

    def _start(self, started, profile):
        """The browser reads commands from its descriptor 3 and writes answers to 4, each ended by a zero byte."""
        commands, self._to = os.pipe()
        self._from, answers = os.pipe()
        started.callback(os.close, self._from)
        started.callback(os.close, self._to)
        words = [program(), f"--user-data-dir={profile}", *ARGUMENTS]
        shell = ["bash", "-c", f'exec 3<&{commands} 4>&{answers}; exec "$@"', "browser", *words]
        process = subprocess.Popen(shell, pass_fds=(commands, answers), stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(commands)
        os.close(answers)
        started.callback(process.wait)
        started.callback(process.kill)

    def call(self, method, **parameters):
        """Sends a command and returns its result; events on the way are taken down."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        return self._read_until(lambda answer: answer.get("id") == self._number, method)

    def open(self, path, width=1280, height=900):
        """Opens a file of this machine and waits until it is loaded."""
        self.requests.clear()
        self.complaints.clear()
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Page.navigate", url=path.resolve().as_uri())
        self._read_until(lambda answer: answer.get("method") == "Page.loadEventFired", "load")

    def evaluate(self, expression):
        """The value of JavaScript in the page, awaited if it is a promise."""
        answer = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise BrowserError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def _read_until(self, is_wanted, what):
        deadline = time.monotonic() + ANSWER_SECONDS
        while True:
            while b"\0" not in self._unread:
                readable, _, _ = select.select([self._from], [], [], max(0.0, deadline - time.monotonic()))
                content = os.read(self._from, 1 << 20) if readable else b""
                if not content:
                    raise BrowserError(f"{what}: the browser {'ended' if readable else 'did not answer'}")
                self._unread += content
            text, _, self._unread = self._unread.partition(b"\0")
            message = json.loads(text)
            self._take_down(message)
            if is_wanted(message):
                if "error" in message:
                    raise BrowserError(f"{what}: {message['error']}")
                return message.get("result", {})

    def _take_down(self, message):
        """Keeps what the page asked the network for, and what went wrong in it."""
        method, content = message.get("method"), message.get("params", {})
        if method == "Network.requestWillBeSent":
            self.requests.append(content["request"]["url"])
        elif method == "Runtime.exceptionThrown":
            self.complaints.append(str(content["exceptionDetails"]))
        elif method == "Runtime.consoleAPICalled" and content["type"] in ("error", "warning", "assert"):
            self.complaints.append(str(content["args"]))
        elif method == "Log.entryAdded" and content["entry"]["level"] in ("error", "warning"):
            self.complaints.append(str(content["entry"]))
