"""Training steps on PyTorch: on its CPU device, compiled or not, or on acpu."""

import clock
import problems
import torch
from torch.nn import functional


def options(parser):
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--compiled", action="store_true")
    parser.add_argument("--fastest", action="store_true", help="acpu with the faster products")


def perceptron_loss(parameters, inputs, targets):
    last = len(parameters) // 2 - 1
    for layer in range(last):
        inputs = functional.linear(inputs, parameters[f"weight{layer}"], parameters[f"bias{layer}"]).relu()
    outputs = functional.linear(inputs, parameters[f"weight{last}"], parameters[f"bias{last}"])
    return 0.5 * functional.mse_loss(outputs, targets)


def cnn_loss(parameters, inputs, targets):
    for layer, stride in enumerate((1, 2, 2)):
        inputs = functional.conv2d(inputs, parameters[f"filter{layer}"], parameters[f"bias{layer}"], stride=stride, padding=1).relu()
    outputs = functional.linear(inputs.mean((2, 3)), parameters["head"], parameters["head_bias"])
    return functional.cross_entropy(outputs, targets)


def transformer_loss(parameters, inputs, targets):
    x = functional.embedding(inputs, parameters["embedding"]) + parameters["positions"]
    for layer in range(problems.LAYERS):
        def linear(name, value, layer=layer):
            return functional.linear(value, parameters[f"{name}{layer}"], parameters[f"{name}_bias{layer}"])

        def norm(name, value, layer=layer):
            return functional.layer_norm(value, value.shape[-1:], parameters[f"{name}_gain{layer}"], parameters[f"{name}_shift{layer}"])

        parts = linear("qkv", norm("attention", x)).chunk(3, dim=-1)
        query, key, value = (part.unflatten(-1, (problems.HEADS, -1)).transpose(1, 2) for part in parts)
        attended = functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        x = x + linear("out", attended.transpose(1, 2).flatten(2))
        x = x + linear("down", linear("up", norm("forward", x)).relu())
    x = functional.layer_norm(x, x.shape[-1:], parameters["gain"], parameters["shift"])
    return functional.cross_entropy(functional.linear(x, parameters["head"]).flatten(0, 1), targets.flatten())


LOSSES = {"mlp": perceptron_loss, "small": perceptron_loss, "cnn": cnn_loss, "transformer": transformer_loss}


def main():
    asked = clock.parse(options)
    is_acpu = asked.device == "acpu"
    # On acpu this thread only issues: the device's kernels have their own number of threads.
    torch.set_num_threads(1 if is_acpu else asked.threads)
    if is_acpu:
        import runahead
        runahead.register()
        fastest = {"products": "fastest"} if asked.fastest else {}
        # Operations of `small` are too short for two threads: the second CPU issues.
        runahead.configure(intra_op_threads=1 if asked.problem == "small" else asked.threads, **fastest)
    problem = problems.PROBLEMS[asked.problem]()
    parameters = {name: image_like(torch.from_numpy(problems.outputs_first(name, array))).to(asked.device).requires_grad_()
                  for name, array in problem.parameters.items()}
    batches = [(image_like(torch.from_numpy(inputs)).to(asked.device), target(targets).to(asked.device))
               for inputs, targets in problem.batches]
    optimizer = torch.optim.SGD(parameters.values(), lr=problem.rate)
    loss_of = torch.compile(LOSSES[asked.problem]) if asked.compiled else LOSSES[asked.problem]

    def step(number):
        optimizer.zero_grad()
        loss = loss_of(parameters, *batches[number])
        loss.backward()
        optimizer.step()
        return loss.detach()

    clock.run(problem, asked.steps, step, torch.Tensor.item)


def image_like(tensor):
    """Images and filters as channels_last, which oneDNN's convolutions prefer."""
    return tensor.contiguous(memory_format=torch.channels_last) if tensor.dim() == 4 else tensor


def target(array):
    return torch.from_numpy(array).long() if array.dtype.kind == "i" else torch.from_numpy(array)


main()
