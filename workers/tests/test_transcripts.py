"""The worker's side held against the transcripts that the controller's side is held
against too: worker/testdata."""

import glob
import json
import os
import socket
import sys
import tempfile
import threading
import unittest

from controller import HERE, WORKER, Controller

sys.path.insert(0, WORKER)

from link import Link, proof  # noqa: E402

TESTDATA = os.path.join(HERE, "..", "..", "worker", "testdata")
FROM_CONTROLLER = ("challenge", "welcome", "ping", "plan", "go", "quit")
CHANGING = ("mono", "seq", "t2", "t3", "sha256", "lines", "nonce", "proof")  # differ from run to run


def transcripts():
    """Every rank of every transcript: its name, and its lines in order."""
    for path in sorted(glob.glob(os.path.join(TESTDATA, "*.jsonl"))):
        with open(path) as f:
            lines = [json.loads(text) for text in f]
        for rank in sorted({l["rank"] for l in lines}):
            yield "%s rank %d" % (os.path.basename(path), rank), rank, [l for l in lines if l["rank"] == rank]


def steady(line):
    return {k: v for k, v in line.items() if k not in CHANGING}


@unittest.skipUnless(os.path.isdir(TESTDATA), "the transcripts are not beside these sources")
class Transcripts(unittest.TestCase):
    def test_a_link_says_the_same(self):
        seen = 0
        for name, rank, lines in transcripts():
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                lines = [l for l in lines if l["t"] != "hb"]
                said = replay(self, folder, rank, lines)
                want = [steady(l) for l in lines if l["t"] not in FROM_CONTROLLER]
                self.assertEqual([steady(l) for l in said], want)
                self.assertEqual([l["seq"] for l in said], list(range(len(said))))
                with open(os.path.join(folder, "rank-%05d.jsonl" % rank)) as f:
                    self.assertEqual([json.loads(text)["t"] for text in f], [l["t"] for l in said])
                seen += 1
        self.assertGreater(seen, 3)

    def test_proofs_are_those_of_the_transcripts(self):
        for name, rank, lines in transcripts():
            with self.subTest(name):
                challenge, hello, welcome = lines[:3]
                about = (hello["run"], rank, challenge["nonce"], hello["nonce"])
                self.assertEqual(hello["proof"], proof("TOKEN", "worker", *about))
                self.assertEqual(welcome["proof"], proof("TOKEN", "controller", *about))

    def test_real_lines_have_the_fields_of_the_transcripts(self):
        """Of the same names and types: nothing is spelled in two ways."""
        known = {}
        for _, _, lines in transcripts():
            for line in lines:
                for key, value in flat(line):
                    known.setdefault(key, set()).add(kind(value))
        with open(os.path.join(HERE, "..", "..", "worker", "message.go")) as f:
            words = f.read()
        with Controller(2) as c:
            c.run(collective={"op": "all_reduce", "backend": "gloo", "device": "cpu", "bytes": 64, "dataType": "float32", "iterations": 2, "warmup": 1})
            c.quit()
            for line in c.lines[0]:
                for key, value in flat(line):
                    if key in known:
                        self.assertIn(kind(value), known[key], key)
                    else:
                        self.assertRegex(words, r'json:"%s[",]' % key.split(".")[-1], key)


def flat(line):
    """key, value of a line and of the record in it, which the type of line names."""
    for key, value in line.items():
        if isinstance(value, dict) and key == line["t"]:
            for inner, v in value.items():
                yield key + "." + inner, v
        else:
            yield key, value


def kind(value):
    return "number" if isinstance(value, (int, float)) and not isinstance(value, bool) else type(value).__name__


def replay(test, folder, rank, lines):
    """Plays the controller's lines of a transcript to a Link that is given the rank's
    records, and returns what it sent."""
    listener = socket.socket(socket.AF_UNIX)
    path = os.path.join(folder, "ctrl")
    listener.bind(path)
    listener.listen(1)
    said = []

    def controller():
        connection, _ = listener.accept()
        stream = connection.makefile("rwb")
        for line in lines:
            if line["t"] == "welcome":
                line = dict(line, proof=proof("TOKEN", "controller", line["run"], rank, lines[0]["nonce"], said[0]["nonce"]))
            if line["t"] in FROM_CONTROLLER:
                stream.write((json.dumps(line) + "\n").encode())
                stream.flush()
                continue
            text = b'{"t":"hb"}'
            while json.loads(text.decode())["t"] == "hb":
                text = stream.readline() or b'{"t":"nothing more"}'
            said.append(json.loads(text.decode()))
        connection.close()

    thread = threading.Thread(target=controller, daemon=True)
    thread.start()
    link = Link({"ASSAY_CTRL": "unix:" + path, "ASSAY_TOKEN": "TOKEN", "ASSAY_OUT": folder, "ASSAY_RUN": lines[0]["run"]}, rank)
    for line in lines:
        play(test, link, line)
    thread.join(20)
    listener.close()
    return said


def play(test, link, line):
    """Does what makes a worker send the line, or waits for it where it comes from the
    controller."""
    t = line["t"]
    if t == "hello":
        link.greet(line["hello"])
    elif t == "plan":
        test.assertEqual(link.plan(), (line["point"], line["world"]))
    elif t == "quit":
        test.assertIsNone(link.plan())
    elif t == "barrier":
        link.barrier(line["phase"])
    elif t == "err":
        link.coll_seq = line.get("coll_seq", -1)
        link.fail(line["kind"], line["text"])
    elif t == "note":
        link.flush()
        link.note(line["text"])
    elif t == "end":
        link.bye() if line["phase"] == "bye" else link.end_point()
    elif t not in ("challenge", "welcome", "ping", "pong", "go"):
        link.record(t, line[t])


if __name__ == "__main__":
    unittest.main()
