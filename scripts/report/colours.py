"""Okabe and Ito's colours, which differ for colour-blind readers too (jfly.uni-koeln.de/color)."""

# Without their black and their yellow, each of which vanishes on one of the page's two backgrounds.
COLOURS = ["#D55E00", "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#888888"]


def of_places(places):
    """A colour for each line, given its policy's place: that of the place, or a free one if it is taken or None."""
    taken = []
    for place in places:
        wanted = COLOURS if place is None else [*COLOURS[place:place + 1], *COLOURS]
        free = [colour for colour in wanted if colour not in taken]
        taken.append(free[0] if free else COLOURS[len(taken) % len(COLOURS)])
    return taken
