"""Further models that people write by hand: graphs, generators, fits, reinforcement learning."""

from __future__ import annotations

import random
from types import ModuleType
from typing import Any

import torch
from torch import nn
from torch.nn import functional as F

from models_cases import STEPS, Training, adamw, case, classifier, drawn, placed, supervised


class Gcn(nn.Module):
    """Two graph convolutions over a list of edges, summed with index_add."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(12, 16), nn.Linear(16, 4)

    @staticmethod
    def spread(x: torch.Tensor, edges: torch.Tensor) -> torch.Tensor:
        source, target = edges
        ones = torch.ones(len(target), device=x.device)
        degree = torch.ones(len(x), device=x.device).index_add(0, target, ones)
        weights = (degree[source] * degree[target]).rsqrt()
        return (x / degree[:, None]).index_add(0, target, x[source] * weights[:, None])

    def forward(self, x: torch.Tensor, edges: torch.Tensor) -> torch.Tensor:
        return self.second(self.spread(self.first(self.spread(x, edges)).relu(), edges))


@case("gcn")
def gcn(library: ModuleType, device: str) -> Training:
    """The loss is of a third of the nodes, chosen by a mask."""
    def draw() -> tuple[torch.Tensor, ...]:
        edges, labels = torch.randint(30, (2, 90)), torch.randint(4, (30,))
        return torch.randn(30, 12), edges, labels, torch.rand(30) < 0.3

    def loss_of(model: nn.Module, batch: tuple[torch.Tensor, ...]) -> torch.Tensor:
        x, edges, labels, mask = batch
        return F.cross_entropy(model(x, edges)[mask], labels[mask])

    return supervised(Gcn(), device, draw, loss_of, lambda model, batch: model(*batch[:2]))


def generator() -> nn.Module:
    return nn.Sequential(
        nn.ConvTranspose2d(16, 32, 4, 1, 0, bias=False), nn.BatchNorm2d(32), nn.ReLU(True),
        nn.ConvTranspose2d(32, 16, 4, 2, 1, bias=False), nn.BatchNorm2d(16), nn.ReLU(True),
        nn.ConvTranspose2d(16, 3, 4, 2, 1, bias=False), nn.Tanh())


def discriminator() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(3, 16, 4, 2, 1, bias=False), nn.LeakyReLU(0.2, inplace=True),
        nn.Conv2d(16, 32, 4, 2, 1, bias=False), nn.BatchNorm2d(32),
        nn.LeakyReLU(0.2, inplace=True), nn.Conv2d(32, 1, 4, 1, 0, bias=False), nn.Flatten(0))


@case("dcgan")
def dcgan(library: ModuleType, device: str) -> Training:
    """Two networks, two optimisers, and noise that is drawn on the device."""
    images = drawn(lambda: torch.rand(4, 3, 16, 16) * 2 - 1)
    make, judge = generator().to(device), discriminator().to(device)
    optimizers = [torch.optim.Adam(net.parameters(), lr=2e-4, betas=(0.5, 0.999), foreach=False)
                  for net in (make, judge)]
    loss_of = nn.BCEWithLogitsLoss()
    real, made = torch.ones(4, device=device), torch.zeros(4, device=device)

    def noise() -> torch.Tensor:
        return torch.randn(4, 16, 1, 1, device=device)

    def step(index: int) -> list[torch.Tensor]:
        fake = make(noise())
        optimizers[1].zero_grad()
        loss_judge = (loss_of(judge(images[index].to(device)), real)
                      + loss_of(judge(fake.detach()), made))
        loss_judge.backward()
        optimizers[1].step()
        optimizers[0].zero_grad()
        loss_make = loss_of(judge(fake), real)
        loss_make.backward()
        optimizers[0].step()
        return [loss_judge.detach(), loss_make.detach()]

    return Training(nn.ModuleList((make, judge)), step, lambda: make(noise()))


class Vae(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.Linear(64, 32)
        self.mean, self.log_variance = nn.Linear(32, 8), nn.Linear(32, 8)
        self.decoder = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 64), nn.Sigmoid())

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        hidden = self.encoder(x).relu()
        mean, log_variance = self.mean(hidden), self.log_variance(hidden)
        latent = mean + torch.randn_like(mean) * (0.5 * log_variance).exp()
        return self.decoder(latent), mean, log_variance


@case("vae")
def vae(library: ModuleType, device: str) -> Training:
    def loss_of(model: nn.Module, x: torch.Tensor) -> torch.Tensor:
        result, mean, log_variance = model(x)
        divergence = -0.5 * (1 + log_variance - mean.pow(2) - log_variance.exp()).sum()
        return F.binary_cross_entropy(result, x, reduction="sum") + divergence

    return supervised(Vae(), device, lambda: torch.rand(8, 64), loss_of, lambda model, x: model(x),
                      make_optimizer=adamw)


@case("lbfgs_fit")
def lbfgs_fit(library: ModuleType, device: str) -> Training:
    """A curve fitted by LBFGS with a line search, which reads losses: it can't run ahead."""
    model = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1)).to(device)
    x = torch.linspace(-2, 2, 50)[:, None].to(device)
    y = x.sin() * x
    optimizer = torch.optim.LBFGS(model.parameters(), lr=0.5, max_iter=8,
                                  line_search_fn="strong_wolfe")

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        loss = F.mse_loss(model(x), y)
        loss.backward()
        return loss

    return Training(model, lambda index: optimizer.step(closure).detach(), lambda: model(x))


class ConvolutionalAutoencoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Conv2d(1, 8, 3, stride=2, padding=1), nn.GroupNorm(2, 8), nn.SiLU(),
            nn.Conv2d(8, 16, 3, padding=1, padding_mode="reflect"))
        self.pool, self.unpool = nn.MaxPool2d(2, return_indices=True), nn.MaxUnpool2d(2)
        self.decoder = nn.Sequential(
            nn.Upsample(scale_factor=2, mode="bilinear", align_corners=False),
            nn.Conv2d(16, 8, 3, padding=1), nn.PReLU(), nn.Conv2d(8, 1, 1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        pooled, indices = self.pool(self.encoder(x))
        return self.decoder(self.unpool(pooled, indices))


@case("convolutional_autoencoder")
def convolutional_autoencoder(library: ModuleType, device: str) -> Training:
    return supervised(ConvolutionalAutoencoder(), device, lambda: torch.rand(4, 1, 16, 16),
                      lambda model, x: F.mse_loss(model(x), x), lambda model, x: model(x))


class QLearning:
    """Deep Q learning on made-up moves: a target network follows, the program reads actions."""

    def __init__(self, device: str) -> None:
        self.device = device
        self.policy, self.target = (
            nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 3)).to(device)
            for _ in range(2))
        self.target.load_state_dict(self.policy.state_dict())
        self.optimizer = torch.optim.RMSprop(self.policy.parameters(), lr=1e-3, foreach=False)
        self.choose = random.Random(0)
        # State, reward, following state of eight moves a step.
        self.moves = [placed((torch.randn(4), torch.rand(1), torch.randn(4)), device)
                      for _ in range(STEPS * 8)]
        self.memory: list[tuple[torch.Tensor, int, torch.Tensor, torch.Tensor]] = []

    @torch.no_grad()
    def act(self, state: torch.Tensor) -> int:
        explores = self.choose.random() < 0.3
        return self.choose.randrange(3) if explores else int(self.policy(state).argmax())

    def step(self, index: int) -> torch.Tensor:
        for state, reward, following in self.moves[index * 8:][:8]:
            self.memory.append((state, self.act(state), reward, following))
        loss = self.loss(self.choose.sample(self.memory, 6))
        self.optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_value_(self.policy.parameters(), 1.0, foreach=False)
        self.optimizer.step()
        self.follow()
        return loss.detach()

    def loss(self, sample: list[tuple]) -> torch.Tensor:
        states, actions, rewards, following = zip(*sample)
        taken = torch.tensor(actions, device=self.device)[:, None]
        with torch.no_grad():
            best = self.target(torch.stack(following)).max(1).values
        values = self.policy(torch.stack(states)).gather(1, taken)[:, 0]
        return F.smooth_l1_loss(values, torch.cat(rewards) + 0.9 * best)

    @torch.no_grad()
    def follow(self) -> None:
        for mine, followed in zip(self.target.parameters(), self.policy.parameters()):
            mine.lerp_(followed, 0.1)

    def evaluate(self) -> torch.Tensor:
        return self.policy(torch.stack([move[0] for move in self.moves]))


@case("dqn")
def dqn(library: ModuleType, device: str) -> Training:
    learning = QLearning(device)
    nets = nn.ModuleList((learning.policy, learning.target))
    return Training(nets, learning.step, learning.evaluate)


class Checkpointed(nn.Module):
    """Layers computed again in the backward pass, dropout included, in both of torch's ways."""

    def __init__(self) -> None:
        super().__init__()
        self.into, self.out = nn.Linear(20, 32), nn.Linear(32, 10)
        self.layers = nn.ModuleList(
            nn.Sequential(nn.Linear(32, 32), nn.LayerNorm(32), nn.GELU(), nn.Dropout(0.3))
            for _ in range(4))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.into(x)
        for index, layer in enumerate(self.layers):
            x = torch.utils.checkpoint.checkpoint(layer, x, use_reentrant=index % 2 == 0)
        return self.out(x)


@case("gradient_checkpointing", "torch.utils.checkpoint")
def gradient_checkpointing(library: ModuleType, device: str) -> Training:
    return classifier(Checkpointed(), device, (8, 20), make_optimizer=adamw)


OPTIMIZERS: dict[str, dict[str, Any]] = {
    "SGD": {"nesterov": True, "momentum": 0.9}, "ASGD": {}, "Adadelta": {}, "Adagrad": {},
    "Adam": {"amsgrad": True}, "Adamax": {}, "AdamW": {}, "NAdam": {}, "RAdam": {},
    "RMSprop": {"centered": True, "momentum": 0.5}, "Rprop": {}}
FUSED = ("SGD", "Adagrad", "Adam", "AdamW")


def ways_to_optimize() -> list[tuple[str, dict[str, Any]]]:
    """Returns every optimiser with its options: as a loop, by foreach, and fused."""
    ways = [(name, options | {"foreach": foreach})
            for name, options in OPTIMIZERS.items() for foreach in (False, True)]
    ways += [(name, OPTIMIZERS[name] | {"fused": True}) for name in FUSED]
    return [*ways, ("Adafactor", {"foreach": False})]


@case("mlp_with_each_optimizer")
def mlp_with_each_optimizer(library: ModuleType, device: str) -> Training:
    """A small net for each; gradients are clipped, and rates fall by a schedule."""
    ways = ways_to_optimize()
    nets = nn.ModuleList(nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 2))
                         for _ in ways).to(device)
    optimizers = [getattr(torch.optim, name)(net.parameters(), lr=0.01, **options)
                  for net, (name, options) in zip(nets, ways)]
    rates = [torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9) for optimizer in optimizers]
    batches = drawn(lambda: (torch.randn(8, 6), torch.randn(8, 2)))

    def step(index: int) -> list[torch.Tensor]:
        x, y = placed(batches[index], device)
        losses = [F.mse_loss(net(x), y) for net in nets]
        for net, optimizer, rate, loss in zip(nets, optimizers, rates, losses):
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 0.5, foreach=False)
            optimizer.step()
            rate.step()
        return [loss.detach() for loss in losses]

    x = placed(batches[STEPS][0], device)
    return Training(nets, step, lambda: [net(x) for net in nets])
