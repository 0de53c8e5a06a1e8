"""Times one call after another, on the host's clock or on a device's.

On a CPU a call is over when it returns, and CLOCK_MONOTONIC times it. What a GPU
does is over later, so events on its stream time it; they are put on the host's clock
by an anchor, an event recorded on an idle stream between two readings of it.
"""

import torch

from link import now


class HostTimer(object):
    """CLOCK_MONOTONIC round the call; a device, where there is one, is waited for."""

    clock = "host"

    def __init__(self, device=None):
        self.device = device if device is not None and device.type == "cuda" else None

    def time(self, call, gather=None):
        """[t0, t1] of call in ns. gather, a barrier, comes first and is not timed."""
        if gather:
            gather()
        if self.device is None:
            t0 = now()
            call()
            return t0, now()
        torch.cuda.synchronize(self.device)
        t0 = now()
        call()
        torch.cuda.synchronize(self.device)
        return t0, now()


class EventTimer(object):
    """CUDA events round the call, on the current stream.

    The anchor is made anew for each call: elapsed times are 32-bit floats of
    milliseconds, exact to a microsecond only over seconds.
    """

    clock = "cuda_event"

    def __init__(self, device):
        self.device = device
        self.anchor, self.begin, self.end = (torch.cuda.Event(enable_timing=True) for _ in range(3))

    def time(self, call, gather=None):
        host = self._anchor()
        if gather:
            gather()
        self.begin.record()
        call()
        self.end.record()
        torch.cuda.synchronize(self.device)
        t0 = host + int(self.anchor.elapsed_time(self.begin) * 1e6)
        return t0, t0 + max(0, int(self.begin.elapsed_time(self.end) * 1e6))

    def _anchor(self):
        torch.cuda.synchronize(self.device)
        before = now()
        self.anchor.record()
        self.anchor.synchronize()
        return (before + now()) // 2


def timer(world, events=True):
    """The timer that suits the device: events where work is queued on it."""
    if world.device.type == "cuda" and events:
        return EventTimer(world.device)
    return HostTimer(world.device)
