"""Models of torchvision: classes, segments, boxes, video, flow. No weights are loaded."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import torch
from torch import nn

from models_cases import Training, case, classifier, supervised


def register_classifier(name: str, size: int) -> None:
    """Registers a model of torchvision that `name` makes, on two square images of that size."""
    @case(name, "torchvision")
    def make(torchvision: ModuleType, device: str) -> Training:
        model = torchvision.models.get_model(name, num_classes=10)
        return classifier(model, device, (2, 3, size, size))


register_classifier("resnet18", 64)
register_classifier("mobilenet_v3_small", 64)
register_classifier("efficientnet_b0", 64)
register_classifier("densenet121", 64)
register_classifier("vgg11_bn", 32)
register_classifier("convnext_tiny", 64)
register_classifier("swin_t", 64)
register_classifier("regnet_y_400mf", 64)
register_classifier("shufflenet_v2_x1_0", 64)
register_classifier("squeezenet1_1", 64)


@case("vision_transformer", "torchvision")
def vision_transformer(torchvision: ModuleType, device: str) -> Training:
    model = torchvision.models.VisionTransformer(
        image_size=32, patch_size=8, num_layers=3, num_heads=4, hidden_dim=64, mlp_dim=128,
        dropout=0.1, num_classes=10)
    return classifier(model, device, (2, 3, 32, 32))


@case("googlenet", "torchvision")
def googlenet(torchvision: ModuleType, device: str) -> Training:
    """With its two auxiliary classifiers, which take part in training only."""
    def logits_of(out: Any) -> torch.Tensor:
        return out.logits + 0.3 * out.aux_logits1 + 0.3 * out.aux_logits2

    model = torchvision.models.googlenet(num_classes=10, aux_logits=True, init_weights=False)
    return classifier(model, device, (2, 3, 96, 96), logits_of=logits_of)


@case("r3d_18", "torchvision")
def r3d_18(torchvision: ModuleType, device: str) -> Training:
    return classifier(torchvision.models.video.r3d_18(num_classes=10), device, (2, 3, 4, 32, 32))


def segmenter(model: nn.Module, device: str) -> Training:
    """Returns the training of a model that gives each pixel a class and has an auxiliary head."""
    def draw() -> tuple[torch.Tensor, torch.Tensor]:
        return torch.randn(2, 3, 64, 64), torch.randint(5, (2, 64, 64))

    def loss_of(model: nn.Module, batch: tuple[torch.Tensor, torch.Tensor]) -> torch.Tensor:
        result = model(batch[0])
        out, aux = (nn.functional.cross_entropy(result[name], batch[1], ignore_index=0)
                    for name in ("out", "aux"))
        return out + 0.5 * aux

    return supervised(model, device, draw, loss_of, lambda model, batch: model(batch[0]))


@case("fcn_resnet50", "torchvision")
def fcn_resnet50(torchvision: ModuleType, device: str) -> Training:
    return segmenter(torchvision.models.segmentation.fcn_resnet50(
        weights_backbone=None, num_classes=5, aux_loss=True), device)


@case("deeplabv3_mobilenet_v3_large", "torchvision")
def deeplabv3_mobilenet_v3_large(torchvision: ModuleType, device: str) -> Training:
    return segmenter(torchvision.models.segmentation.deeplabv3_mobilenet_v3_large(
        weights_backbone=None, num_classes=5, aux_loss=True), device)


def drawn_targets() -> tuple[list[torch.Tensor], list[dict[str, torch.Tensor]]]:
    """Returns two images of different sizes, and the boxes in each: three, and one."""
    def boxes(count: int) -> torch.Tensor:
        corners = torch.rand(count, 2) * 40
        return torch.cat((corners, corners + 10 + torch.rand(count, 2) * 30), dim=1)

    images = [torch.rand(3, 96, 128), torch.rand(3, 112, 96)]
    return images, [{"boxes": boxes(n), "labels": torch.randint(1, 4, (n,))} for n in (3, 1)]


def detector(model: nn.Module, device: str) -> Training:
    """Returns the training of a detector, whose transform takes its first size and draws none.

    It would draw on the host, by the generator that on `cpu`, not on `acpu`, is the device's too.
    """
    model.transform.torch_choice = lambda sizes: sizes[0]
    return supervised(model, device, drawn_targets,
                      lambda model, batch: sum(model(*batch).values()),
                      lambda model, batch: model(batch[0]))


@case("fasterrcnn_mobilenet_v3_large_320_fpn", "torchvision")
def fasterrcnn(torchvision: ModuleType, device: str) -> Training:
    """Its evaluation keeps boxes of any score: after three steps none has a high one."""
    return detector(torchvision.models.detection.fasterrcnn_mobilenet_v3_large_320_fpn(
        weights_backbone=None, num_classes=4, min_size=128, max_size=160, box_score_thresh=0.0,
        trainable_backbone_layers=6), device)


@case("ssdlite320_mobilenet_v3_large", "torchvision")
def ssdlite(torchvision: ModuleType, device: str) -> Training:
    return detector(torchvision.models.detection.ssdlite320_mobilenet_v3_large(
        weights_backbone=None, num_classes=4, score_thresh=0.0), device)


@case("raft_small", "torchvision")
def raft_small(torchvision: ModuleType, device: str) -> Training:
    """Optical flow: a recurrent refinement that samples a pyramid of correlations."""
    def draw() -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        first, second = torch.rand(2, 1, 3, 128, 128) * 2 - 1
        return first, second, torch.randn(1, 2, 128, 128)

    def flows_of(model: nn.Module, batch: tuple[torch.Tensor, ...]) -> list[torch.Tensor]:
        return model(batch[0], batch[1], num_flow_updates=2)

    return supervised(
        torchvision.models.optical_flow.raft_small(weights=None), device, draw,
        lambda model, batch: sum((f - batch[2]).abs().mean() for f in flows_of(model, batch)),
        flows_of)
