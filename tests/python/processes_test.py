"""What a whole process sees: when `acpu` is registered, and what a torch that does not fit is answered; the interpreter lock,
forks, RUNAHEAD_BLOCKING. Decisions are made on a torch that is made up.

Each other case is a script in a process of its own, with a time limit: a deadlock is a failure.
"""

import types
import unittest
from unittest import mock

import torch._dynamo  # noqa: F401  Here, since the first draw of each script would import it.
from runahead_loader import decisions

from script_processes import WAITS, ProcessTest

FAKE_CUDA = "import sys, torch; torch.cuda.device_count = lambda: 1\n"


def made_up_torch(cuda_devices=0, backend="privateuseone", cuda="13.0"):
    return types.SimpleNamespace(version=types.SimpleNamespace(cuda=cuda), cuda=types.SimpleNamespace(device_count=lambda: cuda_devices),
                                 _C=types.SimpleNamespace(_get_privateuse1_backend_name=lambda: backend))


class Decisions(unittest.TestCase):
    def setUp(self):
        built = {"TORCH_VERSION": "2.11.0", "CUDA_VERSION": "13.0", "CXX11_ABI": True, "RUNAHEAD_VERSION": "0.1.0"}
        for name, value in built.items():
            self.enterContext(mock.patch.object(decisions, name, value))

    def test_torch_of_the_same_minor_version_cuda_and_abi_fits_and_any_other_is_named(self):
        for built_with, fits, others in (
                ("13.0", [("2.11.0+cu130", "13.0", True), ("2.11.2", "13.1", True)],
                 [("2.110.0", "13.0", True), ("2.12.0.dev20261101", "13.0", True), ("2.11.0+cpu", None, True),
                  ("2.11.0", "13.0", False)]),
                (None, [("2.11.0+cu130", "13.0", True)], [("2.10.0", None, True)])):
            wanted = "torch 2.11 with CUDA 13, or" if built_with else "torch 2.11, or .* for torch 2.10 "
            with mock.patch.object(decisions, "CUDA_VERSION", built_with):
                self.assertEqual([decisions.misfit(*found) for found in fits], [None] * len(fits))
                for found in others:
                    self.assertRegex(decisions.misfit(*found), f"install {wanted}")
        self.assertEqual(decisions.misfit("2.10.0+cu128", "12.8", True),
                         "runahead 0.1.0 was built for torch 2.11 with CUDA 13, but this Python has torch 2.10.0+cu128 with "
                         "CUDA 12.8: install torch 2.11 with CUDA 13, or a runahead that was built for torch 2.10 with "
                         "CUDA 12 (scripts/build_wheel makes one)")

    def test_acpu_is_registered_unless_another_accelerator_is_usable_or_where_it_is_asked_for(self):
        for torch, asked, expected in ((made_up_torch(), "", True), (made_up_torch(cuda_devices=1), "", False),
                                       (made_up_torch(backend="npu"), "", False),
                                       (made_up_torch(cuda_devices=1), "acpu", True)):
            with self.subTest(torch=torch, asked=asked):
                self.assertEqual(decisions.registers_at_import(torch, {"RUNAHEAD_DEVICE": asked}), expected)

    def test_a_driver_that_is_older_than_torchs_cuda_makes_it_unusable(self):
        def library(version, failure=0):
            def answer(pointer):
                pointer._obj.value = version
                return failure
            return types.SimpleNamespace(nvmlInit_v2=lambda: 0, nvmlSystemGetCudaDriverVersion_v2=answer)

        for found, cuda, expected in ((library(12080), "13.0", True), (library(13000), "13.1", False), (library(13000), "12.8", False),
                                      (library(0, failure=1), "13.0", False), (types.SimpleNamespace(), "13.0", False),
                                      (library(12080), None, False)):
            with self.subTest(found=found, cuda=cuda), mock.patch("ctypes.CDLL", lambda _name, found=found: found):
                self.assertEqual(decisions.registers_at_import(made_up_torch(cuda_devices=1, cuda=cuda), {}), expected)

    def test_an_unknown_device_in_the_environment_is_refused(self):
        with self.assertRaisesRegex(ValueError, "RUNAHEAD_DEVICE is 'gpu': set it to acpu"):
            decisions.registers_at_import(made_up_torch(), {"RUNAHEAD_DEVICE": "gpu"})


class WithCuda(ProcessTest):
    def test_where_cuda_is_usable_nothing_is_loaded_before_it_is_registered(self):
        self.assert_prints("False False acpu 3.0", FAKE_CUDA + """
import runahead, runahead_loader
runahead_loader.autoload()
print("runahead._C" in sys.modules, hasattr(torch, "acpu"), end=" ")
try:
    runahead.synchronize()
except RuntimeError as error:
    assert "call runahead.register() first" in str(error), error
torch.ones(3, requires_grad=True).sum().backward()
runahead.register()
runahead.register()
x = torch.ones(3, device="acpu", requires_grad=True)
x.sum().backward()
print(torch.accelerator.current_accelerator(), x.grad.sum().item())
""", RUNAHEAD_DEVICE="")

    def test_the_environment_has_it_registered_in_spite_of_cuda(self):
        self.assert_prints("2.0", FAKE_CUDA + "import runahead; print(torch.ones(2, device='acpu').sum().item())",
                           RUNAHEAD_DEVICE="acpu")

    def test_it_is_refused_once_cuda_is_in_use(self):
        self.assert_prints("refused", FAKE_CUDA + """
import runahead
torch.cuda.is_initialized = lambda: True
try:
    runahead.register()
except RuntimeError as error:
    print("refused" if "before the first tensor or backward pass on CUDA" in str(error) else error)
""", RUNAHEAD_DEVICE="")

    def test_a_torch_that_does_not_fit_gets_one_line_and_imports_of_runahead_an_error(self):
        self.assert_prints("False ImportError", """
import contextlib, io, sys, torch, runahead_loader
torch.__version__ = "2.10.0"
with contextlib.redirect_stderr(io.StringIO()) as said:
    runahead_loader.autoload()
assert said.getvalue().startswith("runahead: ") and said.getvalue().count("\\n") == 1, said.getvalue()
print("runahead" in sys.modules, end=" ")
try:
    import runahead
except ImportError as error:
    print(type(error).__name__)
    assert f"runahead: {error}\\n" == said.getvalue(), error
""")


class InterpreterLock(ProcessTest):
    def test_every_wait_lets_operations_have_the_lock(self):
        self.assert_prints("200.0 done", WAITS + """
waits += [lambda: runahead.configure(workers=2), torch.acpu.get_rng_state]
for wait in waits:
    add()
    x.normal_()
    event.record()
    print(wait, flush=True, file=sys.stderr)
    wait()
    runahead.set_limit()
runahead.synchronize()
x.zero_()
runahead.set_limit(operations=2)  # Threads are held at the limit.
threads = [threading.Thread(target=add, args=(100,)) for _ in range(2)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(x[0].item(), "done")
add()  # The exit waits.
""")

    def test_waits_in_a_backward_pass_let_operations_have_the_lock(self):
        self.assert_prints("1.0", WAITS + """
y = torch.ones(4, device="acpu", requires_grad=True)
y.register_hook(lambda gradient: add() or gradient + gradient.nonzero().sum().item() * 0)
y.sum().backward()
print(y.grad[0].item())
add()
""")

    def test_host_sources_dropped_while_the_program_waits_are_freed_by_a_thread_of_the_program(self):
        self.assert_prints("True 4.0", WAITS + """
freed_by = []
targets = [torch.empty(4, device="acpu") for _ in range(8)]
add()
for target in targets:
    torch.ops.test.add_one(target)
    array = numpy.ones(4, dtype="float64")
    weakref.finalize(array, lambda: freed_by.append(threading.get_ident()))
    target.copy_(torch.from_numpy(array), non_blocking=True)
    del array
runahead.synchronize()
print(freed_by == [threading.get_ident()] * 8, targets[0].sum().item())
""")


class Registration(ProcessTest):
    def test_gradients_work_though_a_backward_pass_ran_before_the_device_was_registered(self):
        self.assert_prints("6.0 6.0 3.0", """
            import torch
            torch.ones(3, requires_grad=True).sum().backward()
            import runahead
            x = torch.ones(3, device="acpu")
            x.requires_grad_()
            y = (x + 1).sum()
            y.backward(torch.tensor(2.0, device="acpu"))
            on_cpu = torch.ones(3, requires_grad=True)
            on_cpu.sum().backward()
            print(y.item(), x.grad.sum().item(), on_cpu.grad.sum().item())
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
                    runahead.memory_stats, runahead.backlog, runahead.blocking_operators, torch.acpu.reset_peak_memory_stats,
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
        # and the sanitizer's allocator hold locks then, which no thread of the child releases. LibTorch would wait for
        # threads that no child has, for as many seconds as the environment says.
        for allocation in ("at_execution", "caching"):
            self.assert_prints("0 3.0", f"""
                import os, sys, torch, runahead
                runahead.configure(allocation={allocation!r})
                x = torch.ones(3, device="acpu")
                busy = torch.ones(2000, 2000, device="acpu")
                busy.mul_(1.0)
                torch.ones(3).sum()
                runahead.synchronize()
                for _ in range(20):
                    busy.mul_(1.0)
                child = os.fork()
                if child == 0:
                    torch.acpu.empty_cache()
                    torch.manual_seed(1)
                    y = torch.ones(3, requires_grad=True)
                    y.sum().backward()
                    del x
                    sys.exit(0 if not torch.acpu.is_available() and y.grad.sum().item() == 3 else 1)
                print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), x.sum().item())
                """, TORCH_AUTOGRAD_SHUTDOWN_WAIT_LIMIT="1000")

    def test_a_child_forked_before_the_device_started_has_one_of_its_own(self):
        self.assert_prints("0", """
            import os, sys, torch
            child = os.fork()
            if child == 0:
                import runahead
                sys.exit(0 if torch.ones(3, device="acpu").sum().item() == 3 else 1)
            print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
            """)


class Blocking(ProcessTest):
    def test_every_operation_runs_at_issue_when_asked_to(self):
        self.assert_prints("0", """
            import torch, runahead
            x = torch.ones(700, 700, device="acpu")
            for _ in range(3): x = (x @ x).mul_(1e-3)
            print(runahead.backlog()["operations"])
            """, RUNAHEAD_BLOCKING="1")

    def test_errors_that_depend_on_values_come_at_the_call_when_asked_to(self):
        self.assert_prints("index_select scatter index_select", """
            import torch, runahead
            x = torch.ones(4, device="acpu")
            beyond = torch.tensor([9], device="acpu")

            def fail_in_backward():
                y = x.clone().requires_grad_()
                y.register_hook(lambda gradient: gradient.index_select(0, beyond))
                y.sum().backward()

            for call in (lambda: x.index_select(0, beyond), lambda: x.clone().scatter_(0, beyond, 1.0), fail_in_backward):
                try:
                    call()
                except RuntimeError as error:
                    print(str(error).split("'")[1].split("::")[1].split(".")[0], end=" ")
            runahead.synchronize()  # What was raised is not raised again.
            """, RUNAHEAD_BLOCKING="1")


if __name__ == "__main__":
    unittest.main()
