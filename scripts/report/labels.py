"""What parts of a config are called."""


def axis_label(pointer, value):
    """'/data/batch_size', 256 -> 'batch_size 256'."""
    name = pointer.rsplit("/", 1)[-1] or pointer
    return f"{name} {value if isinstance(value, (str, int, float)) else compact(value)}"


def compact(value):
    """{'policy': 'none'} -> 'policy none'."""
    if isinstance(value, dict):
        return ", ".join(f"{key} {compact(item)}" for key, item in value.items())
    return "null" if value is None else str(value)


def section(config, name):
    """The object of that name in the config, or an empty one."""
    value = config.get(name)
    return value if isinstance(value, dict) else {}
