"""The folder of a single-node cluster, and its configuration."""

import contextlib
import dataclasses
import fcntl
import os
import pathlib
import pwd
import re
import shutil
import socket
import time

from slurm import processes

MARKER = "made_by_slurm_local"
LOCK_SECONDS = 120
# Longest path of a socket, in characters; the longest in the folder is a job step's.
LONGEST_PATH = 107


class Refused(Exception):
    """The folder cannot be used; the message says why and what to do."""


@dataclasses.dataclass(frozen=True)
class Cluster:
    """The paths of a cluster."""

    folder: pathlib.Path  # Absolute.

    @property
    def configuration(self):
        return self.folder / "slurm.conf"

    @property
    def munge_socket(self):
        return self.folder / "munge.socket"

    @property
    def munge_key(self):
        return self.folder / "munge.key"

    def log(self, daemon):
        return self.folder / f"{daemon}.log"

    @property
    def environment(self):
        """The environment of Slurm's programs."""
        return {**os.environ, "SLURM_CONF": str(self.configuration)}


def default_folder():
    return pathlib.Path("/tmp") / f"runahead-slurm-{os.geteuid()}"


def of_folder(folder):
    """The Cluster of a folder, which may not exist. Raises Refused if it cannot hold one."""
    folder = pathlib.Path(os.path.abspath(folder))
    if not re.fullmatch(r"[\w./+-]+", str(folder), re.ASCII):
        raise Refused(f"'{folder}' has characters that slurm.conf does not allow; allowed: letters, digits and ._+-/")
    too_many = len(f"{folder}/spool/{host_name()}_4294967295.4294967295") - LONGEST_PATH
    if too_many > 0:
        raise Refused(f"'{folder}' is {too_many} characters too long for the sockets in it; choose a shorter one with --dir")
    if not folder.exists():
        if not folder.parent.is_dir():
            raise Refused(f"'{folder.parent}' is not a folder; create it, or choose another with --dir")
        return Cluster(folder)
    if not folder.is_dir() or folder.is_symlink():
        raise Refused(f"'{folder}' is not a folder; choose another with --dir")
    if folder.stat().st_uid != os.geteuid():
        raise Refused(f"'{folder}' belongs to another user; choose another with --dir")
    if any(folder.iterdir()) and not (folder / MARKER).exists():
        raise Refused(f"'{folder}' has files that scripts/slurm_local did not make; choose another with --dir")
    return Cluster(folder)


@contextlib.contextmanager
def locked(cluster, make=False):
    """Locks the folder against other calls. make: create it if missing. Raises Refused after LOCK_SECONDS."""
    with contextlib.ExitStack() as stack:
        deadline = time.monotonic() + LOCK_SECONDS
        while not try_lock(cluster.folder, make, stack):
            if time.monotonic() >= deadline:
                raise Refused(f"another scripts/slurm_local has been using '{cluster.folder}' for {LOCK_SECONDS} s")
            time.sleep(processes.POLL_SECONDS)
        yield


def try_lock(folder, make, stack):
    """Locks the folder until `stack` ends. Returns whether it is locked, or missing and not to be made."""
    if make:
        folder.mkdir(mode=0o755, exist_ok=True)
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except FileNotFoundError:
        return not make
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # The previous holder may have removed the folder.
        is_locked = os.path.samestat(os.fstat(descriptor), os.stat(folder))
    except (BlockingIOError, FileNotFoundError):
        is_locked = False
    if is_locked:
        stack.callback(os.close, descriptor)
    else:
        os.close(descriptor)
    return is_locked


def write(cluster, cpus, memory_mib, version):
    """Replaces the content of the folder. version: of Slurm, (year, month)."""
    empty(cluster)
    (cluster.folder / MARKER).touch()
    cluster.folder.chmod(0o755)  # Munge clients pass through it, whatever the umask.
    for name in ("state", "spool"):
        (cluster.folder / name).mkdir(exist_ok=True)
    cluster.munge_key.touch(mode=0o600)
    cluster.munge_key.write_bytes(os.urandom(128))
    cluster.configuration.write_text(configuration_text(cluster, cpus, memory_mib, free_ports(2)))
    if version >= (24, 5):  # Older versions do not have this setting and need none.
        (cluster.folder / "cgroup.conf").write_text("CgroupPlugin=disabled\n")


def configuration_text(cluster, cpus, memory_mib, ports):
    """slurm.conf: without cgroups, systemd, accounting and the network.

    jobacct_gather checks memory once a second and kills a job over --mem. The configured size of the node counts, not the
    machine's, so several jobs run at once anywhere.
    """
    host, user = host_name(), pwd.getpwuid(os.geteuid()).pw_name
    folder = cluster.folder
    return f"""ClusterName=slurm_local
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
AuthType=auth/munge
AuthInfo=socket={cluster.munge_socket}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={cluster.log("slurmctld")}
SlurmdLogFile={cluster.log("slurmd")}
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=1
JobAcctGatherParams=OverMemoryKill
AccountingStorageType=accounting_storage/none
MpiDefault=none
MailProg=/bin/true
ReturnToService=2
MaxArraySize=20001
MaxJobCount=50000
SlurmdParameters=config_overrides
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} RealMemory={memory_mib} State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP DefMemPerCPU={max(1, memory_mib // cpus)}
"""


def host_name():
    """The machine's name as Slurm's daemons know it: up to the first dot."""
    return socket.gethostname().partition(".")[0]


def free_ports(count):
    """Free ports of the loopback."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]


def size_of(cluster):
    """(CPUs, memory in MiB) of the node, as configured; None if unreadable."""
    try:
        found = re.search(r"CPUs=(\d+) RealMemory=(\d+)", cluster.configuration.read_text())
    except OSError:
        return None
    return (int(found[1]), int(found[2])) if found else None


def empty(cluster):
    """Empties the folder, the marker last, so that an interrupted call can be repeated."""
    for entry in sorted(cluster.folder.iterdir(), key=lambda entry: entry.name == MARKER):
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        else:
            entry.unlink()


def remove(cluster):
    """Removes the folder and its content."""
    if cluster.folder.exists():
        empty(cluster)
        cluster.folder.rmdir()
