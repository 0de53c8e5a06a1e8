"""Readings of this rank's GPU beside the steps, through the driver's own library.

Names and units are those of the samples that the program takes itself (source gpu),
so that one set of metrics reads both. On a CPU there is nothing to read here.
"""

import ctypes
import threading
import time

import torch

EVERY = 0.1  # seconds between readings; the energy counter is newer than that on all parts that have one
HURT = 0x4 | 0x8 | 0x20 | 0x40 | 0x80  # throttle reasons that slow a device against its owner's will


class _Utilization(ctypes.Structure):
    _fields_ = [("gpu", ctypes.c_uint), ("memory", ctypes.c_uint)]


class _Memory(ctypes.Structure):
    _fields_ = [("total", ctypes.c_ulonglong), ("free", ctypes.c_ulonglong), ("used", ctypes.c_ulonglong)]


class Board(object):
    """One GPU as NVML knows it."""

    def __init__(self, uuid):
        self.uuid = uuid
        self._lib = ctypes.CDLL("libnvidia-ml.so.1")
        self._handle = ctypes.c_void_p()
        self._must("nvmlInit_v2")
        self._must("nvmlDeviceGetHandleByUUID", uuid.encode(), ctypes.byref(self._handle))

    def _must(self, name, *arguments):
        code = getattr(self._lib, name)(*arguments)
        if code != 0:
            raise OSError("%s returned %d" % (name, code))

    def _number(self, name, kind, *before):
        value = kind()
        self._must(name, self._handle, *(before + (ctypes.byref(value),)))
        return value

    def read(self):
        """Name, value and unit of everything that this device tells."""
        found = []

        def gauge(name, unit, get):
            try:
                found.append((name, float(get()), unit))
            except (OSError, AttributeError):
                pass  # this part or driver does not tell

        uint, ulong = ctypes.c_uint, ctypes.c_ulonglong
        gauge("energy.total", "J", lambda: self._number("nvmlDeviceGetTotalEnergyConsumption", ulong).value / 1e3)
        gauge("power", "W", lambda: self._number("nvmlDeviceGetPowerUsage", uint).value / 1e3)
        gauge("clock.sm", "MHz", lambda: self._number("nvmlDeviceGetClockInfo", uint, uint(1)).value)
        gauge("clock.memory", "MHz", lambda: self._number("nvmlDeviceGetClockInfo", uint, uint(2)).value)
        gauge("temperature", "C", lambda: self._number("nvmlDeviceGetTemperature", uint, uint(0)).value)
        gauge("utilisation", "1", lambda: self._number("nvmlDeviceGetUtilizationRates", _Utilization).gpu / 100.0)
        gauge("memory.utilisation", "1", lambda: self._number("nvmlDeviceGetUtilizationRates", _Utilization).memory / 100.0)
        gauge("memory.used", "B", lambda: self._number("nvmlDeviceGetMemoryInfo", _Memory).used)
        gauge("throttle.mask", "1", lambda: self._number("nvmlDeviceGetCurrentClocksThrottleReasons", ulong).value)
        for name, value, _ in found:
            if name == "throttle.mask":
                found.append(("throttle", float(bool(int(value) & HURT)), "1"))
                break
        return found


class Watch(object):
    """Reads a board each tenth of a second from start() to stop(), and at both edges."""

    def __init__(self, board):
        self._board, self._rows = board, []
        self._over, self._thread = threading.Event(), None

    def start(self):
        self._read()
        self._thread = threading.Thread(target=self._go, daemon=True)
        self._thread.start()

    def stop(self):
        """The readings, as sys lines."""
        self._over.set()
        self._thread.join()
        self._read()
        return self._rows

    def _go(self):
        while not self._over.wait(EVERY):
            self._read()

    def _read(self):
        at = time.monotonic_ns()
        for name, value, unit in self._board.read():
            self._rows.append({"at": at, "source": "gpu", "name": name, "scope": self._board.uuid, "value": value, "unit": unit})


class Nothing(object):
    """What watches where there is nothing to read."""

    def start(self):
        pass

    def stop(self):
        return []


def watch(device, uuid):
    """A watch of the device that computes."""
    if device.type != "cuda" or not uuid or not torch.cuda.is_available():
        return Nothing()
    try:
        return Watch(Board(uuid))
    except (OSError, AttributeError):
        return Nothing()  # no NVML: the program's own samples, if any, must do
