"""Common parts of PyTorch and PaddlePaddle: tensors, layers and gradients with the same names."""

import os

from baseline import Baseline, Network


class EagerBaseline(Baseline):
    """A framework whose module is `library`, set by its baseline."""

    library = None
    # Suffix of the files that it saves tensors to.
    suffix = None

    def uniform(self, shape):
        return self.library.rand(shape)

    def normal(self, shape):
        return self.library.randn(shape)

    def ones(self, shape):
        return self.library.ones(shape)

    def dot(self, left, right):
        return self.library.mm(left, right)

    def to_host(self, array):
        return array.numpy()

    def synchronising_functions(self, folder):
        return {
            "numpy": lambda y: y.numpy(),
            "item": lambda y: y.norm().item(),
            "print": print,
            "save": lambda y: self.library.save(y, os.path.join(folder, "product" + self.suffix)),
            "implicit_bool": lambda y: bool(y.norm()),
        }


class EagerNetwork(Network):
    """The layers; a subclass adds the optimizer and the order of its calls."""

    def __init__(self, library):
        self.library, nn = library, library.nn
        wide, narrow = self.HIDDEN
        self.layers = nn.Sequential(nn.Linear(self.FEATURES, wide), nn.ReLU(), nn.Linear(wide, narrow), nn.ReLU(),
                                    nn.Linear(narrow, 1))

    def loss(self, inputs, targets):
        return 0.5 * self.library.nn.functional.mse_loss(self.layers(inputs), targets)

    def predict(self, inputs):
        with self.library.no_grad():
            return self.layers(inputs)
