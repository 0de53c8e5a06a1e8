"""Measures every two ranks, in both directions, one pair at a time.

The receiver says when it waits; the sender's time runs from its first byte until the
answer is there: as large as the message for latency, 4 bytes for bandwidth.
"""

import gc

import torch
import torch.distributed as dist

from timers import timer

LATENCY_BYTES = 8
ACK_BYTES = 4


def run(link, world, point, world_line):
    wanted = point["collective"]
    size = wanted["bytes"]
    latency = size <= LATENCY_BYTES
    pair = Pair(world, size, size if latency else ACK_BYTES)
    link.barrier("ready")
    gc.collect()
    gc.disable()
    try:
        for sender in range(world.size):
            for receiver in range(world.size):
                if sender != receiver:
                    direction(link, world, point, pair, sender, receiver, "pair_latency" if latency else "pair_bandwidth")
    finally:
        gc.enable()
    link.flush()


def direction(link, world, point, pair, sender, receiver, op):
    """One sender and one receiver; the others only count along."""
    wanted = point["collective"]
    calls = max(1, wanted["warmup"]) + wanted["iterations"]
    rows = []
    world.barrier()
    for i in range(calls):
        it = link.began()
        link.phase, link.step_no = ("warmup" if i < calls - wanted["iterations"] else "measure"), i
        if world.rank == receiver:
            pair.receive(sender)
        elif world.rank == sender:
            t0, t1 = pair.send(receiver)
            rows.append({
                "point": point["index"], "it": it, "phase": link.phase, "op": op, "algorithm": "direct",
                "bytes": pair.size, "data_type": "uint8", "n": 2, "in_place": False, "t0": t0, "t1": t1,
                "checked": True, "peer": receiver, "chunks": 1, "clock": pair.timer.clock,
            })
    # What the receiver found wrong is told after the last call, outside of every time.
    if world.rank == receiver:
        pair.tell(sender)
    elif world.rank == sender:
        for row, wrong in zip(rows, pair.ask(receiver, calls)):
            row["wrong"] = wrong
            link.record("coll", row)


class Pair(object):
    """The buffers of this rank, as sender and as receiver."""

    def __init__(self, world, size, answer):
        def full(count, value=0):
            return torch.full((count,), value, dtype=torch.uint8, device=world.device)

        self.world, self.size = world, size
        self.message = (torch.arange(size, device=world.device) % 251).to(torch.uint8)
        self.buffer, self.answer, self.word = full(size), full(answer, 1), full(ACK_BYTES, 1)
        self.wrong = []
        self.timer = timer(world, events=world.backend == "nccl")

    def send(self, to):
        dist.recv(self.word, to)  # it waits

        def call():
            dist.send(self.message, to)
            dist.recv(self.answer, to)
        return self.timer.time(call)

    def receive(self, of):
        self.buffer.zero_()
        if self.world.device.type == "cuda":
            torch.cuda.synchronize(self.world.device)
        dist.send(self.word, of)
        dist.recv(self.buffer, of)
        dist.send(self.answer, of)
        self.wrong.append(int((self.buffer != self.message).sum()))

    def tell(self, sender):
        dist.send(torch.tensor(self.wrong, dtype=torch.int64, device=self.world.device), sender)
        self.wrong = []

    def ask(self, receiver, calls):
        told = torch.zeros(calls, dtype=torch.int64, device=self.world.device)
        dist.recv(told, receiver)
        return told.tolist()
