"""A pytest plugin: brings the device up before the test module, runs what the plan takes, writes an event a test.

It runs in a child of the runner; the plan is a JSON file that CONFORMANCE_PLAN names.
"""

import ctypes
import faulthandler
import gc
import importlib
import json
import os
import pathlib
import re
import signal
import sys
import time

import pytest

import announced
import device_settings
import moved_names
from child import end_of
from selection import Selection, neutral_name

LONGEST_MESSAGE = 2000
# What torch.testing and c10 add to every message.
ADDED = re.compile(r"\n*(To execute this test, run|Exception raised from|This message can be suppressed).*", re.DOTALL)

PLAN = json.loads(pathlib.Path(os.environ["CONFORMANCE_PLAN"]).read_text())
DEVICE = PLAN["device"]
os.set_inheritable(PLAN["events"], False)


def die_with_parent() -> None:
    """A runner that is killed leaves no child behind."""
    set_parent_death_signal = 1
    ctypes.CDLL(None).prctl(set_parent_death_signal, signal.SIGKILL)


def bring_up_device():
    """torch.testing looks for the device while it is imported, so this comes first. Returns what a fork is to call."""
    if DEVICE == "cpu":
        # 2.11 test_autograd asks its device for it at import.
        importlib.import_module("torch").cpu.is_bf16_supported = lambda: True
        return lambda: None
    if PLAN["fork"]:
        start = announced.Announcement(DEVICE, PLAN["package"]).start
    else:
        importlib.import_module(PLAN["package"])
        device_settings.apply(PLAN["package"])
        start = None
    take_what_is_said_of_cpu()
    measure_memory_as_for_cpu()
    return start


def take_what_is_said_of_cpu() -> None:
    """torch's databases of operators, modules and optimisers say of some tests how exact they are on cpu, or that they
    fail there. The device runs the same kernels, so the same holds for it."""
    from torch.testing._internal.opinfo.core import DecorateInfo

    is_active = DecorateInfo.is_active

    def is_active_as_on_cpu(self, cls_name, test_name, device_type, dtype, param_kwargs):
        kinds = ("cpu", device_type) if device_type in ("privateuse1", DEVICE) else (device_type,)
        return any(is_active(self, cls_name, test_name, kind, dtype, param_kwargs) for kind in kinds)

    DecorateInfo.is_active = is_active_as_on_cpu

    from torch.testing._internal.common_optimizers import optim_db

    for optimizer in optim_db:
        if "cpu" in optimizer.supports_fused_on:
            optimizer.supports_fused_on = (*optimizer.supports_fused_on, DEVICE)


def measure_memory_as_for_cpu() -> None:
    """torch.testing skips tests of large tensors on devices whose memory it can't look up."""
    import torch
    from torch.testing._internal import common_device_type

    has_memory = common_device_type._has_sufficient_memory

    def has_memory_as_cpu(device, size):
        return has_memory("cpu" if torch.device(device).type == DEVICE else device, size)

    common_device_type._has_sufficient_memory = has_memory_as_cpu


die_with_parent()
start_device_in_fork = bring_up_device()
moved_names.put_back()


def send(event: dict) -> None:
    data = (json.dumps(event) + "\n").encode()
    while data:
        data = data[os.write(PLAN["events"], data):]


def name_of(item: pytest.Item) -> str:
    return neutral_name(item.nodeid.split("::", 1)[1], DEVICE)


def pytest_collection_modifyitems(config, items):
    selection, done = Selection.from_json(PLAN["selection"]), set(PLAN["done"])
    chosen = [item for item in items if selection.takes(PLAN["file"], name_of(item))]
    waiting = [item for item in chosen if name_of(item) not in done]
    there = {name_of(item) for item in items}
    wanted = {name for name in selection.only or () if selection.takes(PLAN["file"], name)}
    send({"event": "collected", "tests": len(items), "chosen": len(chosen), "waiting": len(waiting),
          "absent": sorted(wanted - there - done)})
    items[:] = waiting
    # What is there now needs no look by the collector, which would copy its pages in every fork.
    gc.collect()
    gc.freeze()


def shortened(message: str) -> str:
    return ADDED.sub("", message)[:LONGEST_MESSAGE]


class Result:
    """What the reports of one test come to."""

    def __init__(self) -> None:
        self.outcome = "passed"
        self.kind = self.message = self.place = ""

    def see_error(self, error: BaseException) -> None:
        """Keeps the first error that is none of a skip, as its first cause has it."""
        if self.kind or isinstance(error, (pytest.skip.Exception, pytest.xfail.Exception)):
            return
        while error.__cause__ is not None:
            error = error.__cause__
        self.kind, self.message = type(error).__name__, shortened(str(error))
        trace = error.__traceback__
        while trace is not None and trace.tb_next is not None:
            trace = trace.tb_next
        if trace is not None:
            self.place = f"{os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno}"

    def see_report(self, report) -> None:
        if report.failed:
            self.outcome = "failed"
            if not self.kind:
                self.message = shortened(str(report.longrepr))
        elif report.skipped and type(report).__name__ != "SubtestReport" and self.outcome == "passed":
            self.outcome = "xfailed" if hasattr(report, "wasxfail") else "skipped"
            self.message = str(report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr)


current = Result()
MOST_ERRORS = 2000  # More than the device keeps.


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if call.excinfo is not None and report.failed:
        current.see_error(call.excinfo.value)
    return report


def pytest_runtest_logreport(report):
    current.see_report(report)


def see_what_the_device_still_has() -> None:
    """An operation that failed and whose result no one read fails the test that issued it, not the next one."""
    if DEVICE == "cpu":
        return
    import torch
    for _ in range(MOST_ERRORS):  # Each call reports one.
        try:
            getattr(torch, DEVICE).synchronize()
            return
        except Exception as error:
            if current.outcome == "passed":
                current.outcome, current.kind = "failed", "error that was never read"
                current.message = shortened(f"{type(error).__name__}: {error}")


def run_test(item, nextitem, name: str) -> None:
    global current
    current = Result()
    send({"event": "start", "test": name, "pid": os.getpid()})
    started = time.monotonic()
    item.config.hook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    reports = runner_protocol(item, nextitem)
    for report in reports:
        current.see_report(report)
    see_what_the_device_still_has()
    send({"event": "finish", "test": name, "seconds": round(time.monotonic() - started, 3), **vars(current)})


def runner_protocol(item, nextitem) -> list:
    from _pytest.runner import runtestprotocol
    return runtestprotocol(item, log=False, nextitem=nextitem)


def run_in_fork(item, name: str) -> None:
    log_began = os.lseek(2, 0, os.SEEK_END)
    child = os.fork()
    if child == 0:
        try:
            die_with_parent()
            start_device_in_fork()
            run_test(item, None, name)
            sys.stdout.flush()
        finally:
            # Nothing that was registered for the exit of the parent.
            os._exit(0)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status < 0:
        send({"event": "crash", "test": name, "kind": signal.Signals(-status).name, "message": log_since(log_began)})
    elif status != 0:
        send({"event": "crash", "test": name, "kind": f"exit code {status}", "message": log_since(log_began)})
    else:
        send({"event": "gone", "test": name})


def log_since(offset: int) -> str:
    return end_of(pathlib.Path(PLAN["log"]).read_bytes()[offset:])


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item, nextitem):
    name = name_of(item)
    if PLAN["fork"]:
        run_in_fork(item, name)
    else:
        run_test(item, nextitem, name)
    return True


def pytest_configure(config):
    faulthandler.enable()
