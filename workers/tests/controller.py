"""A controller for tests: starts real ranks and speaks the protocol with them."""

import json
import os
import queue
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
WORKER = os.path.join(os.path.dirname(HERE), "assay_worker")
sys.path.insert(0, WORKER)

from link import VERSION, proof  # noqa: E402
from nursery import Nursery  # noqa: E402

TOKEN = "the token of a test"
SECONDS = 90  # a loaded machine imports torch slowly
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
nursery = None  # of this test file, once a world wants it


class Failed(Exception):
    """A rank sent err; args are the rank and its line."""


def forked(environment):
    """A rank that finds torch imported."""
    global nursery
    if nursery is None:
        nursery = Nursery(dict(os.environ, **ONE_THREAD))
    return nursery.start(environment)


class Controller(object):
    """A world of real ranks over a Unix socket or, with tcp, over loopback."""

    def __init__(self, ranks, env=None, tcp=False, within=None, fresh=False):
        """within, where given, is the command that starts a rank in a place of its own. Ranks are
        started as assay starts them where they are to be fresh, or have an environment or a place
        of their own; else they are forked."""
        fresh = fresh or env or within
        self.ranks = ranks
        self.dir = tempfile.mkdtemp(prefix="assay-test-")
        if tcp:
            self.listener = socket.socket(socket.AF_INET)
            self.listener.bind(("127.0.0.1", 0))
            address = "127.0.0.1:%d" % self.listener.getsockname()[1]
        else:
            self.listener = socket.socket(socket.AF_UNIX)
            path = os.path.join(self.dir, "ctrl")
            self.listener.bind(path)
            address = "unix:" + path
        self.listener.listen(ranks)
        self.listener.settimeout(SECONDS)
        self.lines = [[] for _ in range(ranks)]  # everything that came, in order
        self.inbox = queue.Queue()
        self.proved = True  # every rank so far knows the token
        self.processes, self.sockets = [], [None] * ranks
        for rank in range(ranks):
            own = dict(os.environ, **ONE_THREAD)
            own.update(ASSAY_CTRL=address, ASSAY_TOKEN=TOKEN, ASSAY_OUT=self.dir, ASSAY_RUN="test", RANK=str(rank), WORLD_SIZE=str(ranks),
                       LOCAL_RANK=str(rank), LOCAL_WORLD_SIZE=str(ranks), MASTER_ADDR="127.0.0.1", MASTER_PORT="1")
            own.update(env or {})
            before, more = within(rank) if within else ([], {})
            own.update(more)
            self.processes.append(subprocess.Popen(before + [sys.executable, "-u", WORKER], env=own) if fresh else forked(own))
        for _ in range(ranks):
            connection, _ = self.listener.accept()
            threading.Thread(target=self._read, args=(connection,), daemon=True).start()
        hellos = self.gather("hello")
        self.hellos = [hellos[r]["hello"] for r in range(ranks)]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for p in self.processes:
            if p.poll() is None:
                p.kill()
            p.wait()
        self.listener.close()
        for s in self.sockets:
            if s:
                s.close()
        shutil.rmtree(self.dir, ignore_errors=True)

    def _read(self, connection):
        challenge = os.urandom(16).hex()
        connection.sendall((json.dumps({"t": "challenge", "v": VERSION, "nonce": challenge}) + "\n").encode())
        for text in connection.makefile("rb"):
            line = json.loads(text.decode())
            if line["t"] == "hello":
                self.sockets[line["rank"]] = connection
                about = (line["run"], line["rank"], challenge, line["nonce"])
                self.proved = self.proved and line["proof"] == proof(TOKEN, "worker", *about)
                self.send(line["rank"], t="welcome", proof=proof(TOKEN, "controller", *about))
            self.lines[line["rank"]].append(line)
            if line["t"] not in ("hb",):
                self.inbox.put(line)

    def send(self, rank, **line):
        line.update(v=VERSION, mono=time.monotonic_ns())
        try:
            self.sockets[rank].sendall((json.dumps(line) + "\n").encode())
        except OSError:
            pass  # the rank is gone; what the others say is what tests look at

    def gather(self, kind, phase=None):
        """The line of that kind of every rank; others that come are kept in lines."""
        got = {}
        while len(got) < self.ranks:
            line = self.inbox.get(timeout=SECONDS)
            if line["t"] == "err":
                raise Failed(line["rank"], line)
            if line["t"] == kind and (phase is None or line.get("phase") == phase):
                got[line["rank"]] = line
        return got

    def run(self, timeout=30, seed=1, **point):
        """Measures one point; the records of every rank, by type of line."""
        point.setdefault("index", 0)
        point.setdefault("name", "test")
        before = [len(l) for l in self.lines]
        listens = [h["listen"] for h in self.hellos]
        for rank in range(self.ranks):
            self.send(rank, t="plan", point=point,
                      world={"ranks": self.ranks, "master": listens[0], "peers": listens, "timeout": int(timeout * 1e9), "seed": seed})
        self.gather("barrier", "ready")
        for rank in range(self.ranks):
            self.send(rank, t="go", phase="ready")
        self.gather("end", "point")
        found = []
        for rank in range(self.ranks):
            by = {}
            for line in self.lines[rank][before[rank]:]:
                by.setdefault(line["t"], []).append(line.get(line["t"], line))
            found.append(by)
        return found

    def quit(self):
        """Ends the world; the bye of every rank and the exit codes."""
        for rank in range(self.ranks):
            self.send(rank, t="quit")
        byes = self.gather("end", "bye")
        return byes, [p.wait(SECONDS) for p in self.processes]
