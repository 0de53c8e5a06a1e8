"""The keys and values that a model keeps of what it has read: room for them, one more
token, and all of them read for the next.

"grow" is the simple way: a cache that is one token longer is a new cache. "append"
writes into room that was taken before. The size of a variant is what it holds at most:
on an accelerator as its allocator counts, elsewhere the tensors that live at once.
"""

import math

import torch

from attention import library, plain
from variants import Variant

# sequences, heads of keys and values, tokens, width of a head
CUDA_SHAPE = (16, 8, 8192, 128)
CPU_SHAPE = (2, 4, 2048, 64)


def variants(world, wanted):
    for make in (allocate, grow, append, read):
        yield lambda make=make: make(world, *shape_of(world))


def shape_of(world):
    return (CUDA_SHAPE, torch.bfloat16) if world.device.type == "cuda" else (CPU_SHAPE, torch.float32)


def caches(world, shape, dtype):
    return [torch.zeros(shape, dtype=dtype, device=world.device) for _ in range(2)]


def bytes_of(shape, dtype):
    return 2 * math.prod(shape) * torch.empty(0, dtype=dtype).element_size()


def most(world, call, otherwise):
    """The bytes that are held while call runs."""
    if world.device.type != "cuda":
        return otherwise
    torch.cuda.synchronize(world.device)
    torch.cuda.reset_peak_memory_stats(world.device)
    call(0)
    torch.cuda.synchronize(world.device)
    return torch.cuda.max_memory_allocated(world.device)


def allocate(world, shape, dtype):
    """Takes room for a cache and clears it."""
    held = [None]

    def call(i):
        held[0] = None  # the old one is given back first
        held[0] = caches(world, shape, dtype)
    size = bytes_of(shape, dtype)
    return Variant("allocate", call, size=most(world, call, size), moved=size, wrong=lambda: int(any(bool(c.any()) for c in held[0])))


def one_token(world, shape, dtype):
    one = shape[:2] + (1,) + shape[3:]
    return [torch.full(one, value, dtype=dtype, device=world.device) for value in (1.0, 2.0)]


def grow(world, shape, dtype):
    """A cache that is one token longer, made anew out of the old one."""
    old, new, held = caches(world, shape, dtype), one_token(world, shape, dtype), [None]

    def call(i):
        held[0] = None
        held[0] = [torch.cat((c, n), dim=2) for c, n in zip(old, new)]
    size = bytes_of(shape, dtype)
    return Variant("grow", call, size=most(world, call, 2 * size), moved=2 * size, wrong=lambda: misplaced(held[0], shape[2]))


def append(world, shape, dtype):
    """One token written into room that is there."""
    held, new, tokens = caches(world, shape, dtype), one_token(world, shape, dtype), shape[2]

    def call(i):
        for c, n in zip(held, new):
            c.narrow(2, i % tokens, 1).copy_(n)
    size = bytes_of(shape, dtype)
    return Variant("append", call, size=most(world, call, size), moved=2 * size // tokens, wrong=lambda: misplaced(held, 0))


def misplaced(held, at):
    """Elements of one token that are not what was written there."""
    return sum(int((c.narrow(2, at, 1) != value).sum()) for c, value in zip(held, (1.0, 2.0)))


def read(world, shape, dtype):
    """The whole cache read for one more token of each sequence."""
    random = torch.Generator(device=world.device)
    random.manual_seed(1)
    k, v = (torch.randn(shape, device=world.device, generator=random).to(dtype) for _ in range(2))
    q = torch.randn(shape[:2] + (1, shape[3]), device=world.device, generator=random).to(dtype)
    out = [None]

    def call(i):
        out[0] = library(q, k, v, False)

    def wrong():
        want = plain(q[:1].double(), k[:1].double(), v[:1].double(), False)
        return int(((out[0][:1].double() - want).abs() > 0.04 * want.abs().max()).sum())
    size = bytes_of(shape, dtype)
    return Variant("read", call, size=most(world, call, size), moved=size, wrong=wrong)
