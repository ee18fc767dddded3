"""A copy of a suite with its edits, remade when these or the suite change."""

import hashlib
import pathlib
import shutil

import skew
import suites

# They belong to the strangers' own runners.
LEFT_OUT = shutil.ignore_patterns("pytest.ini", "setup.cfg", "pyproject.toml", "tox.ini", ".git", "__pycache__")
STAMP = ".conformance_stamp"


def prepare(suite: suites.Suite, root: pathlib.Path, device: str, work: pathlib.Path) -> pathlib.Path:
    """Returns the folder of the copy, which is made where it is missing or old."""
    source, target = root / suite.folder, work / f"{suite.name}-{device}"
    edits = skew.edits_for(suite.edits, device)
    stamp = stamp_of(source, suite, edits)
    if (target / STAMP).is_file() and (target / STAMP).read_text() == stamp:
        return target
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(source, target, ignore=LEFT_OUT, symlinks=True, ignore_dangling_symlinks=True)
    for path in target.rglob("*.py"):
        if path.name == "conftest.py" and not suite.keeps_conftest:
            path.unlink()
        elif path.is_file():
            edit(path, edits)
    (target / STAMP).write_text(stamp)
    return target


def edit(path: pathlib.Path, edits: list) -> None:
    text = path.read_text(encoding="utf-8", errors="surrogateescape")
    changed = skew.edited(text, edits)
    if changed != text:
        path.write_text(changed, encoding="utf-8", errors="surrogateescape")


def stamp_of(source: pathlib.Path, suite: suites.Suite, edits: list) -> str:
    """Depends on the edits, on how a copy is made, and on which files the suite has, how long and how old."""
    digest = hashlib.sha256(repr((suite.keeps_conftest, edits)).encode())
    digest.update(pathlib.Path(__file__).read_bytes())
    for path in sorted(source.rglob("*.py")):
        if path.is_file():
            status = path.stat()
            digest.update(f"{path.relative_to(source)} {status.st_size} {status.st_mtime_ns}\n".encode())
    return digest.hexdigest()
