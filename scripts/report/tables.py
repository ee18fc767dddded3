"""The tables of the page, as HTML: cells, cost model, blocking operators, environment."""

import html
import json

from report import attribution as parts
from report import labels, predictions, units

# Heading, and the text of a run; what is sorted by is the number before it.
RUN_COLUMNS = [
    ("issue", ("time", "issue_seconds"), units.seconds_text),
    ("total", ("time", "total_seconds"), units.seconds_text),
    ("RSS growth", ("memory", "rss_growth_bytes"), units.bytes_text),
    ("batches in flight", ("backlog", "batches_peak"), units.count_text),
    ("held", ("memory", "held_peak_bytes"), units.bytes_text),
    ("live", ("memory", "live_peak_bytes"), units.bytes_text),
    ("final loss", ("loss", "last"), units.loss_text),
]
TEXT_HEADINGS = {"status", "error"}
COST_COLUMNS = [
    ("issue t1", ("time", "t1_seconds")), ("execute t2", ("time", "t2_seconds")), ("return t3", ("time", "t3_seconds")),
]
PREDICTED_POLICIES = [("none", "predicted without a wait"), ("every_batch", "with a wait a batch")]


def escape(text):
    return html.escape(str(text))


def table(headings, rows, kind="", texts=TEXT_HEADINGS, is_whole=False):
    """A table that scrolls by itself if it is wider than the page, or higher than the window unless is_whole.
    `headings` are text, `rows` are HTML; texts: headings of columns of text, which stand on the left."""
    head = "".join(f"<th{' class=text' if heading in texts else ''}>{escape(heading)}</th>" for heading in headings)
    return (f'<div class="table{" whole" if is_whole else ""}"><table class="{kind}"><thead><tr>{head}</tr></thead>\n<tbody>\n' + "\n".join(rows)
            + "\n</tbody></table></div>")


def cell(text, number=None, kind=""):
    sort = "" if number is None else f' data-sort="{number}"'
    return f"<td{sort}{f' class={chr(34)}{kind}{chr(34)}' if kind else ''}>{escape(text)}</td>"


def runs(all_runs, slug_of):
    """Every run with its state and figures. `slug_of(run)`: the comparison it is drawn in."""
    headings = ["run", "repeat", "status", *(heading for heading, *_ in RUN_COLUMNS), "error"]
    return table(headings, [run_row(run, slug_of(run)) for run in all_runs], "sortable")


def run_row(run, slug):
    state = "" if run.status == "ok" else ' class="not-ok"'
    name = f'<td class="text"><a href="#{escape(slug)}">{escape(labels.run_name(run))}</a></td>'
    figures = "".join(cell(text_of(run.number(*keys)), run.number(*keys)) for _, keys, text_of in RUN_COLUMNS)
    error = run.get("error") or ""
    error = error if isinstance(error, str) else json.dumps(error)
    return (f"<tr{state}>{name}{cell(run.repeat)}{cell(run.status, kind='text')}{figures}"
            f"{cell(error, kind='text error')}</tr>")


def attribution(groups_and_runs):
    """The parts of each line's highest RSS; '' if none was attributed."""
    attributed = [(group, run) for group, run in groups_and_runs if run.mapping("memory", "attribution")]
    if not attributed:
        return ""
    names = [("baseline_bytes", "the process without what follows"), *((key, name) for key, name, _ in parts.ADDED),
             (parts.UNTOUCHED, "− allocated, not yet touched"), ("rest_bytes", "the rest, which no counter tells of"),
             ("rss_bytes", "RSS")]
    rows = [f"<tr>{cell(name, kind='text')}"
            + "".join(cell(units.bytes_text(run.number("memory", "attribution", key))) for _, run in attributed)
            + "</tr>" for key, name in names]
    return table(["at the highest RSS", *(group.label for group, _ in attributed)], rows)


def cost_model(groups_and_runs):
    """t1, t2, t3 of each line, which side is the bottleneck, and how far off the predictions were."""
    headings = ["per batch", *(heading for heading, _ in COST_COLUMNS), "fitted to", "bottleneck", "total predicted",
                "measured", "off by", "backlog predicted", "measured", "off by",
                *(heading for _, heading in PREDICTED_POLICIES)]
    rows = [cost_row(group, run) for group, run in groups_and_runs if run.number("time", "t2_seconds") is not None]
    return table(headings, rows) if rows else ""


def cost_row(group, run):
    costs = "".join(cell(units.duration_text(run.number(*keys))) for _, keys in COST_COLUMNS)
    total = prediction_cells(*predictions.total_seconds(run), units.seconds_text)
    backlog = prediction_cells(*predictions.backlog_bytes(run), units.bytes_text)
    fitted = predictions.fitted_batches(run)
    fitted = units.NOT_MEASURED if fitted is None else f"{fitted} batches"
    policies = "".join(cell(policy_text(*predictions.of_policy(run, policy))) for policy, _ in PREDICTED_POLICIES)
    return (f"<tr>{cell(group.label, kind='text')}{costs}{cell(fitted)}"
            f"{cell(predictions.bottleneck(run) or units.NOT_MEASURED)}{total}{backlog}{policies}</tr>")


def policy_text(seconds, count):
    """'12.0 s, 200 MB'."""
    texts = [text for text in (units.seconds_text(seconds), units.bytes_text(count)) if text != units.NOT_MEASURED]
    return ", ".join(texts) or units.NOT_MEASURED


def prediction_cells(predicted, measured, text_of):
    ratio = predicted / measured if predicted is not None and measured else None
    return cell(text_of(predicted)) + cell(text_of(measured)) + cell(units.ratio_text(ratio))


def blocking_operators(groups_and_runs):
    """How often each operator made the front end wait, by line; '' if that was recorded nowhere."""
    recorded = [(group, run.mapping("backlog", "blocking_operators")) for group, run in groups_and_runs
                if isinstance(run.get("backlog", "blocking_operators"), dict)]
    if not recorded:
        return ""
    operators = sorted({operator for _, counts in recorded for operator in counts})
    if not operators:
        return "<p>No operator made the front end wait.</p>"
    rows = [f"<tr>{cell(operator, kind='text')}" + "".join(cell(count_of(counts, operator)) for _, counts in recorded)
            + "</tr>" for operator in operators]
    return table(["operator, times it waited", *(group.label for group, _ in recorded)], rows)


def count_of(counts, operator):
    value = counts.get(operator, 0)
    return f"{value:,}" if isinstance(value, int) else labels.compact(value)


def environments(all_runs):
    """Each environment once: a column an environment, with what differs marked."""
    distinct = {json.dumps(run.mapping("environment"), sort_keys=True): run.mapping("environment") for run in all_runs}
    columns = [environment for environment in distinct.values() if environment]
    keys = list(dict.fromkeys(key for environment in columns for key in environment))
    rows = []
    for key in keys:
        texts = [environment_text(key, environment.get(key)) for environment in columns]
        state = ' class="differs"' if len(set(texts)) > 1 else ""
        rows.append(f"<tr{state}><th scope='row'>{escape(key)}</th>" + "".join(cell(text, kind="text") for text in texts)
                    + "</tr>")
    return '<div class="table"><table><tbody>\n' + "\n".join(rows) + "\n</tbody></table></div>" if rows else ""


def environment_text(key, value):
    if value is None:
        return units.NOT_MEASURED
    is_bytes = key.endswith("_bytes") and isinstance(value, (int, float))
    return units.bytes_text(value) if is_bytes else labels.compact(value)
