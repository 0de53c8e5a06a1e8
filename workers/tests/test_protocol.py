"""The worker's side of the protocol, against real processes."""

import ast
import glob
import hashlib
import os
import unittest

from controller import WORKER, Controller, Failed


class Protocol(unittest.TestCase):
    def test_greets_answers_and_says_goodbye(self):
        for tcp in (False, True):
            with self.subTest(tcp=tcp), Controller(1, tcp=tcp) as c:
                hello = c.hellos[0]
                self.assertEqual(hello["token"], "secret")
                self.assertTrue(hello["library"].startswith("torch "))
                self.assertEqual((hello["world"], hello["local_rank"], hello["pid"]), (1, 0, c.processes[0].pid))
                self.assertEqual(hello["env"]["OMP_NUM_THREADS"], "1")
                self.assertTrue(hello["listen"].startswith("127.0.0.1:"))
                for i in range(20):
                    c.send(0, t="ping", t1=i + 1)
                    pong = c.gather("pong")[0]
                    self.assertEqual(pong["t1"], i + 1)
                    self.assertLessEqual(pong["t2"], pong["t3"])
                byes, codes = c.quit()
                self.assertEqual(codes, [0])
                lines = c.lines[0]
                self.assertEqual([l["seq"] for l in lines], list(range(len(lines))))
                self.assertEqual(byes[0]["lines"], len(lines))
                with open(os.path.join(c.dir, "rank-00000.jsonl"), "rb") as f:
                    text = f.read()
                self.assertEqual(text.count(b"\n"), len(lines))
                upto = text[:text.rstrip(b"\n").rindex(b"\n") + 1]
                self.assertEqual(byes[0]["sha256"], hashlib.sha256(upto).hexdigest())

    def test_says_why_it_cannot(self):
        with Controller(1) as c:
            with self.assertRaises(Failed) as got:
                c.run(collective={"op": "all_reduce", "backend": "nccl", "device": "cpu", "bytes": 8, "dataType": "float32", "iterations": 1, "warmup": 1})
            line = got.exception.args[1]
            self.assertEqual(line["kind"], "setup")
            self.assertRegex(line["text"], "nccl")
            self.assertEqual(c.processes[0].wait(30), 1)

    def test_ends_when_the_controller_goes(self):
        with Controller(1) as c:
            c.sockets[0].shutdown(2)
            self.assertEqual(c.processes[0].wait(30), 1)
            with open(os.path.join(c.dir, "rank-00000.jsonl")) as f:
                self.assertIn('"phase":"bye"', f.read().splitlines()[-1])

    def test_old_pythons_can_read_it(self):
        for path in glob.glob(os.path.join(WORKER, "*.py")):
            with open(path) as f:
                ast.parse(f.read(), path, feature_version=(3, 8))


if __name__ == "__main__":
    unittest.main()
