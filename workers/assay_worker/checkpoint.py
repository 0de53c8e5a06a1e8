"""Saves the state of an accelerator and loads it again, as training does: torch's own
format, on the disk before it takes the place of the old one."""

import os
import shutil
import tempfile

import torch

from timers import HostTimer
from variants import Variant

PIECES = 16  # tensors of a state


def variants(world, wanted):
    yield lambda: saved(world, wanted, "save")
    yield lambda: saved(world, wanted, "load")


def saved(world, wanted, name):
    size = max(PIECES * 4096, wanted.get("fileSize") or 1 << 30)
    room = tempfile.mkdtemp(prefix="assay-checkpoint-", dir=wanted.get("dir") or None)
    path = os.path.join(room, "state")
    state = {"layer.%d" % i: torch.full((size // PIECES,), i, dtype=torch.uint8, device=world.device) for i in range(PIECES)}
    got = [state]

    def save(i):
        with open(path + ".new", "wb") as f:
            torch.save(state, f)
            f.flush()
            os.fsync(f.fileno())
        os.rename(path + ".new", path)
        folder = os.open(room, os.O_RDONLY)
        os.fsync(folder)
        os.close(folder)

    def load(i):
        with open(path, "rb") as f:
            os.posix_fadvise(f.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
            got[0] = torch.load(f, map_location=world.device)

    def wrong():
        return sum(int((got[0]["layer.%d" % i] != i).sum()) for i in range(PIECES))

    if name == "load":
        save(0)
    return Variant(name, save if name == "save" else load, size=size, moved=size, clock=HostTimer(world.device), wrong=wrong,
                   close=lambda: shutil.rmtree(room, ignore_errors=True))
