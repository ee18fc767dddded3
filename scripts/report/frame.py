"""The frame around the content of every page: head, style, scripts. A page loads nothing else."""

import pathlib
import string

from plotly import offline

ASSETS = pathlib.Path(__file__).parent / "assets"


def render(template, title, is_interactive, **parts):
    """A page as text: the file `template` with `parts` filled in, all HTML. is_interactive: it has plotly charts."""
    return fill("frame.html", title=title, style=asset("page.css"), body=fill(template, title=title, **parts),
                script_policy="script-src 'unsafe-inline'; " if is_interactive else "",
                scripts=scripts() if is_interactive else "")


def scripts():
    return f"<script>{offline.get_plotlyjs()}</script>\n<script>\n{asset('page.js')}</script>"


def fill(template, **parts):
    return string.Template(asset(template)).substitute(parts)


def asset(name):
    return (ASSETS / name).read_text(encoding="utf-8")
