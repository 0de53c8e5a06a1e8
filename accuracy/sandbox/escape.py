"""Tries what no program in a sandbox may do, and raises Escaped where it could."""
import _socket
import posix


class Escaped(Exception):
    pass


def refused(name, attempt):
    try:
        attempt()
    except OSError:
        return
    raise Escaped(name)


def fork_many():
    for _ in range(64):
        if posix.fork() == 0:
            while True:
                posix.read(waiting, 1)


waiting, _ = posix.pipe()
refused("network isolation", _socket.socket)
refused("hidden host files", lambda: posix.stat("/etc/passwd"))
refused("hidden processes", lambda: posix.stat("/proc/self"))
refused("read-only root", lambda: posix.mkdir("/escaped"))
refused("read-only libraries", lambda: posix.mkdir("/usr/escaped"))
refused("dropped user", lambda: posix.setuid(0))
refused("process limit", fork_many)
