"""The worker's side of the protocol, against real processes."""

import ast
import glob
import hashlib
import json
import os
import socket
import threading
import unittest

from controller import TOKEN, WORKER, Controller, Failed
from link import VERSION, Link, Stranger, proof


class Protocol(unittest.TestCase):
    def test_greets_answers_and_says_goodbye(self):
        for tcp in (False, True):
            with self.subTest(tcp=tcp), Controller(1, tcp=tcp, fresh=True) as c:
                hello = c.hellos[0]
                self.assertTrue(c.proved)
                self.assertNotIn(TOKEN, json.dumps(c.lines[0]))
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
                self.assertNotIn(b"proof", text)
                upto = text[:text.rstrip(b"\n").rindex(b"\n") + 1]
                self.assertEqual(byes[0]["sha256"], hashlib.sha256(upto).hexdigest())

    def test_says_why_it_cannot(self):
        with Controller(1, fresh=True) as c:
            with self.assertRaises(Failed) as got:
                c.run(collective={"op": "all_reduce", "backend": "nccl", "device": "cpu", "bytes": 8, "dataType": "float32", "iterations": 1, "warmup": 1})
            line = got.exception.args[1]
            self.assertEqual(line["kind"], "setup")
            self.assertRegex(line["text"], "nccl")
            self.assertEqual(c.processes[0].wait(30), 1)

    def test_ends_when_the_controller_goes(self):
        with Controller(1, fresh=True) as c:
            c.sockets[0].shutdown(2)
            self.assertEqual(c.processes[0].wait(30), 1)
            with open(os.path.join(c.dir, "rank-00000.jsonl")) as f:
                self.assertIn('"phase":"bye"', f.read().splitlines()[-1])

    def test_believes_no_stranger(self):
        """Whoever listens must prove that it knows the token, and is not told it."""
        nonce = "0" * 32
        for name, challenge, answer in (
            ("nothing", {"t": "challenge", "v": VERSION, "nonce": nonce}, lambda hello: {"t": "welcome"}),
            ("its own proof", {"t": "challenge", "v": VERSION, "nonce": nonce}, lambda hello: {"t": "welcome", "proof": hello["proof"]}),
            ("another token", {"t": "challenge", "v": VERSION, "nonce": nonce},
             lambda hello: {"t": "welcome", "proof": proof("guess", "controller", "", 0, nonce, hello["nonce"])}),
            ("a plan", {"t": "challenge", "v": VERSION, "nonce": nonce}, lambda hello: {"t": "plan", "v": VERSION, "point": {}}),
            ("the old protocol", {"t": "ping", "v": 1, "t1": 1}, None),
            ("no nonce", {"t": "challenge", "v": VERSION, "nonce": 5}, None),
        ):
            with self.subTest(name):
                heard = []
                listener = socket.socket(socket.AF_INET)
                listener.bind(("127.0.0.1", 0))
                listener.listen(1)

                def stranger():
                    connection, _ = listener.accept()
                    connection.sendall((json.dumps(challenge) + "\n").encode())
                    if answer:
                        heard.append(connection.makefile("rb").readline())
                        connection.sendall((json.dumps(answer(json.loads(heard[0].decode()))) + "\n").encode())
                    connection.close()

                thread = threading.Thread(target=stranger, daemon=True)
                thread.start()
                link = Link({"ASSAY_CTRL": "127.0.0.1:%d" % listener.getsockname()[1], "ASSAY_TOKEN": TOKEN}, 0)
                with self.assertRaises(Stranger):
                    link.greet({"world": 1})
                thread.join(20)
                self.assertNotIn(TOKEN.encode(), b"".join(heard))
                link._socket.close()
                listener.close()

    def test_ranks_of_one_host_serve_no_store(self):
        """torch's own store believes whoever connects: ranks of one host listen on loopback alone."""
        with Controller(2) as c:
            c.run(collective={"op": "all_reduce", "backend": "gloo", "device": "cpu", "bytes": 8, "dataType": "float32", "iterations": 1, "warmup": 1})
            inodes = set()
            for p in c.processes:
                for fd in os.listdir("/proc/%d/fd" % p.pid):
                    inodes.add(os.readlink("/proc/%d/fd/%s" % (p.pid, fd)))
            listening = []
            for name in ("tcp", "tcp6"):
                with open("/proc/net/" + name) as f:
                    for row in f.read().splitlines()[1:]:
                        fields = row.split()
                        if fields[3] == "0A" and "socket:[%s]" % fields[9] in inodes:
                            listening.append(fields[1].split(":")[0])
            self.assertEqual([a for a in listening if a != "0100007F"], [])
            c.quit()

    def test_old_pythons_can_read_it(self):
        for path in glob.glob(os.path.join(WORKER, "*.py")):
            with open(path) as f:
                ast.parse(f.read(), path, feature_version=(3, 8))


if __name__ == "__main__":
    unittest.main()
