"""Models of sequences that people write by hand: language models and translators."""

from __future__ import annotations

from types import ModuleType

import torch
from torch import nn
from torch.nn import functional as F

from models_cases import Training, adamw, case, supervised

VOCABULARY = 61


def language_model(model: nn.Module, device: str) -> Training:
    """Returns the training to predict the next token after each of four texts."""
    def loss_of(model: nn.Module, texts: torch.Tensor) -> torch.Tensor:
        return F.cross_entropy(model(texts[:, :-1]).flatten(0, 1), texts[:, 1:].flatten())

    return supervised(model, device, lambda: torch.randint(VOCABULARY, (4, 17)), loss_of,
                      lambda model, texts: model(texts), make_optimizer=adamw)


class CausalAttention(nn.Module):
    """Attention by hand, as nanoGPT has it: its mask is a buffer."""

    def __init__(self, width: int, heads: int = 4) -> None:
        super().__init__()
        self.heads = heads
        self.into = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.dropout = nn.Dropout(0.1)
        self.register_buffer("mask", torch.tril(torch.ones(64, 64)).view(1, 1, 64, 64))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, length, width = x.shape
        q, k, v = (part.view(batch, length, self.heads, -1).transpose(1, 2)
                   for part in self.into(x).split(width, 2))
        scores = q @ k.transpose(-2, -1) / (width // self.heads) ** 0.5
        scores = scores.masked_fill(self.mask[:, :, :length, :length] == 0, float("-inf"))
        mixed = self.dropout(scores.softmax(-1)) @ v
        mixed = mixed.transpose(1, 2).contiguous().view(batch, length, width)
        return self.dropout(self.out(mixed))


class Block(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attention = CausalAttention(width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(),
                                 nn.Linear(4 * width, width), nn.Dropout(0.1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + self.attention(self.first(x))
        return x + self.mlp(self.second(x))


class NanoGpt(nn.Module):
    """Its head shares its weights with the embedding."""

    def __init__(self, width: int = 48) -> None:
        super().__init__()
        self.tokens, self.positions = nn.Embedding(VOCABULARY, width), nn.Embedding(64, width)
        self.blocks = nn.Sequential(*(Block(width) for _ in range(3)), nn.LayerNorm(width))
        self.head = nn.Linear(width, VOCABULARY, bias=False)
        self.head.weight = self.tokens.weight

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        positions = torch.arange(tokens.shape[1], device=tokens.device)
        return self.head(self.blocks(self.tokens(tokens) + self.positions(positions)))


@case("nano_gpt")
def nano_gpt(library: ModuleType, device: str) -> Training:
    return language_model(NanoGpt(), device)


class LstmLanguageModel(nn.Module):
    def __init__(self, width: int = 32) -> None:
        super().__init__()
        self.tokens, self.head = nn.Embedding(VOCABULARY, width), nn.Linear(width, VOCABULARY)
        self.lstm = nn.LSTM(width, width, num_layers=2, dropout=0.2, batch_first=True)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        return self.head(self.lstm(self.tokens(tokens))[0])


@case("lstm_language_model")
def lstm_language_model(library: ModuleType, device: str) -> Training:
    return language_model(LstmLanguageModel(), device)


class GruTranslator(nn.Module):
    """A bidirectional encoder of packed sequences, and a decoder that takes a token at a time."""

    def __init__(self, width: int = 32) -> None:
        super().__init__()
        self.tokens, self.head = nn.Embedding(VOCABULARY, width), nn.Linear(width, VOCABULARY)
        self.encoder = nn.GRU(width, width, bidirectional=True, batch_first=True)
        self.join, self.decoder = nn.Linear(2 * width, width), nn.GRUCell(width, width)

    def forward(self, source: torch.Tensor, lengths: list[int],
                target: torch.Tensor) -> torch.Tensor:
        packed = nn.utils.rnn.pack_padded_sequence(self.tokens(source), lengths,
                                                   batch_first=True, enforce_sorted=False)
        last = self.encoder(packed)[1]
        state = self.join(torch.cat((last[0], last[1]), dim=1)).tanh()
        results = []
        for token in target.unbind(1):
            state = self.decoder(self.tokens(token), state)
            results.append(self.head(state))
        return torch.stack(results, dim=1)


@case("gru_seq2seq")
def gru_seq2seq(library: ModuleType, device: str) -> Training:
    def draw() -> tuple[torch.Tensor, list[int], torch.Tensor]:
        lengths = torch.randint(2, 9, (4,)).tolist()
        return torch.randint(VOCABULARY, (4, 8)), lengths, torch.randint(VOCABULARY, (4, 7))

    def outputs_of(model: nn.Module, batch: tuple) -> torch.Tensor:
        return model(batch[0], batch[1], batch[2][:, :-1])

    def loss_of(model: nn.Module, batch: tuple) -> torch.Tensor:
        return F.cross_entropy(outputs_of(model, batch).flatten(0, 1), batch[2][:, 1:].flatten())

    return supervised(GruTranslator(), device, draw, loss_of, outputs_of, make_optimizer=adamw)


class Translator(nn.Module):
    """nn.Transformer with a causal mask and a mask of padding."""

    def __init__(self) -> None:
        super().__init__()
        self.tokens = nn.Embedding(VOCABULARY, 32, padding_idx=0)
        self.head = nn.Linear(32, VOCABULARY)
        self.transformer = nn.Transformer(32, 4, num_encoder_layers=2, num_decoder_layers=2,
                                          dim_feedforward=64, dropout=0.1, batch_first=True)

    def forward(self, source: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        causal = nn.Transformer.generate_square_subsequent_mask(target.shape[1],
                                                                device=target.device)
        padding = torch.zeros(source.shape, device=source.device)
        padding = padding.masked_fill(source == 0, float("-inf"))
        return self.head(self.transformer(
            self.tokens(source), self.tokens(target), tgt_mask=causal, tgt_is_causal=True,
            src_key_padding_mask=padding, memory_key_padding_mask=padding))


@case("transformer")
def transformer(library: ModuleType, device: str) -> Training:
    def draw() -> tuple[torch.Tensor, torch.Tensor]:
        source = torch.randint(1, VOCABULARY, (3, 9))
        source[0, 6:] = 0
        return source, torch.randint(1, VOCABULARY, (3, 8))

    def outputs_of(model: nn.Module, batch: tuple[torch.Tensor, torch.Tensor]) -> torch.Tensor:
        return model(batch[0], batch[1][:, :-1])

    def loss_of(model: nn.Module, batch: tuple[torch.Tensor, torch.Tensor]) -> torch.Tensor:
        return F.cross_entropy(outputs_of(model, batch).flatten(0, 1), batch[1][:, 1:].flatten(),
                               label_smoothing=0.1)

    return supervised(Translator(), device, draw, loss_of, outputs_of, make_optimizer=adamw)
