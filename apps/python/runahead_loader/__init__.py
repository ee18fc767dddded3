"""Code that runs before the package `runahead` may be imported: torch's autoload, and the start of the programs.

Importing it loads neither torch nor the device library, so that it works with any torch and starts fast.
"""

import os
import sys


def autoload() -> None:
    """Registers `acpu` if `runahead_loader.decisions` says so, and starts the recording that RUNAHEAD_RECORD requests.
    torch calls it at the end of its import (entry points `torch.backends`), unless TORCH_DEVICE_BACKEND_AUTOLOAD=0.

    Never raises, so that `import torch` always works: a problem becomes one line on stderr.
    """
    from runahead_loader import decisions
    torch = sys.modules["torch"]
    try:
        problem = decisions.misfit_of(torch)
        if problem is None and decisions.registers_at_import(torch, os.environ):
            from runahead.registration import register
            register()
        if problem is None and os.environ.get("RUNAHEAD_RECORD"):
            import runahead  # noqa: F401  Starts the recording, on any device.
    except Exception as error:
        problem = f"acpu is not registered: {error}"
    if problem is not None:
        print("runahead:", problem, file=sys.stderr)
