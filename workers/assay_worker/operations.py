"""The collectives themselves: buffers, calls, and the answers that must come.

Sizes are counted as nccl-tests counts them: the whole buffer where every rank has
the whole, otherwise n shares, each cut to a multiple of 16 bytes. Where torch or the
backend lacks an operation, others stand in, and the label says which.
"""

import torch
import torch.distributed as dist

from link import Setup

TYPES = {
    "float32": torch.float32, "float64": torch.float64, "int32": torch.int32,
    "uint8": torch.uint8, "bfloat16": torch.bfloat16, "float16": torch.float16,
}
EXACT = {"bfloat16": 256, "float16": 2048, "uint8": 255}  # whole numbers up to here are exact
PERIOD = 1021  # a prime, so that blocks of round sizes do not begin alike
OPS = ("all_reduce", "all_gather", "reduce_scatter", "all_to_all", "broadcast", "reduce", "gather", "scatter", "point_to_point", "barrier")
SHARED = ("all_gather", "reduce_scatter", "all_to_all", "gather", "scatter")
CUT = ("all_reduce", "broadcast", "reduce")  # can be cut into several calls
ROOT = 0


class Operation(object):
    """One collective with its buffers.

    refill puts the inputs in place and spoils the outputs, call does the work that is
    timed, and wrong counts what is not as it must be.
    """

    def __init__(self, op, size, data_type, in_place, chunks, world):
        if data_type not in TYPES:
            raise Setup("no data type %s; there are %s" % (data_type, ", ".join(sorted(TYPES))))
        if op == "point_to_point" and world.size < 2:
            raise Setup("point_to_point needs two ranks")
        if chunks > 1 and op not in CUT:
            raise Setup("only %s can be cut into chunks" % ", ".join(CUT))
        self.op, self.data_type, self.in_place, self.chunks = op, data_type, in_place, max(1, chunks)
        self.world, self.rank, self.n = world, world.rank, world.size
        self.type = TYPES[data_type]
        self.count = share(op, size, self.n, torch.empty(0, dtype=self.type).element_size())
        self.bytes = self.count * torch.empty(0, dtype=self.type).element_size() * (self.n if op in SHARED else 1)
        self.emulated = ""
        self._fills, self._wants = [], []
        self.call = getattr(self, "_" + op)()

    def refill(self):
        for tensor, value in self._fills:
            tensor.copy_(value) if torch.is_tensor(value) else tensor.fill_(value)

    def wrong(self):
        """How many elements are not as they must be. Sums of more whole numbers than the
        type can tell apart may be off by its rounding."""
        most = (values(self.n, self.data_type) - 1) * self.n
        loose = most > EXACT.get(self.data_type, 1 << 24)
        count = 0
        for got, want in self._wants:
            if loose and self.type.is_floating_point:
                off = (got.double() - want.double()).abs() > want.double().abs() * torch.finfo(self.type).eps * self.n
            else:
                off = got != want
            count += int(off.sum())
        return count

    # Each of these makes buffers and returns the call.

    def _all_reduce(self):
        return self._whole(lambda part: dist.all_reduce(part), self._sum(self.count))

    def _broadcast(self):
        return self._whole(lambda part: dist.broadcast(part, ROOT), self._of(ROOT, self.count), given=self.rank == ROOT)

    def _reduce(self):
        return self._whole(lambda part: dist.reduce(part, ROOT), self._sum(self.count) if self.rank == ROOT else None)

    def _whole(self, one, want, given=True):
        """An operation that torch knows in place only; out of place copies first."""
        mine = self._of(self.rank, self.count)
        out = self._empty(self.count)
        parts = out.chunk(self.chunks)
        if want is not None:
            self._wants = [(out, want)]
        if self.in_place:
            self._fills = [(out, mine if given else self._spoiled())]

            def call():
                for part in parts:
                    one(part)
        else:
            self._fills = [(out, self._spoiled())]
            self.emulated = "copy+" + self.op

            def call():
                if given:
                    out.copy_(mine)
                for part in parts:
                    one(part)
        return call

    def _all_gather(self):
        whole = self._empty(self.count * self.n)
        shares = list(whole.chunk(self.n))
        mine = self._of(self.rank, self.count)
        own = shares[self.rank] if self.in_place else mine
        self._fills = [(whole, self._spoiled())] + ([(own, mine)] if self.in_place else [])
        self._wants = [(shares[r], self._of(r, self.count)) for r in range(self.n)]
        into = getattr(dist, "all_gather_into_tensor", None) or getattr(dist, "_all_gather_base", None)
        if into is not None and works(lambda: into(whole, own)):
            return lambda: into(whole, own)
        return lambda: dist.all_gather(shares, own)

    def _reduce_scatter(self):
        whole = self._empty(self.count * self.n)
        shares = whole.chunk(self.n)
        out = shares[self.rank] if self.in_place else self._empty(self.count)
        mine = self._of(self.rank, self.count * self.n)
        self._fills = [(whole, mine)] + ([] if self.in_place else [(out, self._spoiled())])
        self._wants = [(out, self._sum(self.count, self.rank * self.count))]
        into = getattr(dist, "reduce_scatter_tensor", None) or getattr(dist, "_reduce_scatter_base", None)
        self.refill()
        if into is not None and works(lambda: into(out, whole)):
            return lambda: into(out, whole)
        self.emulated = "all_reduce+slice"
        if self.in_place:
            return lambda: dist.all_reduce(whole)
        scratch = torch.empty_like(whole)

        def call():
            scratch.copy_(whole)
            dist.all_reduce(scratch)
            out.copy_(scratch.chunk(self.n)[self.rank])
        return call

    def _all_to_all(self):
        mine, out = self._of(self.rank, self.count * self.n), self._empty(self.count * self.n)
        to, of = mine.chunk(self.n), out.chunk(self.n)
        self._fills = [(out, self._spoiled())]
        self._wants = [(of[r], self._of(r, self.count, self.rank * self.count)) for r in range(self.n)]
        if works(lambda: dist.all_to_all_single(out, mine)):
            return lambda: dist.all_to_all_single(out, mine)
        self.emulated = "send+recv"

        def call():
            others = [r for r in range(self.n) if r != self.rank]
            of[self.rank].copy_(to[self.rank])
            for work in [dist.irecv(of[r], r) for r in others] + [dist.isend(to[r], r) for r in others]:
                work.wait()
        return call

    def _gather(self):
        root = self.rank == ROOT
        whole = self._empty(self.count * self.n) if root else None
        shares = list(whole.chunk(self.n)) if root else None
        mine = self._of(self.rank, self.count)
        own = shares[ROOT] if root and self.in_place else mine
        if root:
            self._fills = [(whole, self._spoiled())] + ([(own, mine)] if self.in_place else [])
            self._wants = [(shares[r], self._of(r, self.count)) for r in range(self.n)]
        if works(lambda: dist.gather(own, shares, ROOT)):
            return lambda: dist.gather(own, shares, ROOT)
        self.emulated = "all_gather"
        everywhere = shares or [self._empty(self.count) for _ in range(self.n)]
        return lambda: dist.all_gather(everywhere, own)

    def _scatter(self):
        root = self.rank == ROOT
        whole = self._empty(self.count * self.n) if root else None
        shares = list(whole.chunk(self.n)) if root else None
        out = shares[ROOT] if root and self.in_place else self._empty(self.count)
        self._fills = [(out, self._spoiled())] + ([(whole, self._of(ROOT, self.count * self.n))] if root else [])
        self._wants = [(out, self._of(ROOT, self.count, self.rank * self.count))]
        self.refill()
        if works(lambda: dist.scatter(out, shares, ROOT)):
            return lambda: dist.scatter(out, shares, ROOT)
        self.emulated = "broadcast+slice"
        scratch = whole if root else self._empty(self.count * self.n)

        def call():
            dist.broadcast(scratch, ROOT)
            if out.data_ptr() != scratch.chunk(self.n)[self.rank].data_ptr():
                out.copy_(scratch.chunk(self.n)[self.rank])
        return call

    def _point_to_point(self):
        """A ring: everybody sends to the next rank while receiving from the one before."""
        mine, out = self._of(self.rank, self.count), self._empty(self.count)
        after, before = (self.rank + 1) % self.n, (self.rank - 1) % self.n
        self._fills = [(out, self._spoiled())]
        self._wants = [(out, self._of(before, self.count))]
        if self.world.backend == "nccl":  # which needs both in one group, or it waits for ever
            both = [dist.P2POp(dist.isend, mine, after), dist.P2POp(dist.irecv, out, before)]

            def call():
                for work in dist.batch_isend_irecv(both):
                    work.wait()
        else:
            def call():
                works = [dist.irecv(out, before), dist.isend(mine, after)]
                for work in works:
                    work.wait()
        return call

    def _barrier(self):
        self.bytes = 0
        if self.world.backend == "nccl":
            return lambda: dist.barrier(device_ids=[self.world.device.index])
        return lambda: dist.barrier()

    # What buffers hold.

    def _empty(self, count):
        return torch.empty(count, dtype=self.type, device=self.world.device)

    def _spoiled(self):
        return 77  # no value and, where numbers are exact, no sum of few ranks

    def _of(self, rank, count, first=0):
        """What a rank puts into its buffer, from index first on."""
        m = values(self.n, self.data_type)
        return self._tiled([(7 * i + 3 * rank) % m for i in range(PERIOD)], count, first)

    def _sum(self, count, first=0):
        m = values(self.n, self.data_type)
        return self._tiled([sum((7 * i + 3 * r) % m for r in range(self.n)) for i in range(PERIOD)], count, first)

    def _tiled(self, table, count, first):
        if self.data_type == "uint8":
            table = [x % 256 for x in table]
        first %= PERIOD
        row = torch.tensor(table, dtype=torch.float64).to(self.type).to(self.world.device)
        return row.repeat((first + count + PERIOD - 1) // PERIOD)[first:first + count].contiguous()


def share(op, size, n, element):
    """Elements of one rank's share of so many bytes."""
    if op == "barrier":
        return 0
    if op in SHARED:
        return max(size // n // 16 * 16, 16) // element
    return max(1, size // element)


def values(n, data_type):
    """How many different values buffers hold: so few that sums over n ranks are exact."""
    return max(2, min(5, EXACT.get(data_type, 1 << 20) // n + 1))


def works(call):
    """Whether the library has the operation: all ranks ask at once, so all know alike."""
    try:
        call()
    except (RuntimeError, NotImplementedError, ValueError) as e:
        text = str(e).lower()
        if "support" in text or "not implemented" in text or "no backend type" in text:
            return False
        raise
    return True
