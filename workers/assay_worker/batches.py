"""The samples that models are trained on: made from numbers, and equal wherever they
are made, so that one process can repeat what all ranks together did.
"""

import torch
from torch.utils.data import DataLoader, Dataset

from link import Setup

_MIX = 0x9E3779B97F4A7C15  # spreads neighbouring numbers over the seeds of generators


class Samples(Dataset):
    """Sample i of the endless data of one seed.

    Tokens walk through the vocabulary in equal strides with a jump now and then:
    something to learn, so that a loss can fall, and something that cannot be learnt.
    Vectors are normal, and their targets are their neighbours.
    """

    def __init__(self, shape, seed):
        self.shape, self.seed = shape, seed

    def __len__(self):
        return 1 << 62

    def __getitem__(self, i):
        source = torch.Generator().manual_seed(((self.seed + 1) * _MIX + i) % (1 << 63))
        length = self.shape["sequenceLength"]
        if self.shape.get("family") == "mlp":
            x = torch.randn(length, self.shape["hidden"], generator=source)
            return x, x.roll(1, dims=1).clamp(min=0)
        words = self.shape["vocabulary"]
        strides = torch.full((length + 1,), 3 % max(words, 1), dtype=torch.int64)
        jumps = torch.rand(length + 1, generator=source) < 0.1
        jumps[0] = True
        strides[jumps] = torch.randint(words, (int(jumps.sum()),), generator=source)
        walk = strides.cumsum(0) % words
        return walk[:-1], walk[1:]


class Shares:
    """Which samples each micro-batch of a rank holds."""

    def __init__(self, steps, rank, short=False):
        self.total, self.share = steps["globalBatch"], steps["rankBatch"]
        self.parts = max(1, steps.get("accumulation") or 1)
        self.rank, self.short = rank, short
        if short and self.share // self.parts < 2:
            raise Setup("emulate.shortShard leaves half of the samples out, and a micro-batch here has one; raise batchSize")

    def part(self, step, rank, part):
        """The samples of one micro-batch of one step of a rank."""
        size = self.share // self.parts
        first = step * self.total + rank * self.share + part * size
        return list(range(first, first + size))

    def __iter__(self):
        step = 0
        while True:
            for part in range(self.parts):
                mine = self.part(step, self.rank, part)
                yield mine[: len(mine) // 2] if self.short else mine
            step += 1


def loader(samples, shares, steps, pinned):
    """An endless stream of micro-batches of this rank."""
    workers = steps.get("loaderWorkers") or 0
    ahead = {"prefetch_factor": steps.get("loadAhead") or 2, "persistent_workers": True} if workers else {}
    return iter(DataLoader(samples, batch_sampler=shares, num_workers=workers, pin_memory=pinned, **ahead))


def gather(samples, numbers):
    """The batch of the samples with these numbers."""
    pairs = [samples[i] for i in numbers]
    return torch.stack([x for x, _ in pairs]), torch.stack([y for _, y in pairs])
