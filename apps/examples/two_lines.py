"""An ordinary training script. The two marked lines make it asynchronous and bound how far it runs ahead."""

import torch
from torch import nn

import runahead  # 1: registers the device acpu

torch.manual_seed(0)
model = nn.Sequential(nn.Conv2d(1, 8, 3), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 26 * 26, 10))
device = "acpu"  # was "cpu"
model.to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
images = torch.randn(640, 1, 28, 28)
labels = (images.mean(dim=(1, 2, 3)) > 0).long()
batches = list(zip(images.split(64), labels.split(64)))

first_loss = None
for epoch in range(10):
    for inputs, targets in runahead.Pacer("window", 2)(batches):  # 2: at most two batches in flight
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(inputs.to(device)), targets.to(device))
        loss.backward()
        optimizer.step()
        first_loss = loss.detach() if first_loss is None else first_loss

print(f"loss {first_loss.item():.3f} -> {loss.item():.3f}")
assert loss.item() < 0.5 * first_loss.item()
