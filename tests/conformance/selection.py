"""Names of tests without the device, and which of them a run takes. The runner and its children share this."""

import dataclasses
import hashlib
import re

def neutral_name(test: str, device: str) -> str:
    """The name that the test has on cpu: by it the two devices' results are paired."""
    if device == "cpu":
        return test
    # Of an outside backend, torch.testing names the first class of a file after its kind, the others after itself.
    test = re.sub(rf"(PRIVATEUSE1|{device.upper()})(?=::|$)", "CPU", test)
    return re.sub(rf"_{device}(?=_|\[|$)", "_cpu", test)


def position(file: str, test: str, seed: int) -> float:
    """A number in [0, 1) that depends on nothing but the arguments: equal on every machine and device."""
    digest = hashlib.sha256(f"{seed}/{file}/{test}".encode()).digest()
    return int.from_bytes(digest[:6], "big") / 2**48


@dataclasses.dataclass(frozen=True)
class Selection:
    """Which tests of a file run: a seeded share, of that one shard, of these by name or by a pattern."""

    share: float = 1.0
    seed: int = 1
    shard: int = 0
    shards: int = 1
    only: frozenset[str] | None = None
    # A pattern that is found in the name.
    match: str = ""

    def takes(self, file: str, test: str) -> bool:
        if self.only is not None and test not in self.only or not re.search(self.match, test):
            return False
        if self.shards > 1 and int(position(file, test, -1) * self.shards) != self.shard:
            return False
        return self.share >= 1 or position(file, test, self.seed) < self.share

    def to_json(self) -> dict:
        fields = dataclasses.asdict(self)
        return fields | {"only": None if self.only is None else sorted(self.only)}

    @staticmethod
    def from_json(fields: dict) -> "Selection":
        only = fields["only"]
        return Selection(**(fields | {"only": None if only is None else frozenset(only)}))
