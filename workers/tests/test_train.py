"""Training steps: what they are held against, and truths that are known by sleeping."""

import gzip
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import unittest

from controller import WORKER, Controller, Failed

sys.path.insert(0, WORKER)

MLP = {"family": "mlp", "layers": 4, "hidden": 256, "heads": 1, "sequenceLength": 1, "vocabulary": 1}
SMALL = {"family": "transformer", "layers": 2, "hidden": 32, "heads": 2, "sequenceLength": 16, "vocabulary": 64}


# Lets the allocator of rank 1 fail in its fourth step.
FAILING = """
import os
if os.environ.get("RANK") == "1":
    import torch
    plain, calls = torch.nn.functional.cross_entropy, []
    def failing(*args, **more):
        calls.append(1)
        if len(calls) == 4:
            raise RuntimeError("[enforce fail at alloc_cpu.cpp:66] DefaultCPUAllocator: can't allocate memory")
        return plain(*args, **more)
    torch.nn.functional.cross_entropy = failing
"""


def steps(ranks=2, **changed):
    """The steps of a point, as the plan writes them."""
    plan = {
        "backend": "gloo", "device": "cpu", "parallelism": "ddp", "shape": SMALL, "precision": "fp32", "scaling": "strong",
        "globalBatch": 4 * ranks, "rankBatch": 4, "accumulation": 1, "steps": 3, "warmup": 1, "bucketBytes": 1 << 20,
        "compression": "none", "optimizer": "adamw", "loaderWorkers": 0, "loadAhead": 2, "reference": True, "interleave": True,
    }
    plan.update(changed)
    return plan


def measured(rows, synced=True):
    return [row for row in rows["step"] if row["phase"] == "measure" and row["synced"] == synced]


def checks_of(rows):
    return {check["name"]: check for check in rows.get("check", [])}


class Train(unittest.TestCase):
    worlds = {}  # by their number of ranks: points follow one another, as in a launch

    @classmethod
    def tearDownClass(cls):
        for ranks, controller in cls.worlds.items():
            with controller:
                codes = controller.quit()[1]
                assert codes == [0] * ranks, codes

    def world(self, ranks=2, env=None, **changed):
        """A point of that many ranks, in a world of its own where its environment is."""
        controller = Controller(ranks, env=env) if env else self.worlds.pop(ranks, None) or Controller(ranks)
        try:
            found = controller.run(steps=steps(ranks, **changed))
            files = {}
            for name in os.listdir(controller.dir):
                if name.startswith("trace"):
                    path = os.path.join(controller.dir, name)
                    with gzip.open(path) as f:
                        files[name] = json.loads(f.read().decode())
                    os.remove(path)
            if env:
                self.assertEqual(controller.quit()[1], [0] * ranks)
        except BaseException:
            controller.__exit__()
            raise
        if env:
            controller.__exit__()
        else:
            self.worlds[ranks] = controller
        return found, files

    def test_known_sleeps(self):
        """Backward passes of 4 layers that sleep 20 ms: gradients are final after 80 ms
        and little is exposed on loopback. A late rank begins late and waits for nobody."""
        found, _ = self.world(
            shape=MLP, steps=7, bucketBytes=1 << 18, reference=False, optimizer="sgd",
            emulate={"forward": "5ms", "backward": "20ms", "rank": 1, "late": "30ms"},
        )
        middle = {}
        for rank, rows in enumerate(found):
            both = measured(rows), measured(rows, synced=False)
            self.assertEqual([len(b) for b in both], [7, 7])
            for row in both[0]:
                self.assertEqual([b["b"] for b in row["buckets"]], [1 << 18] * 4)
                self.assertEqual([b["ready"] for b in row["buckets"]], sorted(b["ready"] for b in row["buckets"]))
                self.assertEqual(row["clock"], "host")
            self.assertFalse(any(row.get("buckets") for row in both[1]))
            compute = [row["buckets"][-1]["ready"] - row["ph"]["backward"][0] for row in both[0]]
            exposed = [row["ph"]["backward"][1] - row["buckets"][-1]["ready"] for row in both[0]]
            forward = [row["ph"]["forward"][1] - row["ph"]["forward"][0] for row in both[0]]
            began = [row["ph"]["forward"][0] for row in both[0]]
            middle[rank] = began
            # Sleeps are never shorter than asked for; the upper bounds leave room for a busy machine.
            self.assertGreater(min(compute), 80e6)
            self.assertLess(statistics.median(compute), 160e6)
            self.assertGreater(min(forward), 20e6)
            if rank == 1:
                self.assertLess(statistics.median(exposed), 60e6)
        late = statistics.median(b - a for a, b in zip(middle[0], middle[1]))
        self.assertGreater(late, 15e6)
        self.assertEqual(len(found[0]["bucket"]), 5 * 4)
        self.assertTrue(all(b["alone"] and b["end"] > b["ready"] for b in found[0]["bucket"]))

    def test_known_waits(self):
        """Waiting for input, exchanging, saving and starting late are each stamped where they
        belong; a pause is the trainer's only where assay did nothing between two steps."""
        room = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, room)
        found, _ = self.world(
            shape=MLP, steps=5, reference=False, interleave=False, optimizer="sgd", saveEvery=2, saveDir=room,
            emulate={"start": "10ms", "input": "20ms", "exchange": "10ms", "save": "30ms", "rank": 1, "late": "15ms"},
        )
        for rank, rows in enumerate(found):
            rows = measured(rows)
            self.assertEqual([i for i, row in enumerate(rows) if "save" in row], [1, 3])
            self.assertEqual([i for i, row in enumerate(rows) if "pause" in row], [3])
            self.assertGreater(min(row["save"] for row in rows if "save" in row), 30e6)
            self.assertGreater(min(row["ph"]["data"][1] - row["ph"]["data"][0] for row in rows), 20e6)
            self.assertGreater(min(b["end"] - b["ready"] for row in rows for b in row["buckets"]), 10e6)
            if rank == 1:
                self.assertGreater(min(row["ph"]["host"][1] - row["ph"]["host"][0] for row in rows), 15e6)
        self.assertEqual(os.listdir(room), [])

    def test_reference(self):
        """Two ranks with two micro-batches each train what one process does, and say the same."""
        found, files = self.world(accumulation=2, profile={"wait": 1, "warmup": 1, "active": 2, "repeat": 1}, loaderWorkers=1)
        checks = checks_of(found[0])
        for name in ("parameters", "flop_count", "reference_loss", "reference_gradients", "reference_parameters"):
            self.assertTrue(checks[name]["passed"], checks[name])
        self.assertEqual(checks["parameters"]["text"], "embedding=%d" % ((64 + 16) * 32))
        self.assertGreater(checks["reference_gradients"]["noise"], 0)
        for one, other in zip(measured(found[0]), measured(found[1])):
            for name in ("gradient_sum", "parameter_sum"):
                self.assertEqual(one[name], other[name])
            self.assertNotEqual(one["loss"], other["loss"])
            self.assertEqual((one["samples"], one["tokens"]), (4, 4 * 16))
            self.assertGreater(one["took"]["forward"], one["ph"]["forward"][1] - one["ph"]["forward"][0])
        memory = found[0]["mem"][0]
        self.assertEqual(memory["outcome"], "ok")
        parameters = checks["parameters"]["value"] * 4
        self.assertEqual((memory["parameters"], memory["gradients"]), (parameters, parameters))
        self.assertAlmostEqual(memory["optimizer"] / parameters, 2, places=1)
        self.assertGreater(memory["activations"], 0)
        self.assertEqual(sorted(files), ["trace-rank-00000.json.gz", "trace-rank-00001.json.gz"])
        events = files["trace-rank-00000.json.gz"]
        events = events["traceEvents"] if isinstance(events, dict) else events
        self.assertTrue(any("mm" in str(e.get("name")) for e in events))
        self.assertEqual(found[1]["file"][0], {"point": 0, "name": "trace-rank-00001.json.gz", "role": "trace"})

    def test_short_shard_is_caught(self):
        found, _ = self.world(emulate={"rank": 1, "shortShard": True}, interleave=False)
        checks = checks_of(found[0])
        for name in ("reference_loss", "reference_gradients", "reference_parameters"):
            self.assertFalse(checks[name]["passed"], checks[name])
        self.assertEqual([measured(rows)[0]["samples"] for rows in found], [4, 2])

    def test_compression(self):
        for compression in ("fp16", "powersgd"):
            with self.subTest(compression=compression):
                found, _ = self.world(compression=compression, bucketBytes=1 << 15, steps=2)
                checks = checks_of(found[0])
                self.assertTrue(checks["reference_gradients"]["passed"], checks)
                self.assertEqual(measured(found[0])[-1]["parameter_sum"], measured(found[1])[-1]["parameter_sum"])
                self.assertGreater(len(measured(found[0])[-1]["buckets"]), 1)

    def test_plain_program_until_target(self):
        """Without a group: no buckets, no steps without exchange; the loss falls to its target."""
        found, _ = self.world(1, parallelism="none", steps=200, targetLoss=4.0, optimizer="adamw")
        rows = measured(found[0])
        self.assertLess(len(rows), 200)
        self.assertLessEqual(rows[-1]["loss"], 4.0)
        self.assertGreater(rows[-2]["loss"], 4.0)
        self.assertFalse(any(row.get("buckets") for row in rows) or measured(found[0], synced=False))
        self.assertTrue(any("fell to the target" in note["text"] for note in found[0]["note"]))
        self.assertTrue(checks_of(found[0])["reference_parameters"]["passed"])

    def test_out_of_memory_is_a_result(self):
        """One rank's allocator fails in a step: both end the point, and neither fails."""
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "sitecustomize.py"), "w") as f:
                f.write(FAILING)
            found, _ = self.world(env={"PYTHONPATH": folder})
        self.assertEqual([rows["mem"][0]["outcome"] for rows in found], ["out_of_memory"] * 2)
        self.assertFalse(any("err" in rows for rows in found))

    def test_fsdp_or_why_not(self):
        """Where torch has FSDP, shards train what one process does; elsewhere it is said."""
        try:
            found, _ = self.world(parallelism="fsdp", accumulation=2, profile={"wait": 1, "warmup": 1, "active": 1, "repeat": 1})
        except Failed as failed:
            self.assertEqual(failed.args[1]["kind"], "setup")
            self.assertRegex(failed.args[1]["text"], "has no FSDP")
            return
        checks = checks_of(found[0])
        for name in ("reference_loss", "reference_gradients", "reference_parameters"):
            self.assertTrue(checks[name]["passed"], checks[name])
        self.assertEqual(found[0]["mem"][0]["parameters"] * 2, checks["parameters"]["value"] * 4)
        self.assertFalse(any(row.get("buckets") for row in measured(found[0])))

    def test_what_cannot_be_done_is_said(self):
        for changed, words in (
            ({"precision": "fp16"}, "CUDA"),
            ({"precision": "int8"}, "want one of"),
            ({"shape": dict(SMALL, heads=3)}, "heads"),
            ({"rankBatch": 1, "globalBatch": 1, "emulate": {"shortShard": True}}, "raise batchSize"),
        ):
            with self.subTest(changed=changed), Controller(1) as controller:
                with self.assertRaises(Failed) as got:
                    controller.run(steps=steps(1, **changed))
                line = got.exception.args[1]
                self.assertEqual(line["kind"], "setup")
                self.assertRegex(line["text"], words)


class Link(object):
    """Two network namespaces joined by a pair of devices with a known rate."""

    def __init__(self, rate):
        self.name = "assay-steps-%d" % os.getpid()
        self.place = ["%s-%d" % (self.name, rank) for rank in (0, 1)]
        self.commands = [["ip", "netns", "add", place] for place in self.place]
        self.commands.append(["ip", "link", "add", "steps0", "netns", self.place[0], "type", "veth", "peer", "name", "steps1", "netns", self.place[1]])
        for rank, place in enumerate(self.place):
            inside, device = ["ip", "netns", "exec", place], "steps%d" % rank
            self.commands += [
                inside + ["ip", "addr", "add", "10.91.7.%d/24" % (rank + 1), "dev", device],
                inside + ["ip", "link", "set", device, "up"],
                inside + ["ip", "link", "set", "lo", "up"],
                inside + ["tc", "qdisc", "add", "dev", device, "root", "tbf", "rate", rate, "burst", "64kb", "latency", "500ms"],
            ]

    def __enter__(self):
        for command in self.commands:
            try:
                done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            except OSError as e:
                self.__exit__()
                raise unittest.SkipTest("no shaped link: %s" % e)
            if done.returncode:
                self.__exit__()
                raise unittest.SkipTest("no shaped link: %s: %s" % (" ".join(command), done.stdout.decode().strip()))
        return self

    def __exit__(self, *_):
        for place in self.place:
            subprocess.run(["ip", "netns", "del", place], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def within(self, rank):
        return ["ip", "netns", "exec", self.place[rank]], {"ASSAY_IFNAME": "steps%d" % rank}


@unittest.skipUnless(hasattr(os, "geteuid") and os.geteuid() == 0 and shutil.which("tc"), "a shaped link needs root, ip and tc")
class KnownLink(unittest.TestCase):
    def test_exposed_is_what_the_link_leaves(self):
        """Six buckets of 1 MiB over 100 Mbit/s take 526 ms with headers. They begin when
        the first gradients are final, 20 ms into a backward pass of 120 ms, and so
        426 ms are exposed."""
        shape = {"family": "mlp", "layers": 6, "hidden": 512, "heads": 1, "sequenceLength": 1, "vocabulary": 1}
        plan = steps(shape=shape, bucketBytes=1 << 20, reference=False, optimizer="sgd", steps=5,
                     globalBatch=2, rankBatch=1, emulate={"forward": "10ms", "backward": "20ms"})
        for left in (2, 1, 0):  # a machine that is busy for a moment may be late
            with Link("100mbit") as link, Controller(2, within=link.within) as controller:
                found = controller.run(steps=plan)
                controller.quit()
            try:
                return self.exposed(found)
            except AssertionError:
                if not left:
                    raise

    def exposed(self, found):
        for rows in found:
            exposed = statistics.median(row["ph"]["backward"][1] - max(b["ready"] for b in row["buckets"]) for row in measured(rows))
            self.assertGreater(exposed, 380e6)
            self.assertLess(exposed, 500e6)
            alone = [[b for b in rows["bucket"] if b["step"] == i] for i in range(5)]
            took = statistics.median(max(b["end"] for b in one) - min(b["ready"] for b in one) for one in alone)
            self.assertAlmostEqual(took / 526e6, 1, delta=0.1)
            both = [statistics.median(row["ph"]["backward"][1] - row["ph"]["backward"][0] for row in measured(rows, synced)) for synced in (True, False)]
            # Without stamps: the difference of the two backward passes says the same.
            self.assertAlmostEqual((both[0] - both[1]) / exposed, 1, delta=0.25)


class Parts(unittest.TestCase):
    def test_device_marks_on_the_host_clock(self):
        """Marks of a device are counted from the nearest anchor, and moving it loses nothing."""
        import clocks

        class Event(object):
            def __init__(self, ms):
                self.ms = ms

            def elapsed_time(self, other):
                return other.ms - self.ms

        clock = clocks.Device(None)
        clock._base, clock._base_ns = Event(100.0), 5000000000
        begin, end = Event(103.0), Event(110.5)
        self.assertEqual((clock.ns(begin), clock.ns(end)), (5003000000, 5010500000))
        clock.move(begin)
        self.assertEqual((clock.ns(begin), clock.ns(end)), (5003000000, 5010500000))

    def test_durations(self):
        import model

        for text, want in (("250ms", 0.25), ("1.5s", 1.5), ("20us", 2e-5), ("2m", 120.0), ("7ns", 7e-9), (None, 0.0), ("0s", 0.0)):
            self.assertAlmostEqual(model.seconds(text), want, places=12)
        with self.assertRaises(ValueError):
            model.seconds("30")

    def test_samples_are_equal_everywhere(self):
        import torch

        import batches

        one, other = batches.Samples(SMALL, 7), batches.Samples(SMALL, 8)
        self.assertTrue(torch.equal(one[3][0], batches.Samples(SMALL, 7)[3][0]))
        self.assertFalse(torch.equal(one[3][0], other[3][0]))
        self.assertTrue(torch.equal(one[3][0][1:], one[3][1][:-1]))
        shares = [iter(batches.Shares(steps(2, accumulation=2), rank)) for rank in (0, 1)]
        seen = sorted(i for share in shares for _ in range(4) for i in next(share))
        self.assertEqual(seen, list(range(16)))

    def test_loss_that_is_no_number(self):
        """NaN is null and a flag, and so are checksums of it."""
        import math

        import torch

        import clocks
        from steps import Steps

        class Here(object):
            device = torch.device("cpu")
            records = []

            def record(self, kind, fields):
                self.records.append(fields)

        part = Steps.__new__(Steps)
        part.link = part.world = Here()
        part.clock, part.index, part.parts, part.plan = clocks.Host(), 0, 1, steps()
        nan = torch.tensor(math.nan)
        part._pending = [{
            "phase": "measure", "synced": True, "step": 0, "begin": 0, "before": None, "optimizer": 5, "end": 6, "parts": [[0, 1, 2, 3, 4]],
            "samples": 1, "loss": [nan], "buckets": [], "gradient_sum": nan, "parameter_sum": torch.tensor(1.0),
        }]
        self.assertTrue(math.isnan(part.settle()))
        line = json.loads(json.dumps(Here.records[0], allow_nan=False))
        self.assertIsNone(line["loss"])
        self.assertTrue(line["not_finite"])
        self.assertNotIn("gradient_sum", line)

    def test_running_out_is_told_from_other_errors(self):
        import memory

        for error, want in (
            (RuntimeError("CUDA out of memory. Tried to allocate 2.00 GiB"), True),
            (RuntimeError("[enforce fail at alloc_cpu.cpp:66] DefaultCPUAllocator: can't allocate memory"), True),
            (MemoryError(), True),
            (RuntimeError("Connection closed by peer"), False),
            (ValueError("out of memory"), False),
        ):
            self.assertEqual(memory.ran_out(error), want, error)


if __name__ == "__main__":
    unittest.main()
