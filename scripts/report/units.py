"""Numbers for people, with their units. What was not measured (None) is shown as a dash."""

NOT_MEASURED = "–"
MEGABYTE = 1e6


def bytes_text(count):
    """Three significant digits, in powers of 1000: '2.10 MB', '215 MB'."""
    if count is None:
        return NOT_MEASURED
    if abs(count) < 1000:
        return f"{count:.0f} B"
    value = float(count)
    for unit in ("kB", "MB", "GB", "TB", "PB"):
        value /= 1000
        if abs(value) < 999.5:
            break
    return f"{three_digits(value)} {unit}"


def seconds_text(seconds):
    """Three significant digits: '0.262 s', '12.2 s'."""
    return NOT_MEASURED if seconds is None else f"{three_digits(seconds)} s"


def duration_text(seconds):
    """As seconds_text, in the unit that fits: '3.62 ms', '0.100 µs'."""
    if seconds is None or abs(seconds) >= 0.9995:
        return seconds_text(seconds)
    if abs(seconds) >= 0.9995e-3:
        return f"{three_digits(seconds * 1e3)} ms"
    return f"{three_digits(seconds * 1e6)} µs"


def ratio_text(ratio):
    """'+2.1 %', '−12 %': how far off a ratio is from 1."""
    if ratio is None:
        return NOT_MEASURED
    percent = (ratio - 1) * 100
    return f"{percent:+.1f} %" if abs(percent) < 9.95 else f"{percent:+,.0f} %"


def three_digits(value):
    size = abs(value)
    decimals = 0 if size >= 99.95 else 1 if size >= 9.995 else 2 if size >= 0.9995 else 3
    return f"{value:.{decimals}f}"


def count_text(count):
    return NOT_MEASURED if count is None else f"{count:,}"


def loss_text(loss):
    return NOT_MEASURED if loss is None else f"{loss:.6g}"
