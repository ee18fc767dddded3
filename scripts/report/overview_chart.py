"""The chart of a whole sweep: the time and memory of each run."""

from report import colours, plot, units


def of(all_comparisons, slugs):
    """A point for each run whose total time and growth were measured, coloured by its sync policy; None without any.
    slugs: those of the comparisons that a click can show."""
    points = {}
    for comparison in all_comparisons:
        for group in comparison.groups:
            points.setdefault((group.policy, group.policy_place), []).extend(points_of(comparison, group, slugs))
    points = {policy: found for policy, found in points.items() if found}
    if not points:
        return None
    chosen = colours.of_places([place for _, place in points])
    traces = [policy_trace(policy, found, colour) for ((policy, _), found), colour in zip(points.items(), chosen)]
    layout = plot.layout("total time (s)", "RSS growth, peak (MB)", hovermode="closest", xaxis={"rangemode": "tozero"},
                         **plot.legend())
    return plot.Chart("All runs", "time against memory; × was cut short; a click shows the comparison of a run", plot.FULL, 320, traces,
                      layout)


def points_of(comparison, group, slugs):
    slug = comparison.slug if comparison.slug in slugs else None
    for run in group.runs:
        total, growth = run.number("time", "total_seconds"), run.number("memory", "rss_growth_bytes")
        if total is not None and growth is not None:
            name = f"{run.name}, repeat {run.repeat}: {run.status}"
            yield total, growth / units.MEGABYTE, name, "circle" if run.status == "ok" else "x", slug


def policy_trace(policy, points, colour):
    totals, growths, names, symbols, slugs = zip(*points)
    return {"type": "scatter", "mode": "markers", "x": plot.packed(totals), "y": plot.packed(growths),
            "name": plot.words(policy or "policy not known"), "text": [plot.words(name) for name in names],
            "customdata": list(slugs), "marker": {"color": colour, "size": 9, "opacity": 0.75, "symbol": list(symbols)},
            "hovertemplate": "%{text}<br>%{x:,.4~g} s, %{y:,.4~g} MB<extra></extra>"}
