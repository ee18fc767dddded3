"""Threads of a program that share `acpu`: settings and exits while others issue, and what they leave of torch's own.

Each case is a script in a process of its own, with a time limit: a deadlock is a failure.
"""

import signal
import unittest

import torch._dynamo  # noqa: F401  Here, since the first draw of each script would import it.

from script_processes import ProcessTest, run

# Threads that use the device until they are asked to stop; `finish` reports what went wrong in them.
USERS = """
import sys, threading, torch, runahead
stopped, failures = threading.Event(), []
def train():
    x, weight = torch.randn(16, 8).to("acpu"), torch.randn(8, 8, device="acpu", requires_grad=True)
    while not stopped.is_set():
        (x @ weight).relu().sum().backward()
        with torch.no_grad():
            weight.sub_(weight.grad * 1e-3)
        weight.grad = None
        x[3].norm().item()
def draw():
    while not stopped.is_set():
        torch.randn(64, device="acpu").sum().item()
def count():
    while not stopped.is_set():
        runahead.backlog(), runahead.memory_stats(), runahead.blocking_operators(), torch.acpu.memory_allocated()
def wait():
    while not stopped.is_set():
        runahead.synchronize()
def copy():
    while not stopped.is_set():
        host = torch.ones(256)
        device = torch.zeros(256, device="acpu").copy_(host, non_blocking=True)
        if device.sum().item() != 256:
            raise ValueError("a copy is wrong")
def guarded(use):
    try:
        use()
    except BaseException as error:
        failures.append(f"{use.__name__}: {error!r}")
def start(*uses, daemon=False):
    threads = [threading.Thread(target=guarded, args=(use,), daemon=daemon) for use in uses]
    for thread in threads: thread.start()
    return threads
def finish(threads):
    stopped.set()
    for thread in threads: thread.join()
    return failures
"""


class TorchsOwnThreads(ProcessTest):
    def test_the_number_of_intra_op_threads_is_that_which_the_program_has_in_every_thread(self):
        self.assert_prints("True [3, 3]", """
            import threading, torch

            def seen():
                numbers = [torch.get_num_threads()]
                thread = threading.Thread(target=lambda: numbers.append(torch.get_num_threads()))
                thread.start()
                thread.join()
                return numbers

            before = seen()
            import runahead
            after_import = seen()
            (torch.ones(300, 300, device="acpu") @ torch.ones(300, 300, device="acpu")).sum().item()
            runahead.configure(workers=2, intra_op_threads=1)
            torch.ones(3, device="acpu").sum().item()
            print(before == after_import == seen() or (before, after_import, seen()), end=" ")
            torch.set_num_threads(3)
            runahead.configure(workers=1)
            torch.ones(3, device="acpu").sum().item()
            print(seen())
            """)


class Settings(ProcessTest):
    def test_may_change_while_others_use_the_device(self):
        self.assert_prints("[]", USERS + """
threads = start(train, draw, count, wait, copy)
for i in range(30):
    runahead.configure(workers=(1, 2, 0)[i % 3], allocation=("at_issue", "in_stream_order", "caching", "at_execution")[i % 4],
                       host_copies=("keep", "snapshot")[i % 2])
    runahead.set_limit(operations=None if i % 2 else 8)
print(finish(threads))
""")

    def test_none_is_lost_when_several_threads_change_some_at_once(self):
        self.assert_prints("0 True", """
            import threading, torch, runahead
            x = torch.ones(900, 900, device="acpu")
            for _ in range(20): x @ x
            changes = [{"workers": 0}, {"allocation": "caching"}]  # Both wait for the products.
            threads = [threading.Thread(target=runahead.configure, kwargs=change) for change in changes]
            for thread in threads: thread.start()
            for thread in threads: thread.join()
            y = x @ x
            print(runahead.backlog()["operations"], torch.acpu.memory_reserved() >= 1 << 20)
        """)

    def test_may_change_while_a_pacer_is_made(self):
        self.assert_prints("done", """
            import threading, torch, runahead
            x = torch.ones(900, 900, device="acpu")
            for i in range(3):
                for _ in range(10): x @ x
                change = threading.Thread(target=runahead.configure, kwargs={"host_copies": "keep"})
                change.start()
                pacer = runahead.Pacer("adaptive", "1GiB")
                change.join()
                for _ in range(50): (x[:10] @ x).sum()
                runahead.synchronize()
            print("done")
        """)


class BackwardPasses(ProcessTest):
    def test_run_in_the_thread_that_starts_them(self):
        self.assert_prints("[0, 1, 2]", """
            import contextvars, threading, torch, runahead
            name, seen = contextvars.ContextVar("name"), []
            together = threading.Barrier(2)
            def use(number, loss):
                name.set(number)
                loss.backward()
            def make(hook):
                x = torch.ones(3, device="acpu", requires_grad=True)
                y = x * 2
                y.register_hook(lambda gradient: hook() and None)
                return y.sum()
            use(0, make(lambda: seen.append(name.get())))
            # Each of the hooks waits for the other.
            losses = [make(lambda: together.wait(30) < 2 and seen.append(name.get())) for _ in range(2)]
            threads = [threading.Thread(target=use, args=(i + 1, loss)) for i, loss in enumerate(losses)]
            for thread in threads: thread.start()
            for thread in threads: thread.join()
            print(sorted(seen))
            """)


class OneTensor(ProcessTest):
    def test_may_be_written_first_by_two_threads(self):
        self.assert_prints("[]", """
            import threading, torch, runahead
            runahead.configure(workers=2, allocation="in_stream_order")
            wrong, together = [], threading.Barrier(2)
            def write(row, tensors):
                for x in tensors:
                    together.wait()
                    x[row].fill_(row + 1)
            for _ in range(20):
                tensors = [torch.empty(2, 64, device="acpu") for _ in range(20)]
                threads = [threading.Thread(target=write, args=(row, tensors)) for row in range(2)]
                for thread in threads: thread.start()
                for thread in threads: thread.join()
                wrong += [x.tolist() for x in tensors if x.sum(1).tolist() != [64, 128]]
            print(wrong)
            """)


class Exits(unittest.TestCase):
    """Daemon threads do not keep the process from ending.

    Python ends one that wants the interpreter lock by unwinding its stack, which torch's own bindings answer with
    std::terminate, on cpu as well: so this may be how the process ends, but not by a signal of another kind.
    """

    def test_the_process_ends_while_daemon_threads_issue_wait_and_configure(self):
        for threads in ("train, draw, count, copy, wait", "change, draw"):
            finished = run(USERS + f"""
def change():
    while True:
        runahead.configure(workers=2)
        runahead.configure(workers=1)
start({threads}, daemon=True)
for _ in range(200):
    torch.ones(64).to("acpu") + 1
print("ends", flush=True)
""")
            self.assertEqual(finished.stdout.strip(), "ends", finished.stderr)
            self.assertIn(finished.returncode, (0, -signal.SIGABRT), finished.stderr)


if __name__ == "__main__":
    unittest.main()
