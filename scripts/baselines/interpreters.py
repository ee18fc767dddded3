"""Finds a Python version that a framework has packages for."""

import os
import pathlib
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PROBE = "import ensurepip, sys, venv; print('%d.%d' % sys.version_info[:2])"
PROBE_TIMEOUT_SECONDS = 30


def find(versions, candidates=None):
    """The path of an interpreter of the first of these versions ("3.11") that this machine has, or None.

    The interpreter can create virtual environments; Debian's own cannot without python3-venv.
    """
    for version in versions:
        for path in candidates_for(version) if candidates is None else candidates:
            if version_of(path) == version:
                return path
    return None


def candidates_for(version):
    """Places where an interpreter of a version may be. pyenv's are found by folder: its shims fail for versions that
    are not selected."""
    pyenv = pathlib.Path(os.environ.get("PYENV_ROOT", pathlib.Path.home() / ".pyenv"))
    uv = pathlib.Path(os.environ.get("UV_PYTHON_INSTALL_DIR", pathlib.Path.home() / ".local/share/uv/python"))
    yield ROOT / ".venv/bin/python"
    for name in ("python" + version, "python3"):
        found = shutil.which(name)
        if found is not None:
            yield pathlib.Path(found)
    yield from sorted((pyenv / "versions").glob(version + ".*/bin/python"), reverse=True)
    yield from sorted(uv.glob("cpython-{}.*/bin/python{}".format(version, version)), reverse=True)


def version_of(path):
    """'3.11' for an interpreter that runs and can create virtual environments; else None."""
    try:
        probed = subprocess.run([str(path), "-I", "-c", PROBE], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.DEVNULL, timeout=PROBE_TIMEOUT_SECONDS)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return probed.stdout.decode().strip() if probed.returncode == 0 else None


def missing(name, versions):
    """The message if find() found none."""
    return ("{} needs a Python {} that can make virtual environments, and none was found on PATH, under pyenv or under uv. "
            "`uv python install {}` or `pyenv install {}` brings one.").format(
                name, " or ".join(versions), versions[0], versions[0])
