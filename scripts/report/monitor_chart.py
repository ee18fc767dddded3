"""The chart of what `runahead monitor` wrote: resident memory over time, and how many processes had it."""

import numpy
from matplotlib import pyplot, ticker

from report import figure, samples, units

SIZE_INCHES = (8.3, 4.6)
RSS_COLOUR, PSS_COLOUR, PROCESS_COLOUR = "#0072B2", "#E69F00", "#555555"
EMPTY = "nothing was sampled in it"


def draw(path):
    """Returns the figure of a monitor's CSV file. Raises ValueError if it is none, OSError if it cannot be read."""
    columns = samples.read_samples(path)
    times, rss_bytes = samples.measured(columns, "rss_bytes")
    if len(times) == 0:
        raise ValueError(EMPTY)
    with pyplot.rc_context(figure.STYLE):
        drawing, (memory, processes) = pyplot.subplots(2, 1, figsize=SIZE_INCHES, sharex=True,
                                                       height_ratios=(4, 1), layout="constrained")
        draw_memory(memory, columns, times, rss_bytes)
        draw_processes(processes, columns)
        drawing.suptitle(figure.plain(path.name), fontsize=12, fontweight="bold")
    return drawing


def draw_memory(axes, columns, times, rss_bytes):
    peak = int(numpy.argmax(rss_bytes))
    axes.plot(*thinned_megabytes(times, rss_bytes), color=RSS_COLOUR, linewidth=1.3,
              label=f"RSS, peak {units.bytes_text(float(rss_bytes[peak]))} at {units.duration_text(float(times[peak]))}")
    axes.plot(times[peak], rss_bytes[peak] / units.MEGABYTE, "o", color=RSS_COLOUR, markeredgecolor="white", markersize=8)
    pss_times, pss_bytes = samples.measured(columns, "pss_bytes")
    if len(pss_times) > 0:
        axes.plot(*thinned_megabytes(pss_times, pss_bytes), color=PSS_COLOUR, linewidth=1.0, marker=".", markersize=4,
                  label="PSS: pages shared with n processes counted 1/n")
    axes.set_ylabel("resident memory (MB)")
    axes.set_ylim(bottom=0)
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2)


def draw_processes(axes, columns):
    times, processes = samples.measured(columns, "processes")
    axes.plot(*samples.thin(times, processes), color=PROCESS_COLOUR, linewidth=1.0, drawstyle="steps-post")
    axes.set_ylabel("processes")
    axes.set_ylim(bottom=0)
    axes.yaxis.set_major_locator(ticker.MaxNLocator(integer=True, nbins=3))
    axes.set_xlabel("time since the start (s)")
    axes.set_xlim(left=0)


def thinned_megabytes(times, values):
    thin_times, thin_values = samples.thin(times, values)
    return thin_times, thin_values / units.MEGABYTE
