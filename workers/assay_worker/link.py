"""The line to the controller: one JSON object a line, both ways.

A worker dials the controller, each proves to the other that it knows the token of the
run, which is never sent, and from then on the worker keeps three promises:
pings are answered at once, a sign of life goes out each second, and records leave
only in flush(), never inside a timed region. Every line that is sent is also
written to the rank's own file, so that a controller that is gone loses nothing.

This module knows lines and threads. It knows nothing of torch, nor of what is
measured.
"""

import collections
import hashlib
import hmac
import json
import math
import os
import queue
import socket
import struct
import threading
import time

VERSION = 2
MOST_GREETING = 1 << 16  # bytes of a line from a side that is not known yet
MOST_LINE = 4 << 20
GREET_SECONDS = 10  # for one side's part of the greeting
DIAL_SECONDS = 30  # in which a controller that has too many others to look at is tried again
MOST_RECORDS = 1 << 20  # that wait for flush(); more are dropped and counted
SEND_SECONDS = 20  # a controller that reads nothing for so long is gone

now = time.monotonic_ns


class Stranger(Exception):
    """Whoever listens is not the controller of this run, or does not want this worker."""


class Lost(Exception):
    """The controller is gone."""


class Setup(Exception):
    """The point cannot be measured here; the text says what to do."""


class WrongAnswer(Exception):
    """A result was wrong where going on would be senseless."""


class Link(object):
    """The connection of one rank.

    phase, step_no and coll_seq are what a sign of life tells: set them as work goes
    on; began() numbers a collective.
    """

    def __init__(self, env, rank):
        self.rank = rank
        self.run = env.get("ASSAY_RUN", "")
        self.phase, self.step_no, self.coll_seq = "start", 0, -1
        self.lost = False
        self.dropped = 0
        self._seq = 0
        self._records = collections.deque()
        self._inbox = queue.Queue()
        self._lock = threading.Lock()
        self._closed = threading.Event()
        self._sha = hashlib.sha256()
        self._file = None
        if env.get("ASSAY_OUT"):
            os.makedirs(env["ASSAY_OUT"], exist_ok=True)
            self._file = open(os.path.join(env["ASSAY_OUT"], "rank-%05d.jsonl" % rank), "wb")
        self._address, self._token = env["ASSAY_CTRL"], env.get("ASSAY_TOKEN", "")
        self._rest = b""  # what came after the last whole line
        self._socket = dial(self._address)

    def local_host(self):
        """The address of this end, where the controller is reached over TCP."""
        if self._socket.family == socket.AF_UNIX:
            return ""
        return self._socket.getsockname()[0]

    def greet(self, hello):
        """Greets until both sides know each other, then begins to listen and to beat."""
        until = time.monotonic() + DIAL_SECONDS
        while True:
            try:
                self._greet(hello)
                break
            except OSError as e:
                if time.monotonic() > until:
                    raise Stranger("the controller at %s does not greet: %s" % (self._address, e))
                time.sleep(DIAL_SECONDS / 100.0)
                self._socket.close()
                self._rest, self._socket = b"", dial(self._address)
        for target in (self._listen, self._beat):
            threading.Thread(target=target, daemon=True).start()

    # What goes out.

    def send(self, t, **fields):
        """Sends one line of type t at once. Only for lines that nobody times."""
        with self._lock:
            self._write(t, fields)

    def record(self, kind, fields):
        """Keeps one record until flush(): record("coll", {...})."""
        if len(self._records) >= MOST_RECORDS:
            self.dropped += 1
            return
        self._records.append((kind, fields))

    def flush(self):
        """Sends the kept records. Never call it inside a timed region."""
        while self._records:
            kind, fields = self._records.popleft()
            self.send(kind, **{kind: fields})

    def note(self, text):
        """Tells what a person should know."""
        self.send("note", text=text)

    def began(self):
        """Numbers the collective that is about to begin, before anybody waits for it."""
        self.coll_seq += 1
        return self.coll_seq

    def barrier(self, phase):
        """Waits until every rank has reached the phase."""
        self.phase = phase
        self.send("barrier", phase=phase)
        line = self._receive()
        if line is None or line.get("t") != "go":
            raise Lost("the controller went away before everybody was " + phase)

    def end_point(self):
        """The last line of a point."""
        self.flush()
        self._end("point")

    def fail(self, kind, text):
        """Says why this rank cannot go on."""
        self.flush()
        fields = {"kind": kind, "text": text[:4000]}
        if self.coll_seq >= 0:
            fields["coll_seq"] = self.coll_seq
        self.send("err", **fields)
        self.close()

    def bye(self):
        """The last line of the worker."""
        self.flush()
        self._closed.set()
        self._end("bye")
        self.close()

    def close(self):
        self._closed.set()
        with self._lock:
            if self._file:
                self._file.close()
                self._file = None
            try:
                self._socket.shutdown(socket.SHUT_WR)
            except OSError:
                pass

    # What comes in.

    def plan(self):
        """The next point and its world; None when there is nothing more to do."""
        self.phase = "idle"
        line = self._receive()
        if line is None:
            raise Lost("the controller went away without quit")
        if line["t"] == "quit":
            return None
        if line["t"] != "plan":
            raise Setup("got a line of type %s where plan or quit belongs" % line["t"])
        return line["point"], line.get("world") or {}

    def _receive(self):
        return self._inbox.get()

    # The inside.

    def _greet(self, hello):
        """One attempt; OSError says that another may succeed."""
        self._socket.settimeout(GREET_SECONDS)
        challenge = self._greeting()
        if challenge.get("t") != "challenge" or challenge.get("v") != VERSION or not is_nonce(challenge.get("nonce")):
            raise Stranger("whoever listens at %s sends no challenge of version %d of the worker protocol" % (self._address, VERSION))
        nonce = os.urandom(16).hex()
        line = self._line("hello", {"hello": hello})
        about = (self.run, self.rank, challenge["nonce"], nonce)
        self._socket.sendall(encoded(dict(line, nonce=nonce, proof=proof(self._token, "worker", *about))))
        welcome = self._greeting()
        if welcome.get("t") == "err":
            raise Stranger("the controller turned rank %d away: %s" % (self.rank, welcome.get("text")))
        if welcome.get("t") != "welcome" or not hmac.compare_digest(str(welcome.get("proof")), proof(self._token, "controller", *about)):
            raise Stranger("whoever listens at %s is not the controller: it does not know the token" % self._address)
        self._socket.settimeout(None)
        with self._lock:
            self._keep("hello", encoded(line))  # without what only this conversation needs

    def _greeting(self):
        """The next line of a side that is not known yet."""
        while b"\n" not in self._rest:
            data = self._socket.recv(1 << 12)
            if not data or len(self._rest) + len(data) > MOST_GREETING:
                raise ConnectionError("cut off before both sides knew each other")
            self._rest += data
        text, _, self._rest = self._rest.partition(b"\n")
        try:
            line = json.loads(text.decode())
        except ValueError:
            line = None
        return line if isinstance(line, dict) else {}

    def _line(self, kind, fields):
        line = {"t": kind, "v": VERSION, "rank": self.rank, "seq": self._seq, "mono": now()}
        if self.run:
            line["run"] = self.run
        line.update(fields)
        return line

    def _keep(self, kind, data):
        """Counts a line and writes it to the rank's file; the lock is held."""
        self._seq += 1
        self._sha.update(data)
        if self._file:
            self._file.write(data)
            if kind in ("hello", "err", "barrier", "hb"):
                self._file.flush()

    def _end(self, phase):
        with self._lock:
            fields = {"phase": phase, "lines": self._seq + 1}
            if self.dropped:
                fields["dropped"] = self.dropped
            if phase == "bye":
                fields["sha256"] = self._sha.hexdigest()
            self._write("end", fields)
            if self._file:
                self._file.flush()

    def _write(self, kind, fields):
        """Writes one line to the rank's file and to the controller; the lock is held."""
        data = encoded(self._line(kind, fields))
        self._keep(kind, data)
        if self.lost:
            return
        try:
            self._socket.sendall(data)
        except OSError:
            self.lost = True  # the file goes on

    def _beat(self):
        while not self._closed.wait(1):
            fields = {"phase": self.phase, "step_no": self.step_no}
            if self.coll_seq >= 0:
                fields["coll_seq"] = self.coll_seq
            with self._lock:
                if not self._closed.is_set():
                    self._write("hb", fields)

    def _listen(self):
        data, came = b"", now()  # with the welcome more may have come
        while len(self._rest) <= MOST_LINE:
            lines = (self._rest + data).split(b"\n")
            self._rest = lines.pop()
            for text in lines:
                self._heard(text, came)
            try:
                data = self._socket.recv(1 << 16)
            except OSError:
                data = b""
            came = now()
            if not data:
                break
        if not self._closed.is_set():
            self.lost = True
        self._inbox.put(None)

    def _heard(self, text, came):
        try:
            line = json.loads(text.decode())
            kind, version = line.get("t"), line.get("v", VERSION)
        except (ValueError, AttributeError):
            return  # not a line of this protocol
        if version != VERSION:
            return
        if kind == "ping":
            with self._lock:
                if not self._closed.is_set():
                    self._write("pong", {"t1": line.get("t1", 0), "t2": came, "t3": now()})
        elif kind in ("plan", "go", "quit"):
            self._inbox.put(line)


def encoded(line):
    return (json.dumps(line, separators=(",", ":"), allow_nan=False) + "\n").encode()


def proof(token, side, run, rank, challenge, nonce):
    """What shows that a side knows the token, in this conversation alone."""
    words = ("assay-worker/2", side, run, str(rank), challenge, nonce)
    return hmac.new(token.encode(), "\n".join(words).encode(), "sha256").hexdigest()


def is_nonce(text):
    return isinstance(text, str) and len(text) == 32 and all(c in "0123456789abcdef" for c in text)


def dial(address):
    """Connects to host:port or unix:PATH."""
    if address.startswith("unix:"):
        made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        made.connect(address[len("unix:"):])
    else:
        host, _, port = address.rpartition(":")
        made = socket.create_connection((host.strip("[]"), int(port)), timeout=30)
        made.settimeout(None)
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", SEND_SECONDS, 0))
    return made


def finite(value):
    """value as JSON can say it: None for NaN and infinities."""
    value = float(value)
    return value if math.isfinite(value) else None
