"""One offline HTML page: charts, what they show in words, the table of runs, the environment."""

import base64
import dataclasses
import html
import json

from report import findings, labels, units

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; color: #222; background: #fff; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.2rem; margin-top: 2.5rem; }
img { width: 100%; height: auto; }
.table { overflow-x: auto; }
table { border-collapse: collapse; font-size: 14px; }
th, td { padding: .25rem .75rem; border-bottom: 1px solid #ddd; text-align: right; white-space: nowrap; }
th:first-child, td:first-child, .text { text-align: left; }
.not-ok { color: #a33; font-weight: 600; }
details { margin-top: .5rem; } pre { background: #f6f6f6; padding: .75rem; overflow-x: auto; }
"""

# Heading, and the cell of a run.
COLUMNS = [
    ("status", lambda run: run.status),
    ("issue", lambda run: units.seconds_text(run.get("time", "issue_seconds"))),
    ("total", lambda run: units.seconds_text(run.get("time", "total_seconds"))),
    ("RSS growth", lambda run: units.bytes_text(run.get("memory", "rss_growth_bytes"))),
    ("batches in flight, peak", lambda run: units.count_text(run.get("backlog", "batches_peak"))),
    ("held, peak", lambda run: units.bytes_text(run.get("memory", "held_peak_bytes"))),
    ("final loss", lambda run: units.loss_text(run.get("loss", "last"))),
]


@dataclasses.dataclass(frozen=True)
class Chart:
    """A comparison and its picture."""

    comparison: object
    svg: bytes


def render(runs, charts):
    """The page as text. It needs no network: pictures and style are in it."""
    body = [
        "<h1>runahead: memory and backlog</h1>",
        *(chart_section(chart) for chart in charts),
        "<h2>Runs</h2>",
        runs_table(runs),
        "<h2>Environment</h2>",
        *(environment_table(environment) for environment in distinct_environments(runs)),
        configs(runs),
    ]
    return (f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>runahead report</title>\n'
            f'<meta name="viewport" content="width=device-width">\n<style>{STYLE}</style>\n</head>\n<body>\n'
            + "\n".join(body) + "\n</body>\n</html>\n")


def chart_section(chart):
    comparison = chart.comparison
    picture = base64.b64encode(chart.svg).decode("ascii")
    sentences = "".join(f"<li>{escape(sentence)}</li>" for sentence in findings.of(comparison))
    return (f"<h2>{escape(comparison.subtitle)}</h2>\n"
            f'<img alt="{escape(comparison.title)}" src="data:image/svg+xml;base64,{picture}">\n<ul>{sentences}</ul>')


def runs_table(runs):
    headings = ["run", "repeat", *(heading for heading, _ in COLUMNS), "error"]
    rows = "\n".join(run_row(run) for run in runs)
    head = "".join(f"<th>{escape(heading)}</th>" for heading in headings)
    return f'<div class="table"><table><thead><tr>{head}</tr></thead>\n<tbody>\n{rows}\n</tbody></table></div>'


def run_row(run):
    cells = "".join(f"<td>{escape(cell(run))}</td>" for _, cell in COLUMNS)
    kind = "" if run.status == "ok" else ' class="not-ok"'
    error = run.get("error") or ""
    error = error if isinstance(error, str) else json.dumps(error)
    return (f"<tr{kind}><td>{escape(run_name(run))}</td><td>{escape(str(run.repeat))}</td>{cells}"
            f'<td class="text">{escape(error)}</td></tr>')


def run_name(run):
    if run.axes:
        return ", ".join(labels.axis_label(pointer, value) for pointer, value in run.axes.items())
    return labels.sync_label(run.config.get("sync") or {}) or str(run.get("experiment") or "run")


def distinct_environments(runs):
    distinct = {json.dumps(run.get("environment") or {}, sort_keys=True): run.get("environment") or {} for run in runs}
    return [environment for environment in distinct.values() if environment]


def environment_table(environment):
    rows = "\n".join(f'<tr><td>{escape(key)}</td><td class="text">{escape(environment_text(key, value))}</td></tr>'
                     for key, value in environment.items())
    return f"<table><tbody>\n{rows}\n</tbody></table>"


def environment_text(key, value):
    if value is None:
        return units.NOT_MEASURED
    return units.bytes_text(value) if key.endswith("_bytes") else str(value)


def configs(runs):
    """Each config once, folded away."""
    distinct = {}
    for run in runs:
        distinct.setdefault(json.dumps(run.config, indent=2), run_name(run))
    return "\n".join(f"<details><summary>config: {escape(name)}</summary><pre>{escape(text)}</pre></details>"
                     for text, name in distinct.items())


def escape(text):
    return html.escape(text)
