"""Starts the programs of the installed package: the entry points of the commands `runahead` and `runahead-cell`.

A program finds LibTorch where pip puts it, next to this package. If torch is elsewhere (an environment that sees the
system's packages), LD_LIBRARY_PATH names its folder. Does not import torch: Python and this take about 30 ms of CPU
time.
"""

import importlib.util
import os
import sys

from runahead_loader import decisions

EXIT_UNAVAILABLE = 3


def runahead() -> None:
    """Becomes the program `runahead`. Without a fitting torch, its commands that need one report that."""
    environment = dict(os.environ)
    environment.setdefault("RUNAHEAD_PYTHON", sys.executable)
    torch = _torch_folder()
    if _misfit(torch) is not None:
        environment.setdefault("RUNAHEAD_CELL", os.path.join(os.path.dirname(sys.argv[0]), "runahead-cell"))
    _become("runahead", torch, environment)


def runahead_cell() -> None:
    """Becomes the program `runahead-cell`, or exits with code 3 and an explanation if torch does not fit it."""
    torch = _torch_folder()
    problem = _misfit(torch)
    if problem is not None:
        print("runahead: error:", problem, file=sys.stderr)
        sys.exit(EXIT_UNAVAILABLE)
    _become("runahead-cell", torch, dict(os.environ))


def _torch_folder() -> str | None:
    found = importlib.util.find_spec("torch")
    return found.submodule_search_locations[0] if found and found.submodule_search_locations else None


def _misfit(torch: str | None) -> str | None:
    if torch is None:
        return f"this Python has no torch: install torch {decisions.TORCH_VERSION}"
    with open(os.path.join(torch, "version.py"), encoding="utf-8") as file:
        values = dict(line.strip().split(" = ") for line in file if " = " in line)
    cuda = values["cuda: Optional[str]"].strip("'")
    return decisions.misfit(values["__version__"].strip("'"), None if cuda == "None" else cuda)


def _become(name: str, torch: str | None, environment: dict[str, str]) -> None:
    packages = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
    if torch is not None and os.path.dirname(torch) != packages:
        cuda = os.path.join(os.path.dirname(torch), "nvidia", f"cu{decisions.major(decisions.CUDA_VERSION)}", "lib")
        folders = [os.path.join(torch, "lib"), cuda, environment.get("LD_LIBRARY_PATH")]
        environment["LD_LIBRARY_PATH"] = os.pathsep.join(folder for folder in folders if folder)
    program = os.path.join(packages, "runahead", "bin", name)
    os.execve(program, [name, *sys.argv[1:]], environment)
