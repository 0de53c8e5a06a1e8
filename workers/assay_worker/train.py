"""Measures one point of training: warm-up, steps, and what they are held against.

The order is that of the method: steps with and without gradient exchange take turns,
so that drift cancels; then the same buckets alone; then the profiler and memory,
which disturb; last, on rank 0, the first steps again in a single process.
"""

import gc
import sys
import time

import torch
import torch.distributed as dist

import buckets
import checks
import clocks
import energy
import flops
import memory
import model as models
import precision as precisions
import saving
import tracing
import world as worlds
from parallel import full
from steps import Steps

SYNCED, UNSYNCED = 4, 2  # warm-up at least: DDP makes its buckets anew after the first backward pass
ALONE = 5  # times that the buckets are exchanged without computation
AT_ONCE = 200  # steps between two readings of a device that is not paced
STORE_KEY = "assay/out_of_memory"


def run(link, world, point, world_line):
    """Measures a point. Running out of memory is a result, not a failure."""
    training = Training(link, world, point, world_line)
    trouble = None
    try:
        training.run()
    except Exception as error:
        if not (memory.ran_out(error) or peer_ran_out(training.store)):
            raise
        trouble = str(error).splitlines()[0] if memory.ran_out(error) else "a peer ran out of memory"
    finally:
        training.keeper.close()
    if trouble is not None:
        training.ran_out(trouble)


class Training(object):
    def __init__(self, link, world, point, world_line):
        self.link, self.world, self.point, self.plan = link, world, point, point["steps"]
        self.seed = int(world_line.get("seed") or 0) % (1 << 31)
        self.device = world.device
        self.store = dist.distributed_c10d._get_default_store() if world.joined else None
        self.course = checks.Course()
        self.steps, self.ready, self.keeper = None, False, saving.Nobody()

    def run(self):
        self.prepare()
        self.link.barrier("ready")
        self.ready = True
        self.warm_up()
        watch = energy.watch(self.device, worlds.device_uuid(self.device))
        memory.reset(self.device)
        watch.start()
        self.measure()
        for reading in watch.stop():
            self.link.record("sys", reading)
        self.alone()
        held = self.steps.held()
        self.trace()
        if not self.plan.get("compile"):  # a compiled pass keeps other things than the one that can be counted
            held = dict(held, activations=self.steps.activations())
        self.memory(held, "ok")
        self.compare()

    def prepare(self):
        self.link.phase = "prepare"
        if self.device.type == "cpu":
            self.link.note("torch computes with %d threads on this rank" % torch.get_num_threads())
        self.precision = precisions.Precision(self.plan.get("precision") or "fp32", self.device)
        self.clock = clocks.of(self.device)
        sleeps = models.Sleeps(self.plan.get("emulate"), self.world.rank)
        model = models.build(self.plan["shape"], self.seed, sleeps, self.plan.get("checkpointing"), device=self.device)
        model = model.to(self.precision.dtype)
        if self.world.rank == 0:
            self.count(model)
        self.course.start = checks.sample(model.parameters())
        self.steps = Steps(self.link, self.world, self.point, self.seed, model, sleeps, self.clock, self.precision)
        self.keeper = saving.keeper(self.plan, self.world, sleeps)
        if sleeps.start > 0:
            time.sleep(sleeps.start)
        self.clock.anchor()

    def count(self, model):
        """Says how many parameters and operations there are, before anything is timed."""
        shape, found = self.plan["shape"], models.parameters_of(model)
        wanted = models.counted(shape)
        self.check({
            "name": "parameters", "value": float(found), "expected": float(wanted), "error": abs(found - wanted) / float(wanted),
            "noise": 0.0, "passed": found == wanted, "text": "embedding=%d" % model.embedding(),
        })
        try:
            self.check(flops.check(shape, found))
        except Exception as error:  # counting is a courtesy of the library's
            self.link.note("operations were not counted: %s" % str(error).splitlines()[0])

    def warm_up(self):
        for i in range(max(SYNCED, self.plan["warmup"])):
            self.steps.take("warmup")
            if i < checks.STEPS and self.plan.get("reference"):
                self.remember(self.steps.settle())
        if self.pairs():
            for _ in range(UNSYNCED):
                self.steps.take("warmup", synced=False)
        self.steps.settle()
        self.link.flush()

    def pairs(self):
        """Whether steps without gradient exchange stand between the others."""
        return bool(self.plan.get("interleave") and self.steps.spread.unsynced)

    def remember(self, loss):
        """Keeps what the reference will be held against."""
        self.course.losses.append(self.mean(loss))
        self.course.gradients.append(checks.sample(full(p.grad) for p in self.steps.model.parameters()))
        self.course.parameters = checks.sample(full(p) for p in self.steps.model.parameters())

    def mean(self, loss):
        """The mean over ranks; between steps only."""
        if not self.world.joined or self.world.size == 1:
            return loss
        value = torch.tensor([loss], dtype=torch.float64, device=self.device)
        self.link.began()
        dist.all_reduce(value)
        return float(value) / self.world.size

    def measure(self):
        paced, target = bool(self.plan.get("interleave")), self.plan.get("targetLoss") or 0
        self.pace(True)
        for i in range(self.plan["steps"]):
            last = i == self.plan["steps"] - 1
            self.pace(paced)
            self.steps.take("measure", sums=paced or i == 0 or last)
            if self.keeper.due(i + 1):
                self.steps.saved(self.keeper.save(self.steps.model, self.steps.optimizer))
            if paced or target or last or i % AT_ONCE == AT_ONCE - 1:
                loss = self.steps.settle()
                if target and self.mean(loss) <= target:
                    self.link.note("the mean loss fell to the target %g after %d measured steps" % (target, i + 1))
                    break
            if self.pairs():
                self.pace(True)
                self.steps.take("measure", synced=False)
                self.steps.settle()
        self.steps.settle()
        self.link.flush()

    def pace(self, wanted):
        """Lets all ranks begin the next step together."""
        if wanted:
            self.steps.interrupted()
            self.clock.anchor()
            self.world.barrier()

    def alone(self):
        """Exchanges the same buckets with nothing beside them."""
        stamps, sizes = self.steps.spread.stamps, self.steps.sizes
        if not stamps or not sizes or self.plan.get("compression") == "powersgd":
            return
        self.link.phase = "alone"
        for repeat in range(ALONE):
            self.world.barrier()
            rows = stamps.alone(sizes, self.device, self.precision.dtype)
            if self.device.type == "cuda":
                torch.cuda.synchronize(self.device)
            for line in buckets.lines(rows, self.clock):
                self.link.record("bucket", dict(line, point=self.point["index"], step=repeat, alone=True))
        self.link.flush()

    def memory(self, fields, outcome):
        self.link.record("mem", dict(fields, point=self.point["index"], at=time.monotonic_ns(), device=worlds.device_name(self.device), outcome=outcome))
        self.link.flush()

    def trace(self):
        schedule, folder = self.plan.get("profile"), self.world.env.get("ASSAY_OUT")
        if schedule is None or not folder:
            return

        def one_step():
            self.steps.take("cooldown")

        self.world.barrier()
        self.clock.anchor()
        for name in tracing.profile(one_step, schedule, folder, self.world.rank, self.device):
            self.link.record("file", {"point": self.point["index"], "name": name, "role": "trace"})
        self.steps.settle()
        self.link.flush()

    def compare(self):
        """On rank 0: the first steps in one process, twice, against what ranks did."""
        if not self.plan.get("reference") or self.world.rank != 0:
            return
        self.link.phase = "reference"
        self.forget()
        ranks = self.world.size if self.world.joined else 1
        try:
            reference, other = (
                checks.alone(self.plan, self.seed, ranks, self.device, self.precision, backwards)
                for backwards in (False, True)
            )
        except Exception as error:
            if not memory.ran_out(error):
                raise
            self.link.note("no reference: one process alone ran out of memory")
            return
        for line in checks.compare(self.course, reference, other, self.precision, self.plan.get("compression")):
            self.check(line)

    def check(self, line):
        self.link.record("check", dict(line, point=self.point["index"]))
        self.link.flush()

    def forget(self):
        """Gives model, optimizer and input back."""
        self.steps = None
        gc.collect()
        if self.device.type == "cuda":
            torch.cuda.empty_cache()

    def ran_out(self, text):
        """Ends the point as out of memory, and lets the peers go."""
        if self.store is not None:
            try:
                self.store.add(STORE_KEY, 1)
            except RuntimeError:
                pass  # rank 0 is gone, and with it everybody
        print("out of memory: " + text, file=sys.stderr)
        self.link.note("the point did not fit: " + text)
        peaks = memory.peaks(self.device)
        self.forget()
        self.world.leave()
        if not self.ready:
            self.link.barrier("ready")
        self.memory(peaks, "out_of_memory")


def peer_ran_out(store):
    """Whether a peer has said that its memory is used up; asked after an error, since
    its peers see only a broken connection."""
    if store is None:
        return False
    try:
        return store.add(STORE_KEY, 0) > 0  # unlike get() it does not wait
    except Exception:
        return False
