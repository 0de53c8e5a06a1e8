"""Probes of what torch computes on: products, memory, copies, loading of data.

Every probe is a list of variants. A variant's inner loop is calibrated so that one
replicate takes its share of the planned duration, runs once to warm up, and is then
timed as often as the plan says; its answer is looked at after every replicate,
outside of the time. What follows from the rows is for others to say.
"""

import gc
import re

import torch

import loading
from link import Setup
from timers import EventTimer, HostTimer
from world import device_name

UNITS = {"ns": 1, "us": 1e3, "\u00b5s": 1e3, "ms": 1e6, "s": 1e9, "m": 60e9, "h": 3600e9, "d": 86400e9}
COLD = 256 << 20  # bytes that no cache of an accelerator holds
MIB = 1 << 20


class Variant(object):
    """One way to use what a probe measures.

    call(i) does iteration i; the counts are those of one iteration. wrong, where it is
    given, counts wrong answers after a replicate; close frees what is held.
    """

    def __init__(self, name, call, size=0, moved=0, flop=None, operations=1, scope=None, clock=None, wrong=None, close=None):
        self.name, self.call, self.size = name, call, size
        self.bytes, self.flop, self.operations, self.scope = moved, flop, operations, scope
        self.clock, self.wrong, self.close = clock, wrong, close


def run(link, world, point, world_line):
    wanted = point["micro"]
    probe = wanted["probe"]
    if probe not in PROBES:
        raise Setup("no probe %s with torch; there are %s" % (probe, ", ".join(sorted(PROBES))))
    if probe in ON_DEVICE:
        world.choose("cuda", world.backend)
    link.barrier("ready")
    share = nanoseconds(wanted.get("duration", "2s")) / (wanted["replicates"] + 1.0)
    for make in PROBES[probe](world, wanted):
        gc.collect()
        gc.disable()
        try:
            measure(link, world, point, make(), share)
        except RuntimeError as e:
            if "out of memory" not in str(e):
                raise
            link.note("%s: a variant needs more memory than there is and was left out: %s" % (probe, str(e).split("\n")[0]))
        finally:
            gc.enable()
            if world.device.type == "cuda":
                torch.cuda.empty_cache()


def measure(link, world, point, variant, share):
    """Calibrates one variant, warms it up and times its replicates."""
    wanted = point["micro"]
    clock = variant.clock or (EventTimer(world.device) if world.device.type == "cuda" else HostTimer())
    scope = variant.scope if variant.scope is not None else (device_name(world.device) if world.device.type == "cuda" else "")
    loops = calibrate(variant, clock, share)
    spoil = torch.empty(COLD, dtype=torch.uint8, device=world.device) if world.device.type == "cuda" else None
    for replicate in range(-1, wanted["replicates"]):
        link.phase, link.step_no = ("warmup" if replicate < 0 else "measure"), max(0, replicate)
        if spoil is not None:
            spoil.random_()  # what the last replicate left in caches is gone
        t0, t1 = clock.time(repeated(variant.call, loops))
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


# Products.

# name: type of the result, rounding of an element of it, rounding of one addition,
# whether operands may be rounded to tf32
PRECISIONS = {
    "float64": (torch.float64, 2.0 ** -52, 2.0 ** -53, False),
    "float32": (torch.float32, 2.0 ** -23, 2.0 ** -24, False),
    "tf32": (torch.float32, 2.0 ** -10, 2.0 ** -24, True),
    "bfloat16": (torch.bfloat16, 2.0 ** -8, 2.0 ** -24, False),
    "float16": (torch.float16, 2.0 ** -10, 2.0 ** -24, False),
    "float8": (torch.bfloat16, 2.0 ** -8, 2.0 ** -13, False),  # whose sums keep few digits
}
# The first of each type is the one that goes by the type's name alone.
CUDA_PRODUCTS = (
    ("bfloat16", 8192, 8192, 8192), ("bfloat16", 4096, 4096, 4096), ("bfloat16", 2048, 2048, 2048), ("bfloat16", 1024, 1024, 1024),
    ("bfloat16", 16384, 8192, 4096), ("float16", 8192, 8192, 8192), ("float8", 8192, 8192, 8192),
    ("tf32", 8192, 8192, 8192), ("float32", 4096, 4096, 4096), ("float64", 4096, 4096, 4096),
)
CPU_PRODUCTS = (("float32", 1024, 1024, 1024), ("float32", 256, 256, 256), ("float64", 1024, 1024, 1024))


def matmul(world, wanted):
    cuda, seen = world.device.type == "cuda", set()
    for name, m, n, k in CUDA_PRODUCTS if cuda else CPU_PRODUCTS:
        if name == "float8" and not has_float8(world.device):
            continue
        variant = "%s %dx%dx%d" % (name, m, n, k) if name in seen else name
        seen.add(name)
        yield lambda name=name, m=m, n=n, k=k, variant=variant: product(world, name, m, n, k, variant)


def product(world, name, m, n, k, variant):
    """C = AB on random numbers: zeros cost less power and so run faster. Several sets
    of operands take turns where one would stay in a cache."""
    dtype, last, sums, tf32 = PRECISIONS[name]
    width = torch.empty(0, dtype=dtype).element_size()
    size = (m * k + k * n + m * n) * width
    sets = max(1, min(64, -(-COLD // size))) if world.device.type == "cuda" else 1
    random = torch.Generator(device=world.device)
    random.manual_seed(1)

    def filled(rows, columns):
        return torch.randn(rows, columns, device=world.device, dtype=torch.float32 if width < 8 else dtype, generator=random).to(dtype)

    a, b = [filled(m, k) for _ in range(sets)], [filled(k, n) for _ in range(sets)]
    c = [torch.empty(m, n, dtype=dtype, device=world.device) for _ in range(sets)]
    if name == "float8":
        call, a, b = scaled(a, b, c)
        size = (m * k + k * n) + m * n * width
    else:
        def call(i):
            torch.mm(a[i % sets], b[i % sets], out=c[i % sets])
    before = torch.backends.cuda.matmul.allow_tf32
    torch.backends.cuda.matmul.allow_tf32 = tf32

    def close():
        torch.backends.cuda.matmul.allow_tf32 = before
    return Variant(variant, call, size=size, flop=2.0 * m * n * k, wrong=lambda: wrong_rows(a[0], b[0], c[0], last, sums), close=close)


def has_float8(device):
    return hasattr(torch, "float8_e4m3fn") and hasattr(torch, "_scaled_mm") and torch.cuda.get_device_capability(device) >= (8, 9)


def scaled(a, b, c):
    """Products of 8-bit floats with a scale of one; the second operand lies by columns."""
    f8 = torch.float8_e4m3fn
    a = [x.to(f8) for x in a]
    b = [x.t().contiguous().to(f8).t() for x in b]
    one = torch.ones((), device=c[0].device, dtype=torch.float32)

    def call(i):
        j = i % len(a)
        c[j] = torch._scaled_mm(a[j], b[j], scale_a=one, scale_b=one, out_dtype=torch.bfloat16)
    return call, a, b


def wrong_rows(a, b, c, last, sums):
    """Rows of C that are not those of AB, by Freivalds' check: C x is held against
    A (B x) for a random x. Elements of C are about |row of A| |column of B| / sqrt(k)
    for random numbers; each is off by its last digit and by those of k additions."""
    a, b, c = (m.float().double() if m.element_size() == 1 else m.double() for m in (a, b, c))
    k, n = b.shape
    x = torch.randint(-3, 4, (n, 1), device=b.device).double()
    want, got = a @ (b @ x), c @ x
    element = a.norm(dim=1, keepdim=True) * b.norm() / (n * k) ** 0.5
    room = SIGMAS * (last + k ** 0.5 * sums) * element * x.norm()
    return int((((got - want).abs() > room) | ~torch.isfinite(got)).sum())


SIGMAS = 8  # so many times what rounding does on average is an error


# Skinny products of one weight matrix: m rows at a time, as in decoding. What a row
# of the plan's roofline needs is operations and bytes.
SKINNY = (1, 4, 16, 64, 256, 1024)


def roofline(world, wanted):
    cuda = world.device.type == "cuda"
    name, side = ("bfloat16", 8192) if cuda else ("float32", 1024)
    yield lambda: product(world, name, side, side, side, "peak")
    width = torch.empty(0, dtype=PRECISIONS[name][0]).element_size()
    for m in SKINNY:
        moved = (2 * m * side + side * side) * width

        def make(m=m, moved=moved):
            made = product(world, name, m, side, side, "%.3g FLOP/B" % (2.0 * m * side * side / moved))
            made.bytes = moved
            return made
        yield make


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
    host = torch.randint(0, 256, (size,), dtype=torch.uint8)
    host = host.pin_memory() if pinned else host
    device = host.to(world.device) if name == "d2h" else torch.empty(size, dtype=torch.uint8, device=world.device)
    back = torch.empty(size, dtype=torch.uint8, pin_memory=pinned)
    to, of = (device, host) if name == "h2d" else (back, device)
    # A copy of pageable memory is staged by the host, which has to be timed with it.
    clock = EventTimer(world.device) if pinned else HostTimer(world.device)
    return Variant("%s %s" % (name, "pinned" if pinned else "pageable"), lambda i: to.copy_(of, non_blocking=pinned),
                   size=size, moved=size, clock=clock, wrong=lambda: int((to.cpu() != host).sum()))


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
    "matmul": matmul, "roofline": roofline, "memory": memory,
    "transfer": transfer, "peer_to_peer": peer_to_peer, "dataloader": dataloader,
}
ON_DEVICE = ("transfer", "peer_to_peer")
