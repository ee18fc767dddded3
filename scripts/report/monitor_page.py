"""The page of the output of `runahead monitor`: a chart for each measured column, with all files, and the processes."""

from report import frame, monitor_chart, page, plot, samples, tables, units

MOST_PROCESSES = 10
TITLES = {"rss_bytes": "Resident memory (RSS)", "pss_bytes": "PSS: pages shared with n processes counted 1/n",
          "cgroup_bytes": "Memory of the cgroup", "processes": "Processes"}
HEADINGS = ["process", "name", "first", "last", "peak RSS"]
escape = tables.escape


def render(all_monitored):
    """The page as text."""
    return frame.render(
        "monitor.html", escape(monitor_chart.title_of(all_monitored)), is_interactive=True,
        findings="\n".join(f'<p class="finding">{escape(page.unbroken(one.finding))}</p>' for one in all_monitored),
        switches=page.legend(all_monitored) if len(all_monitored) > 1 else "",
        charts=page.figures(charts_of(all_monitored)),
        processes="\n".join(processes_table(one) for one in all_monitored if one.tree.processes))


def charts_of(all_monitored):
    """A chart for each column in which something was measured."""
    columns = dict.fromkeys(name for one in all_monitored for name in one.columns if name != "time_seconds")
    largest = plot.points_of_a_series(len(all_monitored))
    charts = [chart(all_monitored, column, largest) for column in columns]
    return [found for found in charts if found.data]


def chart(all_monitored, column, largest):
    is_bytes = column.endswith("_bytes")
    traces = []
    for number, one in enumerate(all_monitored):
        times, values = samples.carried(one.columns, column)
        traces.append(plot.curve(number, one, one.label, (times, values / (units.MEGABYTE if is_bytes else 1)), largest,
                                 " MB" if is_bytes else "", stroke={} if is_bytes else {"shape": "hv"}))
    title = TITLES.get(column, column.removesuffix("_bytes").replace("_", " "))
    layout = plot.layout("time since the start (s)", "MB" if is_bytes else column)
    return plot.Chart(title, "", plot.FULL if column == "rss_bytes" else plot.HALF, 320 if column == "rss_bytes" else 240,
                      [trace for trace in traces if trace], layout, over_time=True)


def processes_table(one):
    """The processes with the highest peaks, and the others in one row."""
    by_peak = sorted(one.tree.processes, key=lambda process: -(process.peak_bytes or 0))
    rows = [[process.process_id, process.name, units.duration_text(process.first), units.duration_text(process.last),
             units.bytes_text(process.peak_bytes)] for process in by_peak[:MOST_PROCESSES]]
    if rest := by_peak[MOST_PROCESSES:]:
        rows.append(["", f"{len(rest):,} others", units.duration_text(min(process.first for process in rest)),
                     units.duration_text(max(process.last for process in rest)),
                     f"{units.bytes_text(sum(process.peak_bytes or 0 for process in rest))} in all"])
    html = ["<tr>" + "".join(tables.cell(text, kind="text" if column < 2 else "") for column, text in enumerate(row)) + "</tr>"
            for row in rows]
    return f"<h2>Processes of {escape(one.label)}</h2>\n" + tables.table(HEADINGS, html, texts=HEADINGS[:2], is_whole=True)
