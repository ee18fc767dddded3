"""Parquet: runs.parquet, one row per run, and samples.parquet, all their samples, one row group per run."""

NAME = "parquet"
PACKAGES = ("pandas", "pyarrow")


def write(runs, output):
    from pyarrow import Table, parquet

    from export import frames
    names = ("runs.parquet", "samples.parquet")
    with output.staged(*names) as folder:
        frames.runs_frame(runs).to_parquet(folder / "runs.parquet", engine="pyarrow", index=False)
        writer = None
        for frame in frames.samples_frames(runs):
            table = Table.from_pandas(frame, preserve_index=False)
            writer = writer or parquet.ParquetWriter(folder / "samples.parquet", table.schema)
            writer.write_table(table)
        if writer is not None:
            writer.close()
    return output.existing(*names)
