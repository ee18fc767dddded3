"""The chart of a CUDA device's memory, and of the host memory that it reads from."""

from report import cuda_memory, plot, time_charts


def chart(lines, largest):
    """The chart, without data if neither was measured."""
    config = lines[0].run.config
    shown = cuda_memory.shown(config)
    traces = [
        plot.curve(number, line, f"{line.label}: {name}",
                   time_charts.megabytes(cuda_memory.points(line.main, column)), largest, time_charts.MEGABYTES,
                   stroke={"dash": dash}, opacity=line.opacity)
        for number, line in enumerate(lines) for column, name, _, dash in shown]
    strokes = ", ".join(f"{name} {dash}" for _, name, _, dash in shown)
    note = "; ".join(part for part in (strokes, cuda_memory.mechanism(config)) if part)
    return time_charts.over_time("CUDA memory", note, plot.FULL, 320, traces, y_title="CUDA memory (MB)")
