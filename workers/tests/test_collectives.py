"""Collectives and pairs over gloo: real ranks, every operation, answers checked."""

import sys
import unittest

from controller import WORKER, Controller, Failed

OPS = ("all_reduce", "all_gather", "reduce_scatter", "all_to_all", "broadcast", "reduce", "gather", "scatter", "point_to_point", "barrier")


def collective(op, size=4096, **more):
    return dict({"op": op, "backend": "gloo", "device": "cpu", "algorithm": "auto", "bytes": size,
                 "dataType": "float32", "iterations": 3, "warmup": 1}, **more)


class Collectives(unittest.TestCase):
    def test_every_operation(self):
        for ranks in (2, 3):
            with Controller(ranks) as c:
                for op in OPS:
                    for in_place in (False, True):
                        if in_place and op in ("barrier", "point_to_point", "all_to_all"):
                            continue
                        with self.subTest(op=op, ranks=ranks, in_place=in_place):
                            self.check(c, op, c.run(index=7, collective=collective(op, inPlace=in_place)), in_place)
                _, codes = c.quit()
                self.assertEqual(codes, [0] * ranks)

    def check(self, c, op, found, in_place):
        rows = [by["coll"] for by in found]
        for rank, mine in enumerate(rows):
            self.assertEqual([r["phase"] for r in mine], ["warmup"] + 3 * ["measure"])
            for row in mine:
                self.assertEqual((row["op"], row["point"], row["n"], row["in_place"]), (op, 7, c.ranks, in_place))
                self.assertEqual(row["wrong"], 0)
                self.assertEqual(row["checked"], op != "barrier")
                self.assertEqual(row["bytes"], {"barrier": 0}.get(op, 4096 // c.ranks // 16 * 16 * c.ranks if op in
                                 ("all_gather", "reduce_scatter", "all_to_all", "gather", "scatter") else 4096))
                self.assertEqual(row["clock"], "host")
            self.assertEqual([r["it"] for r in mine], [r["it"] for r in rows[0]])
        # Nobody is through before the last has come, where everybody waits for everybody.
        if op in ("all_reduce", "barrier", "all_gather"):
            for calls in zip(*rows):
                self.assertLess(max(r["t0"] for r in calls), min(r["t1"] for r in calls))
        if op in ("all_reduce", "broadcast", "reduce"):
            self.assertEqual(rows[0][0]["emulated"], "" if in_place else "copy+" + op)
        if op in ("all_gather", "all_to_all", "point_to_point", "gather", "scatter"):
            self.assertEqual(rows[0][0]["emulated"], "")

    def test_types_sizes_and_chunks(self):
        with Controller(2) as c:
            for data_type in ("float32", "float64", "int32", "uint8", "float16"):
                for op, size in (("all_reduce", 1), ("all_reduce", 100001), ("reduce_scatter", 5000), ("all_gather", 1)):
                    with self.subTest(data_type=data_type, op=op, size=size):
                        for by in c.run(collective=collective(op, size, dataType=data_type, inPlace=True)):
                            self.assertEqual([r["wrong"] for r in by["coll"]], [0] * 4)
            for by in c.run(collective=collective("all_reduce", 1 << 16, chunks=4, inPlace=True)):
                self.assertEqual([(r["chunks"], r["wrong"]) for r in by["coll"]], [(4, 0)] * 4)
            for by in c.run(collective=collective("all_reduce", 64, iterations=100)):
                self.assertEqual(sum(r["checked"] for r in by["coll"]), 22)

    def test_wrong_answers_are_counted(self):
        # The check itself, without peers: what nobody has summed is wrong.
        sys.path.insert(0, WORKER)
        import torch
        from operations import Operation

        class Alone(object):
            rank, size, backend, device = 0, 2, "gloo", torch.device("cpu")

        operation = Operation("all_reduce", 400, "float32", True, 0, Alone)
        operation.refill()
        self.assertGreater(operation.wrong(), 50)

    def test_pairs(self):
        with Controller(3) as c:
            for size, op in ((8, "pair_latency"), (1 << 22, "pair_bandwidth")):
                found = c.run(collective=collective("pairs", size, algorithm="direct"))
                seen = set()
                for rank, by in enumerate(found):
                    for row in by["coll"]:
                        self.assertEqual((row["op"], row["bytes"], row["wrong"]), (op, size, 0))
                        self.assertLess(row["t0"], row["t1"])
                        seen.add((rank, row["peer"]))
                self.assertEqual(seen, {(a, b) for a in range(3) for b in range(3) if a != b})

    def test_a_dead_peer_is_named_as_such(self):
        with Controller(2) as c:
            c.run(collective=collective("all_reduce"))
            c.processes[1].kill()
            c.processes[1].wait()
            with self.assertRaises(Failed) as got:
                c.run(collective=collective("all_reduce"))
            rank, line = got.exception.args
            self.assertEqual((rank, line["kind"]), (0, "communication"))
            self.assertGreaterEqual(line["coll_seq"], 3)

    def test_types_that_it_lacks(self):
        with Controller(1) as c:
            with self.assertRaises(Failed) as got:
                c.run(collective=collective("all_reduce", dataType="float8"))
            self.assertEqual(got.exception.args[1]["kind"], "setup")


if __name__ == "__main__":
    unittest.main()
