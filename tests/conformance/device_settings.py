"""Settings of the device that the tests and models run with, if not its own: RUNAHEAD_CONFIGURE in the environment."""

import importlib
import json
import os
from typing import Any


def given() -> dict[str, Any]:
    """Returns the keyword arguments that the variable has, a JSON object."""
    return json.loads(os.environ.get("RUNAHEAD_CONFIGURE", "{}"))


def apply(package: str) -> None:
    """Calls `configure` of that package with them."""
    if settings := given():
        importlib.import_module(package).configure(**settings)
