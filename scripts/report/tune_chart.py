"""The chart of `runahead tune`: throughput against memory, marking the smallest run-ahead that reaches the target."""

from matplotlib import pyplot

from report import figure, records, units

FILE = "tune.json"
SIZE_INCHES = (8.3, 4.6)
WIDEST_LINEAR = 8
NONE_COLOUR, TARGET_COLOUR = "#D55E00", "#888888"
PEAK, GROWTH = "peak_bytes", "growth_bytes"
MEMORY_TITLES = {PEAK: "peak of live bytes and queued inputs (MB)", GROWTH: "RSS growth (MB)"}
BOUNDS = {"window": ("windows", "#009E73"), "budget": ("byte budgets", "#CC79A7")}


def draw(path):
    """Returns the figure of a tune.json. Raises ValueError if it is not one or has nothing to draw, OSError if it
    cannot be read."""
    found = read(path)
    with pyplot.rc_context(figure.STYLE):
        drawing, axes = pyplot.subplots(figsize=SIZE_INCHES, layout="constrained")
        draw_points(axes, found)
        finish(axes, found)
    return drawing


def read(path):
    """The document, with only the candidates that can be drawn."""
    found = records.parse_json(path.read_bytes())
    kinds = {"none": dict, "candidates": list}
    if (not isinstance(found, dict) or not records.is_number(found.get("target"))
            or not all(isinstance(found.get(key), kind) for key, kind in kinds.items())):
        raise ValueError("a target, candidates and what they are compared with are not in it")
    # If the device counts no bytes, only RSS remains.
    found["memory"] = PEAK if records.is_number(found["none"].get(PEAK)) else GROWTH
    numbers = ("of_none", "of_none_lower", "of_none_upper", found["memory"])
    found["candidates"] = [candidate for candidate in found["candidates"] if isinstance(candidate, dict)
                           and {"policy", "name"} <= candidate.keys() and all(records.is_number(candidate.get(key)) for key in numbers)]
    if not found["candidates"]:
        raise ValueError("no candidate in it has both a throughput and a peak of memory")
    return found


def draw_points(axes, found):
    for policy, (name, colour) in BOUNDS.items():
        candidates = [candidate for candidate in found["candidates"] if candidate["policy"] == policy]
        if not candidates:
            continue
        ratios = [candidate["of_none"] for candidate in candidates]
        errors = [[candidate["of_none"] - candidate["of_none_lower"] for candidate in candidates],
                  [candidate["of_none_upper"] - candidate["of_none"] for candidate in candidates]]
        axes.errorbar([megabytes(found, candidate) for candidate in candidates], ratios, yerr=errors, fmt="o", capsize=3,
                      color=colour, label=f"{name}, 90 % intervals")
        for candidate in candidates:
            if candidate.get("is_smallest"):
                mark(axes, found, candidate, colour)
    if records.is_number(found["none"].get(found["memory"])):
        axes.plot(megabytes(found, found["none"]), 1.0, "s", color=NONE_COLOUR, label="no bound")


def mark(axes, found, candidate, colour):
    """Marks the knee: the smallest of its kind that reaches the target."""
    axes.plot(megabytes(found, candidate), candidate["of_none"], "D", markersize=13, fillstyle="none", markeredgewidth=2,
              color=colour, zorder=5)
    below = candidate["policy"] == "window"
    axes.annotate(f"{candidate['name']}, {units.bytes_text(candidate[found['memory']])}",
                  (megabytes(found, candidate), candidate["of_none"]), xytext=(12, -18 if below else 12),
                  textcoords="offset points", color=colour, fontweight="bold")


def finish(axes, found):
    target = found["target"]
    axes.axhline(target, color=TARGET_COLOUR, linestyle=":", label=f"target: {target:g}")
    peaks = [megabytes(found, point) for point in [*found["candidates"], found["none"]] if records.is_number(point.get(found["memory"]))]
    if min(peaks) > 0 and max(peaks) > WIDEST_LINEAR * min(peaks):
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter("{x:,.12g}")
    axes.set(xlabel=MEMORY_TITLES[found["memory"]], ylabel="throughput over that without a bound")
    axes.set_title("Throughput that a bounded run-ahead keeps", pad=42)
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2)
    axes.margins(x=0.12)


def megabytes(found, figures):
    return figures[found["memory"]] / units.MEGABYTE
