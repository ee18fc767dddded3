"""What runs are called: by what their config says, in the words of the config."""

from report import records, units

ASYNC_AND_SYNC = {"none", "every_batch"}


def sync_label(sync):
    """A sync policy in words; '' if it is not known."""
    policy, wait = str(sync.get("policy") or ""), sync.get("wait")
    known = {
        "none": "async: never waits",
        "every_batch": f"sync: waits after every batch ({wait})",
        "every_n": f"waits every {sync.get('n')} batches ({wait})",
        "window": f"window of {sync.get('batches')} batches",
        "budget": f"budget of {size_label(sync.get('bytes'))}",
        "adaptive": f"adaptive, at most {size_label(sync.get('ceiling'))}",
    }
    return known.get(policy, policy)


def size_label(size):
    return units.bytes_text(size) if records.is_number(size) else str(size)


def run_name(run):
    """What tells a run apart in a table: its axes, else its sync policy, else its experiment."""
    if run.axes:
        name = ", ".join(axis_label(pointer, value) for pointer, value in run.axes.items())
    else:
        name = sync_label(run.mapping("config", "sync")) or str(run.get("experiment") or "run")
    return with_source(name, run.source)


def with_source(name, source):
    """'runs/new: window of 2 batches' where two sweeps are compared and so have names; else the name."""
    return f"{source}: {name}" if source else name


def axis_label(pointer, value):
    """'/data/batch_size', 256 -> 'batch_size 256'."""
    name = pointer.rsplit("/", 1)[-1] or pointer
    return f"{name} {value if isinstance(value, (str, int, float)) else compact(value)}"


def compact(value):
    """{'policy': 'none'} -> 'policy none'."""
    if isinstance(value, dict):
        return ", ".join(f"{key} {compact(item)}" for key, item in value.items())
    return "null" if value is None else str(value)


def setting(config):
    """Device, model, batches, where data is made, ready order: one line."""
    parts = [device_label(config), model_label(config), batches_label(config)]
    return " · ".join(part for part in parts if part)


def section(config, name):
    """The object of that name in the config, or an empty one."""
    value = config.get(name)
    return value if isinstance(value, dict) else {}


def device_label(config):
    device = str(config.get("device") or "")
    if device.startswith("cuda") and "data" in config:
        cuda = section(config, "cuda")
        details = [str(cuda[key]).replace("_", " ") for key in ("staging", "copies") if key in cuda]
        return f"{device} ({', '.join(details)})" if details else device
    if device != "acpu":
        return device
    acpu = section(config, "acpu")
    workers = acpu.get("workers", 1)
    details = [f"{workers} worker" + ("" if workers == 1 else "s"), acpu.get("ready_order"), acpu.get("allocation")]
    return f"acpu ({', '.join(str(detail) for detail in details if detail)})"


def model_label(config):
    model = section(config, "model")
    layers = model.get("layers")
    widths = [section(config, "data").get("features"), *(layers if isinstance(layers, list) else [])]
    shape = "-".join(str(width) for width in widths if width is not None)
    kind = str(model.get("kind") or "")
    return f"{kind.upper() if kind == 'mlp' else kind} {shape}".strip()


def batches_label(config):
    data = section(config, "data")
    if "batches" not in config:
        return ""
    label = f"{config['batches']} batches"
    if "batch_size" in data:
        label += f" of {data['batch_size']}"
    if "made" in data:
        label += f", made {str(data['made']).replace('_', ' ')}"
    return label


def title(policies, experiment):
    """The headline of a chart of these sync policies, of an experiment of that kind."""
    against = "sync against async" if policies == ASYNC_AND_SYNC else "by sync policy"
    if not any(policies):  # A kind without one.
        return "Memory growth and backlog"
    meanwhile = {"train": " while training", "predict": " while predicting"}.get(str(experiment), "")
    return f"Memory growth and backlog{meanwhile}, {against}"
