"""Training steps on MXNet: a hybridized block with static memory, and Gluon's trainer."""

import functools

import clock
import mxnet
import problems
from mxnet import gluon


def perceptron_loss(widths, F, parameters, inputs, targets):
    last = len(widths) - 2
    for layer, width in enumerate(widths[1:]):
        outputs = linear(F, inputs, parameters["weight%d" % layer], parameters["bias%d" % layer], width)
        inputs = F.relu(outputs) if layer < last else outputs
    return 0.5 * F.mean(F.square(outputs - targets))


def cnn_loss(F, parameters, inputs, targets):
    for layer, (stride, width) in enumerate(((1, 32), (2, 64), (2, 128))):
        inputs = F.relu(F.Convolution(inputs, parameters["filter%d" % layer], parameters["bias%d" % layer], kernel=(3, 3),
                                      stride=(stride, stride), pad=(1, 1), num_filter=width))
    outputs = linear(F, F.mean(inputs, axis=(2, 3)), parameters["head"], parameters["head_bias"], problems.CLASSES)
    return cross_entropy(F, outputs, targets)


def transformer_loss(F, parameters, inputs, targets):
    width, heads = problems.WIDTH, problems.HEADS
    x = F.Embedding(inputs, parameters["embedding"], input_dim=problems.TOKENS, output_dim=width)
    x = F.broadcast_add(x, F.expand_dims(parameters["positions"], 0))
    positions = F.arange(problems.TOKENS_PER_EXAMPLE)
    is_later = F.broadcast_lesser(F.expand_dims(positions, 1), F.expand_dims(positions, 0))
    mask = F.expand_dims(is_later * -1e30, 0)
    for layer in range(problems.LAYERS):
        def product(name, value, outputs, layer=layer):
            return linear(F, value, parameters["%s%d" % (name, layer)], parameters["%s_bias%d" % (name, layer)], outputs)

        def norm(name, value, layer=layer):
            return F.LayerNorm(value, parameters["%s_gain%d" % (name, layer)], parameters["%s_shift%d" % (name, layer)], eps=1e-5)

        def by_head(value):
            return F.reshape(F.transpose(F.reshape(value, (0, 0, heads, -1)), (0, 2, 1, 3)), (-3, 0, 0))

        query, key, value = (by_head(part) for part in F.split(product("qkv", norm("attention", x), 3 * width), 3, axis=-1))
        scores = F.batch_dot(query, key, transpose_b=True) * (width // heads) ** -0.5
        attended = F.batch_dot(F.softmax(F.broadcast_add(scores, mask)), value)
        attended = F.reshape(F.transpose(F.reshape(attended, (-4, -1, heads, 0, 0)), (0, 2, 1, 3)), (0, 0, -3))
        x = x + product("out", attended, width)
        x = x + product("down", F.relu(product("up", norm("forward", x), 4 * width)), width)
    x = F.LayerNorm(x, parameters["gain"], parameters["shift"], eps=1e-5)
    outputs = F.FullyConnected(x, parameters["head"], num_hidden=problems.TOKENS, no_bias=True, flatten=False)
    return cross_entropy(F, outputs, targets)


def linear(F, value, weight, bias, outputs):
    return F.FullyConnected(value, weight, bias, num_hidden=outputs, flatten=False)


def cross_entropy(F, outputs, targets):
    return -F.mean(F.pick(F.log_softmax(outputs), targets))


LOSSES = {"mlp": functools.partial(perceptron_loss, problems.WIDTHS["mlp"]),
          "small": functools.partial(perceptron_loss, problems.WIDTHS["small"]), "cnn": cnn_loss, "transformer": transformer_loss}


class Loss(gluon.HybridBlock):
    def __init__(self, problem):
        super().__init__()
        for name, array in problem.parameters.items():
            array = problems.outputs_first(name, array)
            setattr(self, name, self.params.get(name, shape=array.shape, init=mxnet.init.Constant(mxnet.nd.array(array))))
        self.loss = LOSSES[problem.name]

    def hybrid_forward(self, F, inputs, targets, **parameters):
        return self.loss(F, parameters, inputs, targets)


def main():
    asked = clock.parse()
    problem = problems.PROBLEMS[asked.problem]()
    loss_of = Loss(problem)
    loss_of.initialize()
    loss_of.hybridize(static_alloc=True, static_shape=True)
    trainer = gluon.Trainer(loss_of.collect_params(), "sgd", {"learning_rate": problem.rate})
    batches = [(mxnet.nd.array(inputs), mxnet.nd.array(targets)) for inputs, targets in problem.batches]

    def step(number):
        with mxnet.autograd.record():
            loss = loss_of(*batches[number])
        loss.backward()
        trainer.step(1)
        return loss

    def read(loss):
        mxnet.nd.waitall()
        return float(loss.asscalar())

    clock.run(problem, asked.steps, step, read)


main()
