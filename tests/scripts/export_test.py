"""Tests of scripts/export: each format, read back by the library that it is for."""

import importlib.util
import math
import os
import pathlib
import re
import subprocess
import sys
import unittest

from report_case import ROOT, RUNAHEAD, FolderTest

import record_fixtures as fixtures

FORMATS = {"csv": ["pandas"], "parquet": ["pandas", "pyarrow"], "tensorboard": ["tensorboard"],
           "mlflow": ["mlflow", "sqlalchemy", "alembic"]}
EIGHTH = "none <&> 8/8"  # Of no use as the name of a folder.


def is_there(form):
    return all(importlib.util.find_spec(package) for package in FORMATS[form])


def needs(form):
    return unittest.skipUnless(is_there(form), f"{' or '.join(FORMATS[form])} is not here: scripts/requirements/export.txt has them")


class ExportTest(FolderTest):
    rows = fixtures.ramp_rows(steps=5000)  # The highest is one of 5,002.

    def setUp(self):
        super().setUp()
        self.sweep, self.out = self.folder / "sweep", self.folder / "out"
        made = [fixtures.sweep_record("a", "every_batch", ended_at="2026-01-31T23:59:59Z", memory__rss_end_bytes=None),
                fixtures.sweep_record("b", EIGHTH, axes={"/n": 2}, memory__held_peak_bytes=None, loss__last=1),
                fixtures.sweep_record("c", "none", axes={"/n": "all"}, status="failed", error="it <broke>")]
        fixtures.write_sweep(self.sweep, made, self.rows)

    def export(self, *arguments, stdout=subprocess.PIPE, **environment):
        """Returns exit code, lines of stdout, stderr."""
        mine = {name: value for name, value in os.environ.items() if not name.startswith("MLFLOW_")}
        ran = subprocess.run([RUNAHEAD, "export", *map(str, arguments)], stdout=stdout, stderr=subprocess.PIPE, text=True, cwd=self.folder,
                             env={**mine, "RUNAHEAD_PYTHON": sys.executable, "RUNAHEAD_HOME": str(ROOT), **environment})
        return ran.returncode, (ran.stdout or "").splitlines(), ran.stderr

    def exported(self, form, *folders, **environment):
        code, out, err = self.export("--to", form, "--out", self.out, *(folders or [self.sweep]), **environment)
        self.assertEqual((code, err), (0, ""))
        return out


class Tables(ExportTest):
    def check(self, runs, samples):
        """What is read back of the sweep and of a run in a folder of its own."""
        self.assertEqual(list(runs["run"]), [0, 1, 2, 3])
        self.assertEqual([pathlib.Path(folder).name for folder in runs["folder"]], ["sweep", "sweep", "sweep", "run"])
        self.assertEqual(list(runs["/sync/policy"].iloc[:3]), ["every_batch", EIGHTH, "none"])
        self.assertEqual([None if value != value else str(value) for value in runs["/n"].astype(object).where(runs["/n"].notna(), math.nan)],
                         [None, "2", "all", None])
        self.assertEqual(list(runs["time.total_seconds"]), [12.2] * 3 + [3.0])
        self.assertEqual(list(runs["loss.last"]), [0.00419, 1.0, 0.00419, 0.00419])
        self.assertTrue(runs["memory.rss_end_bytes"].isna().all())
        self.assertEqual(runs["config.sync"].iloc[3], '{"policy": "none"}')
        self.assertEqual(dict(samples.groupby("run").size()), {0: 5002, 1: 5002, 3: 2})
        self.assertEqual(samples["batches_in_flight"].max(), 97)
        self.assertEqual(samples["time_seconds"].iloc[5001], 12.2)
        self.assertTrue(samples["cuda_used_bytes"].isna().all())
        self.assertEqual(samples["extra_bytes"].dropna().tolist(), [5, 6])

    def write_run(self):
        fixtures.write_run(self.folder / "run", fixtures.make_record(time__total_seconds=3), [])
        (self.folder / "run/samples.csv").write_text("time_seconds,extra_bytes\n0,5\n1,6\n")
        return self.folder / "run"

    @needs("csv")
    def test_csv_is_a_row_a_run_and_all_samples(self):
        import pandas
        paths = self.exported("csv", self.sweep, self.write_run())
        self.assertEqual(paths, [str(self.out / "runs.csv"), str(self.out / "samples.csv")])
        self.check(*map(pandas.read_csv, paths))
        # Whole numbers stay whole where one is missing.
        self.assertRegex((self.out / "runs.csv").read_text(), r",203821056,(?s:.*),5100000000,")

    @needs("parquet")
    def test_parquet_holds_the_same(self):
        import pandas
        paths = self.exported("parquet", self.sweep, self.write_run())
        runs, samples = map(pandas.read_parquet, paths)
        self.check(runs, samples)
        kinds = {name: str(runs[name].dtype) for name in ("time.total_seconds", "memory.held_peak_bytes", "memory.rss_end_bytes")}
        self.assertEqual(list(kinds.values()), ["Float64", "Int64", "Int64"])


class Series(ExportTest):
    """Tools that draw: figures, and series that have been thinned without losing a peak."""

    @needs("tensorboard")
    def test_tensorboard_has_a_folder_a_run(self):
        from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
        from tensorboard.plugins.hparams import metadata
        (target,) = self.exported("tensorboard")
        names = self.names(pathlib.Path(target))
        self.assertEqual(names, ["0-policy=every_batch", "1-policy=none_8_8_n=2", "2-policy=none_n=all"])
        runs = [EventAccumulator(f"{target}/{name}").Reload() for name in names]
        (total,) = runs[0].Scalars("time/total_seconds")
        self.assertAlmostEqual(total.value, 12.2, 5)
        flying = runs[0].Scalars("samples/batches_in_flight")
        self.assertLessEqual(len(flying), 1000)
        self.assertEqual((max(point.value for point in flying), flying[0].step, flying[-1].step), (97, 0, 12200))
        self.assertAlmostEqual(flying[-1].wall_time, 1769903999, 3)
        self.assertNotIn("samples/cuda_used_bytes", runs[0].Tags()["scalars"])
        content = runs[2].SummaryMetadata(metadata.SESSION_START_INFO_TAG).plugin_data.content
        chosen = metadata.parse_session_start_info_plugin_data(content).hparams
        self.assertEqual([chosen[name].string_value for name in ("sync/policy", "n", "status")], ["none", "all", "failed"])
        self.assertEqual(chosen["config/batches"].number_value, 100)

    def logged(self, uri):
        """The client of a store, and its runs by name."""
        from mlflow import MlflowClient
        client = MlflowClient(uri)
        found = [run for experiment in client.search_experiments() for run in client.search_runs([experiment.experiment_id])]
        return client, {run.info.run_name: run for run in found}

    @needs("mlflow")
    def test_mlflow_has_a_run_a_run(self):
        (target,) = self.exported("mlflow", MLFLOW_TRACKING_URI="sqlite:///elsewhere.db")
        self.assertEqual(self.names(self.out), ["mlflow.db"])
        client, runs = self.logged(f"sqlite:///{target}")
        self.assertEqual([client.get_experiment(runs["policy=none n=all"].info.experiment_id).name, len(runs)], ["sweep", 3])
        first, failed = runs["policy=every_batch"], runs["policy=none n=all"]
        self.assertEqual((first.info.status, first.info.end_time, failed.info.status), ("FINISHED", 1769903999000, "FAILED"))
        self.assertEqual(failed.data.tags["error"], "it <broke>")
        self.assertEqual((failed.data.params["sync/policy"], failed.data.params["config/batches"]), ("none", "100"))
        self.assertEqual((first.data.metrics["time/total_seconds"], first.data.metrics["memory/rss_growth_bytes"]), (12.2, 215e6))
        flying = client.get_metric_history(first.info.run_id, "samples/batches_in_flight")
        self.assertLessEqual(len(flying), 1000)
        self.assertEqual((max(point.value for point in flying), max(point.step for point in flying)), (97, 12200))

    @needs("mlflow")
    def test_a_store_of_mlflow_has_each_run_once(self):
        uri = f"sqlite:///{self.folder}/store.db"
        arguments = [self.sweep, "--to", "mlflow"]
        self.assertEqual(self.export(*arguments, MLFLOW_TRACKING_URI=uri), (0, ["MLflow's experiment 'sweep'"], ""))
        code, _, err = self.export(*arguments, MLFLOW_TRACKING_URI=uri)
        self.assertEqual((code, len(self.logged(uri)[1])), (2, 3))
        self.assertIn("holds 3 of these 3 runs already", err)
        before = {run.info.run_id for run in self.logged(uri)[1].values()}
        (self.sweep / "cells/bbbbbbbbbbbb-0/samples.csv").write_text("damaged\n")
        self.assertEqual(self.export(*arguments, "--force", MLFLOW_TRACKING_URI=uri)[0], 2)
        self.assertEqual({run.info.run_id for run in self.logged(uri)[1].values()}, before)
        (self.sweep / "cells/bbbbbbbbbbbb-0/samples.csv").unlink()
        self.assertEqual(self.export(*arguments, "--force", MLFLOW_TRACKING_URI=uri)[0], 0)
        after = {run.info.run_id for run in self.logged(uri)[1].values()}
        self.assertEqual((len(after), after & before), (3, set()))

    @needs("mlflow")
    def test_names_the_server_that_does_not_answer(self):
        code, out, err = self.export(self.sweep, "--to", "mlflow", MLFLOW_TRACKING_URI="http://me:secret@localhost:1", MLFLOW_HTTP_REQUEST_MAX_RETRIES="0")
        self.assertEqual((code, out), (1, []))
        self.assertRegex(err, r"\Arunahead: writing to MLflow's server localhost: at most 0 retries for each request\nrunahead: error: .*MLflow says: ")


class Refusals(ExportTest):
    rows = fixtures.ramp_rows(steps=10)

    def test_what_is_there_stays_unless_it_is_to_be_replaced(self):
        damaged = self.folder / "damaged"
        fixtures.write_run(damaged, fixtures.make_record())
        (damaged / "samples.csv").write_text("damaged\n")
        for form in filter(is_there, FORMATS):
            with self.subTest(form):
                arguments = [self.sweep, "--to", form]
                code, written, err = self.export(*arguments)
                self.assertEqual((code, err), (0, ""))
                target = pathlib.Path(self.folder / written[0])
                self.assertEqual(target.parent, self.sweep / "export")
                before = self.names(target.parent), target.stat().st_mtime_ns
                code, _, err = self.export(*arguments)
                self.assertEqual(code, 2)
                self.assertRegex(err, rf"\Arunahead: error: --out: '.*/export' holds a {target.name}; give another folder, or --force")
                code, _, err = self.export(*arguments, damaged, "--force")
                self.assertEqual(code, 2)
                self.assertRegex(err, r"damaged/samples.csv is damaged: its first column is not time_seconds; remove it to export the run without samples\n\Z")
                self.assertEqual((self.names(target.parent), target.stat().st_mtime_ns), before)
                self.assertEqual(self.export(*arguments, "--force")[::2], (0, ""))
                self.assertNotEqual(target.stat().st_mtime_ns, before[1])

    @needs("csv")
    def test_the_program_names_the_formats_that_the_script_has(self):
        asked = re.search("allowed: (.*?); see", self.export(self.sweep)[2])[1]
        self.assertEqual(asked, re.search("--to: found 'xml'; allowed: (.*)", self.export(self.sweep, "--to", "xml")[2])[1])
        self.assertEqual(asked.split(", "), list(FORMATS))

    @needs("csv")
    def test_damaged_records_and_rows_are_left_out_with_a_warning(self):
        damaged, samples = self.folder / "damaged", self.sweep / "cells/aaaaaaaaaaaa-0/samples.csv"
        damaged.mkdir()
        (damaged / "record.json").write_bytes(b"\xff")
        huge = '{"schema_version": 1, "id": "d", "axes": null, "time": {"total_seconds": 1%s}, "ended_at": 5}' % ("0" * 400)
        with open(self.sweep / "records.jsonl", "a") as file:
            file.write('{"schema_version": 1}\n' + huge + "\n")
        with open(samples, "a") as file:
            file.write("0.3,oops\n20" + ",1.5" * fixtures.COLUMNS.count(",") + "\n")
        code, _, err = self.export("--to", "csv", "--out", self.out, damaged, self.sweep)
        self.assertEqual((code, err), (0, f"runahead: warning: {damaged}/record.json is torn: it is not valid JSON; this record is left out\n"
                                          f"runahead: warning: {self.sweep}/records.jsonl, line 4 has no id; it is left out\n"
                                          f"runahead: warning: {samples}, line 14 is damaged; it is left out\n"))
        self.assertEqual(len((self.out / "runs.csv").read_text().splitlines()), 5)
        self.assertIn("\n0,20.0,2,2,", (self.out / "samples.csv").read_text())
        code, _, err = self.export("--to", "csv", "--out", self.out, damaged, "--force")
        self.assertEqual((code, err.splitlines()[-1][:40]), (2, f"runahead: error: no records in '{damaged}'"[:40]))

    @needs("csv")
    def test_a_folder_that_is_given_twice_is_exported_once(self):
        self.exported("csv", self.sweep, self.folder / "sweep" / ".." / "sweep")
        self.assertEqual(len((self.out / "runs.csv").read_text().splitlines()), 4)

    @needs("csv")
    def test_nobody_needs_to_read_what_it_prints(self):
        reader, writer = os.pipe()
        os.close(reader)
        self.addCleanup(os.close, writer)
        self.assertEqual(self.export("--to", "csv", "--out", self.out, self.sweep, stdout=writer), (0, [], ""))
        self.assertEqual(self.names(self.out), ["runs.csv", "samples.csv"])

    @needs("csv")
    def test_what_fails_leaves_no_half_of_it(self):
        (self.sweep / "cells/bbbbbbbbbbbb-0/samples.csv").write_text("damaged\n")
        self.assertEqual(self.export("--to", "csv", "--out", self.out, self.sweep)[:2], (2, []))
        self.assertEqual(self.names(self.folder), ["sweep"])

    def test_says_what_to_install_for_what_is_missing(self):
        for form, packages in FORMATS.items():
            with self.subTest(form):
                hidden = self.folder / f"without-{form}"
                hidden.mkdir()
                (hidden / f"{packages[-1]}.py").write_text("raise ImportError('not here')\n")
                paths = [str(hidden), os.environ.get("PYTHONPATH", "")]
                code, out, err = self.export("--to", form, "--out", self.out, self.sweep, PYTHONPATH=os.pathsep.join(paths))
                self.assertEqual((code, out), (3, []))
                self.assertRegex(err, rf"\Arunahead: error: --to {form} needs .*\(.*\): /.* -m pip install .*{packages[-1]}.*\n\Z")
                self.assertFalse(self.out.exists())

    @needs("csv")
    def test_folders_without_runs_and_formats_that_are_not_known(self):
        (self.folder / "empty").mkdir()
        for arguments, words in (([self.folder / "empty", "--to", "csv"], r"no records in '.*/empty'; give the folder of a run"),
                                 ([self.folder / "none", "--to", "csv"], r"/none: no such folder; give the folder of a run or of a sweep"),
                                 ([self.sweep, "--to", "csv", "--out", self.sweep / "records.jsonl/out"],
                                  r"/records.jsonl' is a file; give another folder\n\Z"),
                                 ([self.sweep, "--to", "excel"], r"--to: found 'excel'; allowed: csv, parquet, tensorboard, mlflow")):
            code, out, err = self.export(*arguments)
            self.assertEqual((code, out), (2, []))
            self.assertRegex(err, rf"\Arunahead: error: .*{words}")
        self.assertEqual(self.names(self.folder), ["empty", "sweep"])


if __name__ == "__main__":
    unittest.main()
