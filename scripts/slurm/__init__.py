"""A Slurm of one node on the loopback, in a folder of its own: what scripts/slurm_local is made of.

packages -> cluster (folder, configuration) -> daemons (munged, slurmctld, slurmd) -> command
"""
