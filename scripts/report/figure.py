"""The main chart: memory growth over time at the top, a CUDA device's memory in the middle, backlog at the bottom."""

import io
import re
import textwrap
import warnings

import matplotlib

matplotlib.use("Agg")

from matplotlib import lines as matplotlib_lines  # noqa: E402 (the backend comes first)
from matplotlib import pyplot, ticker  # noqa: E402

from report import cuda_memory, files, samples, units  # noqa: E402

# A README shows images about 830 pixels wide: 8.3 inches at 100 dots per inch, drawn at twice that.
SIZE_INCHES = (8.3, 5.8)
DOTS_PER_INCH = 200
STYLE = {
    "font.size": 10, "axes.titlesize": 12, "axes.grid": True, "grid.color": "#dddddd", "grid.linewidth": 0.6,
    "axes.spines.top": False, "axes.spines.right": False, "axes.axisbelow": True, "legend.frameon": False,
    "svg.hashsalt": "runahead", "savefig.facecolor": "white",
}
MUTED = "#555555"
LARGEST_LEGEND = 8
# Characters of the two longest entries that fit side by side. Longer entries use one column, in a higher picture.
WIDEST_ROW = 112
INCHES_A_ROW = 0.22
SUBTITLE_INCHES = 0.26  # From the top.
LINE_STYLES = {"solid": "-", "dash": "--", "dot": ":", "dashdot": "-."}  # By plotly's names.
ISSUED_MARKER, FINISHED_MARKER = "v", "s"


def draw(comparison, lines):
    """Returns the figure of a comparison whose lines are loaded."""
    has_cuda = cuda_memory.is_measured(lines)
    heights = (3, 3, 2) if has_cuda else (3, 2)
    width, height = SIZE_INCHES
    with pyplot.rc_context(STYLE):
        drawing, panels = pyplot.subplots(len(heights), 1, figsize=(width, height * sum(heights) / 5), sharex=True,
                                          height_ratios=heights, layout="constrained")
        memory, backlog = panels[0], panels[-1]
        for line in lines:
            draw_line(memory, line, megabytes_of, "default", plain(line.label) + peak_text(line.main))
            draw_line(backlog, line, batches_of, "steps-post", plain(line.label))
            draw_moments(line, panels)
        finish_memory(memory, lines)
        if has_cuda:
            draw_cuda(panels[1], lines)
        finish_backlog(backlog)
        add_titles(drawing, comparison)
    return drawing


def render(drawing, file_format):
    """The picture as bytes, identical for identical records."""
    buffer = io.BytesIO()
    metadata = {"Date": None} if file_format == "svg" else {"Software": None}
    with pyplot.rc_context(STYLE), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from")  # Names may be in any script; a box stands for such a letter.
        drawing.savefig(buffer, format=file_format, dpi=DOTS_PER_INCH, metadata=metadata)
    return buffer.getvalue()


def close(drawing):
    pyplot.close(drawing)


def write_pictures(drawing, out, name):
    """Writes a drawing as PNG and SVG. Returns their paths."""
    files.make_folder(out)
    paths = [out / f"{name}.png", out / f"{name}.svg"]
    for path in paths:
        files.write_bytes(path, render(drawing, path.suffix[1:]))
    close(drawing)
    return paths


def megabytes_of(series):
    times, values = series.growth
    return times, values / units.MEGABYTE


def batches_of(series):
    return series.backlog


def draw_line(axes, line, points_of, drawstyle, label):
    for other in line.others:
        axes.plot(*samples.thin(*points_of(other)), color=line.colour, linewidth=0.7, alpha=0.3, drawstyle=drawstyle)
    times, values = points_of(line.main)
    if len(values) == 0:
        return
    axes.plot(*samples.thin(times, values), color=line.colour, linestyle=LINE_STYLES[line.dash], linewidth=1.3,
              drawstyle=drawstyle, label=label)
    for moment, marker in moments(line.run):
        # The first sample after the end shows what finished.
        height_at = samples.value_after if marker == FINISHED_MARKER else samples.value_at
        axes.plot([moment], [height_at(times, values, moment)], marker, color=line.colour, markeredgecolor="white",
                  markersize=8, zorder=5, clip_on=False)


def moments(run):
    """When the last batch was issued and when it finished, if known."""
    known = [(run.number("time", "issue_seconds"), ISSUED_MARKER),
             (run.number("time", "total_seconds"), FINISHED_MARKER)]
    return [(moment, marker) for moment, marker in known if moment is not None]


def draw_moments(line, all_axes):
    for moment, _ in moments(line.run):
        for axes in all_axes:
            axes.axvline(moment, color=line.colour, linewidth=0.7, linestyle=":", alpha=0.7, zorder=1)


def finish_memory(axes, lines):
    axes.set_ylabel("RSS growth (MB)")
    axes.set_ylim(bottom=min(0.0, *(float(line.main.growth[1].min()) / units.MEGABYTE for line in lines
                                    if len(line.main.growth[1])), 0.0))
    handles, entries = axes.get_legend_handles_labels()
    markers = [matplotlib_lines.Line2D([], [], color=MUTED, marker=marker, linestyle="none", markersize=7)
               for marker in (ISSUED_MARKER, FINISHED_MARKER)]
    if (more := len(entries) - LARGEST_LEGEND) > 0:
        handles, entries = handles[:LARGEST_LEGEND], entries[:LARGEST_LEGEND]
        entries[-1] += f", and {more} more"
    add_legend(axes, handles + markers, [*entries, "last batch issued", "last batch finished"])


def add_legend(axes, handles, entries):
    columns = 2 if sum(sorted(map(len, entries))[-2:]) <= WIDEST_ROW else 1
    if columns == 1:
        axes.figure.set_figheight(axes.figure.get_figheight() + INCHES_A_ROW * len(entries) / 2)
    axes.legend(handles, entries, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=columns, columnspacing=1.6,
                handlelength=2.2)


def peak_text(series):
    """The record's peak, as in the table: it was counted independently of the samples."""
    recorded = series.run.number("memory", "rss_growth_bytes")
    sampled = float(series.growth[1].max()) if len(series.growth[1]) else None
    peak = sampled if recorded is None else recorded
    text = "" if peak is None else f", peak +{units.bytes_text(peak)}"
    return text if series.run.status == "ok" else f"{text}, {series.run.status}"


def draw_cuda(axes, lines):
    """A CUDA device's memory and the host memory that it reads from. The title names the mechanism."""
    config = lines[0].run.config
    shown = cuda_memory.shown(config)
    for line in lines:
        for column, _, stroke, _ in shown:
            times, values = cuda_memory.points(line.main, column)
            if len(values):
                axes.plot(*samples.thin(times, values / units.MEGABYTE), stroke, color=line.colour, alpha=line.opacity, linewidth=1.3)
    axes.set_ylabel("CUDA memory (MB)")
    mechanism = cuda_memory.mechanism(config)
    axes.set_title(plain(textwrap.fill(mechanism, WIDEST_ROW)), fontsize=9, color=MUTED)
    strokes = [matplotlib_lines.Line2D([], [], color=MUTED, linestyle=stroke) for _, _, stroke, _ in shown]
    axes.legend(strokes, [name for _, name, *_ in shown], loc="best", fontsize=8)


def finish_backlog(axes):
    axes.set(ylabel="batches in flight", xlabel="time since the first batch (s)", ylim=(0, None))
    axes.yaxis.set_major_locator(ticker.MaxNLocator(integer=True))
    axes.set_xlim(left=0)


def plain(text):
    """Text without what matplotlib reads as a formula or as a hidden label, or writes into an SVG that no reader takes."""
    text = re.sub(r"[^\n\x20-\x7e\x80-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "\N{REPLACEMENT CHARACTER}", text).replace("$", r"\$")
    return f" {text}" if text.startswith("_") else text


def shortened(names, longest):
    """The names, those that are too long cut where they still differ from each other: at the end, in the middle or at the start."""
    half = longest // 2
    for cut in (lambda name: f"{name[:longest - 1]}…", lambda name: f"{name[:half]}…{name[half + 1 - longest:]}", lambda name: f"…{name[1 - longest:]}"):
        short = [name if len(name) <= longest else cut(name) for name in names]
        if len(set(short)) == len(set(names)):
            return short
    return list(names)


def add_titles(drawing, comparison):
    subtitle = textwrap.wrap(plain(comparison.subtitle), WIDEST_ROW)
    height = drawing.get_figheight() + INCHES_A_ROW * max(len(subtitle) - 1, 0)
    drawing.set_figheight(height)
    drawing.suptitle(plain(comparison.title) + "\n" * max(len(subtitle), 1), fontsize=12, fontweight="bold")
    drawing.text(0.5, 1 - SUBTITLE_INCHES / height, "\n".join(subtitle), ha="center", va="top", fontsize=9, color=MUTED)
