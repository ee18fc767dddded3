"""What the tests of scripts/report share: a folder of their own, and the command run in this process."""

import base64
import contextlib
import html.parser
import io
import json
import os
import pathlib
import re
import subprocess
import sys
from unittest import mock

import numpy

import script_case
from script_case import ROOT

RUNAHEAD = os.environ.get("RUNAHEAD", str(ROOT / "build" / "bin" / "runahead"))
sys.path.insert(0, str(ROOT / "scripts"))

from report import command  # noqa: E402 (after the path)

import record_fixtures as fixtures  # noqa: E402


def unpacked(values):
    """Numbers as a chart of a page holds them."""
    return numpy.frombuffer(base64.b64decode(values["bdata"]), dtype=values["dtype"])


class Page(html.parser.HTMLParser):
    """What a page shows, what it would load, and the charts in it."""

    def __init__(self, text):
        super().__init__()
        self.loads, self.charts, self.open, self.text = [], [], [], ""
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.loads += [value for name, value in attributes if name in ("src", "href") and not value.startswith("#")]
        slug = dict(attributes).get("id")
        marks = {"td": " | ", "th": " | ", "tr": "\n", "pre": "\n", "section": f"\n# {slug}\n", "figure": "\n* "}
        self.text += marks.get(tag, "")
        if tag not in ("meta", "img", "input"):
            self.open.append((tag, dict(attributes).get("class")))

    def handle_endtag(self, tag):
        self.open.pop()

    def handle_data(self, data):
        if self.open and self.open[-1] == ("script", "data"):
            self.charts += json.loads(data)
        elif self.open and self.open[-1][0] not in ("script", "style") and ("metadata", None) not in self.open:
            self.text += data


def shown(path):
    """What a page or a picture shows, as lines."""
    text = path.read_text(encoding="utf-8", errors="replace")
    if path.suffix != ".html":
        words = re.findall("<!-- (.*[^-\\d,.\u2212].*) -->", text)  # Not the numbers of axes.
        return sorted(set(words), key=text.index)
    page = Page(text)
    lines = [re.sub("[ \t]+", " ", line).strip(" ") for line in page.text.splitlines()]
    is_config = re.compile(r'["{}\]]|\d+,?$').match  # As records have it.
    curves = [curve(chart, trace) for chart in page.charts for trace in chart["data"]]
    return [line for line in [*page.loads, *lines] if line and not is_config(line)] + curves


def curve(chart, trace):
    """A curve's axes, its name, how it is drawn, and of x and of y its first, last, least and greatest value."""
    axes = [chart["layout"][axis]["title"]["text"] for axis in ("xaxis", "yaxis")]
    line = trace.get("line", {})
    drawn = [trace.get("mode"), trace.get("visible", True), line.get("color"), line.get("dash")]
    places = [unpacked(trace[axis]) if "bdata" in trace[axis] else trace[axis] for axis in ("x", "y")]
    ends = [[end if isinstance(end, str) else f"{end:.6g}" for end in (place[0], place[-1], min(place), max(place))]
            for place in places]
    return f"{axes}: {trace['name']} {drawn}, {len(places[0])} points: {ends}"


class FolderTest(script_case.FolderTest):
    def report(self, *arguments):
        """Runs the command; records are first summarised by `runahead report`. Returns exit code, lines of stdout, stderr."""
        arguments, said, complained = [str(argument) for argument in arguments], "", ""
        if self.are_records(arguments):
            ran = subprocess.run([RUNAHEAD, "report", *arguments], capture_output=True, text=True,
                                 env={**os.environ, "RUNAHEAD_PYTHON": "/bin/true", "RUNAHEAD_HOME": str(ROOT)})
            said, complained = ran.stdout, ran.stderr
            if ran.returncode != 0:
                return ran.returncode, said.splitlines(), complained
            out = arguments[arguments.index("--out") + 1] if "--out" in arguments else f"{arguments[0]}/report"
            arguments = ["--summary", f"{out}/summary.json", "--out", out]
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = command.main(arguments)
        return code, (said + out.getvalue()).splitlines(), complained + err.getvalue()

    @staticmethod
    def are_records(arguments):
        """Whether no argument is a result that Python draws as it is."""
        paths = [pathlib.Path(argument) for argument in arguments if not argument.startswith("--")]
        return not any(path.is_file() or (path / "tune.json").exists() or (path / "reproduce.json").exists() for path in paths)

    def page(self, *folders):
        """The page of the report of folders."""
        code, out, _ = self.report(*folders, "--out", self.folder / "page")
        self.assertEqual(code, 0)
        return Page(pathlib.Path(out[-1]).read_text(encoding="utf-8"))

    def page_alone(self, *folders):
        """The page of the report of folders. Pictures over time, which matplotlib draws slowly, are left out."""
        with mock.patch.object(command, "draw_chart"):
            return self.page(*folders)

    def write_pair(self, rows=None):
        """A sweep of two policies, two repeats each, in self.folder / "sweep"."""
        made = [fixtures.sweep_record(cell, policy, repeat=repeat, backlog__batches_peak=batches) for repeat in range(2)
                for cell, policy, batches in (("a", "every_batch", 1), ("b", "none", 97))]
        fixtures.write_sweep(self.folder / "sweep", made, rows or fixtures.ramp_rows())
        return self.folder / "sweep"
