"""The folder of a cluster of one node, and the configuration in it."""

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
# Of a socket, in characters; the longest in the folder is that of a step of a job.
LONGEST_PATH = 107


class Refused(Exception):
    """The folder cannot be used; the message says why and what to do."""


@dataclasses.dataclass(frozen=True)
class Cluster:
    """Where everything lies."""

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
        """What Slurm's programs are called with."""
        return {**os.environ, "SLURM_CONF": str(self.configuration)}


def default_folder():
    return pathlib.Path("/tmp") / f"runahead-slurm-{os.geteuid()}"


def of_folder(folder):
    """The Cluster of a folder, which may not be there. Raises Refused if there can be none."""
    folder = pathlib.Path(os.path.abspath(folder))
    if not re.fullmatch(r"[\w./+-]+", str(folder), re.ASCII):
        raise Refused(f"'{folder}' holds characters that slurm.conf does not take; allowed are letters, digits and ._+-/")
    too_many = len(f"{folder}/spool/{host_name()}_4294967295.4294967295") - LONGEST_PATH
    if too_many > 0:
        raise Refused(f"'{folder}' is {too_many} characters too long for the sockets in it; name a shorter one with --dir")
    if not folder.exists():
        if not folder.parent.is_dir():
            raise Refused(f"'{folder.parent}' is no folder; make it, or name another with --dir")
        return Cluster(folder)
    if not folder.is_dir() or folder.is_symlink():
        raise Refused(f"'{folder}' is no folder; name another with --dir")
    if folder.stat().st_uid != os.geteuid():
        raise Refused(f"'{folder}' is another user's; name another with --dir")
    if any(folder.iterdir()) and not (folder / MARKER).exists():
        raise Refused(f"'{folder}' holds what scripts/slurm_local did not make; name another with --dir")
    return Cluster(folder)


@contextlib.contextmanager
def locked(cluster, make=False):
    """Keeps other calls from this folder. make: the folder, if it is not there. Raises Refused after LOCK_SECONDS."""
    with contextlib.ExitStack() as stack:
        deadline = time.monotonic() + LOCK_SECONDS
        while not try_lock(cluster.folder, make, stack):
            if time.monotonic() >= deadline:
                raise Refused(f"another scripts/slurm_local has been at work on '{cluster.folder}' for {LOCK_SECONDS} s")
            time.sleep(processes.POLL_SECONDS)
        yield


def try_lock(folder, make, stack):
    """Whether the folder is locked now, until `stack` ends, or is not there and not to be made."""
    if make:
        folder.mkdir(mode=0o755, exist_ok=True)
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except FileNotFoundError:
        return not make
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # Whoever had the lock before may have removed the folder.
        is_locked = os.path.samestat(os.fstat(descriptor), os.stat(folder))
    except (BlockingIOError, FileNotFoundError):
        is_locked = False
    if is_locked:
        stack.callback(os.close, descriptor)
    else:
        os.close(descriptor)
    return is_locked


def write(cluster, cpus, memory_mib, version):
    """Fills the folder, of which nothing older stays. version: of Slurm, (year, month)."""
    empty(cluster)
    (cluster.folder / MARKER).touch()
    cluster.folder.chmod(0o755)  # Clients of munge pass through it, whatever the umask.
    for name in ("state", "spool"):
        (cluster.folder / name).mkdir(exist_ok=True)
    cluster.munge_key.touch(mode=0o600)
    cluster.munge_key.write_bytes(os.urandom(128))
    cluster.configuration.write_text(configuration_text(cluster, cpus, memory_mib, free_ports(2)))
    if version >= (24, 5):  # Older ones do not know the word, and leave cgroups alone without it.
        (cluster.folder / "cgroup.conf").write_text("CgroupPlugin=disabled\n")


def configuration_text(cluster, cpus, memory_mib, ports):
    """slurm.conf: without cgroups, systemd, accounting and the network.

    Over --mem a job is killed by the gathering of accounts, once a second. What the node is said to have counts, not what
    the machine has, so that several jobs run at once anywhere.
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
KillWait=5
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
    """Ports of the loopback that nobody listens on."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]


def size_of(cluster):
    """(CPUs, memory in MiB) of the node, as configured; None if that cannot be read."""
    try:
        found = re.search(r"CPUs=(\d+) RealMemory=(\d+)", cluster.configuration.read_text())
    except OSError:
        return None
    return (int(found[1]), int(found[2])) if found else None


def empty(cluster):
    """Removes what is in the folder; its mark last, so that what is cut short can be gone on with."""
    for entry in sorted(cluster.folder.iterdir(), key=lambda entry: entry.name == MARKER):
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        else:
            entry.unlink()


def remove(cluster):
    """Removes the folder and all in it."""
    if cluster.folder.exists():
        empty(cluster)
        cluster.folder.rmdir()
