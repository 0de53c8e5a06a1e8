"""Probes on the CPU: counts, phases, answers."""

import sys
import unittest

from controller import WORKER, Controller, Failed

sys.path.insert(0, WORKER)


def micro(probe, **more):
    return dict({"probe": probe, "device": "cpu", "duration": "80ms", "replicates": 3}, **more)


class Probes(unittest.TestCase):
    def test_rows(self):
        variants = {
            "matmul": {"float32", "float32 256x256x256", "float64"},
            "memory": {"copy", "scale", "add", "triad"},
            "dataloader": {"workers=0", "workers=2"},
        }
        with Controller(1) as c:
            for probe, want in sorted(variants.items()):
                with self.subTest(probe=probe):
                    rows = c.run(index=3, micro=micro(probe, threads=[0, 2] if probe == "dataloader" else None))[0]["trial"]
                    self.assertEqual({r["variant"] for r in rows}, want)
                    for name in want:
                        mine = [r for r in rows if r["variant"] == name]
                        self.assertEqual([(r["phase"], r["it"]) for r in mine], [("warmup", 0), ("measure", 0), ("measure", 1), ("measure", 2)])
                    for r in rows:
                        self.assertEqual((r["probe"], r["point"], r.get("wrong", 0), r["clock"]), (probe, 3, 0, "host"))
                        self.assertGreater(r["t1"], r["t0"])
                        self.assertGreater(r["loops"], 0)
                        self.assertGreater(r["bytes"] + r.get("flop", 0), 0)
                        if r["variant"].startswith("float32 256"):
                            self.assertEqual(r["flop"], 2.0 * 256 ** 3 * r["loops"])
                        if r["variant"] == "triad":
                            self.assertEqual(r["bytes"], 3 * r["size"] * r["loops"])
            self.assertEqual(c.quit()[1], [0])

    def test_roofline_counts_both(self):
        with Controller(1) as c:
            rows = c.run(micro=micro("roofline"))[0]["trial"]
            rises = [r["flop"] / r["bytes"] for r in rows if r["variant"] != "peak" and r["phase"] == "warmup"]
            self.assertEqual(rises, sorted(rises))
            self.assertEqual(sum(r.get("wrong", 0) for r in rows), 0)

    def test_needs_an_accelerator(self):
        import torch
        if torch.cuda.is_available():
            self.skipTest("there is one")
        with Controller(1) as c:
            with self.assertRaises(Failed) as got:
                c.run(micro=micro("transfer"))
            self.assertEqual(got.exception.args[1]["kind"], "setup")

    def test_wrong_products_are_seen(self):
        import torch
        from probes import nanoseconds, wrong_rows
        for n, dtype, last, sums in ((64, torch.float32, 2.0 ** -23, 2.0 ** -24), (1024, torch.float32, 2.0 ** -23, 2.0 ** -24),
                                     (512, torch.float64, 2.0 ** -52, 2.0 ** -53)):
            a, b = torch.randn(n, n, dtype=dtype), torch.randn(n, n, dtype=dtype)
            c = a @ b
            self.assertEqual(wrong_rows(a, b, c, last, sums), 0)
            self.assertEqual(wrong_rows(a, b, c.bfloat16(), 2.0 ** -8, 2.0 ** -24), 0)
            self.assertGreater(wrong_rows(a, b, c.bfloat16(), last, sums), n // 2)
            half = c.clone()
            half[:, : n // 2] = 0
            self.assertGreater(wrong_rows(a, b, half, 2.0 ** -8, 2.0 ** -24), n // 2)
            c[3, 5] = float("nan")
            self.assertEqual(wrong_rows(a, b, c, last, sums), 1)
        self.assertEqual(nanoseconds("1.5ms"), 1.5e6)


if __name__ == "__main__":
    unittest.main()
