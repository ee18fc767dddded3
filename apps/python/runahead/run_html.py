"""Runs as an HTML table, for notebooks: what they were, how they ended, their figures, memory and backlog over time."""

import html
import json
import math
import pathlib

from runahead import _recording, reading

_MOST_RUNS = 20
_CURVES = {"RSS": "rss_bytes", "backlog": "batches_in_flight"}
_CURVE_WIDTH, _CURVE_HEIGHT = 120, 24  # In CSS pixels.


def table(rows: list[dict], sample_paths: list[pathlib.Path]) -> str:
    """Returns a table with a row for each of the first runs. `rows` have the columns of `runahead.read`; values that
    were not measured are None, NaN or missing."""
    lines = [_cells(row, any(row.get("repeat") for row in rows)) | _curve_cells(path) for row, path in zip(rows[:_MOST_RUNS], sample_paths)]
    headings = list(dict.fromkeys(heading for line in lines for heading in line))
    text = "<table><thead>" + _line("th", map(html.escape, headings)) + "</thead><tbody>"
    text += "".join(_line("td", (line.get(heading, "") for heading in headings)) for line in lines) + "</tbody></table>"
    return text + (note(f"and {len(rows) - _MOST_RUNS:,} more") if len(rows) > _MOST_RUNS else "")


def recording(folder: str, has_ended: bool) -> str:
    """Returns the table of a recording, or a note if it has no record yet."""
    try:
        if has_ended:
            return table(*reading.rows_of(folder))
    except (OSError, ValueError):
        pass  # The record could not be written.
    return note(f"a recording into {folder}, which has no record of it yet")


def note(text: str) -> str:
    return f"<p>{html.escape(text)}</p>"


def _line(tag: str, cells) -> str:
    return "<tr>" + "".join(f"<{tag}>{cell}</{tag}>" for cell in cells) + "</tr>\n"


def _cells(row: dict, has_repeats: bool) -> dict[str, str]:
    """HTML by heading: the axes of a sweep, or what the run was; the status; the figures that tables of runs show."""
    words = {name.strip("/"): value for name, value in row.items() if name.startswith("/")}
    words = words or {"run": f"{row.get('experiment')} on {row.get('device')}"}
    if has_repeats:
        words["repeat"] = row.get("repeat")
    words["status"] = row.get("status")
    figures = _recording.shown_figures({name: float(value) for name, value in row.items() if _is_number(value)})
    return {name: html.escape(_text(value)) for name, value in words.items()} | {label: html.escape(text) for label, text in figures}


def _is_number(value) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _text(value) -> str:
    if value is None or value != value:  # NaN for an axis that this run does not have.
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _curve_cells(path: pathlib.Path) -> dict[str, str]:
    """HTML by heading: the sampled curves as small charts; empty if the samples are missing or damaged."""
    points = {heading: [] for heading in _CURVES}
    try:
        rows = reading.sample_rows(path, lambda _warning: None)
        _, names = next(rows)
        places = {heading: names.index(column) for heading, column in _CURVES.items() if column in names}
        for _, values in rows:
            for heading, place in places.items():
                if not math.isnan(values[place]):
                    points[heading].append((values[0], values[place]))
    except (OSError, ValueError):
        return {}
    return {heading: _curve(curve) for heading, curve in points.items() if curve}


def _curve(points: list[tuple[float, float]]) -> str:
    """An SVG line scaled from the lowest to the highest value. Each pixel shows the highest in its part of the time."""
    begin, span = points[0][0], points[-1][0] - points[0][0]
    lowest, highest = min(value for _, value in points), {}
    for time, value in points:
        pixel = round((time - begin) / span * _CURVE_WIDTH) if span > 0 else 0
        highest[pixel] = max(value, highest.get(pixel, value))
    range_ = max(highest.values()) - lowest
    heights = {pixel: (value - lowest) / range_ * _CURVE_HEIGHT if range_ > 0 else 0.0 for pixel, value in highest.items()}
    line = " ".join(f"{pixel},{_CURVE_HEIGHT + 1 - height:.1f}" for pixel, height in heights.items())
    return (f'<svg width="{_CURVE_WIDTH}" height="{_CURVE_HEIGHT + 2}"><polyline points="{line}" fill="none" stroke="currentColor"/></svg>')
