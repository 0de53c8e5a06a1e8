"""Ranks that find torch imported: loading it takes each of them two seconds of a processor.

The nursery is a process of its own, which has no threads that a fork would lose.
"""

import atexit
import json
import os
import runpy
import signal
import subprocess
import sys
import time

WORKER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "assay_worker")


class Nursery(object):
    """The one process of a test file that ranks are forked from."""

    def __init__(self, environment):
        self.process = subprocess.Popen([sys.executable, "-u", os.path.abspath(__file__)], env=environment,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        atexit.register(self.process.communicate)  # it ends with its questions

    def ask(self, **question):
        self.process.stdin.write((json.dumps(question) + "\n").encode())
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline().decode())

    def start(self, environment):
        return Rank(self, self.ask(start=environment))


class Rank(object):
    """What tests do with a process, of one that the nursery forked."""

    def __init__(self, nursery, pid):
        self.nursery, self.pid, self.code = nursery, pid, None

    def poll(self):
        if self.code is None:
            self.code = self.nursery.ask(ended=self.pid)
        return self.code

    def wait(self, timeout=None):
        until = timeout and time.monotonic() + timeout
        while self.poll() is None:
            if until and time.monotonic() > until:
                raise subprocess.TimeoutExpired(WORKER, timeout)
            time.sleep(0.01)
        return self.code

    def kill(self):
        os.kill(self.pid, signal.SIGKILL)


def fork(environment):
    """The number of a new rank, which does not return from here."""
    pid = os.fork()
    if pid:
        return pid
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = [WORKER]
    runpy.run_path(WORKER, run_name="__main__")


def ended(pid):
    """The exit code of a rank, negative for a signal as in subprocess; None while it runs."""
    done, status = os.waitpid(pid, os.WNOHANG)
    if not done:
        return None
    return -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


if __name__ == "__main__":
    import torch.distributed  # noqa: F401 which is what the ranks shall find

    for line in sys.stdin:
        question = json.loads(line)
        print(json.dumps(fork(question["start"]) if "start" in question else ended(question["ended"])))
