"""Records what CUDA's caching allocator does, for the test that replays it on acpu's model of it. Needs a GPU.

    python record.py random SETTINGS CAPACITY_MIB STEPS OUT     random requests, frees, streams; a capacity of 0: no bound
    python record.py gallery FOLDER                             every scenario of configs/gallery, SCENARIO.REMEDY.json for each

SETTINGS has the format of PYTORCH_CUDA_ALLOC_CONF. OUT is a JSON file; README.md describes its format.
"""

import gc
import importlib
import json
import os
import random
import sys
from pathlib import Path

MIB = 1 << 20
STREAMS = 8
MOST_LIVE = 48
MOST_ENTRIES = 1_000_000
HOLD_CYCLES = 2_000_000  # Some 1 ms, in which what a stream uses cannot be free.

GALLERY = Path(__file__).resolve().parents[4] / "configs" / "gallery"

# What the allocator does, as LibTorch's history names it, and as a trace does.
ACTIONS = {"free_completed": "finished", "segment_alloc": "made", "segment_free": "returned", "segment_map": "mapped",
           "segment_unmap": "unmapped", "oom": "failed"}

ACTIONS_OF_EMPTYING = {action: ACTIONS[action] for action in ("free_completed", "segment_free", "segment_unmap")}


def random_bytes(generator: random.Random) -> int:
    return generator.choice([
        lambda: generator.randint(1, 4096), lambda: generator.randint(1, MIB), lambda: generator.randint(MIB, 10 * MIB),
        lambda: 512 << generator.randrange(15), lambda: generator.randint(10 * MIB, 40 * MIB)])()


class RandomProgram:
    """Requests, frees and uses by other streams, with a log of each.

    With a capacity nothing is pending when memory is requested: an allocation that finds none waits for the device, and a history
    does not show what finished before that wait.
    """

    def __init__(self, torch, is_bounded: bool) -> None:
        self._torch = torch
        self._is_bounded = is_bounded
        self._generator = random.Random(20261126)
        self._streams = [torch.cuda.current_stream(), *(torch.cuda.Stream() for _ in range(STREAMS - 1))]
        self._live = []  # A tensor, its stream, and whether another one uses it.
        self.log = []

    def run(self, steps: int) -> None:
        for _ in range(steps):
            choice = self._generator.randrange(200)
            if choice < 90:
                self._allocate()
            elif choice < 115:
                self._use_elsewhere()
            elif choice < 170:
                self._free()
            elif choice < 199:
                self._hold()
            else:
                self._torch.cuda.empty_cache()
                self.log.append(["empty"])

    def _allocate(self) -> None:
        if len(self._live) >= MOST_LIVE:
            return
        number, size = self._generator.randrange(STREAMS), random_bytes(self._generator)
        if self._is_bounded:
            self._torch.cuda.synchronize()
        with self._torch.cuda.stream(self._streams[number]):
            try:
                tensor = self._torch.empty(size, dtype=self._torch.uint8, device="cuda")
            except self._torch.OutOfMemoryError:
                self.log.append(["allocate", size, number, None])
                return
        self._live.append([tensor, number, False])
        self.log.append(["allocate", size, number, tensor.data_ptr()])

    def _use_elsewhere(self) -> None:
        if not self._live:
            return
        entry, number = self._generator.choice(self._live), self._generator.randrange(STREAMS)
        entry[0].record_stream(self._streams[number])
        entry[2] = entry[2] or number != entry[1]

    def _free(self) -> None:
        if not self._live:
            return
        tensor, _, is_deferred = self._live.pop(self._generator.randrange(len(self._live)))
        self.log.append(["free", tensor.data_ptr(), is_deferred])

    def _hold(self) -> None:
        if not self._is_bounded:
            with self._torch.cuda.stream(self._generator.choice(self._streams)):
                self._torch.cuda._sleep(HOLD_CYCLES)


def joined(log: list[list], history: list[dict]) -> list[list]:
    """The log, each step with what the allocator did in it.

    Raises ValueError if the two do not fit.
    """
    steps = []
    position = 0

    def take(wanted: dict[str, str]) -> list[list]:
        nonlocal position
        taken = []
        while position < len(history) and history[position]["action"] in wanted:
            entry = history[position]
            taken.append([wanted[entry["action"]], entry["addr"], entry["size"]])
            position += 1
        return taken

    def expect(action: str, address: int) -> None:
        nonlocal position
        found = history[position] if position < len(history) else {}
        if found.get("action") != action or found.get("addr") != address:
            raise ValueError(f"{action} of {address:#x} is not entry {position} of the history: {found}")
        position += 1

    for step in log:
        match step:
            case ["allocate", _, _, address]:
                steps.append([*step, take(ACTIONS)])
                if address is not None:
                    expect("alloc", address)
            case ["free", address, is_deferred]:
                steps.append(step)
                expect("free_requested", address)
                if not is_deferred:
                    expect("free_completed", address)
            case ["empty"]:
                steps.append([*step, take(ACTIONS_OF_EMPTYING)])
    if position != len(history):
        raise ValueError(f"the log ends before entry {position} of {len(history)}")
    return steps


def inferred(history: list[dict], reset_at: int) -> list[list]:
    """The steps of a program that has no log and no bound on its memory. Peaks are reset after `reset_at` entries.

    A free that does not complete at once was deferred. Without a bound, segments are returned when the cache is emptied, and at no
    other time.
    """
    steps = []
    streams: dict[int, int] = {}
    done: list[list] = []

    def empty_up_to(count: int) -> None:
        if count:
            steps.append(["empty", done[:count]])
            del done[:count]

    for position, entry in enumerate(history):
        if position == reset_at:
            empty_up_to(len(done))
            steps.append(["reset_peaks"])
        action, address = entry["action"], entry["addr"]
        following = history[position + 1] if position + 1 < len(history) else {}
        if action == "alloc":
            returned = [place for place, each in enumerate(done) if each[0] in ("returned", "unmapped")]
            empty_up_to(returned[-1] + 1 if returned else 0)
            number = streams.setdefault(entry["stream"], len(streams))
            steps.append(["allocate", entry["size"], number, address, done[:]])
            done.clear()
        elif action == "free_requested":
            empty_up_to(len(done))
            is_deferred = following.get("action") != "free_completed" or following["addr"] != address
            steps.append(["free", address, is_deferred])
        elif action in ACTIONS:
            if not (action == "free_completed" and steps and not done and steps[-1] == ["free", address, False]):
                done.append([ACTIONS[action], address, entry["size"]])
    empty_up_to(len(done))
    return steps


def history_of(torch) -> list[dict]:
    # An entry "oom" has no address.
    return [{"action": entry["action"], "addr": entry.get("addr", 0), "size": entry["size"], "stream": entry["stream"]}
            for entry in torch.cuda.memory._snapshot()["device_traces"][0] if entry["action"] != "snapshot"]


def trace_of(torch, steps: list[list], settings: str, capacity_bytes: int | None, **more) -> dict:
    """`steps` and what describes them. No memory was requested since the last of them."""
    return {"settings": settings, "capacity_bytes": capacity_bytes,
            "device_bytes": torch.cuda.get_device_properties(0).total_memory, "device": torch.cuda.get_device_name(0),
            "torch": torch.__version__, **more, "steps": steps, "statistics": torch.cuda.memory_stats()}


def record_random(settings: str, capacity_bytes: int, steps: int) -> dict:
    if settings:
        os.environ["PYTORCH_CUDA_ALLOC_CONF"] = settings
    import torch
    torch.cuda.init()
    torch.cuda._sleep(1)  # Loads the kernel, which takes no memory of the allocator's.
    total_bytes = torch.cuda.get_device_properties(0).total_memory
    if capacity_bytes:
        torch.cuda.set_per_process_memory_fraction(capacity_bytes / total_bytes)
        capacity_bytes = int(capacity_bytes / total_bytes * total_bytes)
    torch.cuda.memory._record_memory_history("all", context=None, max_entries=MOST_ENTRIES)
    program = RandomProgram(torch, is_bounded=capacity_bytes != 0)
    program.run(steps)
    history = history_of(torch)
    return trace_of(torch, joined(program.log, history), settings, capacity_bytes or None)


def record_gallery(out: Path) -> None:
    """Every scenario with each of its remedies, and without, in one process that empties the allocator before each."""
    sys.path.insert(0, str(GALLERY))
    import gallery
    import torch
    torch.cuda.init()
    for path in sorted(GALLERY.glob("*.json")):
        scenario = importlib.import_module(path.stem).SCENARIO
        for remedy in ("none", *scenario.remedies):
            write(out / f"{path.stem}.{remedy}.json", record_scenario(gallery, torch, scenario, remedy))


def record_scenario(gallery, torch, scenario, remedy: str) -> dict:
    gc.collect()
    torch.cuda.synchronize()
    torch._C._cuda_clearCublasWorkspaces()
    torch.cuda.empty_cache()
    torch.cuda.reset_accumulated_memory_stats()
    torch.cuda.reset_peak_memory_stats()
    if reserved_bytes := torch.cuda.memory_reserved():
        raise RuntimeError(f"{reserved_bytes} bytes are still reserved")
    torch.cuda.memory._record_memory_history("all", context=None, max_entries=MOST_ENTRIES, clear_history=True)
    reset, reset_at = torch.accelerator.reset_peak_memory_stats, []

    def reset_and_note() -> None:
        reset()
        reset_at.append(len(history_of(torch)))

    torch.accelerator.reset_peak_memory_stats = reset_and_note
    try:
        measured = gallery.run(scenario, torch.device("cuda", 0), remedy)
    finally:
        torch.accelerator.reset_peak_memory_stats = reset
    settings = "" if scenario.must_fail else scenario.allocators.get(remedy, scenario.allocator)
    return trace_of(torch, inferred(history_of(torch), reset_at[0]), settings, None, growth_bytes=measured.growth_bytes,
                    seconds=measured.seconds)


def write(path: Path, trace: dict) -> None:
    path.write_text(json.dumps(trace, separators=(",", ":")) + "\n")


def main(arguments: list[str]) -> None:
    match arguments:
        case ["random", settings, capacity_mib, steps, out]:
            write(Path(out), record_random(settings, int(capacity_mib) * MIB, int(steps)))
        case ["gallery", out]:
            record_gallery(Path(out))
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
