"""What is edited in the working copy of the strangers' files: the names of devices, and what the installed torch lacks.

Each edit is a regular expression and its replacement; `{device}` stands for the device that the copy is for.
"""

import re

# torch.testing of today makes the class of a device from the one of the file: this would call itself without end.
OF_ALL = ((r"\bsuper\(self\.__class__, self\)", "super()"),)
# Tests whose authors ran them on the devices that they had.
FOR_EVERY_DEVICE = (
    (r"\bonly_for=(only_for|device_types|\(\"cpu\", \"cuda\"\))", "only_for=None"),
)
# Operators that torch's database of today has no entry of, and helpers that are gone.
FROM_26 = FOR_EVERY_DEVICE + (
    (r"assert len\(matching_opinfos\) > 0, .*", "if not matching_opinfos: continue"),
    (r"assert len\(matching_opinfos\) == 1, f\"Couldn't .*", "if not matching_opinfos: continue"),
    (r"for sample_input, subtest_ctx in", "for sample_input, subtest_ctx, _ in"),
    (r"^from torch\._custom_op\.functional import (\w+)$", r"\1 = None"),
    (r"^(from torch\.nn\.attention\.flex_attention import) (create_nested_block_mask), ", r"\2 = None; \1 "),
)
# Files written for another device of PrivateUse1, made to name the device under test. The cpu copy names cpu: then
# the same test has a cpu side.
FROM_NPU = (
    (r"\btorch_npu\.npu\.get_device_name\(0\)", "'{device}'"),
    (r"\btorch_npu\.npu\b", "torch.{device}"),
    (r"\btorch\.npu\b", "torch.{device}"),
    (r"(?<=['\"])npu(?=[:'\"])", "{device}"),
    (r"\.npu\(", ".{device}("),
    (r"\bis_npu\b", "is_{device}"),
)
# The backend's name stands for the device in torch.testing, but not for cpu.
FROM_NPU_TO_CPU = (
    (r"(only_for\s*=\s*\(?\s*)['\"]privateuse1['\"]", r"\1'cpu'"),
)
FROM_ACCINTE = (
    (r"\bimport torch_accinte\b", "import runahead"),
    (r"accinte", "{device}"),
)
# It has its tests of `mul` and `silu` run where its kernels for this maker's devices are.
FROM_INFINI = (
    (r"\btorch_infini\._C\._runtime_backend_name\(\)", "'nvidia'"),
    (r"\bimport torch_infini\b", "import runahead as torch_infini"),
    (r"\btorch\.infini\b", "torch.{device}"),
    (r"(?<=['\"])infini(?=[:'\"])", "{device}"),
)


def edits_for(name: str, device: str) -> list[tuple[re.Pattern, str]]:
    """The edits of a suite, ready for one device."""
    tables = {"2.6": FROM_26, "npu": FROM_NPU, "accinte": FROM_ACCINTE, "infini": FROM_INFINI}
    table = OF_ALL + tables[name]
    if name == "npu" and device == "cpu":
        table += FROM_NPU_TO_CPU
    return [(re.compile(pattern, re.MULTILINE), text.replace("{device}", device)) for pattern, text in table]


def edited(text: str, edits: list[tuple[re.Pattern, str]]) -> str:
    for pattern, replacement in edits:
        text = pattern.sub(replacement, text)
    return text
