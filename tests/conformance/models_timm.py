"""Models of timm, of architectures that torchvision lacks. No weights are loaded."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from models_cases import Training, adamw, case, classifier


def register(name: str, timm_name: str, size: int, **arguments: Any) -> None:
    """Registers a model that timm's `create_model` makes, on two square images of that size."""
    @case(name, "timm")
    def make(timm: ModuleType, device: str) -> Training:
        model = timm.create_model(timm_name, pretrained=False, num_classes=10, **arguments)
        return classifier(model, device, (2, 3, size, size), make_optimizer=adamw)


SMALL = {"img_size": 64, "embed_dim": 48, "depth": 3, "num_heads": 3}

register("mixer", "mixer_s32_224", 64, img_size=64)
register("deit", "deit_tiny_distilled_patch16_224", 64, **SMALL)
register("beit", "beit_base_patch16_224", 64, drop_path_rate=0.1, **SMALL)
register("resnetv2", "resnetv2_50", 64, layers=(1, 1, 1, 1), channels=(32, 64, 128, 256))
register("efficientformer", "efficientformer_l1", 224, depths=(1, 1, 1, 2),
         embed_dims=(24, 32, 48, 64))
register("levit", "levit_128s", 224)
register("maxvit", "maxvit_rmlp_pico_rw_256", 64, img_size=64)
register("coatnet", "coatnet_pico_rw_224", 64, img_size=64)
register("nf_regnet", "nf_regnet_b0", 64)
register("hrnet", "hrnet_w18_small", 64)
