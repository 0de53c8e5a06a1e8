"""Marks of time: read at once on the host, or recorded on a device's streams and
put on the host's clock later, so that nobody waits for a device inside a step.
"""

import time

import torch


class Host(object):
    """The host's own clock: CLOCK_MONOTONIC in nanoseconds."""

    name = "host"
    ahead = False  # the host does not run ahead of the work

    def anchor(self):
        pass

    def mark(self):
        return time.monotonic_ns()

    def ns(self, mark):
        return mark

    def move(self, mark):
        pass


class Device(object):
    """Events on the streams of a CUDA device.

    A mark is recorded on the stream of the moment and says when the work before it
    was done. Events are 32-bit milliseconds apart, so they are counted from a near
    event: anchor() ties one to the host's clock, move() ties later ones to it.
    """

    name = "cuda_event"
    ahead = True

    def __init__(self, device):
        self._device = device
        self._base, self._base_ns = None, 0

    def anchor(self):
        torch.cuda.synchronize(self._device)
        before = time.monotonic_ns()
        self._base = self.mark()
        self._base.synchronize()
        # On an idle device the event is over somewhere between the two readings.
        self._base_ns = (before + time.monotonic_ns()) // 2

    def mark(self):
        event = torch.cuda.Event(enable_timing=True)
        event.record()
        return event

    def ns(self, mark):
        return self._base_ns + int(round(self._base.elapsed_time(mark) * 1e6))

    def move(self, mark):
        self._base, self._base_ns = mark, self.ns(mark)


def of(device):
    return Device(device) if device.type == "cuda" else Host()
