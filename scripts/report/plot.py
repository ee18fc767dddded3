"""The parts of an interactive chart, as plain dictionaries for plotly's script."""

import base64
import dataclasses
import html

import numpy

from report import samples

# A page is 1280 pixels wide, and a chart at most as wide: two points per pixel column would change nothing.
LARGEST_DRAWN = 1200
SMALLEST_DRAWN = 40
# Points of all charts of a page, at 11 bytes per point: a page stays under 15 MB, including plotly's script.
POINTS_OF_A_PAGE = 600_000
SERIES_OF_A_LINE = 26

FULL, HALF, LEFT_HALF = "full", "half", "half left"  # The last begins a new row.


@dataclasses.dataclass(frozen=True)
class Chart:
    """One chart of a comparison."""

    title: str
    note: str  # What is drawn, in words; may be empty.
    width: str  # FULL, HALF or LEFT_HALF of the page.
    height_pixels: int
    data: list  # Traces; each belongs to a line of the comparison: meta.line.
    layout: dict
    line: int = None  # The only line of the chart, if any.
    over_time: bool = False  # Whether x is seconds since the first batch; such charts zoom together.


def points_of_a_series(number_of_lines):
    """The number of points that each series may have, so that a page with that many lines keeps its size."""
    share = POINTS_OF_A_PAGE // max(1, number_of_lines * SERIES_OF_A_LINE)
    return max(SMALLEST_DRAWN, min(LARGEST_DRAWN, share))


def words(text):
    """Text escaped for plotly, which would treat <b> or <a href> as markup."""
    return html.escape(text, quote=False)


def packed(values):
    """Numbers in plotly's base64 format: 4 bytes each, which is 7 digits."""
    binary = numpy.asarray(values, dtype="<f4").tobytes()
    return {"dtype": "f4", "bdata": base64.b64encode(binary).decode("ascii")}


def curve(number, line, name, points, largest, unit, stroke=None, **style):
    """A thinned curve of line `number`. `points`: (x, y); `unit` is shown after y. None if there are no points."""
    x, y = points
    if len(y) == 0:
        return None
    x, y = samples.thin(x, y, largest)
    dash = {} if line.dash == "solid" else {"dash": line.dash}
    return {"type": "scatter", "mode": "lines", "x": packed(x), "y": packed(y), "name": words(name),
            "meta": {"line": number}, "line": {"color": line.colour, "width": 1.5, **dash, **(stroke or {})},
            "hovertemplate": f"%{{y:,.4~g}}{unit}<extra>%{{fullData.name}}</extra>", **style}


def repeat_curves(number, line, points_of, largest, stroke=None):
    """The other repeats of a line, drawn lightly behind it."""
    faint = {"width": 0.8, **(stroke or {})}
    curves = [curve(number, line, line.label, points_of(other), max(SMALLEST_DRAWN, largest // 3), "",
                    stroke=faint, opacity=0.35, hoverinfo="skip") for other in line.others]
    return [without(trace, "hovertemplate") for trace in curves if trace]


def without(trace, key):
    return {name: value for name, value in trace.items() if name != key}


def layout(x_title, y_title, **changes):
    """Titles, zero at the bottom, no legend: the page has one for all charts of a comparison."""
    x_axis = {"title": {"text": x_title}, **changes.pop("xaxis", {})}
    y_axis = {"title": {"text": y_title}, "rangemode": "tozero", **changes.pop("yaxis", {})}
    return {"xaxis": x_axis, "yaxis": y_axis, "showlegend": False, "hovermode": "x unified", **changes}


def legend():
    """For charts that draw several curves per line."""
    return {"showlegend": True, "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"}}
