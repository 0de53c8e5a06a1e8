"""The models that are trained, and the sleeps that stand in for computation.

A model here is what its shape says and nothing more: no dropout, no data of its
own, weights from a seed. So any process can build the same one, and the count of
its parameters is that of plan.Count.
"""

import contextlib
import math
import time

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint

from link import Setup

_UNITS = (("ns", 1e-9), ("us", 1e-6), ("ms", 1e-3), ("s", 1.0), ("m", 60.0), ("h", 3600.0), ("d", 86400.0))


def seconds(text):
    """A duration as documents write it, such as 250ms, in seconds."""
    for unit, size in _UNITS:
        if text and text.endswith(unit) and text[: -len(unit)].replace(".", "", 1).isdigit():
            return float(text[: -len(unit)]) * size
    if not text:
        return 0.0
    raise ValueError("duration %r: want one of ns, us, ms, s, m, h, d" % text)


class Sleeps:
    """What one rank sleeps in place of computing."""

    def __init__(self, emulate=None, rank=0):
        emulate = emulate or {}
        slowed = bool(emulate) and emulate.get("rank", 0) == rank
        self.forward = seconds(emulate.get("forward"))
        self.backward = seconds(emulate.get("backward"))
        self.start = seconds(emulate.get("start"))
        self.input = seconds(emulate.get("input"))
        self.exchange = seconds(emulate.get("exchange"))
        self.save = seconds(emulate.get("save"))
        self.late = 0.0
        self.short_shard = False
        if slowed:
            self.late = seconds(emulate.get("late"))
            self.backward += seconds(emulate.get("slower"))
            self.short_shard = bool(emulate.get("shortShard"))


class Sleep(torch.autograd.Function):
    """Passes its input on after a sleep, in both directions.

    It stands behind a layer, so that on the way back the sleep comes first and that
    layer's gradient after it, as if the layer had computed so long.
    """

    @staticmethod
    def forward(ctx, x, forward, backward):
        ctx.backward_sleep = backward
        if forward > 0:
            time.sleep(forward)
        return x.clone()

    @staticmethod
    def backward(ctx, grad):
        if ctx.backward_sleep > 0:
            time.sleep(ctx.backward_sleep)
        return grad, None, None


class Emulated(nn.Module):
    """A layer and the sleep behind it."""

    def __init__(self, layer, sleeps):
        super().__init__()
        self.layer, self.sleeps = layer, sleeps

    def forward(self, x):
        return Sleep.apply(self.layer(x), self.sleeps.forward, self.sleeps.backward)


def causal_attention(q, k, v):
    """Scaled dot-product attention in plain matrix products."""
    scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(q.size(-1))
    later = torch.ones(scores.shape[-2:], dtype=torch.bool, device=q.device).triu(1)
    return torch.matmul(scores.masked_fill(later, float("-inf")).softmax(-1), v)


class Attention(nn.Module):
    def __init__(self, hidden, heads, explicit):
        super().__init__()
        self.heads, self.explicit = heads, explicit or not hasattr(F, "scaled_dot_product_attention")
        self.qkv, self.out = nn.Linear(hidden, 3 * hidden), nn.Linear(hidden, hidden)

    def forward(self, x):
        batch, length, hidden = x.shape
        q, k, v = (
            part.view(batch, length, self.heads, hidden // self.heads).transpose(1, 2)
            for part in self.qkv(x).split(hidden, dim=2)
        )
        if self.explicit:
            y = causal_attention(q, k, v)
        else:
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(y.transpose(1, 2).reshape(batch, length, hidden))


class Block(nn.Module):
    """A pre-norm decoder layer of 12h² + 13h parameters."""

    def __init__(self, hidden, heads, explicit):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(hidden), nn.LayerNorm(hidden)
        self.attention = Attention(hidden, heads, explicit)
        self.up, self.down = nn.Linear(hidden, 4 * hidden), nn.Linear(4 * hidden, hidden)

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class Transformer(nn.Module):
    """Decoder-only, with learned positions and an output that shares the embedding."""

    def __init__(self, shape, layer_of, checkpointing):
        super().__init__()
        hidden = shape["hidden"]
        self.tokens = nn.Embedding(shape["vocabulary"], hidden)
        self.positions = nn.Embedding(shape["sequenceLength"], hidden)
        self.layers = nn.ModuleList(layer_of() for _ in range(shape["layers"]))
        self.norm = nn.LayerNorm(hidden)
        self.checkpointing = checkpointing
        for parameter in self.parameters():
            if parameter.dim() > 1:
                nn.init.normal_(parameter, std=0.02)

    def embedding(self):
        return self.tokens.weight.numel() + self.positions.weight.numel()

    def forward(self, tokens, targets):
        places = torch.arange(tokens.size(1), device=tokens.device)
        x = self.tokens(tokens) + self.positions(places)
        x = through(self.layers, x, self.checkpointing)
        logits = F.linear(self.norm(x), self.tokens.weight)
        return F.cross_entropy(logits.flatten(0, 1).float(), targets.flatten())


class Square(nn.Module):
    """One layer of the MLP: h² parameters, no bias."""

    def __init__(self, hidden):
        super().__init__()
        self.linear = nn.Linear(hidden, hidden, bias=False)

    def forward(self, x):
        return torch.relu(self.linear(x))


class MLP(nn.Module):
    def __init__(self, layers, checkpointing):
        super().__init__()
        self.layers = nn.ModuleList(layers)
        self.checkpointing = checkpointing

    def embedding(self):
        return 0

    def forward(self, x, targets):
        return F.mse_loss(through(self.layers, x, self.checkpointing).float(), targets.float())


def through(layers, x, checkpointing):
    for layer in layers:
        x = checkpoint(layer, x, use_reentrant=False) if checkpointing and x.requires_grad else layer(x)
    return x


def build(shape, seed, sleeps=None, checkpointing=False, explicit=False, device="cpu"):
    """The model of a shape, with the weights of the seed; equal on every rank.

    Its forward pass takes input and targets and returns the mean loss.
    """
    with _made_on(device):
        return _build(shape, seed, sleeps, checkpointing, explicit).to(device)


def _made_on(device):
    """The context in which parameters are made where they are needed: filling those of
    a large model on the host takes minutes. Releases before 2.0 move them instead."""
    device = torch.device(device)
    return device if hasattr(device, "__enter__") else contextlib.nullcontext()


def _build(shape, seed, sleeps, checkpointing, explicit):
    torch.manual_seed(seed)
    hidden, heads = shape["hidden"], shape["heads"]
    mlp = shape.get("family") == "mlp"
    if not mlp and hidden % heads:
        raise Setup("shape: %d columns do not divide into %d heads; change hidden or heads" % (hidden, heads))

    def layer():
        plain = Square(hidden) if mlp else Block(hidden, heads, explicit)
        return Emulated(plain, sleeps) if sleeps and (sleeps.forward or sleeps.backward) else plain

    if mlp:
        return MLP((layer() for _ in range(shape["layers"])), checkpointing)
    return Transformer(shape, layer, checkpointing)


def parameters_of(model):
    return sum(p.numel() for p in model.parameters())


def counted(shape):
    """The parameters that a shape should have, as the plan counts them."""
    layers, hidden = shape["layers"], shape["hidden"]
    if shape.get("family") == "mlp":
        return layers * hidden * hidden
    return (shape["vocabulary"] + shape["sequenceLength"] + 2) * hidden + layers * (12 * hidden + 13) * hidden
