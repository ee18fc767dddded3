"""Rejects, at the call, features that torch would begin on `acpu` and could not complete.

Each of them is Python code of torch that calls no operator of the device: DLPack would hand out an unmapped address,
the profiler would print an error for every operator, a strided nested tensor would be unusable, another process would wait
for a tensor that it never gets, and Inductor would fail an assertion of its own.
"""

import functools
import multiprocessing.queues
import threading

import torch


def _refusing(function, is_refused, sentence):
    @functools.wraps(function)
    def checked(*args, **kwargs):
        if is_refused(*args, **kwargs):
            raise NotImplementedError(sentence)
        return function(*args, **kwargs)

    return checked


def _is_on_acpu(tensor, *_args, **_kwargs):
    return isinstance(tensor, torch.Tensor) and tensor.device.type == "acpu"


def _is_shared_from_acpu(shared, *_args, **_kwargs):
    return shared.device.type == "acpu"


def _is_compiled_for_acpu(_self, graph, inputs):
    """Whether an input is on `acpu`, or a tensor that the graph makes."""
    nodes = [node for module in graph.modules() if isinstance(module, torch.fx.GraphModule) for node in module.graph.nodes]
    made = [node.meta.get("example_value", node.meta.get("val")) for node in nodes]
    return any(_is_on_acpu(tensor) for tensor in torch.utils._pytree.tree_leaves([list(inputs), made]))


def _raise_at_receiver(sentence):
    raise NotImplementedError(sentence)


def _refusing_to_share(reduce, sentence):
    """Queues of multiprocessing pickle in a thread of their own and drop what fails, so the receiver raises instead.

    Other queues, as those of `concurrent.futures`, have another handler of such errors, which reports them.
    """
    refusing = _refusing(reduce, _is_shared_from_acpu, sentence)

    @functools.wraps(reduce)
    def reduced(shared):
        arguments = getattr(threading.current_thread(), "_args", ())  # Of a queue's thread, its handler of errors is one.
        is_dropped = multiprocessing.queues.Queue._on_queue_feeder_error in arguments
        return (_raise_at_receiver, (sentence,)) if is_dropped and _is_shared_from_acpu(shared) else refusing(shared)

    return reduced


def _is_profile_of_acpu(_self, *args, use_device=None, **_kwargs):
    return use_device == "acpu"


def _refusing_nested(function):
    """Raises RuntimeError, because attention of jagged tensors ignores a NotImplementedError and then fails elsewhere."""
    sentence = ("acpu has no nested tensors with strided layout, which attention of jagged ones makes, too: pad the parts "
                "to one shape, or use cpu")

    @functools.wraps(function)
    def checked(*args, **kwargs):
        try:
            made = function(*args, **kwargs)
        except NotImplementedError as error:
            if "acpu has strided tensors only" in str(error):
                raise RuntimeError(sentence) from None
            raise
        if made.device.type == "acpu" and made.layout == torch.strided:
            raise RuntimeError(sentence)
        return made

    return checked


def _leave_acpu_out_of_profiles():
    """Lets `torch.profiler.profile()` profile what it can: without activities, torch takes all that it supports."""
    of_all_devices = torch.autograd._supported_activities

    def supported_activities():
        return of_all_devices() - {torch.profiler.ProfilerActivity.PrivateUse1}

    torch.autograd._supported_activities = supported_activities


def install() -> None:
    """Installs the refusals in torch. Other devices are not affected."""
    dlpack = "acpu has no DLPack: its memory is not the host's. Copy to the host first: tensor.cpu()"
    for name in ("__dlpack__", "__dlpack_device__"):
        setattr(torch.Tensor, name, _refusing(getattr(torch.Tensor, name), _is_on_acpu, dlpack))
    torch.to_dlpack = torch.utils.dlpack.to_dlpack = _refusing(torch.utils.dlpack.to_dlpack, _is_on_acpu, dlpack)
    profile = torch.autograd.profiler.profile
    profile.__init__ = _refusing(profile.__init__, _is_profile_of_acpu,
                                 "the profiler has no times of acpu: leave ProfilerActivity.PrivateUse1 or use_device out "
                                 "to profile what issues operations; runahead.recording(folder) writes a trace.json that "
                                 "shows when each is executed")
    _leave_acpu_out_of_profiles()
    inductor = torch._TorchCompileInductorWrapper
    inductor.__call__ = _refusing(inductor.__call__, _is_compiled_for_acpu,
                                  "Inductor generates no code for acpu: use torch.compile(…, backend=\"aot_eager\")")
    reductions = torch.multiprocessing.reductions
    sharing = ("acpu can't share a tensor with another process: its memory belongs to this one. Send tensor.cpu(), and "
               "move it to the device there")
    reductions.reduce_tensor = _refusing_to_share(reductions.reduce_tensor, sharing)
    reductions.reduce_storage = _refusing_to_share(reductions.reduce_storage, sharing)
    reductions.init_reductions()
    for name in ("nested_tensor", "as_nested_tensor"):
        setattr(torch.nested, name, _refusing_nested(getattr(torch.nested, name)))
