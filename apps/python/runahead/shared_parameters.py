"""Keeps parameters that modules share shared when a module moves to or from `acpu`.

Between cpu and CUDA, torch moves a parameter's data and keeps the object. It can't do so for a device of a
library's own: it makes a new parameter for each module that has one, and two modules with one weight would end with
two.
"""

import functools


def sharing_kept(apply):
    """Returns `torch.nn.Module._apply`, which every conversion of a module goes through, with sharing kept."""

    @functools.wraps(apply)
    def apply_and_share(module, fn, recurse=True):
        places = {}
        for part in module.modules():
            for name, parameter in part._parameters.items():
                if parameter is not None:
                    places.setdefault(parameter, []).append((part, name))
        converted = apply(module, fn, recurse)
        for (first, first_name), *others in places.values():
            for part, name in others:
                part._parameters[name] = first._parameters[first_name]
        return converted

    return apply_and_share
