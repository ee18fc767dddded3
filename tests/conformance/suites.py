"""The strangers' suites: where each lies in the caller's folder, which of its files run, how it is adapted."""

import dataclasses
import pathlib

DEVICE = "acpu"


@dataclasses.dataclass(frozen=True)
class Suite:
    name: str
    # What the caller's folder holds of it: the folder that its tests import each other from.
    folder: str
    files: tuple[str, ...]
    # The edits of skew.py that it needs.
    edits: str
    # Without a baseline there is no cpu side: each test counts.
    has_baseline: bool = True
    keeps_conftest: bool = False
    # Its files start the device while they are imported, so all tests of a file run in one process.
    together: bool = False

    def is_in(self, root: pathlib.Path) -> bool:
        return (root / self.folder / self.files[0]).is_file()


PYTORCH_26 = Suite(
    name="2.6", folder="pytorch-2.6/test", edits="2.6",
    files=("test_view_ops.py", "test_indexing.py", "test_shape_ops.py", "test_scatter_gather_ops.py",
           "test_sort_and_select.py", "test_native_mha.py", "nn/test_pooling.py", "nn/test_embedding.py",
           "nn/test_dropout.py", "nn/test_convolution.py", "nn/test_init.py", "nn/test_lazy_modules.py",
           "nn/test_load_state_dict.py", "nn/test_module_hooks.py", "nn/test_multihead_attention.py",
           "nn/test_packed_sequence.py", "nn/test_parametrization.py", "nn/test_pruning.py",
           "test_type_promotion.py", "test_tensor_creation_ops.py", "test_segment_reductions.py",
           "test_spectral_ops.py", "test_complex.py", "test_numpy_interop.py", "test_dlpack.py", "test_optim.py",
           "test_autograd.py", "test_linalg.py", "test_torch.py", "test_nn.py",
           "test_modules.py", "test_reductions.py", "test_foreach.py", "test_unary_ufuncs.py",
           "test_binary_ufuncs.py", "test_ops.py", "test_ops_gradients.py", "test_masked.py", "test_maskedtensor.py",
           "test_expanded_weights.py", "test_legacy_vmap.py", "test_python_dispatch.py", "test_custom_ops.py",
           "test_serialization.py", "test_nestedtensor.py", "test_testing.py", "test_schema_check.py",
           "test_transformers.py", "test_ops_fwd_gradients.py", "test_decomp.py", "test_meta.py",
           "functorch/test_eager_transforms.py", "functorch/test_vmap.py", "functorch/test_ops.py"))

PYTORCH_211 = Suite(
    name="2.11", folder="ascend/test", edits="npu",
    files=("test_torch.py", "test_nn.py", "test_view_ops.py", "test_indexing.py", "test_shape_ops.py",
           "test_sort_and_select.py", "test_native_mha.py", "nn/test_pooling.py", "nn/test_embedding.py",
           "nn/test_dropout.py", "nn/test_convolution.py", "nn/test_packed_sequence.py",
           "nn/test_multihead_attention.py", "nn/test_parametrization.py", "nn/test_pruning.py",
           "nn/test_init.py", "nn/test_lazy_modules.py", "nn/test_module_hooks.py", "test_type_promotion.py",
           "test_tensor_creation_ops.py", "test_autograd.py", "test_modules.py",
           "test_reductions.py", "test_unary_ufuncs.py", "test_binary_ufuncs.py", "test_ops.py",
           "test_ops_gradients.py"))

ACCINTE = Suite(
    name="torch_accinte", folder="accinte", edits="accinte", has_baseline=False, together=True,
    files=tuple(f"tests/test_{name}.py" for name in (
        "autocast", "autograd", "device", "event", "memory", "misc", "ops", "profiler", "rng", "storage",
        "streams", "utils")))

INFINI = Suite(
    name="torch-infini", folder="infini", edits="infini", has_baseline=False, keeps_conftest=True, together=True,
    files=tuple(f"tests/conformance/test_{name}.py" for name in (
        "device_contracts", "event_contracts", "stream_contracts", "api_surface", "add_operator", "addmm_operator",
        "as_strided_operator", "bmm_operator", "mm_operator", "mul_operator", "relu_operator", "rms_norm_operator",
        "silu_operator", "view_operator", "backend_adapter"))
    + tuple(f"tests/test_{name}.py" for name in (
        "add", "events", "gated_mlp", "linear", "relu", "smoke", "streams", "tiny_mlp")))

SUITES = {suite.name: suite for suite in (PYTORCH_26, PYTORCH_211, ACCINTE, INFINI)}
