"""Checkpoints of a training job, as training saves them: torch's own format, on the disk
before it takes the place of the one before. Rank 0 saves a model that every rank holds;
of one that is spread over ranks, each saves what it has.
"""

import os
import shutil
import tempfile
import time

import torch

from parallel import local


def keeper(steps, world, sleeps):
    every = steps.get("saveEvery") or 0
    return Keeper(every, steps.get("saveDir"), world, steps.get("parallelism") == "fsdp", sleeps) if every else Nobody()


class Nobody(object):
    """Saves nothing."""

    def due(self, step):
        return False

    def close(self):
        pass


class Keeper(object):
    """Saves after every so many steps."""

    def __init__(self, every, folder, world, spread, sleeps):
        self.every, self.world, self.sleeps = every, world, sleeps
        self.writes = spread or world.rank == 0
        self.room = tempfile.mkdtemp(prefix="assay-checkpoint-", dir=folder or None) if self.writes else None

    def due(self, step):
        return step % self.every == 0

    def save(self, model, optimizer):
        """Saves, waits until all ranks have, and returns the nanoseconds from an idle device on."""
        if self.world.device.type == "cuda":
            torch.cuda.synchronize(self.world.device)
        begin = time.monotonic_ns()
        if self.writes:
            self._write(model, optimizer)
        if self.sleeps.save > 0:
            time.sleep(self.sleeps.save)
        self.world.barrier()
        return time.monotonic_ns() - begin

    def _write(self, model, optimizer):
        path = os.path.join(self.room, "state")
        state = {
            "model": [local(p.detach()) for p in model.parameters()],
            "optimizer": [{k: local(v) if torch.is_tensor(v) else v for k, v in one.items()} for one in optimizer.state.values()],
        }
        with open(path + ".new", "wb") as f:
            torch.save(state, f)
            f.flush()
            os.fsync(f.fileno())
        os.rename(path + ".new", path)
        folder = os.open(self.room, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    def close(self):
        if self.room:
            shutil.rmtree(self.room, ignore_errors=True)
