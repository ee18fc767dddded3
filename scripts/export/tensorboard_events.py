"""TensorBoard: a folder of events for each run. Figures and samples are scalars; parameters and status are
hyperparameters.

The steps of a series are milliseconds since the start of the first measured batch.
"""

import re

NAME = "tensorboard"
PACKAGES = ("tensorboard",)


def write(runs, output):
    import tensorboard  # noqa: F401  Fails before anything is written.
    with output.staged(NAME) as folder:
        for run in runs:
            write_run(run, folder / NAME / folder_name(run))
    return output.existing(NAME)


def folder_name(run):
    return re.sub(r"[^\w.=,-]+", "_", f"{run.number}-{run.name}")[:100]


def write_run(run, folder):
    from tensorboard.compat.proto.event_pb2 import Event
    from tensorboard.compat.proto.summary_pb2 import Summary
    from tensorboard.plugins.hparams.summary_v2 import hparams_pb
    from tensorboard.summary.writer.record_writer import RecordWriter
    hyperparameters = {name: value if isinstance(value, (bool, int, float)) else str(value) for name, value in run.parameters.items()}
    folder.mkdir(parents=True)
    with open(folder / "events.out.tfevents.runahead", "wb") as file:
        writer = RecordWriter(file)

        def add(value, seconds=run.ended_seconds, step=0):
            writer.write(Event(wall_time=seconds, step=step, summary=value).SerializeToString())

        def scalar(name, value):
            return Summary(value=[Summary.Value(tag=name, simple_value=value)])

        writer.write(Event(wall_time=run.began_seconds, file_version="brain.Event:2").SerializeToString())
        add(hparams_pb(hyperparameters | {"status": str(run.record.get("status"))}, folder.name, run.began_seconds))
        for name, value in run.figures.items():
            add(scalar(name, value))
        for name, times, values in run.series():
            for time, value in zip(times, values):
                add(scalar(name, value), run.began_seconds + time, round(time * 1000))
