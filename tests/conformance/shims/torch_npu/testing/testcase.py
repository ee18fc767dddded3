"""The other backend's names for torch.testing's own."""

from torch.testing._internal.common_utils import TestCase, run_tests

__all__ = ["TestCase", "run_tests"]
