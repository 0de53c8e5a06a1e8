"""What needs an accelerator: NCCL alone, and the probes of a device."""

import sys
import unittest

from controller import Controller, Failed

try:
    import torch
    FOUND = torch.cuda.is_available()
except ImportError:
    FOUND = False

OPS = ("all_reduce", "all_gather", "reduce_scatter", "all_to_all", "broadcast", "reduce", "gather", "scatter", "barrier")


@unittest.skipUnless(FOUND, "no CUDA device")
class CUDA(unittest.TestCase):
    def test_nccl(self):
        """Every device that there is has a rank; with one, answers are all that can be seen."""
        ranks = torch.cuda.device_count()
        with Controller(ranks, env={"ASSAY_BACKEND": "nccl", "ASSAY_DEVICE": "cuda"}) as c:
            self.assertRegex(c.hellos[0]["comm_library"], r"NCCL \d")
            self.assertRegex(c.hellos[0]["device_id"], r"^GPU-[0-9a-f-]{36}$")
            for op in OPS:
                for in_place in (False, True):
                    if in_place and op in ("barrier", "all_to_all"):
                        continue
                    with self.subTest(op=op, in_place=in_place):
                        for by in c.run(collective={"op": op, "backend": "nccl", "device": "cuda", "bytes": 1 << 20, "dataType": "bfloat16",
                                                    "inPlace": in_place, "iterations": 5, "warmup": 2}):
                            for row in by["coll"]:
                                self.assertEqual(row["wrong"], 0)
                                self.assertEqual(row["clock"], "host" if op == "barrier" else "cuda_event")
                                self.assertGreaterEqual(row["t1"], row["t0"])
                            starts = [r["t0"] for r in by["coll"]]
                            self.assertEqual(starts, sorted(starts))
            self.assertEqual(c.quit()[1], [0] * ranks)

    def test_two_ranks_on_one_device_are_refused(self):
        with Controller(torch.cuda.device_count() + 1) as c:
            with self.assertRaises(Failed) as got:
                c.run(collective={"op": "all_reduce", "backend": "nccl", "device": "cuda", "bytes": 64, "dataType": "float32", "iterations": 1, "warmup": 1})
            self.assertEqual(got.exception.args[1]["kind"], "setup")

    def test_probes(self):
        with Controller(1, env={"ASSAY_DEVICE": "cuda"}) as c:
            for probe in ("matmul", "memory", "transfer", "roofline", "attention", "kv_cache", "matmul_search", "checkpoint"):
                with self.subTest(probe=probe):
                    rows = c.run(micro={"probe": probe, "device": "cuda", "duration": "100ms", "replicates": 3, "fileSize": 64 << 20, "allDevices": True})[0]["trial"]
                    for r in rows:
                        self.assertEqual(r.get("wrong", 0), 0, r)
                        self.assertGreater(r["t1"], r["t0"])
                        self.assertTrue(r["scope"].startswith("cuda:"), r)
                    best = {}
                    for r in rows:
                        rate = (r.get("flop") or r["bytes"]) / (r["t1"] - r["t0"])
                        best[r["variant"], r["size"]] = max(rate, best.get((r["variant"], r["size"]), 0))
                    for (variant, size), rate in best.items():
                        print("%-10s %-28s %12d %10.1f G/s" % (probe, variant, size, rate), file=sys.stderr)
                    if probe == "matmul":
                        of = {name: rate for (name, _), rate in best.items()}
                        self.assertGreater(of["bfloat16"], of["float32"])


if __name__ == "__main__":
    unittest.main()
