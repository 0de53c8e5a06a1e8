"""How a model is spread over ranks: DDP, FSDP or not at all."""

import contextlib

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

import buckets
from link import Setup


class Spread(object):
    """A model as this rank trains it.

    step is called with input and targets; unsynced() is the context of a pass whose
    gradients stay on this rank, None where there is none; stamps is what DDP's hook
    saw, None where there is no hook.
    """

    def __init__(self, model, kind):
        self.model, self.step, self.kind = model, model, kind
        self.unsynced, self.stamps = None, None

    @property
    def whole(self):
        """Whether every rank holds all parameters."""
        return self.kind != "fsdp"


def spread(model, steps, world, clock, link):
    kind = steps.get("parallelism") or "ddp"
    made = Spread(model, kind)
    if kind == "ddp":
        _ddp(made, steps, world, clock, link)
    elif kind == "fsdp":
        _fsdp(made, world)
    elif kind != "none":
        raise Setup("parallelism %s is not known here; want ddp, fsdp or none" % kind)
    if steps.get("compile"):
        if not hasattr(torch, "compile"):
            raise Setup("this torch (%s) cannot compile models; leave compile out or take torch 2" % torch.__version__)
        made.step = torch.compile(made.step)
    return made


def _ddp(made, steps, world, clock, link):
    on = [world.device.index] if world.device.type == "cuda" else None
    wanted = steps.get("bucketBytes") or 25 << 20
    # DDP makes its first bucket of 1 MiB so that the exchange begins early; older
    # releases do so even where smaller ones are asked for.
    if hasattr(dist, "_DEFAULT_FIRST_BUCKET_BYTES"):
        dist._DEFAULT_FIRST_BUCKET_BYTES = min(1 << 20, wanted)
    size = wanted / float(1 << 20)
    made.step = DistributedDataParallel(made.model, device_ids=on, bucket_cap_mb=size)
    made.stamps = buckets.Stamps(buckets.Exchange(steps.get("compression"), world), clock, link)
    made.step.register_comm_hook(None, made.stamps.hook)
    made.unsynced = made.step.no_sync


def _fsdp(made, world):
    try:
        fully_shard = _fully_shard()
    except Exception as e:  # old releases fail in many ways while they are imported
        raise Setup("this torch (%s) has no FSDP here (%s); take parallelism ddp or torch 2.4 and later" % (torch.__version__, str(e).splitlines()[0]))
    for layer in made.model.layers:
        fully_shard(layer)
    made.step = fully_shard(made.model)
    made.model = made.step


def _fully_shard():
    try:
        from torch.distributed.fsdp import fully_shard
    except ImportError:
        from torch.distributed._composable.fsdp import fully_shard
    return fully_shard


@contextlib.contextmanager
def last_only(made, last):
    """The context of one micro-batch: only the last one's gradients are exchanged."""
    if last:
        yield
    elif made.kind == "fsdp":
        made.step.set_requires_gradient_sync(False)
        try:
            yield
        finally:
            made.step.set_requires_gradient_sync(True)
    elif made.unsynced:
        with made.unsynced():
            yield
    else:
        yield


def local(tensor):
    """What of a tensor is on this rank."""
    return tensor.to_local() if hasattr(tensor, "to_local") else tensor


def full(tensor):
    """All of a tensor; every rank must ask for it."""
    return tensor.full_tensor() if hasattr(tensor, "full_tensor") else tensor
