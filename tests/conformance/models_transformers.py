"""Models of Hugging Face's transformers, from small configs. Nothing is downloaded."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import torch
from torch import nn

from models_cases import Forward, Training, adamw, case, supervised

VOCABULARY = 97
# The widths of an encoder or of a decoder, by the names that most configs have.
WIDTHS = {"hidden_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4,
          "intermediate_size": 96}
SMALL = WIDTHS | {"vocab_size": VOCABULARY, "max_position_embeddings": 64}
# The widths of an encoder with a decoder. Without dropout: these models draw on the host whether to
# leave out a layer, which on `cpu`, not on `acpu`, shifts the draws of dropout.
PAIR = {"vocab_size": VOCABULARY, "d_model": 48, "encoder_layers": 2, "decoder_layers": 2,
        "encoder_attention_heads": 4, "decoder_attention_heads": 4, "encoder_ffn_dim": 96,
        "decoder_ffn_dim": 96, "dropout": 0.0}
# By default configs name tokens beyond a small vocabulary.
TOKENS = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}

Batch = dict[str, Any]


def tokens(batch: int = 2, length: int = 12) -> torch.Tensor:
    return torch.randint(3, VOCABULARY, (batch, length))


def padded_tokens() -> Batch:
    """Returns two sequences, the second of which is shorter, with their mask and labels."""
    input_ids = tokens()
    mask = torch.ones_like(input_ids)
    mask[1, 8:] = 0
    labels = input_ids.masked_fill(mask == 0, -100)
    return {"input_ids": input_ids, "attention_mask": mask, "labels": labels}


def logits_of(model: nn.Module, batch: Batch) -> torch.Tensor:
    return model(**batch).logits


def logits_and_continuation(model: nn.Module, batch: Batch) -> tuple[torch.Tensor, torch.Tensor]:
    """Returns the logits, and the most probable six tokens to follow, made with a cache."""
    following = model.generate(batch["input_ids"], attention_mask=batch["attention_mask"],
                               max_new_tokens=6, do_sample=False)
    return logits_of(model, batch), following


def by_own_loss(model: nn.Module, device: str, draw: Callable[[], Batch] = padded_tokens,
                outputs_of: Forward = logits_of) -> Training:
    """Returns the training by the loss that the model computes itself."""
    return supervised(model, device, draw, lambda model, batch: model(**batch).loss, outputs_of,
                      make_optimizer=adamw)


@case("bert", "transformers")
def bert(transformers: ModuleType, device: str) -> Training:
    return by_own_loss(transformers.BertForMaskedLM(transformers.BertConfig(**SMALL)), device)


@case("roberta", "transformers")
def roberta(transformers: ModuleType, device: str) -> Training:
    config = transformers.RobertaConfig(**SMALL, **TOKENS, num_labels=3)
    return by_own_loss(transformers.RobertaForSequenceClassification(config), device,
                       lambda: padded_tokens() | {"labels": torch.randint(3, (2,))})


@case("distilbert", "transformers")
def distilbert(transformers: ModuleType, device: str) -> Training:
    """Answers questions by where in the text they are answered."""
    def draw() -> Batch:
        starts, ends = torch.randint(12, (2, 2))
        return {"input_ids": tokens(), "start_positions": starts, "end_positions": ends}

    def outputs_of(model: nn.Module, batch: Batch) -> tuple[torch.Tensor, torch.Tensor]:
        result = model(**batch)
        return result.start_logits, result.end_logits

    config = transformers.DistilBertConfig(vocab_size=VOCABULARY, dim=48, n_layers=2, n_heads=4,
                                           hidden_dim=96)
    return by_own_loss(transformers.DistilBertForQuestionAnswering(config), device, draw,
                       outputs_of)


@case("gpt2", "transformers")
def gpt2(transformers: ModuleType, device: str) -> Training:
    config = transformers.GPT2Config(vocab_size=VOCABULARY, n_positions=64, n_embd=48, n_layer=2,
                                     n_head=4, **TOKENS)
    return by_own_loss(transformers.GPT2LMHeadModel(config), device,
                       outputs_of=logits_and_continuation)


@case("llama", "transformers")
def llama(transformers: ModuleType, device: str) -> Training:
    config = transformers.LlamaConfig(**SMALL, **TOKENS, num_key_value_heads=2)
    return by_own_loss(transformers.LlamaForCausalLM(config), device,
                       outputs_of=logits_and_continuation)


def mixture(transformers: ModuleType, device: str, experts: str) -> Training:
    """Returns the training of a mixture of experts, which are computed in the way that is named."""
    config = transformers.MixtralConfig(**SMALL, **TOKENS, num_key_value_heads=2,
                                        num_local_experts=4, num_experts_per_tok=2)
    config._experts_implementation = experts
    return by_own_loss(transformers.MixtralForCausalLM(config), device,
                       lambda: padded_tokens() | {"output_router_logits": True},
                       logits_and_continuation)


@case("mixtral", "transformers")
def mixtral(transformers: ModuleType, device: str) -> Training:
    """All experts in one product of groups, whose sizes depend on values: transformers' default."""
    return mixture(transformers, device, "grouped_mm")


@case("mixtral_by_expert", "transformers")
def mixtral_by_expert(transformers: ModuleType, device: str) -> Training:
    """An expert at a time: which of them got tokens, and which, is read."""
    return mixture(transformers, device, "eager")


@case("gemma2", "transformers")
def gemma2(transformers: ModuleType, device: str) -> Training:
    """Attention in a sliding window, and capped logits."""
    config = transformers.Gemma2Config(**SMALL, **TOKENS, num_key_value_heads=2, head_dim=12,
                                       sliding_window=6)
    return by_own_loss(transformers.Gemma2ForCausalLM(config), device,
                       outputs_of=logits_and_continuation)


@case("mamba", "transformers")
def mamba(transformers: ModuleType, device: str) -> Training:
    """A state space model, by transformers' own scan in Python."""
    config = transformers.MambaConfig(vocab_size=VOCABULARY, hidden_size=48, state_size=8,
                                      num_hidden_layers=2, **TOKENS)
    return by_own_loss(transformers.MambaForCausalLM(config), device,
                       outputs_of=logits_and_continuation)


@case("t5", "transformers")
def t5(transformers: ModuleType, device: str) -> Training:
    config = transformers.T5Config(vocab_size=VOCABULARY, d_model=48, d_kv=12, d_ff=96,
                                   num_layers=2, num_heads=4, pad_token_id=0, eos_token_id=1,
                                   decoder_start_token_id=0)
    return by_own_loss(transformers.T5ForConditionalGeneration(config), device,
                       outputs_of=logits_and_continuation)


@case("bart", "transformers")
def bart(transformers: ModuleType, device: str) -> Training:
    config = transformers.BartConfig(**PAIR, **TOKENS, max_position_embeddings=64,
                                     decoder_start_token_id=2, forced_eos_token_id=2)
    return by_own_loss(transformers.BartForConditionalGeneration(config), device,
                       outputs_of=logits_and_continuation)


@case("whisper", "transformers")
def whisper(transformers: ModuleType, device: str) -> Training:
    config = transformers.WhisperConfig(
        **PAIR, **TOKENS, num_mel_bins=16, max_source_positions=32, max_target_positions=32,
        decoder_start_token_id=1, suppress_tokens=None, begin_suppress_tokens=None)
    return by_own_loss(transformers.WhisperForConditionalGeneration(config), device,
                       lambda: {"input_features": torch.randn(2, 16, 64), "labels": tokens()})


@case("wav2vec2", "transformers")
def wav2vec2(transformers: ModuleType, device: str) -> Training:
    """Speech to letters, by the CTC loss. Without dropout, as PAIR, and without NumPy's masks."""
    config = transformers.Wav2Vec2Config(
        **WIDTHS, vocab_size=32, conv_dim=(32, 32, 32), conv_kernel=(10, 3, 3),
        conv_stride=(5, 2, 2), num_conv_pos_embeddings=16, num_conv_pos_embedding_groups=4,
        hidden_dropout=0.0, attention_dropout=0.0, activation_dropout=0.0, feat_proj_dropout=0.0,
        final_dropout=0.0, layerdrop=0.0, mask_time_prob=0.0)
    return by_own_loss(
        transformers.Wav2Vec2ForCTC(config), device,
        lambda: {"input_values": torch.randn(2, 2000), "labels": torch.randint(3, 32, (2, 8))})


@case("vit", "transformers")
def vit(transformers: ModuleType, device: str) -> Training:
    config = transformers.ViTConfig(**WIDTHS, image_size=32, patch_size=8, num_labels=10)
    return by_own_loss(
        transformers.ViTForImageClassification(config), device,
        lambda: {"pixel_values": torch.randn(2, 3, 32, 32), "labels": torch.randint(10, (2,))})


@case("clip", "transformers")
def clip(transformers: ModuleType, device: str) -> Training:
    """Texts and images together, by the contrastive loss."""
    def outputs_of(model: nn.Module, batch: Batch) -> tuple[torch.Tensor, torch.Tensor]:
        result = model(**batch)
        return result.logits_per_image, result.text_embeds

    config = transformers.CLIPConfig(
        text_config=SMALL | TOKENS, projection_dim=24,
        vision_config=WIDTHS | {"image_size": 32, "patch_size": 8})
    return by_own_loss(transformers.CLIPModel(config), device, lambda: {
        "input_ids": tokens(3), "pixel_values": torch.randn(3, 3, 32, 32), "return_loss": True,
    }, outputs_of)
