"""What the numbers say, in sentences: one for each line of a chart."""

from report import comparisons, units


def of(comparison):
    """The sentences of a comparison, from the run that stands for each line."""
    return [f"{group.label}: {sentence(comparisons.by_median_total(group.runs)[0])}" for group in comparison.groups]


def sentence(run):
    """What one run did with time and memory; parts that were not measured are left out."""
    parts = [issue_part(run), backlog_part(run), growth_part(run)]
    if run.status != "ok":
        parts.insert(0, f"ended as {run.status}")
    return "; ".join(part for part in parts if part) or "nothing was measured"


def issue_part(run):
    issue, total = run.get("time", "issue_seconds"), run.get("time", "total_seconds")
    if issue is None or total is None:
        return ""
    return f"the last batch was issued after {units.seconds_text(issue)}, and everything had run after {units.seconds_text(total)}"


def backlog_part(run):
    batches, held = run.get("backlog", "batches_peak"), run.get("memory", "held_peak_bytes")
    if batches is None:
        return ""
    text = f"up to {batches} {'batch was' if batches == 1 else 'batches were'} in flight"
    return f"{text}, whose inputs held {units.bytes_text(held)}" if held else text


def growth_part(run):
    growth = run.get("memory", "rss_growth_bytes")
    return "" if growth is None else f"the process grew by {units.bytes_text(growth)}"
