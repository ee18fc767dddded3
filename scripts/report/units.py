"""Numbers with units on axes and in charts. Those in texts and tables come from `runahead report`."""

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


def duration_text(seconds):
    """Three significant digits in the unit that fits: '62.8 µs', '262 ms', '12.2 s'."""
    if seconds is None:
        return NOT_MEASURED
    if seconds == 0:
        return "0 s"
    if abs(seconds) >= 0.9995:
        return f"{three_digits(seconds)} s"
    if abs(seconds) >= 0.9995e-3:
        return f"{three_digits(seconds * 1e3)} ms"
    return f"{three_digits(seconds * 1e6)} µs"


def spread_text(spread, text=duration_text):
    """(median, least, most): '12.2 s (11.9 s to 12.6 s)'."""
    if spread is None:
        return NOT_MEASURED
    median, least, most = (text(value) for value in spread)
    return f"{median} ({least} to {most})"


def three_digits(value):
    size = abs(value)
    decimals = 0 if size >= 99.95 else 1 if size >= 9.995 else 2 if size >= 0.9995 else 3
    return f"{value:.{decimals}f}"
