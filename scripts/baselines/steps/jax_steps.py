"""Training steps on JAX: jitted, with donated parameters. It uses as many threads as the process has CPUs."""

import os

os.environ["JAX_PLATFORMS"] = "cpu"

import clock
import jax
import jax.numpy as jnp
import problems


def perceptron_loss(parameters, inputs, targets):
    last = len(parameters) // 2 - 1
    for layer in range(last):
        inputs = jax.nn.relu(inputs @ parameters[f"weight{layer}"] + parameters[f"bias{layer}"])
    outputs = inputs @ parameters[f"weight{last}"] + parameters[f"bias{last}"]
    return 0.5 * ((outputs - targets) ** 2).mean()


def cnn_loss(parameters, inputs, targets):
    """Inputs are (64, 32, 32, 3), the layout that XLA's CPU kernels are made for."""
    for layer, stride in enumerate((1, 2, 2)):
        inputs = jax.lax.conv_general_dilated(inputs, parameters[f"filter{layer}"], (stride, stride), ((1, 1), (1, 1)),
                                              dimension_numbers=("NHWC", "HWIO", "NHWC"))
        inputs = jax.nn.relu(inputs + parameters[f"bias{layer}"])
    return cross_entropy(inputs.mean((1, 2)) @ parameters["head"] + parameters["head_bias"], targets)


def transformer_loss(parameters, inputs, targets):
    x = parameters["embedding"][inputs] + parameters["positions"]
    for layer in range(problems.LAYERS):
        def linear(name, value, layer=layer):
            return value @ parameters[f"{name}{layer}"] + parameters[f"{name}_bias{layer}"]

        def norm(name, value, layer=layer):
            return layer_norm(value, parameters[f"{name}_gain{layer}"], parameters[f"{name}_shift{layer}"])

        parts = jnp.split(linear("qkv", norm("attention", x)), 3, axis=-1)
        query, key, value = (part.reshape(*part.shape[:2], problems.HEADS, -1) for part in parts)
        x = x + linear("out", jax.nn.dot_product_attention(query, key, value, is_causal=True).reshape(x.shape))
        x = x + linear("down", jax.nn.relu(linear("up", norm("forward", x))))
    return cross_entropy(layer_norm(x, parameters["gain"], parameters["shift"]) @ parameters["head"], targets)


def layer_norm(value, gain, shift):
    return jax.nn.standardize(value, epsilon=1e-5) * gain + shift


def cross_entropy(outputs, targets):
    return -jnp.take_along_axis(jax.nn.log_softmax(outputs), targets[..., None], axis=-1).mean()


LOSSES = {"mlp": perceptron_loss, "small": perceptron_loss, "cnn": cnn_loss, "transformer": transformer_loss}


def main():
    asked = clock.parse()
    problem = problems.PROBLEMS[asked.problem]()
    parameters = {name: jnp.asarray(array.transpose(2, 3, 1, 0) if array.ndim == 4 else array)
                  for name, array in problem.parameters.items()}
    batches = [(jnp.asarray(inputs.transpose(0, 2, 3, 1) if inputs.ndim == 4 else inputs), jnp.asarray(targets))
               for inputs, targets in problem.batches]

    def updated(parameters, inputs, targets):
        loss, gradients = jax.value_and_grad(LOSSES[asked.problem])(parameters, inputs, targets)
        return jax.tree.map(lambda value, gradient: value - problem.rate * gradient, parameters, gradients), loss

    train = jax.jit(updated, donate_argnums=0)

    def step(number):
        nonlocal parameters
        parameters, loss = train(parameters, *batches[number])
        return loss

    def read(loss):
        jax.block_until_ready(parameters)
        return loss.item()

    clock.run(problem, asked.steps, step, read)


main()
