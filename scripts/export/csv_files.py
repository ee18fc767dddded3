"""CSV: runs.csv, one row per run, and samples.csv, all their samples."""

NAME = "csv"
PACKAGES = ("pandas",)


def write(runs, output):
    from export import frames
    names = ("runs.csv", "samples.csv")
    with output.staged(*names) as folder:
        frames.runs_frame(runs).to_csv(folder / "runs.csv", index=False)
        for number, frame in enumerate(frames.samples_frames(runs)):
            frame.to_csv(folder / "samples.csv", mode="a", header=number == 0, index=False)
    return output.existing(*names)
