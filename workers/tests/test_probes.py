"""Probes on the CPU: counts, phases, answers."""

import sys
import unittest

from controller import WORKER, Controller, Failed

sys.path.insert(0, WORKER)


def micro(probe, **more):
    return dict({"probe": probe, "device": "cpu", "duration": "20ms", "replicates": 3}, **more)


class Probes(unittest.TestCase):
    def test_rows(self):
        variants = {
            "matmul": {"float32", "float32 256x256x256", "float64"},
            "memory": {"copy", "scale", "add", "triad"},
            "dataloader": {"workers=0", "workers=2"},
            "attention": {"plain float32", "library float32", "library causal float32"},
            "kv_cache": {"allocate", "grow", "append", "read"},
            "checkpoint": {"save", "load"},
        }
        with Controller(1) as c:
            for probe, want in sorted(variants.items()):
                with self.subTest(probe=probe):
                    rows = c.run(index=3, micro=micro(probe, threads=[0, 2] if probe == "dataloader" else None, fileSize=1 << 20))[0]["trial"]
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

    def test_search_goes_on_from_the_fastest(self):
        with Controller(1) as c:
            rows = c.run(micro=micro("matmul_search", duration="20ms"))[0]["trial"]
        best, order = {}, []
        for r in rows:
            if r["variant"] not in order:
                order.append(r["variant"])
            best[r["variant"]] = max(best.get(r["variant"], 0), r["flop"] / (r["t1"] - r["t0"]))
        squares = ["float32 %dx%dx%d" % (n, n, n) for n in (256, 512, 768, 1024)]
        self.assertEqual(order[:4], squares)
        self.assertGreater(len(order), 6)
        fastest = int(max(squares, key=best.get).split("x")[-1])
        self.assertIn("float32 %dx%dx%d" % (fastest, fastest, 2 * fastest), order)
        self.assertEqual(sum(r.get("wrong", 0) for r in rows), 0)

    def test_wrong_attention_is_seen(self):
        import torch
        import attention
        q, k, v = (torch.randn(2, 2, 64, 16) for _ in range(3))
        for causal in (False, True):
            out = attention.library(q, k, v, causal)
            self.assertEqual(attention.wrong_rows(q, k, v, out, causal), 0)
            self.assertGreater(attention.wrong_rows(q, k, v, out, not causal), 32)
            out[-1, -1, 3, 5] = float("nan")
            self.assertEqual(attention.wrong_rows(q, k, v, out, causal), 1)

    def test_wrong_cache_is_seen(self):
        import torch
        import kv_cache
        held = [torch.full((1, 2, 4, 8), value) for value in (1.0, 2.0)]
        self.assertEqual(kv_cache.misplaced(held, 3), 0)
        held[1][0, 1, 3, 2] = 7
        self.assertEqual(kv_cache.misplaced(held, 3), 1)

    def test_needs_an_accelerator(self):
        import torch
        if torch.cuda.is_available():
            self.skipTest("there is one")
        with Controller(1) as c:
            with self.assertRaises(Failed) as got:
                c.run(micro=micro("transfer"))
            self.assertEqual(got.exception.args[1]["kind"], "setup")

    def test_wrong_copies_are_seen(self):
        import torch
        from probes import differ
        of = torch.arange(4096).to(torch.uint8)
        to = of.clone()
        self.assertEqual(differ(to, of), 0)
        to[7] += 1
        to[4095] += 1
        self.assertEqual(differ(to, of), 2)

    def test_wrong_products_are_seen(self):
        import torch
        from probes import nanoseconds
        from products import wrong_rows
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
