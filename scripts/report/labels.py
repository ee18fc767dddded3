"""What runs are called: by what their config says, in the words of the config."""

from report import units

ASYNC_AND_SYNC = {"none", "every_batch"}


def sync_label(sync):
    """A sync policy in words; '' if it is not known."""
    policy, wait = sync.get("policy"), sync.get("wait")
    known = {
        "none": "async: never waits",
        "every_batch": f"sync: waits after every batch ({wait})",
        "every_n": f"waits every {sync.get('n')} batches ({wait})",
        "window": f"window of {sync.get('batches')} batches",
        "budget": f"budget of {size_label(sync.get('bytes'))}",
        "adaptive": f"adaptive, at most {size_label(sync.get('ceiling'))}",
    }
    return known.get(policy, policy or "")


def size_label(size):
    return size if isinstance(size, str) else units.bytes_text(size)


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


def device_label(config):
    device = config.get("device", "")
    if device != "acpu":
        return device
    acpu = config.get("acpu") or {}
    workers = acpu.get("workers", 1)
    details = [f"{workers} worker" + ("" if workers == 1 else "s"), acpu.get("ready_order"), acpu.get("allocation")]
    return f"acpu ({', '.join(detail for detail in details if detail)})"


def model_label(config):
    model = config.get("model") or {}
    widths = [(config.get("data") or {}).get("features"), *(model.get("layers") or [])]
    shape = "-".join(str(width) for width in widths if width is not None)
    kind = str(model.get("kind") or "")
    return f"{kind.upper() if kind == 'mlp' else kind} {shape}".strip()


def batches_label(config):
    data = config.get("data") or {}
    if "batches" not in config:
        return ""
    label = f"{config['batches']} batches"
    if "batch_size" in data:
        label += f" of {data['batch_size']}"
    if "made" in data:
        label += f", made {str(data['made']).replace('_', ' ')}"
    return label


def title(policies):
    """The headline of a chart of these sync policies."""
    against = "sync against async" if policies == ASYNC_AND_SYNC else "by sync policy"
    return f"Memory growth and backlog while training, {against}"
