"""scripts/slurm_local: its arguments, what it prints, its exit codes."""

import argparse
import pathlib
import signal
import sys

from slurm import cluster, daemons, packages

EXIT_OK, EXIT_FAILED, EXIT_USAGE, EXIT_UNAVAILABLE, EXIT_INTERRUPTED = 0, 1, 2, 3, 130
CPUS, MEMORY_MIB = 4, 4096


def main(arguments):
    """Returns the exit code."""
    options = parse(arguments)
    signal.signal(signal.SIGTERM, interrupt)
    actions = {"start": start, "stop": stop, "status": status}
    try:
        return actions[options.action](cluster.of_folder(options.dir), options)
    except cluster.Refused as error:
        say(error)
        return EXIT_USAGE
    except packages.Missing as error:
        say(error)
        return EXIT_UNAVAILABLE
    except (daemons.Failed, OSError) as error:
        say(error)
        return EXIT_FAILED
    except KeyboardInterrupt:
        say("interrupted")
        return EXIT_INTERRUPTED


def interrupt(*_):
    raise KeyboardInterrupt


def start(local, options):
    packages.ensure(say)
    with cluster.locked(local, make=True):
        if daemons.is_healthy(local):
            refuse_other_size(local, options)
            say("runs already")
        else:
            start_clean(local, options)
    say(f"the node has {describe_size(cluster.size_of(local))}; for clients: export SLURM_CONF={local.configuration}")
    print(local.configuration)
    return EXIT_OK


def start_clean(local, options):
    """Removes what an earlier start left, and starts. A failure leaves nothing behind."""
    if daemons.left_over(local):
        say("only part of it runs: restarting")
        end(local)
    try:
        cluster.write(local, options.cpus or CPUS, options.memory or MEMORY_MIB, daemons.slurm_version())
        daemons.start(local)
    except BaseException:
        end(local)
        cluster.remove(local)
        raise


def refuse_other_size(local, options):
    """Raises Failed if the running cluster has another size than requested."""
    size = cluster.size_of(local)
    wanted = (options.cpus or size[0], options.memory or size[1])
    if wanted != size:
        raise daemons.Failed(f"a cluster of {describe_size(size)} runs already in '{local.folder}'; stop it first, or "
                             "choose another folder with --dir")


def stop(local, _):
    with cluster.locked(local):
        was_there = local.folder.exists() or daemons.left_over(local)
        end(local)
        cluster.remove(local)
    say("stopped" if was_there else f"nothing runs in '{local.folder}'")
    return EXIT_OK


def end(local):
    """Ends all processes of the cluster. Raises Failed if one remains."""
    left = daemons.end(local)
    if left:
        numbers = ", ".join(str(process.pid) for process in left)
        raise daemons.Failed(f"processes {numbers} did not end; '{local.folder}' is left as it is")


def status(local, _):
    """Prints what runs. Ok if the cluster accepts jobs."""
    running = daemons.running(local)
    for name in daemons.NAMES:
        print(f"{name}: {f'runs as process {running[name].pid}' if name in running else 'does not run'}")
    if len(running) < len(daemons.NAMES):
        return EXIT_FAILED
    state, size = daemons.node_state(local), cluster.size_of(local)
    print(f"node: {state or 'does not answer'}{f', {describe_size(size)}' if size else ''}")
    print(f"jobs: {len(daemons.jobs(local))} that have not ended")
    print(f"SLURM_CONF={local.configuration}")
    return EXIT_OK if state in daemons.USABLE_STATES else EXIT_FAILED


def describe_size(size):
    return f"{size[0]} CPUs and {size[1]} MiB"


def parse(arguments):
    parser = argparse.ArgumentParser(
        prog="slurm_local", formatter_class=argparse.RawDescriptionHelpFormatter,
        description="A single-node Slurm on the loopback: slurmctld, slurmd and munged from the system's packages, in a folder\n"
                    "of its own. `start` installs missing packages with apt as root and prints the path for SLURM_CONF; `stop`\n"
                    "cancels all jobs, ends everything and removes the folder; `status` shows what runs.",
        epilog="exit codes: 0 ok (status: it accepts jobs) · 1 failed (status: it accepts none) · 2 usage · 3 packages are missing\n"
               "and cannot be installed · 130 interrupted")
    parser.add_argument("action", choices=("start", "stop", "status"))
    parser.add_argument("--dir", type=pathlib.Path, default=cluster.default_folder(),
                        help="folder of the cluster (default: %(default)s); each folder is a cluster of its own")
    parser.add_argument("--cpus", type=positive, help=f"CPUs of the node (default: {CPUS})")
    parser.add_argument("--memory", type=positive, metavar="MIB", help=f"memory of the node (default: {MEMORY_MIB})")
    return parser.parse_args(arguments)


def positive(text):
    number = int(text)
    if number < 1:
        raise ValueError
    return number


def say(message):
    print(f"slurm_local: {message}", file=sys.stderr)
