"""Brings the cells of two sweeps together: of two versions, two machines, or two settings of what no axis varies."""

import collections
import dataclasses
import json

MOST_DIFFERENCES = 6
LONGEST_SOURCE = 30  # Characters: it stands before every line's name.
NOT_THERE = "not there"


@dataclasses.dataclass(frozen=True)
class Cell:
    """A cell that both sweeps have, or one of them: its runs there, which may differ in number."""

    first: list
    second: list

    @property
    def runs(self):
        return [*self.first, *self.second]

    @property
    def axes(self):
        return self.runs[0].axes


def sources_of(folders):
    """What two sweeps are called: their paths, without the part that they share."""
    parts = [folder.resolve().parts for folder in folders]
    shared = 0
    while shared < min(map(len, parts)) and parts[0][shared] == parts[1][shared]:
        shared += 1
    names = ["/".join(path[shared:]) for path in parts]
    names = names if all(names) else [str(folder) for folder in folders]
    short = [name if len(name) <= LONGEST_SOURCE else f"…{name[1 - LONGEST_SOURCE:]}" for name in names]
    return short if short[0] != short[1] else names


def of_one_version(runs, warnings):
    """The runs of the version of the program that wrote last, and those that do not tell theirs.

    A folder that was gone on with may hold others.
    """
    known = [run for run in runs if version_of(run)]
    if not known:
        return runs
    version = version_of(max(known, key=lambda run: run.line))
    kept = [run for run in runs if version_of(run) in (version, None)]
    if len(kept) < len(runs):
        warnings.append(f"{len(runs) - len(kept)} runs in {runs[0].source} are of another version of runahead than "
                        "the last one there and are left out")
    return kept


def version_of(run):
    """None if the record, perhaps of a run that never began, does not tell."""
    number = run.get("environment", "runahead")
    return (str(number), str(run.get("environment", "git"))) if number else None


def bring_together(first, second):
    """(the cells of both, in the order of the first; the others). Both are lists of runs.

    A cell is known again by its id, the hash of its config. Another version may have other keys in the config, hence
    other ids: what is left is known by its axis values, where these name one cell alone.
    """
    cells = [cells_by_id(first), cells_by_id(second)]
    partner = {cell_id: cell_id for cell_id in cells[0] if cell_id in cells[1]}
    rest = [by_axes(side, partner) for side in cells]
    partner |= {ids[0]: rest[1][axes][0] for axes, ids in rest[0].items()
                if len(ids) == 1 and len(rest[1].get(axes, [])) == 1}
    both = [Cell(cells[0][cell_id], cells[1][partner[cell_id]]) for cell_id in cells[0] if cell_id in partner]
    found = set(partner.values())
    alone = [Cell(runs, []) for cell_id, runs in cells[0].items() if cell_id not in partner]
    alone += [Cell([], runs) for cell_id, runs in cells[1].items() if cell_id not in found]
    return both, alone


def cells_by_id(runs):
    cells = collections.OrderedDict()
    for run in runs:
        cells.setdefault(str(run.get("id")), []).append(run)
    return cells


def by_axes(cells, known):
    """The ids of the cells that are not known yet, by axis values."""
    found = {}
    for cell_id, runs in cells.items():
        if cell_id not in known:
            found.setdefault(json.dumps(runs[0].axes, sort_keys=True), []).append(cell_id)
    return found


def differences(both):
    """Where the configs of a cell differ between the sweeps: {JSON pointer: (first value, second value)}, as JSON."""
    found = {}
    for cell in both:
        flat = [dict(leaves(runs[0].config)) for runs in (cell.first, cell.second)]
        for pointer in [*flat[0], *(pointer for pointer in flat[1] if pointer not in flat[0])]:
            values = tuple(side.get(pointer, NOT_THERE) for side in flat)
            if values[0] != values[1]:
                found.setdefault(pointer, values)
    return found


def leaves(value, pointer=""):
    """(JSON pointer, value as JSON) of everything in an object that is none itself."""
    if not isinstance(value, dict):
        yield pointer, json.dumps(value)
        return
    for key, item in value.items():
        yield from leaves(item, f"{pointer}/{key}")


def warn_of_differences(both, sources, warnings):
    found = [f"{pointer} ({first} in {sources[0]}, {second} in {sources[1]})"
             for pointer, (first, second) in differences(both).items()]
    if found:
        more = f" and {len(found) - MOST_DIFFERENCES} more" if len(found) > MOST_DIFFERENCES else ""
        warnings.append(f"cells are compared whose configs differ: {', '.join(found[:MOST_DIFFERENCES])}{more}")
