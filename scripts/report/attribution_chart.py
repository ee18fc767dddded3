"""Charts of the composition of resident memory, one per line."""

import dataclasses
import itertools

from report import attribution, plot, samples, time_charts, units

NOTE = "areas: resident by the counters; line: RSS; both without what the process held outside these parts at the start"


def charts(lines, largest):
    """A chart for each line that was attributed, all on one scale."""
    found = [(number, line, attribution.parts(line.main)) for number, line in enumerate(lines)]
    found = [(number, line, parts) for number, line, parts in found if parts is not None and len(parts[0])]
    highest = max((float(top(parts).max()) for _, _, parts in found), default=0.0) / units.MEGABYTE
    return [chart(number, line, parts, largest, highest) for number, line, parts in found]


def top(parts):
    """The top of the drawing at each time."""
    _, rss, added, _ = parts
    return sum(added.values()).clip(min=rss)


def chart(number, line, parts, largest, highest):
    times, rss, added, rest = parts
    # The areas must share one time axis to stack: the rows where RSS is extreme in its bucket.
    rows = samples.extreme_rows(rss, largest)
    colours = itertools.cycle(attribution.COLOURS)
    traces = [area(number, line.run.label(column), colour, times[rows], values[rows])
              for (column, values), colour in zip(added.items(), colours) if values.any()]
    traces.append(outline(number, "RSS", "solid", times[rows], rss[rows]))
    traces.append(outline(number, "rest", "dot", times[rows], rest[rows]))
    drawn = time_charts.over_time("What RSS is made of", f"{line.label}: {NOTE}", plot.HALF, 280, traces,
                                  y_title="memory (MB)", yaxis=scale(highest, rest), **plot.legend())
    return dataclasses.replace(drawn, line=number)


def scale(highest, rest):
    lowest = min(0.0, float(rest.min()) / units.MEGABYTE)
    return {"range": [1.05 * lowest, 1.1 * highest], "rangemode": "normal"} if highest > 0 else {}


def area(number, name, colour, times, values):
    return curve(number, name, times, values, {"width": 0, "color": colour, "shape": "hv"}, stackgroup="parts",
                 fillcolor=colour)


def outline(number, name, dash, times, values):
    """In the colour of the page's text."""
    return curve(number, name, times, values, {"width": 1.5, "dash": dash})


def curve(number, name, times, values, line, **more):
    return {"type": "scatter", "mode": "lines", "x": plot.packed(times), "y": plot.packed(values / units.MEGABYTE),
            "name": plot.words(name), "meta": {"line": number}, "line": line, **more,
            "hovertemplate": "%{y:,.4~g} MB<extra>%{fullData.name}</extra>"}
