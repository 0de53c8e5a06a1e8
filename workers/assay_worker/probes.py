"""Probes of what torch computes on: products, attention, memory, copies, loading of data.

Every probe is a list of variants. A variant's inner loop is calibrated so that one
replicate takes its share of the planned duration, runs once to warm up, and is then
timed as often as the plan says; its answer is looked at after every replicate,
outside of the time. What follows from the rows is for others to say.
"""

import gc
import re

import torch

import attention
import checkpoint
import kv_cache
import loading
import products
from link import Setup
from timers import EventTimer, HostTimer
from variants import COLD, Variant
from world import device_name

UNITS = {"ns": 1, "us": 1e3, "\u00b5s": 1e3, "ms": 1e6, "s": 1e9, "m": 60e9, "h": 3600e9, "d": 86400e9}
MIB = 1 << 20


def run(link, world, point, world_line):
    wanted = point["micro"]
    probe = wanted["probe"]
    if probe not in PROBES:
        raise Setup("no probe %s with torch; there are %s" % (probe, ", ".join(sorted(PROBES))))
    if probe in ON_DEVICE:
        world.choose("cuda", world.backend)
    link.barrier("ready")
    share = nanoseconds(wanted.get("duration", "2s")) / (wanted["replicates"] + 1.0)
    for device in devices(world, wanted):
        world.use(device)
        visit(link, world, point, share)


def devices(world, wanted):
    """The devices to measure, one after the other."""
    if wanted.get("allDevices") and world.device.type == "cuda":
        return [torch.device("cuda", i) for i in range(torch.cuda.device_count())]
    return [world.device]


def visit(link, world, point, share):
    """Measures every variant of a probe on one device. A generator of variants hears
    how fast the last one was: a search goes on from there."""
    probe = point["micro"]["probe"]
    makers, rate = PROBES[probe](world, point["micro"]), None
    while True:
        try:
            make = makers.send(rate)
        except StopIteration:
            return
        gc.collect()
        gc.disable()
        try:
            rate = measure(link, world, point, make(), share)
        except RuntimeError as e:
            if "out of memory" not in str(e):
                raise
            rate = 0.0
            link.note("%s: a variant needs more memory than there is and was left out: %s" % (probe, str(e).split("\n")[0]))
        finally:
            gc.enable()
            if world.device.type == "cuda":
                torch.cuda.empty_cache()


def measure(link, world, point, variant, share):
    """Calibrates one variant, warms it up, times its replicates and returns how many
    iterations a second the fastest of them made."""
    wanted, best = point["micro"], 0.0
    clock = variant.clock or (EventTimer(world.device) if world.device.type == "cuda" else HostTimer())
    scope = variant.scope if variant.scope is not None else scope_of(world, wanted)
    loops = calibrate(variant, clock, share)
    spoil = torch.empty(COLD, dtype=torch.uint8, device=world.device) if world.device.type == "cuda" else None
    for replicate in range(-1, wanted["replicates"]):
        link.phase, link.step_no = ("warmup" if replicate < 0 else "measure"), max(0, replicate)
        if spoil is not None:
            spoil.random_()  # what the last replicate left in caches is gone
        t0, t1 = clock.time(repeated(variant.call, loops))
        best = max(best, loops * 1e9 / max(1, t1 - t0))
        trial = {
            "point": point["index"], "phase": link.phase, "probe": wanted["probe"], "variant": variant.name,
            "it": max(0, replicate), "t0": t0, "t1": t1, "loops": loops, "bytes": variant.bytes * loops,
            "operations": variant.operations * loops, "size": variant.size, "scope": scope, "clock": clock.clock,
        }
        if variant.flop is not None:
            trial["flop"] = float(variant.flop * loops)
        if variant.wrong:
            trial["wrong"] = variant.wrong()
        link.record("trial", trial)
        link.flush()
    if variant.close:
        variant.close()
    return best


def scope_of(world, wanted):
    """What a row is about: the device, with its number where there are several."""
    if world.device.type != "cuda":
        return ""
    name = device_name(world.device)
    return "cuda:%d %s" % (world.device.index, name) if wanted.get("allDevices") else name


def calibrate(variant, clock, share):
    """So many iterations that a replicate takes about share nanoseconds."""
    loops = 1
    clock.time(repeated(variant.call, 1))  # what is made once is made here
    while True:
        t0, t1 = clock.time(repeated(variant.call, loops))
        took = max(1, t1 - t0)
        if took >= share / 4 or loops >= 1 << 22:
            return max(1, min(1 << 22, int(loops * share / took)))
        loops = int(min(1 << 22, max(2 * loops, min(loops * share / 2 / took, 16 * loops))))


def repeated(call, loops):
    def all_of_them():
        for i in range(loops):
            call(i)
    return all_of_them


def nanoseconds(text):
    found = re.match(r"([0-9.]+)([a-z\u00b5]+)$", text)
    if not found or found.group(2) not in UNITS:
        raise Setup("duration %r is none, such as 250ms" % text)
    return float(found.group(1)) * UNITS[found.group(2)]


# Memory, as STREAM has it: bytes are counted without what is read before a write.

def memory(world, wanted):
    size = 64 * MIB
    if world.device.type == "cuda":
        free, _ = torch.cuda.mem_get_info(world.device)
        size = int(min(1 << 30, free // 8)) // 8 * 8
    n = size // 8

    def array(value):
        return torch.full((n,), value, dtype=torch.float64, device=world.device)

    a, b, c = array(1.0), array(2.0), array(0.0)
    c.copy_(torch.arange(n, device=world.device) % 8)
    kernels = (
        ("copy", 2, 0, lambda i: c.copy_(a), lambda: c != a),
        ("scale", 2, 1, lambda i: torch.mul(c, 3.0, out=b), lambda: b != 3.0 * c),
        ("add", 3, 1, lambda i: torch.add(a, b, out=c), lambda: c != a + b),
        ("triad", 3, 2, lambda i: torch.add(b, c, alpha=3.0, out=a), lambda: a != b + 3.0 * c),
    )
    for name, arrays, flops, call, bad in kernels:
        yield lambda name=name, arrays=arrays, flops=flops, call=call, bad=bad: Variant(
            name, call, size=size, moved=arrays * size, flop=float(flops * n) if flops else None, wrong=lambda: int(bad().sum()))


# Copies between host and device, and between devices.

COPIES = (4 << 10, 64 << 10, MIB, 16 * MIB, 256 * MIB)


def transfer(world, wanted):
    for size in COPIES:
        for pinned in (True, False):
            for name in ("h2d", "d2h"):
                yield lambda size=size, pinned=pinned, name=name: copy(world, size, pinned, name)


def copy(world, size, pinned, name):
    # Random words, not bytes: of the largest size a byte each takes longer than its copies.
    host = torch.randint(-1 << 63, (1 << 63) - 1, (size // 8,)).view(torch.uint8)
    host = host.pin_memory() if pinned else host
    device = host.to(world.device) if name == "d2h" else torch.empty(size, dtype=torch.uint8, device=world.device)
    back = torch.empty(size, dtype=torch.uint8, pin_memory=pinned)
    to, of = (device, host) if name == "h2d" else (back, device)
    # A copy of pageable memory is staged by the host, which has to be timed with it.
    clock = EventTimer(world.device) if pinned else HostTimer(world.device)
    return Variant("%s %s" % (name, "pinned" if pinned else "pageable"), lambda i: to.copy_(of, non_blocking=pinned),
                   size=size, moved=size, clock=clock, wrong=lambda: differ(back if name == "d2h" else back.copy_(device), host))


def differ(a, b):
    """How many words of two blocks differ. Words, not bytes: a look takes longer than many copies."""
    return int((a.view(torch.int64) != b.view(torch.int64)).sum())


def peer_to_peer(world, wanted):
    count = torch.cuda.device_count()
    if count < 2:
        raise Setup("peer_to_peer needs two accelerators and this host has %d; leave it out of probe.probes" % count)
    for a in range(count):
        for b in range(count):
            if a != b:
                for size in (64 << 10, 256 * MIB):
                    yield lambda a=a, b=b, size=size: between(a, b, size)


class BothIdle(HostTimer):
    """The host's clock round work of two devices."""

    def __init__(self, devices):
        self.device, self.devices = None, devices

    def time(self, call, gather=None):
        def both():
            call()
            for device in self.devices:
                torch.cuda.synchronize(device)
        for device in self.devices:
            torch.cuda.synchronize(device)
        return HostTimer.time(self, both, gather)


def between(a, b, size):
    of = torch.randint(0, 256, (size,), dtype=torch.uint8, device="cuda:%d" % a)
    to = torch.empty(size, dtype=torch.uint8, device="cuda:%d" % b)
    direct = torch.cuda.can_device_access_peer(b, a)
    return Variant("direct" if direct else "through the host", lambda i: to.copy_(of, non_blocking=True), size=size, moved=size,
                   scope="cuda:%d to cuda:%d" % (a, b), clock=BothIdle([of.device, to.device]), wrong=lambda: int((to.cpu() != of.cpu()).sum()))


def dataloader(world, wanted):
    for workers in wanted.get("threads") or (0, 1, 2):
        yield lambda workers=workers: loader(workers)


def loader(workers):
    batches = loading.Batches(workers)
    return Variant("workers=%d" % workers, lambda i: batches.take(), size=loading.SAMPLE, moved=loading.SAMPLE * loading.BATCH,
                   operations=loading.BATCH, scope="", clock=HostTimer(), wrong=batches.wrong, close=batches.close)


# Generators: what they yield makes a variant, so that only one holds memory.
PROBES = {
    "matmul": products.matmul, "matmul_search": products.search, "roofline": products.roofline, "memory": memory,
    "attention": attention.variants, "kv_cache": kv_cache.variants, "checkpoint": checkpoint.variants,
    "transfer": transfer, "peer_to_peer": peer_to_peer, "dataloader": dataloader,
}
ON_DEVICE = ("transfer", "peer_to_peer")
