"""A single-node Slurm on the loopback, in a folder of its own: the parts of scripts/slurm_local.

packages -> cluster (folder, configuration) -> daemons (munged, slurmctld, slurmd) -> command
"""
