"""A synthetic dataset behind torch's DataLoader, for the probe of it."""

import torch
from torch.utils.data import DataLoader, Dataset

SAMPLE = 3 * 64 * 64 * 4  # bytes: a small picture of float32
BATCH = 32


class Pictures(Dataset):
    """Samples that are made, turned and normalised: work as that of a usual pipeline.
    The first element says which one it is."""

    def __len__(self):
        return 1 << 20

    def __getitem__(self, index):
        raw = (torch.arange(SAMPLE // 4) + index).remainder_(251).reshape(3, 64, 64)
        picture = raw.flip(2).float().div_(125.5).sub_(1)
        picture[0, 0, 0] = index
        return picture


class Batches(object):
    """Batches one after another, and whether they are the right ones."""

    def __init__(self, workers):
        self.loader = DataLoader(Pictures(), batch_size=BATCH, num_workers=workers, persistent_workers=workers > 0)
        self.turn, self.next, self.bad = iter(self.loader), 0, 0

    def take(self):
        batch = next(self.turn, None)
        if batch is None:
            self.turn, self.next = iter(self.loader), 0
            batch = next(self.turn)
        if int(batch[-1, 0, 0, 0]) != self.next + BATCH - 1:
            self.bad += 1
        self.next += BATCH

    def wrong(self):
        bad, self.bad = self.bad, 0
        return bad

    def close(self):
        self.turn = self.loader = None
