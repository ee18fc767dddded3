"""The list of baselines: the program of each, the Python it needs, and the place of its environment."""

import collections
import pathlib

HERE = pathlib.Path(__file__).resolve().parent
ENVIRONMENTS = HERE.parent.parent / ".baselines"

# pythons: the versions that the framework has packages for, the preferred one first.
Entry = collections.namedtuple("Entry", "program requirements module pythons")

NEW_PYTHONS = ("3.11", "3.12", "3.13")
CATALOGUE = {
    "jax": Entry("jax_baseline.py", "jax.txt", "jax", NEW_PYTHONS),
    "mxnet": Entry("mxnet_baseline.py", "mxnet.txt", "mxnet", ("3.8",)),
    "mxnet_1_3": Entry("mxnet_baseline.py", "mxnet_1_3.txt", "mxnet", ("3.6",)),
    "numpy": Entry("numpy_baseline.py", "numpy.txt", "numpy", NEW_PYTHONS),
    "paddle": Entry("paddle_baseline.py", "paddle.txt", "paddle", NEW_PYTHONS),
    "torch": Entry("torch_baseline.py", "torch.txt", "torch", NEW_PYTHONS),
}


def python_of(environment):
    """The path of a virtual environment's interpreter, which need not exist."""
    return environment / "bin" / "python"
