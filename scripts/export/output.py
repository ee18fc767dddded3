"""The destination of an export: its files appear atomically."""

import contextlib
import dataclasses
import pathlib

from report import files


@dataclasses.dataclass(frozen=True)
class Output:
    folder: pathlib.Path
    is_named: bool  # Whether the user named it.
    may_replace: bool

    @contextlib.contextmanager
    def staged(self, *names):
        """A folder for files or folders with these names. Those that exist when the block ends without an exception
        move to `self.folder`, which stays unchanged until then. Raises ValueError if one exists there and may not be
        replaced."""
        for name in names:
            if (self.folder / name).exists() and not self.may_replace:
                raise ValueError(f"--out: '{self.folder}' holds a {name}; give another folder, or --force to replace it")
        with files.staging(self.folder) as staging:
            yield staging
            self.take_over(staging, names)

    def take_over(self, staging, names):
        replaced = staging / "replaced"
        replaced.mkdir()
        for name in names:
            if (self.folder / name).exists():
                (self.folder / name).rename(replaced / name)
            if (staging / name).exists():
                (staging / name).rename(self.folder / name)

    def existing(self, *names):
        return [self.folder / name for name in names if (self.folder / name).exists()]
