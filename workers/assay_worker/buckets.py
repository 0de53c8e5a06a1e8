"""Gradient buckets on their way: stamped when their gradients are final and when
their exchange is over.

DDP reduces gradients inside of backward(), so communication cannot be timed around
a call. It hands every bucket to one hook instead, and the hook stands in for the
whole reduction: it must average as DDP would.
"""

import time

import torch
import torch.distributed as dist

from link import Setup

HALVES = {"fp16": torch.float16, "bf16": torch.bfloat16}


class Exchange(object):
    """How a bucket is averaged over ranks, with or without compression."""

    def __init__(self, compression, world):
        self.compression, self.size = compression or "none", world.size
        self._half, self._power = HALVES.get(self.compression), None
        # powerSGD begins collectives when others end. Only NCCL does that in the same
        # order on all ranks; elsewhere buckets take turns, and overlap is lost.
        self._in_turn = world.backend != "nccl"
        if self._half is not None:
            self._try_half(world.device)
        elif self.compression == "powersgd":
            self._power = power_state()
        elif self.compression != "none":
            raise Setup("compression %s is not known here; want none, fp16, bf16 or powersgd" % self.compression)

    def _try_half(self, device):
        try:
            dist.all_reduce(torch.zeros(1, dtype=self._half, device=device))
        except RuntimeError as e:
            raise Setup("this backend cannot add %s, so compression %s needs another: %s" % (self._half, self.compression, str(e).splitlines()[0]))

    def of_bucket(self, bucket):
        """Starts to average a bucket of DDP; the future holds the averaged gradients."""
        if self._power:
            from torch.distributed.algorithms.ddp_comm_hooks.powerSGD_hook import powerSGD_hook

            future = powerSGD_hook(self._power, bucket)
            if self._in_turn:
                future.wait()
            return future
        return self.start(bucket.buffer())

    def start(self, buffer):
        """Starts to average a buffer in place."""
        if self._half is None:
            return dist.all_reduce(buffer.div_(self.size), async_op=True).get_future().then(first)
        wire = buffer.to(self._half).div_(self.size)
        return dist.all_reduce(wire, async_op=True).get_future().then(lambda f: buffer.copy_(first(f)))


def first(future):
    value = future.value()
    return value[0] if isinstance(value, (list, tuple)) else value


def power_state():
    from torch.distributed.algorithms.ddp_comm_hooks.powerSGD_hook import PowerSGDState

    # The library's default compresses from step 1000 on; here it must be seen, and
    # the first two steps stay whole for the check against one process.
    return PowerSGDState(process_group=None, matrix_approximation_rank=2, start_powerSGD_iter=2)


class Stamps(object):
    """The hook, and what it stamped in the step under way."""

    def __init__(self, exchange, clock, link):
        self.exchange, self._clock, self._link = exchange, clock, link
        self._seen = []
        self.sleep = 0.0  # seconds that every exchange takes longer, for a known truth

    def hook(self, _, bucket):
        ready = self._clock.mark()
        buffer = bucket.buffer()
        row = {"b": buffer.numel() * buffer.element_size(), "ready": ready}
        self._seen.append(row)
        self._link.began()
        return self.exchange.of_bucket(bucket).then(self._end(row))

    def _end(self, row):
        def done(future):
            if self.sleep > 0:
                time.sleep(self.sleep)
            row["end"] = self._clock.mark()
            return first(future)

        return done

    def take(self):
        """The buckets since the last call, in the order of launch; marks, not times."""
        seen, self._seen = self._seen, []
        return seen

    def alone(self, sizes, device, dtype):
        """Exchanges buckets of these bytes back to back, without any computation."""
        each = torch.zeros(1, dtype=dtype).element_size()
        buffers = [torch.zeros(size // each, dtype=dtype, device=device) for size in sizes]
        self._clock.anchor()
        rows, waits = [], []
        for buffer, size in zip(buffers, sizes):
            row = {"b": size, "ready": self._clock.mark()}
            self._link.began()
            waits.append(self.exchange.start(buffer).then(self._end(row)))
            rows.append(row)
        for wait in waits:
            wait.wait()
        return rows


def lines(rows, clock):
    """Stamped buckets as the protocol writes them. The device must be idle."""
    return [
        {"i": i, "b": row["b"], "ready": clock.ns(row["ready"]), "end": clock.ns(row["end"])}
        for i, row in enumerate(rows)
        if "end" in row
    ]
