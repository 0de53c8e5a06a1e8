"""Measures one collective at one size: each call timed by itself, after a barrier
that is not, and its answer looked at."""

import gc
import os

from timers import timer
from link import Setup
from operations import OPS, Operation

CHECKS = 20  # of the calls of one point; more only cost time


def run(link, world, point, world_line):
    wanted = point["collective"]
    operation = prepare(wanted, world)
    say_how(link, world, operation)
    # Work of NCCL is queued on the device; what gloo does with a device's buffers
    # happens on the host.
    clock = timer(world, events=world.backend == "nccl" and operation.op != "barrier")
    operation.refill()
    operation.call()  # connections and buffers of the library are made here
    link.barrier("ready")

    warmup, iterations = wanted["warmup"], wanted["iterations"]
    every = max(1, iterations // CHECKS)
    gc.collect()
    gc.disable()
    try:
        for i in range(warmup + iterations):
            last = i == warmup + iterations - 1
            link.phase, link.step_no = ("warmup" if i < warmup else "measure"), i
            checked = operation.bytes > 0 and (i < warmup or (i - warmup) % every == 0 or last)
            operation.refill()
            it = link.began()  # before the barrier: who does not come is the one behind
            t0, t1 = clock.time(operation.call, world.barrier)
            link.record("coll", {
                "point": point["index"], "it": it, "phase": link.phase,
                "op": operation.op, "algorithm": algorithm(world), "bytes": operation.bytes,
                "data_type": operation.data_type, "n": world.size, "in_place": operation.in_place,
                "t0": t0, "t1": t1, "wrong": operation.wrong() if checked else 0, "checked": checked,
                "chunks": operation.chunks, "emulated": operation.emulated, "clock": clock.clock,
                "protocol": wanted.get("protocol", ""), "setting": wanted.get("setting", ""),
            })
    finally:
        gc.enable()
    link.flush()


def prepare(wanted, world):
    if wanted["op"] not in OPS:
        raise Setup("no collective %s over torch; there are %s" % (wanted["op"], ", ".join(OPS)))
    try:
        return Operation(wanted["op"], wanted["bytes"], wanted["dataType"], wanted.get("inPlace", False), wanted.get("chunks", 0), world)
    except (RuntimeError, TypeError) as e:
        if "scalar type" in str(e).lower() or "dtype" in str(e).lower():
            raise Setup("%s of this torch cannot do %s on %s: %s" % (world.backend, wanted["op"], wanted["dataType"], e))
        raise


def say_how(link, world, operation):
    """Tells, once, what a reader of the figures must know."""
    said = world.__dict__.setdefault("said", set())
    if operation.emulated and world.rank == 0 and operation.emulated not in said:
        said.add(operation.emulated)
        link.note("%s %s over %s is %s" % (operation.op, "in place" if operation.in_place else "out of place", world.backend, operation.emulated))


def algorithm(world):
    """The library chooses for itself and does not say; what was asked of it is known."""
    return os.environ.get("NCCL_ALGO", "auto").lower() if world.backend == "nccl" else "auto"
