"""The module behind `runahead.read`, loaded alone, since its package imports torch. It is in the sources, or in the package
that contains this file."""

import importlib.util
import pathlib

_project = pathlib.Path(__file__).resolve().parent.parent.parent
_path = next(path for path in (_project / "apps" / "python" / "runahead" / "reading.py", _project / "reading.py") if path.is_file())
_spec = importlib.util.spec_from_file_location("runahead_reading", _path)
_module = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_module)

rows_of, sample_rows = _module.rows_of, _module.sample_rows
