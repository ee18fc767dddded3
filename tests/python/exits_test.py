"""Ctrl-C during waits, and the exit of a process: what is queued, errors, handlers and threads then.

Each case is a script in a process of its own, with a time limit: a deadlock is a failure.
"""

import json
import pathlib
import tempfile
import unittest

import torch._dynamo  # noqa: F401  Here, since the first draw of each script would import it.

from script_processes import WAITS, ProcessTest, run


class Interrupts(ProcessTest):
    def test_ctrl_c_ends_a_wait_and_the_device_goes_on(self):
        self.assert_prints("done", WAITS + """
for wait in waits:
    hold()
    event.record()
    try:
        interrupt_soon()
        wait()
        print("not interrupted:", wait)
    except KeyboardInterrupt:
        assert runahead.backlog()["operations"] > 0
    gate.set()
    runahead.set_limit()
    runahead.synchronize()
assert torch.ones(2, device="acpu").sum().item() == 2
print("done")
""")

    def test_ctrl_c_while_memory_that_is_freed_waits_comes_after_it(self):
        self.assert_prints("interrupted", WAITS + """
pinned = torch.ones(4).pin_memory()
runahead.synchronize()
runahead.set_limit(operations=2)
hold()
x.copy_(pinned, non_blocking=True)
try:
    interrupt_soon()
    soon(1.0, gate.set)
    del pinned  # Records an event, for which there is no room.
    while True: pass
except KeyboardInterrupt:
    print("interrupted")
""")

    def test_a_handler_that_runs_in_a_wait_records_gradients(self):
        self.assert_prints("[True, True, True]", WAITS + """
weight, recorded = torch.ones(3, requires_grad=True), []
def handler(*_):
    recorded.append((weight * 2).sum().requires_grad)
    gate.set()
signal.signal(signal.SIGINT, handler)
for wait in runahead.synchronize, x.nonzero, x.cpu:
    hold()
    interrupt_soon()
    wait()
print(recorded)
""")

    def test_ctrl_c_that_ends_the_program_drops_what_is_queued(self):
        for end in ("interrupt_soon(); x.cpu()", "interrupt_soon()"):  # In a wait of the program, and at its end.
            finished = run(WAITS + """
hold()
x.copy_(x * 2)
torch.ops.test.note(x)
soon(2.0, gate.set)
""" + end)
            self.assertEqual(finished.stdout, "", finished.stderr)
            self.assertIn("KeyboardInterrupt", finished.stderr)

    def test_ctrl_c_is_in_the_record_and_batches_that_it_drops_do_not_count_as_finished(self):
        steps = """
optimizer = torch.optim.SGD([weight], 0.1)
weight.grad = torch.ones_like(weight)
optimizer.step()
runahead.synchronize()
hold()
for _ in range(3):
    optimizer.step()
soon(1.0, gate.set)
interrupt_soon()
"""
        batch = """
try:
    with runahead.recording("run") as recording:
        hold()
        recording.batch(1)
        interrupt_soon()
except KeyboardInterrupt:
    print("KeyboardInterrupt", file=sys.stderr)
gate.set()
runahead.synchronize()
"""
        for script, environment, counts in ((steps + "x.cpu()", {"RUNAHEAD_RECORD": "run"}, [4, 1]),
                                            (steps, {"RUNAHEAD_RECORD": "run"}, [4, 1]), (batch, {}, [1, 0])):
            with self.subTest(script), tempfile.TemporaryDirectory() as folder:
                finished = run(f"import os; os.chdir({folder!r})\n" + WAITS + script, **environment)
                self.assertIn("KeyboardInterrupt", finished.stderr)
                record = json.loads(pathlib.Path(folder, "run/record.json").read_text())
                self.assertEqual(record["status"], "interrupted")
                self.assertEqual([record["results"][key] for key in ("batches_issued", "batches_finished")], counts)
                time = record["time"]
                self.assertEqual((len(time["batch_finished_seconds"]), time["t2_seconds"]), (counts[1], None))


class Exits(ProcessTest):
    def test_the_process_ends_with_work_queued(self):
        self.assert_prints("queued", """
            import torch, runahead, numpy
            a = torch.randn(700, 700, device="acpu")
            sources = [torch.from_numpy(numpy.ones((4, 4), dtype="float32")) for _ in range(8)]
            for _ in range(20):
                a = (a @ a).mul_(1e-3)
            kept = [torch.empty(4, 4, device="acpu").copy_(source, non_blocking=True) for source in sources]
            del sources
            print("queued")
            """)

    def test_handlers_at_exit_may_wait_for_threads_that_use_the_device(self):
        self.assert_prints("2.0", """
            import atexit, queue, threading
            numbers, sums = queue.Queue(), []
            def stop():
                numbers.put(None)
                worker.join()
                print(sums[-1])
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

    def test_threads_streams_and_events_work_at_issue_once_the_device_has_stopped(self):
        self.assert_prints("1.0 2.0 True True", """
            import threading, torch, runahead
            library = torch.library.Library("test", "DEF")
            library.define("needs_lock(Tensor(a!) x) -> ()")
            begun, others_turn = threading.Event(), threading.Event()
            def needs_lock(x):
                begun.set()
                others_turn.wait(0.3)  # Not set: gives the main thread the time to wait for this operation.
                x.fill_(1)
            library.impl("needs_lock", needs_lock, "CPU")
            x, generator, side = torch.zeros(1, device="acpu"), torch.Generator("acpu"), torch.acpu.Stream()
            with side:
                torch.ones(3, device="acpu").add_(1)
            runahead._C.finish()
            worker = threading.Thread(target=torch.ops.test.needs_lock, args=(x,))
            worker.start()
            begun.wait()
            generator.manual_seed(3)
            worker.join()
            with side:
                y = torch.ones(1, device="acpu") + 1
            event = side.record_event()
            torch.acpu.current_stream().wait_event(event)
            side.synchronize()
            print(x.item(), y.item(), event.query(), side.query())
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


if __name__ == "__main__":
    unittest.main()
