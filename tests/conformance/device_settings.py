"""Settings of the device that the tests and models run with, if not its own: RUNAHEAD_CONFIGURE in the environment."""

import importlib
import json
import os


def apply(package: str) -> None:
    """Calls `configure` of that package with the keyword arguments that the variable has, a JSON object."""
    if settings := json.loads(os.environ.get("RUNAHEAD_CONFIGURE", "{}")):
        importlib.import_module(package).configure(**settings)
