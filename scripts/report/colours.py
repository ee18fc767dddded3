"""Okabe and Ito's colours, which differ for colour-blind readers too (jfly.uni-koeln.de/color)."""

POLICY_COLOURS = {"none": "#D55E00", "every_batch": "#0072B2", "window": "#009E73", "budget": "#CC79A7",
                  "every_n": "#E69F00", "adaptive": "#56B4E9"}
# Without their black and their yellow, each of which vanishes on one of the page's two backgrounds.
SPARE_COLOURS = ["#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#888888"]


def of_policies(policies):
    """A colour for each line, given its policy: the policy's, or a spare one if that is taken."""
    taken = []
    for policy in policies:
        wanted = [POLICY_COLOURS.get(policy), *SPARE_COLOURS]
        free = [colour for colour in wanted if colour and colour not in taken]
        taken.append(free[0] if free else SPARE_COLOURS[len(taken) % len(SPARE_COLOURS)])
    return taken
