"""Okabe and Ito's colours, which colour-blind readers can also distinguish (jfly.uni-koeln.de/color)."""

import itertools

# Without their black and yellow, each of which is invisible on one of the page's two backgrounds.
COLOURS = ["#D55E00", "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#888888"]
DASHES = ["solid", "dash", "dot", "dashdot"]  # Plotly's names.


def of_places(places):
    """A colour for each line, from its policy's place: that of the place, or a free one if it is taken or None."""
    taken = []
    for place in places:
        wanted = COLOURS if place is None else [*COLOURS[place:place + 1], *COLOURS]
        free = [colour for colour in wanted if colour not in taken]
        taken.append(free[0] if free else COLOURS[len(taken) % len(COLOURS)])
    return taken


def of_groups(groups):
    """A colour for each group. Groups with the same name in several folders share a colour."""
    places = {group.name: group.policy_place for group in groups}
    chosen = dict(zip(places, of_places(list(places.values()))))
    return [chosen[group.name] for group in groups]


def styles_of(groups):
    """(colour, dash) of each group. Folders have dashes, where there are enough; the last folder's lines are solid."""
    sources = list(dict.fromkeys(group.source for group in groups))[::-1]
    dashes = [DASHES[sources.index(group.source) % len(DASHES)] for group in groups]
    return distinct(zip(of_groups(groups), dashes))


def distinct(styles):
    """The styles, where each that is taken becomes a free one: of the same colour, if there is one."""
    taken = []
    for colour, dash in styles:
        others = [*itertools.product([colour], DASHES), *itertools.product(COLOURS, DASHES)]
        taken.append(next((style for style in [(colour, dash), *others] if style not in taken), (colour, dash)))
    return taken
