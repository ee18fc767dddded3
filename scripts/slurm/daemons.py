"""munged, slurmctld and slurmd of a cluster: started, found again and ended. /proc alone decides what runs."""

import contextlib
import os
import pathlib
import re
import subprocess

from slurm import packages, processes

NAMES = ("munged", "slurmctld", "slurmd")
START_SECONDS, CLIENT_SECONDS, CANCEL_SECONDS, END_SECONDS = 60, 10, 30, 5
END_ROUNDS = 5
USABLE_STATES = {"idle", "mixed", "allocated", "completing"}
LOG_LINES = 5


class Failed(Exception):
    """A daemon failed; the message quotes it."""


def command(cluster, name):
    program = packages.find(name)
    if name == "munged":
        # --force: a user who may write to the parent folders could read this cluster anyway.
        return [program, "--foreground", "--force", f"--socket={cluster.munge_socket}", f"--key-file={cluster.munge_key}",
                f"--pid-file={cluster.folder}/munged.pid", f"--seed-file={cluster.folder}/munged.seed",
                f"--log-file={cluster.folder}/munged.log"]
    return [program, "-D", "-f", str(cluster.configuration)]


def start(cluster):
    """Starts all three and returns when the node accepts jobs. Raises Failed."""
    run(cluster, "munged", lambda: cluster.munge_socket.exists())
    run(cluster, "slurmctld", lambda: client(cluster, "scontrol", "ping").returncode == 0)
    run(cluster, "slurmd", lambda: node_state(cluster) in USABLE_STATES)


def run(cluster, name, is_ready):
    """Starts a daemon and waits until it is ready. Raises Failed if it ends or takes too long."""
    with open(cluster.folder / f"{name}.out", "wb") as output:
        daemon = subprocess.Popen(command(cluster, name), stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                                  cwd=cluster.folder, env=cluster.environment, start_new_session=True)
    # For a moment after Popen returns, /proc shows no arguments, so running() does not know the daemon yet.
    came = processes.wait_until(lambda: daemon.poll() is not None or (name in running(cluster) and is_ready()), START_SECONDS)
    if daemon.poll() is not None:
        raise Failed(f"{name} ended at once{last_words(cluster, name)}")
    if not came:
        raise Failed(f"{name} was not ready within {START_SECONDS} s{last_words(cluster, name)}")


def last_words(cluster, name):
    """The last lines that a daemon wrote, to append to a message."""
    lines = []
    with contextlib.suppress(OSError):
        lines = (cluster.folder / f"{name}.out").read_text(errors="replace").splitlines()
    return "".join([", having said:", *(f"\n  {line}" for line in lines[-LOG_LINES:])]) if lines else ""


def client(cluster, program, *arguments):
    """Calls one of Slurm's programs; a hanging one counts as failed."""
    called = [packages.find(program) or program, *arguments]
    try:
        return subprocess.run(called, env=cluster.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=CLIENT_SECONDS)
    except (subprocess.TimeoutExpired, OSError) as error:
        return subprocess.CompletedProcess(called, 1, "", str(error))


def node_state(cluster):
    """'idle', 'mixed', 'down', …; '' without an answer."""
    return re.sub(r"\W", "", client(cluster, "sinfo", "--noheader", "--format=%T").stdout)


def slurm_version():
    """(year, month) of the installed Slurm."""
    text = subprocess.run([packages.find("slurmctld"), "-V"], capture_output=True, text=True, timeout=CLIENT_SECONDS).stdout
    found = re.search(r"(\d+)\.(\d+)", text)
    if not found:
        raise Failed(f"slurmctld -V says '{text.strip()}', where a version was expected")
    return int(found[1]), int(found[2])


def is_healthy(cluster):
    return set(running(cluster)) == set(NAMES) and node_state(cluster) in USABLE_STATES


def jobs(cluster):
    """The numbers of the jobs and arrays that have not ended."""
    return sorted(set(client(cluster, "squeue", "--noheader", "--format=%F").stdout.split()))


def running(cluster):
    """{name: Process} of the daemons of this folder."""
    found = {}
    names_of_cluster = {str(cluster.configuration), f"--socket={cluster.munge_socket}"}
    for pid in processes.all_stats():
        program, *arguments = arguments_of(pid)
        process = processes.of(pid)
        if os.path.basename(program) in NAMES and names_of_cluster.intersection(arguments) and process and process.is_running():
            found[os.path.basename(program)] = process
    return found


def arguments_of(pid):
    with contextlib.suppress(OSError):
        return (processes.PROC / str(pid) / "cmdline").read_bytes().decode(errors="replace").split("\0")
    return [""]


def left_over(cluster):
    """Every Process of this folder: daemons, job steps, jobs, and their children."""
    roots = [process.pid for process in running(cluster).values()]
    for pid, found in processes.all_stats().items():
        if (found.name == "slurmstepd" and has_open(pid, cluster.folder)) or is_of_a_job(pid, cluster):
            roots.append(pid)
    return [process for process in processes.with_descendants(roots) if process.is_running()]


def has_open(pid, folder):
    """Whether the process has a file of the folder open, as a job step has slurmd's log open. A job step overwrites its
    environment."""
    with contextlib.suppress(OSError):
        for descriptor in (processes.PROC / str(pid) / "fd").iterdir():
            with contextlib.suppress(OSError):
                if folder in pathlib.Path(os.readlink(descriptor)).parents:
                    return True
    return False


def is_of_a_job(pid, cluster):
    """Whether its environment shows that this cluster's slurmd started it for a job."""
    with contextlib.suppress(OSError):
        variables = (processes.PROC / str(pid) / "environ").read_bytes().split(b"\0")
        return (f"SLURM_CONF={cluster.configuration}".encode() in variables
                and any(variable.startswith(b"SLURMD_NODENAME=") for variable in variables))
    return False


def cancel_jobs(cluster):
    """Cancels all jobs through Slurm, so that they end cleanly. Returns whether none is left."""
    numbers = jobs(cluster)
    if numbers:
        client(cluster, "scancel", *numbers)
    return processes.wait_until(lambda: not jobs(cluster), CANCEL_SECONDS)


def end(cluster):
    """Ends everything of the folder. Returns the Processes that did not end."""
    if "slurmctld" in running(cluster) and cluster.configuration.exists():
        cancel_jobs(cluster)
    known = left_over(cluster)  # Once a daemon has ended, its children cannot be found through it.
    processes.end(list(running(cluster).values()), END_SECONDS)
    for _ in range(END_ROUNDS):  # Processes that are being ended may start others.
        left = processes.end([*known, *left_over(cluster)], END_SECONDS)
        known = []
        if not left and not left_over(cluster):
            return []
    return [*left, *left_over(cluster)]
