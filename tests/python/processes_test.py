"""What a whole process sees: the interpreter lock, late registration, forks, exits, RUNAHEAD_BLOCKING.

Each case is a script in a process of its own, with a time limit: a deadlock is a failure.
"""

import unittest

import torch._dynamo  # noqa: F401  Here, since the first draw of each script would import it.

from script_processes import ProcessTest, run

# Work that keeps the worker busy while the lines that follow it run.
BUSY = """
import torch, runahead, numpy
torch.manual_seed(0)
a = torch.randn(700, 700, device="acpu")
def be_busy(operations=20):
    global a
    for _ in range(operations):
        a = (a @ a).mul_(1e-3)
"""


# An operator with a kernel in Python: the worker that runs it takes the interpreter lock.
NEEDS_LOCK = """
import sys, threading, weakref, numpy, torch, runahead
library = torch.library.Library("test", "DEF")
library.define("needs_lock(Tensor(a!) x) -> ()")
def add_one(x):
    x.add_(1)
library.impl("needs_lock", add_one, "CPU")
x = torch.zeros(4, device="acpu")
def issue(count=20):
    for _ in range(count):
        torch.ops.test.needs_lock(x)
"""


# Operations that the program holds until it releases them, and Ctrl-C.
INTERRUPTED = """
import os, signal, threading, torch, runahead
library = torch.library.Library("test", "DEF")
library.define("hold(Tensor(a!) x) -> ()")
library.define("note(Tensor(a!) x) -> ()")
gate, has_run = threading.Event(), []
library.impl("hold", lambda x: gate.wait() and None, "CPU")
library.impl("note", lambda x: has_run.append(True), "CPU")
a = torch.zeros(4, device="acpu")
str(a), a.nonzero()  # Imports what they need.
def hold():
    gate.clear()
    torch.ops.test.hold(a)
release = gate.set
def soon(seconds, *call):
    timer = threading.Timer(seconds, *call)
    timer.daemon = True
    timer.start()
def interrupt_soon():
    soon(0.2, os.kill, (os.getpid(), signal.SIGINT))
"""


class InterpreterLock(ProcessTest):
    def test_every_wait_lets_operations_have_the_lock(self):
        self.assert_prints("done", NEEDS_LOCK + """
event = torch.Event("acpu")
waits = [runahead.synchronize, x.sum().item, x.cpu, x.tolist, x.nonzero, torch.accelerator.synchronize,
         event.synchronize, lambda: runahead.configure(workers=2), torch.acpu.get_rng_state]
for wait in waits:
    issue()
    x.normal_()
    event.record()
    print(wait, flush=True, file=sys.stderr)
    wait()
print("done")
""")

    def test_a_push_held_at_the_limit_lets_operations_have_the_lock(self):
        self.assert_prints("200.0", NEEDS_LOCK + """
runahead.set_limit(operations=2)
threads = [threading.Thread(target=issue, args=(100,)) for _ in range(2)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(x[0].item())
""")

    def test_waits_in_a_backward_pass_and_at_exit_let_operations_have_the_lock(self):
        self.assert_prints("1.0", NEEDS_LOCK + """
y = torch.ones(4, device="acpu", requires_grad=True)
y.register_hook(lambda gradient: issue() or gradient + gradient.nonzero().sum().item() * 0)
y.sum().backward()
print(y.grad[0].item())
issue()
""")

    def test_host_sources_dropped_while_the_program_waits_are_freed_by_a_thread_of_the_program(self):
        self.assert_prints("True 4.0", NEEDS_LOCK + """
freed_by = []
targets = [torch.empty(4, device="acpu") for _ in range(8)]
issue()
for target in targets:
    torch.ops.test.needs_lock(target)
    array = numpy.ones(4, dtype="float64")
    weakref.finalize(array, lambda: freed_by.append(threading.get_ident()))
    target.copy_(torch.from_numpy(array), non_blocking=True)
    del array
runahead.synchronize()
print(freed_by == [threading.get_ident()] * 8, targets[0].sum().item())
""")


class Registration(ProcessTest):
    def test_gradients_work_though_a_backward_pass_ran_before_the_device_was_registered(self):
        self.assert_prints("6.0 6.0", """
            import torch
            torch.ones(3, requires_grad=True).sum().backward()
            import runahead
            x = torch.ones(3, device="acpu")
            x.requires_grad_()
            y = (x + 1).sum()
            y.backward(torch.tensor(2.0, device="acpu"))
            print(y.item(), x.grad.sum().item())
            """)

    def test_cpu_gradients_work_beside_the_device(self):
        self.assert_prints("3.0 3.0", """
            import torch, runahead
            x = torch.ones(3, requires_grad=True)
            x.sum().backward()
            y = torch.ones(3, device="acpu", requires_grad=True)
            y.sum().backward()
            print(x.grad.sum().item(), y.grad.sum().item())
            """)


class Forks(ProcessTest):
    def test_every_use_of_the_device_in_a_forked_child_is_a_clear_error(self):
        self.assert_prints("0 3.0", """
            import os, torch, runahead
            x = torch.ones(3, device="acpu")
            event, side = torch.Event("acpu"), torch.acpu.Stream()
            event.record()
            uses = [x.sum().item, x.cpu, lambda: x + 1, lambda: torch.ones(3, device="acpu"),
                    event.record, event.synchronize, torch.acpu.Stream, side.query, side.synchronize, side.__enter__,
                    lambda: torch.ones(3).to("acpu"), lambda: torch.acpu.manual_seed(1), runahead.synchronize,
                    runahead.memory_stats, runahead.backlog, runahead.blocking_operators,
                    lambda: runahead.set_limit(operations=1), lambda: runahead.configure(workers=2)]
            def fails_clearly(use):
                try:
                    use()
                except RuntimeError as error:
                    return "forked after the device had started" in str(error)
                return False
            runahead.synchronize()  # The sanitizer's allocator can't be forked while a worker allocates.
            child = os.fork()
            if child == 0:
                os._exit([fails_clearly(use) for use in uses].count(False))
            print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), x.sum().item())
            """)

    def test_a_forked_child_works_on_cpu_and_ends_with_work_queued_in_its_parent(self):
        # Neither may a kernel be at its first call when the process is forked, nor the worker allocate often: LibTorch
        # and the sanitizer's allocator hold locks then, which no thread of the child releases.
        self.assert_prints("0 3.0", """
import os, sys, torch, runahead
x = torch.ones(3, device="acpu")
busy = torch.ones(2000, 2000, device="acpu")
busy.mul_(1.0)
torch.ones(3).sum()
runahead.synchronize()
for _ in range(20):
    busy.mul_(1.0)
child = os.fork()
if child == 0:
    torch.manual_seed(1)
    y = torch.ones(3, requires_grad=True)
    y.sum().backward()
    del x
    sys.exit(0 if not torch.acpu.is_available() and y.grad.sum().item() == 3 else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), x.sum().item())
""")

    def test_a_forked_child_may_empty_the_cache_of_its_parent(self):
        self.assert_prints("0", """
import os, torch, runahead
runahead.configure(allocation="caching")
busy = torch.ones(2000, 2000, device="acpu")
busy.mul_(1.0)
runahead.synchronize()
for _ in range(20):
    busy.mul_(1.0)
child = os.fork()
if child == 0:
    torch.acpu.empty_cache()
    os._exit(0)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
""")

    def test_a_child_forked_before_the_device_started_has_one_of_its_own(self):
        self.assert_prints("0", """
            import os, sys, torch
            child = os.fork()
            if child == 0:
                import runahead
                sys.exit(0 if torch.ones(3, device="acpu").sum().item() == 3 else 1)
            print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
            """)


class Exits(ProcessTest):
    def test_the_process_ends_with_work_queued(self):
        self.assert_prints("queued", BUSY + """
sources = [torch.from_numpy(numpy.ones((4, 4), dtype="float32")) for _ in range(8)]
be_busy()
kept = [torch.empty(4, 4, device="acpu").copy_(source, non_blocking=True) for source in sources]
del sources
print("queued")
""")

    def test_ctrl_c_ends_a_wait_and_the_device_goes_on(self):
        self.assert_prints("done", INTERRUPTED + """
event, pacer = torch.Event("acpu"), runahead.Pacer("window", 1)
weight = torch.ones(3, device="acpu", requires_grad=True)
def wait_at_the_limit():
    runahead.set_limit(operations=1)
    a + 1
def wait_in_a_backward_pass():
    loss = (weight * 2).sum()
    runahead.set_limit(operations=1)
    loss.backward()
waits = [runahead.synchronize, torch.accelerator.synchronize, lambda: a.sum().item(), a.cpu, a.tolist, a.nonzero,
         event.synchronize, lambda: pacer.after_batch() or pacer.after_batch(), wait_at_the_limit,
         wait_in_a_backward_pass]
for wait in waits:
    hold()
    event.record()
    interrupt_soon()
    try:
        wait()
        print("not interrupted:", wait)
    except KeyboardInterrupt:
        assert runahead.backlog()["operations"] > 0
    release()
    runahead.set_limit()
    runahead.synchronize()
assert torch.ones(2, device="acpu").sum().item() == 2
print("done")
""")

    def test_ctrl_c_while_memory_that_is_freed_waits_comes_after_it(self):
        self.assert_prints("interrupted", INTERRUPTED + """
pinned = torch.ones(4).pin_memory()
runahead.synchronize()
runahead.set_limit(operations=2)
hold()
a.copy_(pinned, non_blocking=True)
interrupt_soon()
soon(1.0, release)
try:
    del pinned  # Records an event, for which there is no room.
    while True: pass
except KeyboardInterrupt:
    print("interrupted")
""")

    def test_a_handler_that_runs_in_a_wait_records_gradients(self):
        self.assert_prints("[True, True, True]", INTERRUPTED + """
weight, recorded = torch.ones(3, requires_grad=True), []
def handler(*_):
    recorded.append((weight * 2).sum().requires_grad)
    release()
signal.signal(signal.SIGINT, handler)
for wait in runahead.synchronize, a.nonzero, a.cpu:
    hold()
    interrupt_soon()
    wait()
print(recorded)
""")

    def test_ctrl_c_that_ends_the_program_drops_what_is_queued(self):
        for end in ("interrupt_soon(); a.cpu()", "interrupt_soon()"):  # In a wait of the program, and at its end.
            finished = run(INTERRUPTED + """
class Printing(list):
    def append(self, _):
        os.write(1, b"ran")
has_run = Printing()
hold()
a.copy_(a * 2)
torch.ops.test.note(a)
soon(2.0, release)
""" + end)
            self.assertEqual(finished.stdout, "", finished.stderr)
            self.assertIn("KeyboardInterrupt", finished.stderr)

    def test_handlers_at_exit_may_wait_for_threads_that_use_the_device(self):
        self.assert_prints("2.0 True", """
            import atexit, queue, threading
            numbers, sums = queue.Queue(), []
            def stop():
                numbers.put(None)
                worker.join()
                print(sums[-1], worker.is_alive() is False)
            atexit.register(stop)  # Runs after what the package registers.
            import torch, runahead
            x = torch.ones(2, device="acpu")
            def add_up():
                while (number := numbers.get()) is not None:
                    sums.append((x * number).sum().item())
            worker = threading.Thread(target=add_up, daemon=True)
            worker.start()
            for _ in range(100):
                numbers.put(1)
            """)

    def test_streams_and_events_work_at_issue_once_the_device_has_stopped(self):
        self.assert_prints("2.0 True True", """
            import torch, runahead
            def after_the_stop():
                with side:
                    x = torch.ones(1, device="acpu") + 1
                event = side.record_event()
                torch.acpu.current_stream().wait_event(event)
                side.synchronize()
                print(x.item(), event.query(), side.query())
            side = torch.acpu.Stream()
            with side:
                torch.ones(3, device="acpu").add_(1)
            runahead._C.finish()
            after_the_stop()
            """)

    def test_an_error_that_nothing_waited_for_is_reported_at_the_end(self):
        finished = run("""
            import torch, runahead
            x = torch.zeros(3, device="acpu")
            x.index_select(0, torch.tensor([0], device="acpu"))
            x.index_select(0, torch.tensor([5], device="acpu"))
            x.gather(0, torch.tensor([9], device="acpu"))
            """)
        self.assertEqual(finished.returncode, 0)
        self.assertIn("aten::index_select", finished.stderr)
        self.assertIn("(and 1 later operation failed)", finished.stderr)

    def test_an_exception_of_the_program_ends_it_as_ever(self):
        finished = run(BUSY + "be_busy()\nraise SystemExit(7)\n")
        self.assertEqual(finished.returncode, 7, finished.stderr)


class Blocking(ProcessTest):
    def test_every_operation_runs_at_issue_when_asked_to(self):
        self.assert_prints("0", BUSY + "be_busy(3)\nprint(runahead.backlog()['operations'])\n", RUNAHEAD_BLOCKING="1")

    def test_a_failure_is_raised_by_the_next_read(self):
        self.assert_prints("index_select", """
            import torch, runahead
            try:
                torch.zeros(3, device="acpu").index_select(0, torch.tensor([5], device="acpu")).cpu()
            except RuntimeError as error:
                print("index_select" if "index_select" in str(error) else error)
            """, RUNAHEAD_BLOCKING="1")


if __name__ == "__main__":
    unittest.main()
