"""One offline HTML page: findings in words, interactive charts, tables. It includes its scripts and its style."""

import dataclasses
import json
import re

from report import attribution_chart, batch_chart, cuda_chart, frame, overview_chart, plot, tables, time_charts, two_sweeps_charts

LARGEST_SHOWN = 8  # Lines shown at first; the others can be switched on.
LARGEST_CONFIGS = 20
SWATCHES = {"solid": "solid", "dash": "dashed", "dot": "dotted", "dashdot": "double"}  # CSS border styles.
escape = tables.escape


@dataclasses.dataclass(frozen=True)
class Section:
    """A comparison on the page: its anchor, its heading, its HTML."""

    slug: str
    heading: str
    html: str


def section(comparison, lines, number_of_lines, is_only):
    """The section of one comparison. number_of_lines: lines of the whole page, which share its size. is_only: the
    page's verdict is its own."""
    first, folded = charts_of(lines, plot.points_of_a_series(number_of_lines))
    sentences = "".join(f"<li>{escape(f'{group.label}: {group.sentence}')}</li>" for group in comparison.groups)
    heading = comparison.subtitle or comparison.title
    verdict = "" if is_only or not comparison.verdict else f'<p class="finding">{escape(unbroken(comparison.verdict))}</p>'
    body = [
        f'<section class="comparison" id="{escape(comparison.slug)}">',
        f'<h2 class="setting">{escape(heading)}</h2>',
        verdict,
        f'<p class="note">{escape(unbroken(comparison.headline))}</p>',
        legend(lines),
        figures(first, folded) or "<p>Nothing was measured that could be drawn.</p>",
        f"<details><summary>Line by line</summary><ul>{sentences}</ul></details>",
        *(titled(table["title"], tables.render(table)) for table in comparison.tables),
        "</section>",
    ]
    return Section(comparison.slug, heading, "\n".join(part for part in body if part))


def unbroken(text):
    """Text without line breaks between a number and its unit."""
    return re.sub(r"(?<=\d) (?=(?:[kMGTP]?B|[mµ]?s|min|h)\b)", "\u00a0", text)


def charts_of(lines, largest):
    """The charts of these lines that have data, in page order: those that are shown, and those that are folded."""
    backlog, *other_backlog = time_charts.backlog_charts(lines, largest)
    composition, classes = in_rows(attribution_chart.charts(lines, largest)), in_rows(time_charts.class_charts(lines, largest))
    first = [
        time_charts.growth_chart(lines, largest),
        cuda_chart.chart(lines, largest),
        backlog,
        *(composition or classes),
    ]
    folded = [
        *other_backlog,
        time_charts.progress_chart(lines, largest),
        batch_chart.chart(lines, largest),
        *(classes if composition else []),
    ]
    end = time_charts.end_of(lines)
    for chart in [*first, *folded]:
        if chart.over_time:
            chart.layout["xaxis"]["range"] = [0, end]
    return [chart for chart in first if chart.data], [chart for chart in folded if chart.data]


def in_rows(charts):
    """Charts of one kind, one per line. The first begins a row, so that the charts of two lines are side by side."""
    return [dataclasses.replace(chart, width=plot.LEFT_HALF) if index == 0 else chart for index, chart in enumerate(charts)]


def titled(title, content):
    return f"<h3>{escape(title)}</h3>\n{content}" if content else ""


def legend(entries):
    """The legend of all charts of a comparison: switches each line on and off.

    `entries` have a label, a status, a colour and a dash.
    """
    switched = []
    for number, entry in enumerate(entries):
        state = "" if entry.status == "ok" else f' <em class="not-ok">{escape(entry.status)}</em>'
        checked = " checked" if number < LARGEST_SHOWN else ""
        switched.append(f'<label><input type="checkbox" data-line="{number}"{checked}>'
                        f'<span class="swatch" style="border-top:4px {SWATCHES[entry.dash]} {entry.colour}"></span>'
                        f"{escape(entry.label)}{state}</label>")
    return f'<fieldset class="lines"><legend>Lines</legend>{"".join(switched)}</fieldset>'


def whole(all_comparisons, slugs, two=None):
    """The section of all runs together. slugs: those of the sections; two: the comparison of two sweeps, or None."""
    overview = overview_chart.of(all_comparisons, slugs) if len(all_comparisons) > 1 else None
    charts = [*(two_sweeps_charts.interactive(two) if two else []), *([overview] if overview else [])]
    parts = [two_sweeps_part(two) if two else "", figures(charts)]
    content = "\n".join(part for part in parts if part)
    return f'<section class="whole">\n{content}\n</section>' if content else ""


def two_sweeps_part(two):
    """The findings of the comparison of two sweeps, in words and cell by cell."""
    items = "".join(f"<li>{escape(sentence)}</li>" for sentence in two["sentences"])
    return (f"<h2>{escape(two['sources'][1])} against {escape(two['sources'][0])}</h2>\n<ul>{items}</ul>\n"
            f'{tables.render(two["table"])}\n<p class="note">{escape(two["method"])}</p>')


def figures(charts, folded=()):
    """Placeholders for the charts, with those of `folded` folded away, and their data; '' without charts."""
    if not charts and not folded:
        return ""
    places = [figure(chart, index) for index, chart in enumerate([*charts, *folded])]
    shown, hidden = places[:len(charts)], places[len(charts):]
    more = f'<details class="more"><summary>More charts ({len(hidden)})</summary>{grid(hidden)}</details>' if hidden else ""
    return (f'{grid(shown)}{more}\n'
            f'<script type="application/json" class="data">{charts_json([*charts, *folded])}</script>')


def grid(places):
    return '<div class="charts">\n' + "\n".join(places) + "\n</div>\n"


def figure(chart, index):
    line = "" if chart.line is None else f' data-of-line="{chart.line}"'
    note = f" <span>{escape(chart.note)}</span>" if chart.note else ""
    return (f'<figure class="{chart.width}"{line}><figcaption><strong>{escape(chart.title)}</strong>{note}</figcaption>'
            f'<div class="plot" data-chart="{index}" style="height:{chart.height_pixels}px" role="img" '
            f'aria-label="{escape(f"{chart.title}. {chart.note}")}"></div></figure>')


def charts_json(charts):
    content = [{"data": chart.data, "layout": chart.layout, "overTime": chart.over_time} for chart in charts]
    # A "<" could end the enclosing script element.
    return json.dumps(content, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")


def render(summary, runs, all_comparisons, sections, warnings):
    """The page as text, with the sections of all comparisons."""
    slugs = {section.slug for section in sections}
    return frame.render(
        "page.html", "runahead report", is_interactive=True,
        verdict=escape(unbroken(summary["verdict"] or summary["overview"])),
        overview=escape(summary["overview"]),
        facts=facts(summary["facts"]),
        warnings="".join(f'<p class="warning">{escape(warning)}</p>\n' for warning in warnings),
        whole=whole(all_comparisons, slugs, summary["two_sweeps"]),
        choice=choice(sections),
        sections="\n".join(section.html for section in sections),
        runs=tables.render(summary["runs_table"], slugs),
        environment=tables.environments(runs),
        configs=configs(runs))


def facts(named):
    """Where the records come from: when, where, by which command, of which version."""
    items = "".join(f"<div><dt>{escape(one['name'])}</dt><dd>{escape(one['text'])}</dd></div>" for one in named)
    return f'<dl class="facts">{items}</dl>' if items else ""


def choice(sections):
    """The choice of the comparison shown, if there are several."""
    if len(sections) < 2:
        return ""
    options = "".join(f'<option value="{escape(section.slug)}">{escape(section.heading)}</option>'
                      for section in sections)
    return f'<nav><label>Comparison <select id="choice">{options}</select></label></nav>'


def configs(runs):
    """Each distinct config, folded away; for a large sweep only the first ones, since its axes show the others."""
    distinct = {}
    for run in runs:
        distinct.setdefault(json.dumps(run.config, indent=2), run.name)
    folded = [f"<details><summary>{escape(name)}</summary><pre>{escape(text)}</pre></details>"
              for text, name in list(distinct.items())[:LARGEST_CONFIGS]]
    if len(distinct) > LARGEST_CONFIGS:
        folded.append(f"<p>{len(distinct) - LARGEST_CONFIGS} more are in the records; they differ by the axes above.</p>")
    return "\n".join(folded)
