"""Attention by itself: plain, as its formula is written, against the library's own.

The plain one keeps the whole matrix of scores; a library may not. Shapes are those of
a layer of a language model reading a prompt.
"""

import math

import torch
import torch.nn.functional as functional

from variants import Variant

# batch, heads, tokens, width of a head
CUDA_SHAPE = (4, 32, 2048, 128)
CPU_SHAPE = (1, 4, 256, 64)

ROOM = {torch.float32: 1e-4, torch.bfloat16: 4e-2}  # of an element, relative to the largest


def variants(world, wanted):
    cuda = world.device.type == "cuda"
    shape, dtype = (CUDA_SHAPE, torch.bfloat16) if cuda else (CPU_SHAPE, torch.float32)
    for name, attend, causal in (("plain", plain, False), ("library", library, False), ("library causal", library, True)):
        yield lambda name=name, attend=attend, causal=causal: one(world, shape, dtype, name, attend, causal)


def one(world, shape, dtype, name, attend, causal):
    batch, heads, tokens, width = shape
    random = torch.Generator(device=world.device)
    random.manual_seed(1)
    q, k, v = (torch.randn(shape, device=world.device, generator=random).to(dtype) for _ in range(3))
    out = [None]

    def call(i):
        out[0] = attend(q, k, v, causal)

    # Two products, of which a causal mask leaves half; rows of the softmax are not counted.
    flop = 4.0 * batch * heads * tokens * tokens * width * (0.5 if causal else 1.0)
    size = 4 * q.numel() * q.element_size()
    return Variant("%s %s" % (name, str(dtype).split(".")[-1]), call, size=size, flop=flop, wrong=lambda: wrong_rows(q, k, v, out[0], causal))


def plain(q, k, v, causal):
    scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(q.shape[-1])
    if causal:
        scores = scores.masked_fill(mask(q), float("-inf"))
    return torch.matmul(torch.softmax(scores, dim=-1), v)


def library(q, k, v, causal):
    """The library's own attention, by the name that this version has for it."""
    if hasattr(functional, "scaled_dot_product_attention"):
        return functional.scaled_dot_product_attention(q, k, v, is_causal=causal)
    found = functional._scaled_dot_product_attention(q, k, v, is_causal=causal)
    return found[0] if isinstance(found, tuple) else found


def mask(q):
    tokens = q.shape[-2]
    return torch.ones(tokens, tokens, dtype=torch.bool, device=q.device).triu(1)


def wrong_rows(q, k, v, out, causal):
    """Rows of the last head that are not what the formula gives in double precision."""
    want = plain(q[-1:, -1:].double(), k[-1:, -1:].double(), v[-1:, -1:].double(), causal)
    got = out[-1:, -1:].double()
    room = ROOM[q.dtype] * want.abs().max()
    return int((((got - want).abs() > room) | ~torch.isfinite(got)).any(dim=-1).sum())
