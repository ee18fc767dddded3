"""The system's packages of Slurm: what they bring is looked for, and installed by apt where it is missing."""

import os
import shutil
import subprocess

# A program, and the package that brings it on Debian and Ubuntu.
PROGRAMS = {"munged": "munge", "slurmctld": "slurmctld", "slurmd": "slurmd", "sbatch": "slurm-client"}
# Daemons lie where only root's path looks.
FOLDERS = os.pathsep.join(["/usr/sbin", "/usr/local/sbin", "/sbin"])
INSTALL = ["apt-get", "install", "-y", "--no-install-recommends", "-o", "DPkg::Lock::Timeout=120"]
UPDATE_SECONDS, INSTALL_SECONDS = 120, 300


class Missing(Exception):
    """Packages are not there and cannot be installed; the message says which and why."""


def find(program):
    """The path of a program, or None."""
    return shutil.which(program, path=os.environ.get("PATH", os.defpath) + os.pathsep + FOLDERS)


def missing():
    """The packages that are not there."""
    return [package for program, package in PROGRAMS.items() if find(program) is None]


def ensure(say):
    """Installs what is missing, for which it takes root or a sudo without password. Raises Missing. `say` tells the user."""
    packages = missing()
    if not packages:
        return
    by_hand = f"{' '.join(INSTALL[:4])} {' '.join(packages)}"
    if shutil.which("apt-get") is None:
        raise Missing(f"this system has no apt-get; install what Debian calls {' '.join(packages)}")
    as_root = root_command()
    if as_root is None:
        raise Missing(f"{' '.join(packages)} are missing and root is needed to install them; run: sudo {by_hand}")
    say(f"installing system packages: {' '.join(packages)}")
    error = run([*as_root, *INSTALL, *packages], INSTALL_SECONDS)
    if error and missing():
        # The lists may be older than the mirror.
        error = run([*as_root, "apt-get", "update", "-q"], UPDATE_SECONDS) or run([*as_root, *INSTALL, *packages], INSTALL_SECONDS)
    if missing():
        raise Missing(f"apt could not install {' '.join(missing())}: {error or 'it brought other files than expected'}")


def root_command():
    """What to put before a command so that root runs it; None if that is not possible without a password."""
    if os.geteuid() == 0:
        return ["env", "DEBIAN_FRONTEND=noninteractive"]
    if shutil.which("sudo") and subprocess.run(["sudo", "-n", "true"], capture_output=True).returncode == 0:
        return ["sudo", "-n", "env", "DEBIAN_FRONTEND=noninteractive"]
    return None


def run(command, limit_seconds):
    """Runs a command for at most so long. Returns its last words if it failed, else ''."""
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              timeout=limit_seconds)
    except subprocess.TimeoutExpired:
        return f"'{' '.join(command)}' did not end within {limit_seconds} s"
    words = [line for line in done.stdout.splitlines() if line.strip()]
    return (words[-1] if words else f"exit code {done.returncode}") if done.returncode else ""
