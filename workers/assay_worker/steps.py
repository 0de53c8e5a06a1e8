"""Training steps, stamped.

A step is what a trainer does: input, copy, forward, backward, optimizer. Marks are
set between these and nothing else happens in it. What the marks say, the loss and
the checksums are read afterwards, when the device is idle.
"""

import math
import time

import torch

import batches
import buckets
import memory
import parallel
import precision as precisions
from link import finite


class Steps(object):
    """The steps of one point on one rank."""

    def __init__(self, link, world, point, seed, model, sleeps, clock, precision):
        self.link, self.world, self.clock, self.precision = link, world, clock, precision
        self.index, self.plan, self.sleeps = point["index"], point["steps"], sleeps
        self.spread = parallel.spread(model, self.plan, world, clock, link)
        if self.spread.stamps:
            self.spread.stamps.sleep = sleeps.exchange
        self.model = self.spread.model
        self.optimizer = precisions.optimizer(self.plan["optimizer"], self.model.parameters())
        self.scaler = precision.scaler()
        shares = batches.Shares(self.plan, world.rank, sleeps.short_shard)
        self.parts = shares.parts
        samples = batches.Samples(self.plan["shape"], seed)
        self.input = batches.loader(samples, shares, self.plan, world.device.type == "cuda")
        if self.plan.get("compile"):
            self._compile(batches.gather(samples, shares.part(0, world.rank, 0)))
        self.number = 0
        self.sizes = []  # bytes of the buckets of the last synced step
        self._pending = []
        self._before = None  # the mark at the end of the step before, where nothing but the trainer's loop is between

    def take(self, phase, synced=True, sums=False):
        """Takes one step. Its row waits for settle()."""
        self.link.phase, self.link.step_no = phase, self.number
        mark, row = self.clock.mark, {"phase": phase, "synced": synced, "parts": [], "samples": 0}
        row["begin"], row["before"] = mark(), self._before
        if self.sleeps.late > 0:
            time.sleep(self.sleeps.late)
        self.optimizer.zero_grad(set_to_none=True)
        losses = []
        for part in range(self.parts):
            with parallel.last_only(self.spread, synced and part == self.parts - 1):
                losses.append(self._part(row))
        row["optimizer"] = mark()
        if synced:
            self.scaler.step(self.optimizer)
            self.scaler.update()
        row["end"] = self._before = mark()
        row["loss"] = losses
        row["buckets"] = self.spread.stamps.take() if self.spread.stamps else []
        if synced and sums and self.spread.whole:
            row["gradient_sum"] = total(p.grad for p in self.model.parameters() if p.grad is not None)
            row["parameter_sum"] = total(self.model.parameters())
            self.interrupted()
        row["step"] = self.number
        self.number += 1
        self._pending.append(row)

    def _part(self, row):
        """One micro-batch: the marks before input, copy, forward and backward, and at the end."""
        mark = self.clock.mark
        marks = [mark()]
        batch = next(self.input)
        if self.sleeps.input > 0:
            time.sleep(self.sleeps.input)
        marks.append(mark())
        x, y = self._on_device(batch)
        marks.append(mark())
        with self.precision.forward():
            loss = self.spread.step(x, y)
        marks.append(mark())
        self.scaler.scale(loss / self.parts).backward()
        marks.append(mark())
        row["parts"].append(marks)
        row["samples"] += x.size(0)
        return loss.detach()

    def _compile(self, batch):
        """Compiles both passes before anything is exchanged: ranks take unequally long,
        and a collective would wait for the slowest until it is given up."""
        x, y = self._on_device(batch)
        with parallel.last_only(self.spread, False):
            with self.precision.forward():
                loss = self.spread.step(x, y)
            loss.backward()
        self.optimizer.zero_grad(set_to_none=True)

    def _on_device(self, batch):
        """A batch on the device and in the precision that the model has."""
        x, y = batch
        if self.world.device.type == "cuda":
            x, y = x.to(self.world.device, non_blocking=True), y.to(self.world.device, non_blocking=True)
        if x.is_floating_point() and x.dtype != self.precision.dtype:
            x, y = x.to(self.precision.dtype), y.to(self.precision.dtype)
        return x, y

    def interrupted(self):
        """Says that what follows the last step is assay's own doing, and no pause of a trainer."""
        self._before = None

    def saved(self, took):
        """Writes down how long it took to save the state after the last step."""
        self._pending[-1]["save"] = took
        self.interrupted()

    def settle(self):
        """Reads the marks of the steps since the last call and keeps their records.
        Returns the loss of the last of them. Waits for the device."""
        self.interrupted()
        if self.world.device.type == "cuda":
            torch.cuda.synchronize(self.world.device)
        loss = math.nan
        for row in self._pending:
            if row["before"] is not None:
                row["pause"] = max(0, self.clock.ns(row["begin"]) - self.clock.ns(row["before"]))
            self.clock.move(row["begin"])
            loss = math.fsum(float(l) for l in row["loss"]) / len(row["loss"])
            self.link.record("step", self._line(row, loss))
        self._pending = []
        return loss

    def _line(self, row, loss):
        ns = self.clock.ns
        begins = [[ns(m) for m in marks] for marks in row["parts"]]
        names = ("data", "h2d", "forward", "backward")
        if self.world.device.type != "cuda":
            names = ("data", None, "forward", "backward")
        last = begins[-1]
        spans = {name: [last[i], last[i + 1]] for i, name in enumerate(names) if name}
        spans["host"] = [ns(row["begin"]), begins[0][0]]
        optimizer, end = ns(row["optimizer"]), ns(row["end"])
        if row["synced"]:
            spans["optimizer"] = [optimizer, end]
        line = {
            "point": self.index, "step": row["step"], "phase": row["phase"],
            "begin": ns(row["begin"]), "end": end, "ph": spans, "synced": row["synced"],
            "samples": row["samples"], "tokens": row["samples"] * self.plan["shape"]["sequenceLength"],
            "loss": finite(loss), "clock": self.clock.name,
        }
        for name in ("pause", "save"):
            if name in row:
                line[name] = row[name]
        if not math.isfinite(loss):
            line["not_finite"] = True
        if self.parts > 1:
            line["took"] = {name: sum(b[i + 1] - b[i] for b in begins) for i, name in enumerate(names) if name}
        for name in ("gradient_sum", "parameter_sum"):
            if name in row and math.isfinite(float(row[name])):
                line[name] = float(row[name])
        stamped = buckets.lines(row["buckets"], self.clock)
        if stamped:
            line["buckets"] = stamped
            self.sizes = [bucket["b"] for bucket in stamped]
        return line

    def held(self):
        """What memory holds after the measured steps, and how high it went; fields of a mem line."""
        found = memory.peaks(self.world.device)
        found["parameters"] = memory.size(self.model.parameters())
        found["gradients"] = memory.gradients(self.model)
        found["optimizer"] = memory.state(self.optimizer)
        return found

    def activations(self):
        """Bytes that a forward pass keeps. No step may follow: the pass has no way back."""
        x, y = self._on_device(next(self.input))

        def forward():
            with self.precision.forward():
                return self.model(x, y)

        return memory.activations(self.model, forward)


def total(tensors):
    """The sum of all elements, in double precision; a tensor, read later."""
    return torch.stack([t.detach().sum(dtype=torch.float64) for t in tensors]).sum()
