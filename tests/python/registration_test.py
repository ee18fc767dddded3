"""When `acpu` is registered, and what a torch that does not fit is answered: the decisions on a torch that is made up, and
processes in which torch believes that there is a CUDA device."""

import types
import unittest
import unittest.mock

from runahead_loader import decisions
from script_processes import ProcessTest

FAKE_CUDA = "import sys, torch; torch.cuda.device_count = lambda: 1\n"


def made_up_torch(cuda_devices=0, backend="privateuseone"):
    return types.SimpleNamespace(cuda=types.SimpleNamespace(device_count=lambda: cuda_devices),
                                 _C=types.SimpleNamespace(_get_privateuse1_backend_name=lambda: backend))


class Decisions(unittest.TestCase):
    def setUp(self):
        built = {"TORCH_VERSION": "2.11.0", "CUDA_VERSION": "13.0", "CXX11_ABI": True, "RUNAHEAD_VERSION": "0.1.0"}
        for name, value in built.items():
            self.enterContext(unittest.mock.patch.object(decisions, name, value))

    def test_torch_of_the_same_minor_version_cuda_and_abi_fits_and_any_other_is_named(self):
        for built_with, fits, others in (
                ("13.0", [("2.11.0+cu130", "13.0", True), ("2.11.2", "13.1", True)],
                 [("2.110.0", "13.0", True), ("2.12.0.dev20261101", "13.0", True), ("2.11.0+cpu", None, True),
                  ("2.11.0", "13.0", False)]),
                (None, [("2.11.0+cu130", "13.0", True)], [("2.10.0", None, True)])):
            wanted = "torch 2.11 with CUDA 13, or" if built_with else "torch 2.11, or .* for torch 2.10 "
            with unittest.mock.patch.object(decisions, "CUDA_VERSION", built_with):
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

    def test_an_unknown_device_in_the_environment_is_refused(self):
        with self.assertRaisesRegex(ValueError, "RUNAHEAD_DEVICE is 'gpu': set it to acpu"):
            decisions.registers_at_import(made_up_torch(), {"RUNAHEAD_DEVICE": "gpu"})


class Processes(ProcessTest):
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


if __name__ == "__main__":
    unittest.main()
