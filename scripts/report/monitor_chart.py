"""The chart of the output of `runahead monitor`: resident memory over time, and its number of processes."""

import textwrap

from matplotlib import pyplot, ticker

from report import figure, samples, units

SIZE_INCHES = (8.3, 4.6)
PSS_COLOUR = "#555555"
LONGEST_TITLE = 90


def draw(all_monitored):
    """Returns the figure of files of samples, one line each."""
    counted = [one for one in all_monitored if len(samples.measured(one.columns, "processes")[0])]
    with pyplot.rc_context(figure.STYLE):
        drawing, panels = pyplot.subplots(2 if counted else 1, 1, figsize=SIZE_INCHES, sharex=True, squeeze=False,
                                          height_ratios=(4, 1) if counted else None, layout="constrained")
        draw_memory(panels[0, 0], all_monitored)
        if counted:
            draw_processes(panels[1, 0], counted)
        panels[-1, 0].set(xlabel="time since the start (s)", xlim=(0, None))
        drawing.suptitle(figure.plain(textwrap.shorten(title_of(all_monitored), LONGEST_TITLE, placeholder=" …")),
                         fontsize=12, fontweight="bold")
    return drawing


def title_of(all_monitored):
    """The command, or the number of several commands, or the file's name if the command is unknown."""
    names = {one.tree.command or one.label for one in all_monitored}
    return names.pop() if len(names) == 1 else f"Memory of {len(names)} commands"


def draw_memory(axes, all_monitored):
    names = figure.shortened([one.label for one in all_monitored], LONGEST_TITLE // 2) if len(all_monitored) > 1 else ["RSS"]
    for name, one in zip(names, all_monitored):
        moment, peak = one.highest_sample
        axes.plot(*thinned_megabytes(*samples.measured(one.columns, "rss_bytes")), figure.LINE_STYLES[one.dash], color=one.colour, linewidth=1.3,
                  label=f"{figure.plain(name)}, peak {one.peak_text}")
        axes.plot(moment, peak / units.MEGABYTE, "o", color=one.colour, markeredgecolor="white", markersize=8)
    pss_times, pss_bytes = samples.carried(all_monitored[0].columns, "pss_bytes")
    if len(all_monitored) == 1 and len(pss_times) > 0:
        axes.plot(*thinned_megabytes(pss_times, pss_bytes), color=PSS_COLOUR, linewidth=1.0, drawstyle="steps-post",
                  label="PSS: pages shared with n processes counted 1/n")
    axes.set(ylabel="resident memory (MB)", ylim=(0, None))
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2 if len(all_monitored) == 1 else 1)


def draw_processes(axes, all_monitored):
    for one in all_monitored:
        axes.plot(*samples.thin(*samples.measured(one.columns, "processes")), figure.LINE_STYLES[one.dash], color=one.colour, linewidth=1.0,
                  drawstyle="steps-post")
    axes.set(ylabel="processes", ylim=(0, None))
    axes.yaxis.set_major_locator(ticker.MaxNLocator(integer=True, nbins=3))


def thinned_megabytes(times, values):
    thin_times, thin_values = samples.thin(times, values)
    return thin_times, thin_values / units.MEGABYTE
