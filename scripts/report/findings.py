"""What the numbers say, in sentences: one for a comparison, and one for each of its lines."""

import collections

from report import comparisons, units

# A ratio closer to 1 than this is called "about as".
ALIKE = 0.05


def of(comparison):
    """The sentences of a comparison's lines, from the run that stands for each."""
    return [f"{group.label}: {sentence(standing_for(group))}" for group in comparison.groups]


def headline(comparison):
    """The finding: what the line that ran ahead furthest did, beside the one that ran ahead least."""
    groups = [group for group in comparison.groups if batches_peak(group) is not None]
    if not groups:
        return "; ".join(of(comparison))
    furthest = max(groups, key=batches_peak)
    least = min(groups, key=batches_peak)
    text = run_ahead(furthest)
    if batches_peak(least) < batches_peak(furthest):
        text += beside(furthest, least)
    return text


def overview(runs):
    """How many cells ended how."""
    states = collections.Counter(run.status for run in runs)
    counted = ", ".join(f"{count} {status}" for status, count in states.most_common())
    return f"{len(runs)} {'run' if len(runs) == 1 else 'runs'}: {counted}."


def standing_for(group):
    return comparisons.by_median_total(group.runs)[0]


def batches_peak(group):
    return standing_for(group).number("backlog", "batches_peak")


def run_ahead(group):
    """'Without a wait the front end finished issuing after 0.3 s; 97 batches were in flight; they held 198 MB.'"""
    run = standing_for(group)
    issue, batches = run.number("time", "issue_seconds"), run.number("backlog", "batches_peak")
    held = run.number("memory", "held_peak_bytes")
    what = phrase(group, run)
    start = f"{what} the front end finished issuing after {units.seconds_text(issue)}" if issue is not None else what
    parts = [start, f"{batches:,.0f} {'batch was' if batches == 1 else 'batches were'} in flight"]
    if held:
        parts.append(f"{'its' if batches == 1 else 'their'} inputs held {units.bytes_text(held)}")
    if run.status != "ok":
        parts.append(f"it ended as {run.status}")
    return "; ".join(parts) + "."


def beside(furthest, least):
    """' The process grew by 148 MB, 5.9 times as much as with a wait after every batch (25.3 MB), in about its time.'"""
    grown, other_grown = (standing_for(group).number("memory", "rss_growth_bytes") for group in (furthest, least))
    if grown is None or other_grown is None:
        return ""
    named = phrase(least, standing_for(least))
    named = named[0].lower() + named[1:]
    text = f" The process grew by {units.bytes_text(grown)}"
    if other_grown > 0 and abs(grown / other_grown - 1) <= ALIKE:
        text += f", about as much as {named} ({units.bytes_text(other_grown)})"
    elif 0 < other_grown < grown:
        text += f", {units.three_digits(grown / other_grown)} times as much as {named} ({units.bytes_text(other_grown)})"
    else:
        text += f"; {named} by {units.bytes_text(other_grown)}"
    return text + in_time(furthest, least) + "."


def in_time(group, other):
    """', in 1.10 times its time'; '' if it is not known or one of them was cut short."""
    runs = [standing_for(group), standing_for(other)]
    totals = [run.number("time", "total_seconds") if run.status == "ok" else None for run in runs]
    if None in totals or min(totals) <= 0:
        return ""
    ratio = totals[0] / totals[1]
    return ", in about the same time" if abs(ratio - 1) <= ALIKE else f", in {units.three_digits(ratio)} times its time"


def phrase(group, run):
    """How a line waits, to start a sentence with."""
    sync = run.mapping("config", "sync")
    known = {"none": "Without a wait", "every_batch": "With a wait after every batch",
             "every_n": f"With a wait every {sync.get('n')} batches",
             "window": f"With a window of {sync.get('batches')} batches",
             "adaptive": "With the adaptive policy"}
    text = known.get(group.policy, f"With “{group.label}”")
    return f"In {run.source} {text[0].lower()}{text[1:]}" if run.source and group.policy in known else text


def sentence(run):
    """What one run did with time and memory; parts that were not measured are left out."""
    parts = [issue_part(run), backlog_part(run), growth_part(run)]
    if run.status != "ok":
        parts.insert(0, f"ended as {run.status}")
    return "; ".join(part for part in parts if part) or "nothing was measured"


def issue_part(run):
    issue, total = run.number("time", "issue_seconds"), run.number("time", "total_seconds")
    if issue is None or total is None:
        return ""
    return f"the last batch was issued after {units.seconds_text(issue)}, and everything had run after {units.seconds_text(total)}"


def backlog_part(run):
    batches, held = run.number("backlog", "batches_peak"), run.number("memory", "held_peak_bytes")
    if batches is None:
        return ""
    text = f"up to {batches} {'batch was' if batches == 1 else 'batches were'} in flight"
    return f"{text}, whose inputs held {units.bytes_text(held)}" if held else text


def growth_part(run):
    growth = run.number("memory", "rss_growth_bytes")
    return "" if growth is None else f"the process grew by {units.bytes_text(growth)}"
