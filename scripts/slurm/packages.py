"""Finds Slurm's programs, and installs missing packages with apt."""

import os
import shutil
import subprocess

# A program, and its package on Debian and Ubuntu.
PROGRAMS = {"munged": "munge", "slurmctld": "slurmctld", "slurmd": "slurmd", "sbatch": "slurm-client"}
# Daemons are in folders that only root's PATH has.
FOLDERS = os.pathsep.join(["/usr/sbin", "/usr/local/sbin", "/sbin"])
INSTALL = ["apt-get", "install", "-y", "--no-install-recommends", "-o", "DPkg::Lock::Timeout=120"]
UPDATE_SECONDS, INSTALL_SECONDS = 120, 300


class Missing(Exception):
    """Packages are missing and cannot be installed; the message says which and why."""


def find(program):
    """The path of a program, or None."""
    return shutil.which(program, path=os.environ.get("PATH", os.defpath) + os.pathsep + FOLDERS)


def missing():
    """The missing packages."""
    return [package for program, package in PROGRAMS.items() if find(program) is None]


def ensure(say):
    """Installs missing packages, as root or by sudo without a password. Raises Missing. `say` informs the user."""
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
        # The package lists may be outdated.
        error = run([*as_root, "apt-get", "update", "-q"], UPDATE_SECONDS) or run([*as_root, *INSTALL, *packages], INSTALL_SECONDS)
    if missing():
        raise Missing(f"apt could not install {' '.join(missing())}: {error or 'their files differ from what was expected'}")


def root_command():
    """The prefix that runs a command as root; None if that needs a password."""
    if os.geteuid() == 0:
        return ["env", "DEBIAN_FRONTEND=noninteractive"]
    if shutil.which("sudo") and subprocess.run(["sudo", "-n", "true"], capture_output=True).returncode == 0:
        return ["sudo", "-n", "env", "DEBIAN_FRONTEND=noninteractive"]
    return None


def run(command, limit_seconds):
    """Runs a command with a time limit. Returns its last line of output if it failed, else ''."""
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              timeout=limit_seconds)
    except subprocess.TimeoutExpired:
        return f"'{' '.join(command)}' did not end within {limit_seconds} s"
    words = [line for line in done.stdout.splitlines() if line.strip()]
    return (words[-1] if words else f"exit code {done.returncode}") if done.returncode else ""
