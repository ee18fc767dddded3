"""MLflow: a run for each run. Figures and samples are metrics, the axes and the config parameters, the rest tags.

The store is mlflow.db, an SQLite database, or the one that MLFLOW_TRACKING_URI names. The steps of a series are
milliseconds since the start of the first measured batch.
"""

import logging
import os
import urllib.parse

from export.runs import as_text
from report.printing import note

NAME = "mlflow"
PACKAGES = ("mlflow-skinny", "sqlalchemy", "alembic", "numpy")

FILE = "mlflow.db"
KEY = "runahead/run"  # The tag that identifies a run.
STATES = {"ok": "FINISHED", "interrupted": "KILLED"}
LONGEST_TEXT = 5000  # Characters of a tag; a parameter may have 6,000.
LARGEST_BATCH = 1000  # Metrics per call.
PATIENCE = {"MLFLOW_HTTP_REQUEST_MAX_RETRIES": "3", "MLFLOW_HTTP_REQUEST_TIMEOUT": "15"}  # MLflow's own: 4 minutes without a word.


def write(runs, output):
    for name, value in {"MLFLOW_DISABLE_TELEMETRY": "true", **PATIENCE}.items():
        os.environ.setdefault(name, value)
    import alembic  # noqa: F401  MLflow uses it for a database, which it creates at the first use.
    from mlflow import MlflowClient
    from mlflow.exceptions import MlflowException
    from sqlalchemy.exc import SQLAlchemyError
    logging.getLogger("mlflow").setLevel(logging.WARNING)
    uri = os.environ.get("MLFLOW_TRACKING_URI")
    try:
        if uri and not output.is_named:
            if (server := urllib.parse.urlsplit(uri).hostname) is not None:
                note(f"writing to MLflow's server {server}: at most {os.environ['MLFLOW_HTTP_REQUEST_MAX_RETRIES']} retries for each request")
            experiment = log_runs(MlflowClient(uri), runs, None, output.may_replace)
            return [f"MLflow's experiment '{experiment}'"]  # Not the address, which may contain a password.
        with output.staged(FILE) as folder:
            artifacts = output.folder.resolve() / "mlflow_artifacts"  # Never created: nothing is stored there.
            log_runs(MlflowClient(f"sqlite:///{folder.resolve() / FILE}"), runs, artifacts.as_uri(), output.may_replace)
    except (MlflowException, SQLAlchemyError) as error:
        raise OSError("MLflow says: " + str(error).strip().partition("\n")[0]) from error
    return output.existing(FILE)


def log_runs(client, runs, artifacts, may_replace):
    """Logs all runs or none. Runs that an earlier export logged are replaced or refused. Returns the experiment's
    name."""
    name = os.environ.get("MLFLOW_EXPERIMENT_NAME") or ", ".join(dict.fromkeys(run.folder.resolve().name for run in runs))[:250]
    found = client.get_experiment_by_name(name)
    experiment = found.experiment_id if found else client.create_experiment(name, artifacts)
    earlier = [run for key in map(key_of, runs) for run in client.search_runs([experiment], f"tags.`{KEY}` = '{key}'")]
    if earlier and not may_replace:
        raise ValueError(f"MLflow's experiment '{name}' holds {len(earlier)} of these {len(runs)} runs already; "
                         "name another in MLFLOW_EXPERIMENT_NAME, or give --force to replace them")
    logged = []
    try:
        for run in runs:
            logged.append(client.create_run(experiment, round(run.began_seconds * 1000), tags_of(run), run.name).info.run_id)
            log_run(client, run, logged[-1])
    except BaseException:
        for run_id in logged:
            client.delete_run(run_id)
        raise
    for run in earlier:
        client.delete_run(run.info.run_id)
    return name


def log_run(client, run, run_id):
    from mlflow.entities import Metric, Param
    began, ended = round(run.began_seconds * 1000), round(run.ended_seconds * 1000)
    metrics = [Metric(name, value, ended, 0) for name, value in run.figures.items()]
    for name, times, values in run.series():
        metrics += [Metric(name, float(value), began + round(time * 1000), round(time * 1000)) for time, value in zip(times, values)]
    client.log_batch(run_id, params=[Param(name, as_text(value)) for name, value in run.parameters.items()])
    for start in range(0, len(metrics), LARGEST_BATCH):
        client.log_batch(run_id, metrics[start:start + LARGEST_BATCH])
    client.set_terminated(run_id, STATES.get(str(run.record.get("status")), "FAILED"), ended)


def tags_of(run):
    return {name: text[:LONGEST_TEXT] for name, text in run.facts.items()} | {KEY: key_of(run)}


def key_of(run):
    return " ".join(str(run.record.get(name)) for name in ("id", "repeat", "ended_at"))
