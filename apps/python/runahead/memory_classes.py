"""Classifies the memory of a user's training loop, as far as torch shows its purpose.

The device counts memory by the class that is set when it is allocated. A user's loop sets none, so this follows torch:
what an optimiser's step allocates is its state, what a backward pass allocates are gradients, what a module's forward
allocates are activations, and what is allocated between a step and the next forward are inputs.
"""

import threading
import warnings
from collections.abc import Callable

import torch
from torch.nn.modules.module import register_module_forward_pre_hook
from torch.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook


class ClassFollower:
    """Sets the class of allocations, from `start` to `stop`. Several threads may train meanwhile."""

    def __init__(self, set_class: Callable[[str], None]) -> None:
        self._set_class = set_class
        self._hooks = []
        self._lock = threading.RLock()  # Guards `_is_armed`. Re-entrant: a signal handler may call a module.
        self._is_armed = False  # Whether `_hook` is installed.
        self._backward = None

    def start(self, first_class: str) -> None:
        """Installs hooks in torch. `first_class` applies until a module's forward."""
        # torch warns that it may call the forward hook twice, which does no harm.
        warnings.filterwarnings("ignore", message=r"Using `torch.compile\(module\)` when there are global hooks")
        self._filter = warnings.filters[0]
        self._hooks = [register_optimizer_step_pre_hook(lambda *_: self._set_class("optimizer_state")),
                       register_optimizer_step_post_hook(lambda *_: self.expect_inputs())]
        self._on_forward = self._begin_forward
        self._hook = register_module_forward_pre_hook(self._on_forward)
        self._expect(first_class)
        backward = torch.autograd.backward

        def followed_backward(*args, **kwargs):
            if self._backward is None:  # Stopped, but something else has kept this function.
                return backward(*args, **kwargs)
            self._set_class("gradients")
            try:
                return backward(*args, **kwargs)
            finally:
                self._set_class("activations")

        self._backward = backward, followed_backward
        torch.autograd.backward = followed_backward

    def expect_inputs(self) -> None:
        """Call when a batch begins."""
        self._expect("inputs")

    def stop(self) -> None:
        """Removes the hooks, and lets go of `set_class`: what torch has kept of them may outlive this."""
        self._set_class = lambda _class: None
        if self._filter in warnings.filters:
            warnings.filters.remove(self._filter)
        for hook in self._hooks:
            hook.remove()
        self._take_forward_hook()
        backward, followed_backward = self._backward
        self._backward = None
        if torch.autograd.backward is followed_backward:
            torch.autograd.backward = backward

    def _expect(self, expected_class: str) -> None:
        self._set_class(expected_class)
        with self._lock:
            self._is_armed = True  # Once per batch: a permanent hook would slow down every module call.
            # The same again: for another hook torch.compile would compile again.
            self._hook.hooks_dict_ref()[self._hook.id] = self._on_forward

    def _begin_forward(self, _module, _arguments) -> None:
        # torch.compile would trace the rest. What a compiled function allocates stays in the class of inputs.
        if not torch.compiler.is_compiling() and self._take_forward_hook():
            self._set_class("activations")

    def _take_forward_hook(self) -> bool:
        with self._lock:
            was_armed, self._is_armed = self._is_armed, False
            self._hook.remove()
            return was_armed
