"""Tests of scripts/report: the command, from made-up records to files, and what it says and draws of each kind of result, all of
which report_pages_*.txt have.
"""

import itertools
import json
import os
import pathlib
import shutil
import subprocess
import sys
import unittest
import warnings
from unittest import mock

from report_case import ROOT, RUNAHEAD, FolderTest, shown  # Before report: it sets the path.
from script_case import GoldenTest

import record_fixtures as fixtures
import reproduce_fixtures
from report import cuda_memory

HEADER = "time_seconds,rss_bytes,pss_bytes,processes\n"
PROCESSES = "process_id,name,first_seconds,last_seconds,rss_peak_bytes,command"
MONITORED = HEADER + "-0.1,,,0\n0.0,1000,900,1\n0.1,5000,,2\n0.2,3000,,1\n2.1,,,0\n"


def candidate(policy="window", name="window 2", **changes):
    return {"policy": policy, "name": name, "of_none": 0.995, "of_none_lower": 0.991, "of_none_upper": 0.999,
            "verdict": "keeps", "is_smallest": True, "peak_bytes": 44_000_000, **changes}


SMALLER = candidate(name="window 1", of_none=0.9, of_none_lower=0.88, of_none_upper=0.92, is_smallest=False)
BUDGET = candidate("budget", "budget 47MiB")
TUNE = {"schema_version": 1, "target": 0.99, "none": {"peak_bytes": 104_000_000},
        "candidates": [SMALLER, candidate(), BUDGET]}
# What `tune` found instead of: a smaller candidate, and two that keep the throughput.
TUNED = {
    "the smallest that keep the target": {}, "not measured": {"candidates": [candidate(), BUDGET | {"of_none": None}]},
    "over RSS": {"none": {"peak_bytes": None, "growth_bytes": 90_000_000},
                 "candidates": [candidate(peak_bytes=None, growth_bytes=20_000_000)]},
    "wide ranges": {"candidates": [candidate(), candidate(peak_bytes=4_000_000_000)]},
    **{f"refused: {json.dumps(wrong)[:40]}": wrong for wrong in (
        {"candidates": []}, {"candidates": [candidate(peak_bytes=None)]}, {"candidates": None}, {"none": None})}}
ODD = {"memory": "none", "time": {"issue_seconds": "soon", "total_seconds": 1e300, "batch_finished_seconds": [1, None]},
       "config__sync": {"policy": "$\\frac{$"}, "backlog": []}
RUNS = {"odd figures": (ODD, fixtures.ramp_rows()), "another version": ({"schema_version": 7}, None),
        "names are no markup": ({"config__sync": {"policy": "<a href='http://x'>x</a></script>"}}, fixtures.ramp_rows())}


class ReportPages(FolderTest, GoldenTest):
    def seen(self, *arguments, with_pages=True, out=None):
        """All that a report says and writes into a folder of its own."""
        out = out or self.folder / "out"
        code, lines, complaints = self.report(*arguments, "--out", out)
        said = [f"exit {code}", *lines, *complaints.splitlines()]
        for path in sorted(out.glob("*")) if with_pages else []:
            said += [f"-- {path.name}", *(shown(path) if path.suffix in (".html", ".svg") else [])]
        shutil.rmtree(out, ignore_errors=True)
        return "".join(f"{line.replace(str(self.folder), 'FOLDER')}\n" for line in said)

    def write(self, name, text):
        (self.folder / name).write_text(text)
        return self.folder / name

    def of_monitor(self):
        self.write("m.processes.csv", f"{PROCESSES},tree_rss_peak_bytes,tree_rss_peak_is_upper_bound\n1,python,0,2,,python $train.py,9000,true\n")
        yield "a command", self.seen(self.write("m.csv", MONITORED))
        (self.folder / "m.processes.csv").write_bytes(PROCESSES.encode() + b"\n1,caf\xc3,0,2,,\n2,python,0,,,\n")
        yield "a damaged list of processes", self.seen(self.folder / "m.csv", with_pages=False)
        (self.folder / "again").mkdir()
        same = [self.write("again/rss.csv", HEADER + "0.0,1000,,1\n"), self.write("rss.csv", HEADER + "0.0,2000,,1\n")]
        yield "files of one name", self.seen(*same)
        damaged = self.write("damaged.csv", HEADER + "0.0,1000,900,1\n0.1,many,,2\n")
        yield "a damaged row", self.seen(damaged, with_pages=False)
        yield "RSS alone", self.seen(self.write("rss.csv", "time_seconds,rss_bytes\n0.0,1000\n"))
        several = []
        for name, command in (("a", "train <1>"), ("b", "train 2")):
            rows = [f"{number},worker,0,1,{number}000000," for number in range(2, 13)]
            several += [self.write(f"{name}.csv", HEADER + "0.0,1000,,1\n0.1,5000,,2\n"),
                        self.write(f"{name}.processes.csv", "\n".join([PROCESSES, f"1,python,0,2,1000000,{command}", *rows]))]
        yield "several commands", self.seen(*several)
        for number, text in enumerate(("", "name,value\n1,2\n", HEADER, "time_seconds,rss_bytes\n0,many\n", "\x00\xff")):
            yield f"no samples, {number}", self.seen(self.write("wrong.csv", text))

    def of_tune(self):
        (self.folder / "tuned").mkdir()
        for name, changes in TUNED.items():
            self.write("tuned/tune.json", json.dumps(TUNE | changes))
            yield name, self.seen(self.folder / "tuned")
        for text in ("", "[]", "{", "\x00"):
            self.write("tuned/tune.json", text)
            yield f"refused: {text!r}", self.seen(self.folder / "tuned")
        samples = self.write("m.csv", MONITORED)
        yield "files and folders", self.seen(samples, self.folder)
        yield "a file as the folder", self.seen(samples, out=samples / "out")
        yield "tuned and other folders", self.seen(self.folder, self.folder / "tuned")

    def of_sweeps(self):
        first, second = self.write_pair(), self.folder / "new"
        yield "a sweep", self.seen(first)
        fixtures.write_sweep(second, [fixtures.sweep_record("b", "none", time__total_seconds=20.0)], fixtures.ramp_rows())
        yield "two sweeps", self.seen(first, second)

    def of_runs(self):
        for name, (changes, rows) in RUNS.items():
            fixtures.write_run(self.folder / name, fixtures.make_record(**changes), rows)
            yield name, self.seen(self.folder / name)

        for name, rows in {"RSS alone": [(0.0, 5, None), (0.1, 9, None)], "backlog alone": [(0.0, None, 1), (0.1, None, 2)],
                           "one sample": [(0.0, 5, 1)]}.items():
            fixtures.write_run(self.folder / "half", fixtures.make_record(memory__rss_baseline_bytes=None), rows)
            yield name, self.seen(self.folder / "half", with_pages=False)
        for content in (b"time_seconds,rss_bytes\n0,many\n", b"", b"\xff", b"time_seconds,rss_b"):
            (self.folder / "half/samples.csv").write_bytes(content)
            yield f"samples: {content}", self.seen(self.folder / "half", with_pages=False)

    def of_memory(self):
        fixtures.write_attributed_run(self.folder / "attributed")
        yield "what RSS is made of", self.seen(self.folder / "attributed")
        fixtures.write_cuda_run(self.folder / "cuda")
        yield "on CUDA", self.seen(self.folder / "cuda")
        config = fixtures.cuda_config
        ways = itertools.product(("pageable", "pinned", "pinned_ring"), ("in_order", "side_record_stream", "side_reuse"))
        configs = [*(config({"staging": staging, "copies": copies}) for staging, copies in ways), config(log_every=16),
                   config(outputs="kept"), config({"allocator": "cuda_malloc_async"}), config({"expandable_segments": True}),
                   config(experiment="launch_queue", outputs="kept"), config(device="acpu"), {},
                   {"device": "cuda", "cuda": {"copies": [1], "staging": None}, "log_every": "x"}]
        yield "what memory on CUDA depends on", "".join(f"{cuda_memory.mechanism(one)!r}\n" for one in configs)

    def of_reproduce(self):
        found, folder = reproduce_fixtures.Reproduced(), self.folder / "reproduced"
        yield "every experiment", self.seen(found.write(folder))
        yield "reported with another", self.seen(folder, self.folder)
        for changes in ({"claims": None}, {"claims": [{}]}, {"runs": None}, {"devices": None}):
            yield f"refused: {changes}", self.seen(found.write(folder, **changes))
        found.records = [fixtures.make_record(status="failed", results={}) for _ in found.records]
        found.claims = [reproduce_fixtures.claim("dispatch", holds=None, met=False,
                                                 measured="not measured: the run 'dispatch' is failed")]
        yield "nothing was measured", self.seen(found.write(folder, status="interrupted"))

    def of_frameworks(self):
        found, folder, claim = reproduce_fixtures.Reproduced(), self.folder / "reproduced", reproduce_fixtures.claim
        again = {"median": 7.0, "min": 7.0, "max": 7.0, "count": 5}
        found.claims = [claim("dispatch"), claim("dispatch", device="cpu", expected="fails", holds=False, measured="99 %")]
        found.add_run("dispatch", attempt=1, config__size=1000,
                      results={"dispatch": {**reproduce_fixtures.RESULTS["dispatch"], "copy_seconds": again}})
        for size in (1000, 500):
            reproduce_fixtures.write_baselines(found.write(folder), size)
            yield f"frameworks at size {size}", self.seen(folder)
            shutil.rmtree(folder / "baselines")
        (folder / "baselines").mkdir()
        self.write("reproduced/baselines/jax.json", "{")
        yield "a damaged baseline", self.seen(folder, with_pages=False)

    def test_goes_beside_its_results_unless_a_folder_is_named(self):
        self.write("m.csv", MONITORED)
        self.write("tune.json", json.dumps(TUNE))
        self.assertEqual(self.report(self.folder)[0], 0)
        self.assertEqual(self.names(self.folder / "report"), ["tune.png", "tune.svg"])
        self.assertEqual(self.report(self.folder / "m.csv")[0], 0)
        self.assertEqual(self.names(self.folder), ["m.csv", "m.html", "m.png", "m.svg", "report", "tune.json"])

    def test_of_each_kind_of_result(self):
        for kind in (self.of_monitor, self.of_tune, self.of_sweeps, self.of_runs, self.of_memory, self.of_reproduce,
                     self.of_frameworks):
            name = kind.__name__.removeprefix("of_")
            with self.subTest(name):
                self.assert_golden(f"pages_{name}", kind())


class Report(FolderTest):
    def test_writes_charts_and_a_page_and_prints_their_paths(self):
        self.write_pair()
        code, out, err = self.report(self.folder / "sweep")
        target = self.folder / "sweep" / "report"
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(out, [str(target / name) for name in ("memory.png", "memory.svg", "index.html")])
        self.assertEqual(self.names(target), ["index.html", "memory.png", "memory.svg", "summary.json"])
        self.assertTrue((target / "memory.png").read_bytes().startswith(b"\x89PNG"))

    def test_a_report_of_the_same_records_is_the_same(self):
        self.write_pair()
        for name in ("one", "two"):
            self.report(self.folder / "sweep", "--out", self.folder / name)
        for name in ("memory.svg", "memory.png", "index.html"):
            self.assertEqual((self.folder / "one" / name).read_bytes(), (self.folder / "two" / name).read_bytes())

    def test_many_runs_that_were_not_monitored_are_one_warning_and_rows_of_a_table(self):
        made = [fixtures.make_record(id=f"{size:064x}", axes={"/sync/policy": "none", "/data/batch_size": size}) for size in range(300)]
        fixtures.write_sweep(self.folder / "sweep", made)
        code, _, err = self.report(self.folder / "sweep")
        self.assertEqual(code, 0)
        self.assertEqual(len(err.splitlines()), 2, err)
        self.assertIn("nothing was sampled in 100 of 100 comparisons", err)
        self.assertIn("100 of 300 comparisons have charts", err)
        self.assertIn(">policy none, batch_size 299<", (self.folder / "sweep/report/index.html").read_text())

    def test_figures_that_nobody_measured_and_letters_that_no_font_has_make_no_noise(self):
        folder = self.folder / "日本"
        absurd = {"time__issue_seconds": 1e308, "time__total_seconds": 1e308, "memory__rss_growth_bytes": 1e308, "memory__rss_baseline_bytes": -1e308}
        fixtures.write_run(folder, fixtures.make_record(**absurd), fixtures.ramp_rows())
        fixtures.write_run(self.folder / "usual", fixtures.make_record(), fixtures.ramp_rows())
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            code, _, _ = self.report(folder, self.folder / "usual")
        self.assertEqual((code, [str(one.message) for one in found]), (0, []))

    def test_two_sweeps_are_printed_and_drawn(self):
        first, second = self.write_pair(), self.folder / "new"
        made = [fixtures.sweep_record("a", "every_batch", repeat=repeat, time__total_seconds=20.0 + repeat) for repeat in range(2)]
        fixtures.write_sweep(second, made, fixtures.ramp_rows())
        code, out, err = self.report(first, second)
        self.assertEqual((code, err), (0, ""))
        self.assertTrue(out[0].startswith("new against sweep, 1 cell: "), out[0])
        self.assertIn("comparison.png", self.names(first / "report"))
        (first / "report" / "mine.png").write_bytes(b"")
        self.assertEqual(self.report(first)[0], 0)
        self.assertEqual(self.names(first / "report"), ["index.html", "memory.png", "memory.svg", "mine.png", "summary.json"])

    def test_what_cannot_be_written_leaves_no_half_of_it(self):
        self.write_pair()
        with mock.patch("report.files.os.replace", side_effect=OSError("disk full")):
            code, out, err = self.report(self.folder / "sweep")
        self.assertEqual((code, out), (1, []))
        self.assertIn("disk full", err)
        self.assertEqual(self.names(self.folder / "sweep" / "report"), [])


class Program(FolderTest):
    def test_writes_everything_although_nobody_reads_what_it_prints(self):
        first, second = self.write_pair(), self.folder / "new"
        fixtures.write_sweep(second, [fixtures.sweep_record("a", "every_batch", repeat=repeat) for repeat in range(2)])
        for words, code in (([RUNAHEAD, "report", first, second], 0), ([RUNAHEAD, "report", first], 0), ([RUNAHEAD, "report", first], 1)):
            with self.subTest(words=words, code=code), open("/dev/full", "w") as full:
                reader, writer = os.pipe()
                os.close(reader)
                out = self.folder / "out"
                ran = subprocess.run([*words, "--out", out], stdout=full if code else writer, stderr=subprocess.PIPE, text=True,
                                     env={**os.environ, "RUNAHEAD_PYTHON": sys.executable, "RUNAHEAD_HOME": str(ROOT)})
                os.close(writer)
                said = "runahead: error: cannot write to stdout: No space left on device\n" if code else ""
                self.assertEqual((ran.returncode, ran.stderr), (code, said))
                self.assertIn("index.html", self.names(out))
                shutil.rmtree(out)

    def test_says_which_package_is_missing(self):
        fixtures.write_run(self.folder, fixtures.make_record())
        for package in ("matplotlib", "numpy", "plotly"):
            with self.subTest(package):
                hidden = self.folder / f"without-{package}"
                hidden.mkdir()
                (hidden / f"{package}.py").write_text(f"raise ImportError('no {package} here')\n")
                ran = subprocess.run([sys.executable, ROOT / "scripts" / "report.py", "--summary", self.folder / "summary.json"],
                                     capture_output=True, text=True, env={"PYTHONPATH": str(hidden)})
                self.assertEqual(ran.returncode, 3, ran.stderr)
                self.assertIn(f"no {package} here", ran.stderr)
                self.assertFalse((self.folder / "report").exists())


if __name__ == "__main__":
    unittest.main()
