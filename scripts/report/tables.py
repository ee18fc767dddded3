"""Tables as HTML: those of a summary, and others."""

import html
import json

from report import units


ENVIRONMENT_WORDS = {"git": "revision", "cpu": "CPU", "gpu": "GPU", "cuda": "CUDA", "cpus_shared": "shared its CPUs", "malloc": "C library's heap"}


def words(key):
    """What a key measures: "copy time" for copy_seconds, "RSS peak growth" for rss_peak_growth_bytes."""
    name = key.removesuffix("_bytes")
    name = name if not name.endswith("_seconds") else name.removesuffix("seconds") + "time"
    return " ".join({"rss": "RSS", "cpu": "CPU"}.get(word, word) for word in name.split("_"))


def escape(text):
    return html.escape(str(text))


def render(found, slugs=()):
    """A table of a summary; '' without rows. slugs: those of the sections that a cell may link to."""
    texts = set(found["headings"][:found["text_columns"]])
    rows = [f"<tr{marked(row['kind'])}>" + "".join(summary_cell(one, column < found["text_columns"], slugs)
                                                   for column, one in enumerate(row["cells"])) + "</tr>"
            for row in found["rows"]]
    return table(found["headings"], rows, "sortable", texts) if rows else ""


def summary_cell(one, is_text, slugs):
    kinds = " ".join(kind for kind in ("text" if is_text else "", one.get("kind", "")) if kind)
    if one.get("link") in slugs:
        return f'<td{marked(kinds)}><a href="#{escape(one["link"])}">{escape(one["text"])}</a></td>'
    return cell(one["text"], one.get("number"), kinds)


def marked(kind):
    return f' class="{kind}"' if kind else ""


def table(headings, rows, kind="", texts=(), is_whole=False):
    """A table that scrolls by itself if it is wider than the page or, unless is_whole, higher than the window.
    `headings` are text, `rows` are HTML; texts: headings of text columns, which are left-aligned."""
    head = "".join(f"<th{' class=text' if heading in texts else ''}>{escape(heading)}</th>" for heading in headings)
    return (f'<div class="table{" whole" if is_whole else ""}"><table class="{kind}"><thead><tr>{head}</tr></thead>\n<tbody>\n' + "\n".join(rows)
            + "\n</tbody></table></div>")


def cell(text, number=None, kind=""):
    sort = "" if number is None else f' data-sort="{number}"'
    return f"<td{sort}{marked(kind)}>{escape(text)}</td>"


def environments(all_runs):
    """One column per distinct environment, with differences marked."""
    distinct = {json.dumps(run.mapping("environment"), sort_keys=True): run.mapping("environment") for run in all_runs}
    columns = [environment for environment in distinct.values() if environment]
    keys = list(dict.fromkeys(key for environment in columns for key in environment))
    rows = []
    for key in keys:
        texts = [environment_text(key, environment.get(key)) for environment in columns]
        state = marked("differs" if len(set(texts)) > 1 else "")
        rows.append(f"<tr{state}><th scope='row'>{escape(ENVIRONMENT_WORDS.get(key) or words(key))}</th>" + "".join(cell(text, kind="text") for text in texts)
                    + "</tr>")
    return '<div class="table"><table><tbody>\n' + "\n".join(rows) + "\n</tbody></table></div>" if rows else ""


def environment_text(key, value):
    if value is None:
        return units.NOT_MEASURED
    if isinstance(value, bool):
        return "yes" if value else "no"
    is_bytes = key.endswith("_bytes") and isinstance(value, (int, float))
    return units.bytes_text(value) if is_bytes else compact(value)


def compact(value):
    """{'policy': 'none'} -> 'policy none'."""
    if isinstance(value, dict):
        return ", ".join(f"{key} {compact(item)}" for key, item in value.items())
    return "null" if value is None else str(value)
