"""Where a rank stands among its peers, and what it computes on.

This module knows launchers' environments, devices and process groups. It does not
know what is measured.
"""

import ctypes
import datetime
import fcntl
import os
import platform
import re
import socket
import struct
import subprocess
import time

import torch
import torch.distributed as dist

from link import Setup

# Variables of launchers: the name, then rank, world, local rank, local world, node.
LAUNCHERS = (
    ("torchrun", "RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "GROUP_RANK"),
    ("slurm", "SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID", "SLURM_NTASKS_PER_NODE", "SLURM_NODEID"),
    ("openmpi", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE", None),
    ("mpich", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS", None),
)

TUNING = ("NCCL_", "GLOO_", "OMP_", "TORCH_", "MKL_", "OPENBLAS_", "CUDA_VISIBLE", "CUBLAS_", "PYTORCH_")


class World(object):
    """This rank, its device and, once joined, its group."""

    def __init__(self, env):
        self.env = env
        self.launcher, self.rank, self.size, self.local_rank, self.local_size, self.node_rank = place(env)
        self.device = torch.device("cpu")
        self.backend = ""
        self.joined = False
        self._reserved = None

    def reserve(self, link):
        """host:port at which peers reach this rank; the port is kept until it joins.

        The libraries are told to use that interface: gloo would choose one by the host's
        name, which in a namespace or a container may lead nowhere.
        """
        name = self.env.get("ASSAY_IFNAME")
        host = (interface_address(name) if name else "") or self.env.get("ASSAY_ADDR") or link.local_host() or "127.0.0.1"
        if name:
            os.environ.setdefault("NCCL_SOCKET_IFNAME", "=" + name)
        name = name or interface_of(host)
        if name:
            os.environ.setdefault("GLOO_SOCKET_IFNAME", name)
        self._reserved = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
        self._reserved.bind((host, 0))
        port = self._reserved.getsockname()[1]
        return ("[%s]:%d" if ":" in host else "%s:%d") % (host, port)

    def choose(self, device, backend):
        """Decides device and backend; both may be auto or empty."""
        self.device = choose_device(device, backend, self.local_rank, self.local_size)
        self.backend = backend or ("nccl" if self.device.type == "cuda" else "gloo")
        if self.backend == "nccl":
            self.listen_to_nccl()
        self.use(self.device)

    def use(self, device):
        """Computes on the device from here on."""
        self.device = device
        if device.type == "cuda":
            torch.cuda.set_device(device)

    def listen_to_nccl(self):
        """Has NCCL write what it finds and chooses as it starts into a file beside the
        rank's own, unless somebody told it otherwise. Lines about each call are left
        out: they would be written inside of what is timed."""
        if self.env.get("ASSAY_OUT"):
            for name, value in (("NCCL_DEBUG", "INFO"), ("NCCL_DEBUG_SUBSYS", "INIT,ENV,GRAPH"),
                                ("NCCL_DEBUG_FILE", os.path.join(self.env["ASSAY_OUT"], "nccl-rank-%05d.log" % self.rank))):
                os.environ.setdefault(name, value)

    def join(self, backend, device, line):
        """Joins the peers, at the first plan; later plans of the same world keep the group."""
        if self.joined:
            if backend and backend != self.backend:
                raise Setup("this world was joined over %s and cannot measure %s; put them in worlds of their own" % (self.backend, backend))
            return
        self.choose(device, backend)
        check_backend(self.backend, self.device, self.local_rank)
        if self._reserved:
            self._reserved.close()
            self._reserved = None
        seconds = max(1.0, line.get("timeout", 0) / 1e9) if line.get("timeout") else 300.0
        options = {"timeout": datetime.timedelta(seconds=seconds)}
        if self.backend != "mpi":
            options.update(self.rendezvous(line), rank=self.rank, world_size=line["ranks"])
        # Under torchrun every rank would take its agent's store for rank 0's and wait for
        # ever: nobody would serve ours.
        os.environ.pop("TORCHELASTIC_USE_AGENT_STORE", None)
        dist.init_process_group(self.backend, **options)
        self.size, self.joined = line["ranks"], True
        self.barrier()  # connects everybody now, not in the first timed call

    def rendezvous(self, line):
        """Where the ranks meet, in the words of init_process_group.

        The store that torch serves over TCP listens on every interface and believes
        whoever connects. Where all ranks are on this host, as they are when the controller
        is a socket file, a file in their folder does as well, and nobody else opens that.
        """
        if self.env["ASSAY_CTRL"].startswith("unix:") and self.env.get("ASSAY_OUT"):
            return {"store": dist.FileStore(os.path.join(self.env["ASSAY_OUT"], "rendezvous"), line["ranks"])}
        return {"init_method": "tcp://" + line["master"]}

    def barrier(self):
        """Waits until every rank is here and its device is idle."""
        if self.device.type == "cuda":
            torch.cuda.synchronize(self.device)
        if self.joined and self.size > 1:
            if self.backend == "nccl":
                dist.barrier(device_ids=[self.device.index])
                torch.cuda.synchronize(self.device)
            else:
                dist.barrier()

    def leave(self):
        if self.joined:
            dist.destroy_process_group()
            self.joined = False

    def hello(self, listen):
        """What this worker says of itself; all fields of the protocol's hello."""
        said = {
            "local_rank": self.local_rank,
            "node_rank": self.node_rank,
            "world": self.size,
            "listen": listen,
            "host": platform.node(),
            "pid": os.getpid(),
            "boot_id": read("/proc/sys/kernel/random/boot_id"),
            "time_namespace": time_namespace(),
            "wall_ns": time.time_ns(),
            "backend": self.backend,
            "device": device_name(self.device),
            "device_id": device_uuid(self.device),
            "library": "torch " + torch.__version__,
            "comm_library": comm_library(self.backend),
            "driver": driver() if torch.cuda.is_available() else "",
            "launcher": self.launcher,
            "affinity": sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else [],
            "numa": numa_node(),
            "env": {k: v for k, v in sorted(os.environ.items()) if k.startswith(TUNING)},
        }
        return {k: v for k, v in said.items() if v not in ("", None)}


def place(env):
    """launcher, rank, world, local rank, local world and node, from the environment.

    A RANK without LOCAL_RANK counts nodes, not processes, in some operators, so it is
    believed only beside LOCAL_RANK or where no other launcher speaks.
    """
    for name, rank, world, local, local_world, node in LAUNCHERS:
        if rank not in env or world not in env or (rank == "RANK" and local not in env):
            continue
        if name == "torchrun" and "TORCHELASTIC_RUN_ID" not in env:
            name = "assay"
        local_size = env.get(local_world, "")
        size = int(env[world])
        return (name, int(env[rank]), size, int(env.get(local, 0)),
                int(local_size) if local_size.isdigit() else size, int(env.get(node or "", 0)))
    if env.get("WORLD_SIZE", "1") != "1":
        raise Setup("WORLD_SIZE is set and LOCAL_RANK is not, so RANK may count nodes; start the workers with torchrun, or set LOCAL_RANK")
    return "none", int(env.get("RANK", 0)), 1, 0, 1, 0


def choose_device(wanted, backend, local_rank, local_size):
    """The device of this rank. auto takes an accelerator where every rank of the node
    can have its own."""
    if wanted == "cpu":
        return torch.device("cpu")
    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if wanted == "cuda" or backend == "nccl":
        if count == 0:
            raise Setup("this torch (%s) finds no CUDA device; set device: cpu, or give a torch with CUDA by --python" % torch.__version__)
        return torch.device("cuda", local_rank % count)
    if count and local_size <= count:
        return torch.device("cuda", local_rank)
    return torch.device("cpu")


def check_backend(backend, device, local_rank):
    have = {"gloo": getattr(dist, "is_gloo_available", lambda: True), "nccl": dist.is_nccl_available, "mpi": dist.is_mpi_available}
    if backend not in have or not have[backend]():
        raise Setup("this torch (%s) has no backend %s; it has %s" % (torch.__version__, backend, ", ".join(backends()) or "none"))
    if backend == "nccl" and device.type != "cuda":
        raise Setup("the backend nccl needs a CUDA device; set device: cuda, or backend: gloo")
    if backend == "nccl" and local_rank >= torch.cuda.device_count():
        raise Setup("NCCL refuses two ranks on one GPU and this host has %d; start fewer ranks" % torch.cuda.device_count())


def backends():
    """The backends that this torch has."""
    if not dist.is_available():
        return []
    found = ["gloo"] if getattr(dist, "is_gloo_available", lambda: True)() else []
    if dist.is_nccl_available():
        found.append("nccl")
    if dist.is_mpi_available():
        found.append("mpi")
    return found


def interface_address(name):
    """The IPv4 address of a network interface."""
    SIOCGIFADDR = 0x8915
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        try:
            got = fcntl.ioctl(s.fileno(), SIOCGIFADDR, struct.pack("256s", name.encode()[:15]))
        except OSError as e:
            raise Setup("the interface %s of ASSAY_IFNAME has no IPv4 address here: %s" % (name, e))
    return socket.inet_ntoa(got[20:24])


def interface_of(address):
    """The network interface that has the address; empty where none has."""
    for _, name in socket.if_nameindex():
        try:
            if interface_address(name) == address:
                return name
        except Setup:
            pass  # it has no IPv4 address
    return ""


def device_name(device):
    return torch.cuda.get_device_name(device) if device.type == "cuda" else "cpu"


def device_uuid(device):
    """The accelerator's uuid as its driver prints it, GPU-…; empty where torch is too old to say."""
    if device.type != "cuda":
        return ""
    uuid = getattr(torch.cuda.get_device_properties(device), "uuid", None)
    if uuid is None:
        return ""
    text = str(uuid)
    return text if text.startswith("GPU-") else "GPU-" + text


def comm_library(backend):
    if backend == "nccl":
        try:
            version = torch.cuda.nccl.version()
        except Exception:
            return "NCCL"
        return "NCCL " + (".".join(str(part) for part in version) if isinstance(version, tuple) else str(version))
    if backend == "gloo":
        return "gloo of torch " + torch.__version__
    return mpi_library() if backend == "mpi" else ""


def mpi_library():
    try:
        text = ctypes.create_string_buffer(8192)
        size = ctypes.c_int()
        ctypes.CDLL(None).MPI_Get_library_version(text, ctypes.byref(size))
        return text.value.decode().split(",")[0].strip()
    except (AttributeError, OSError):
        return "MPI"


def driver():
    found = re.search(r"Kernel Module.*?\s(\d+\.\d+[\d.]*)", read("/proc/driver/nvidia/version"))
    if found:
        return found.group(1)
    try:
        said = subprocess.run(["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=10)
        return said.stdout.decode().split("\n")[0].strip()
    except (OSError, subprocess.SubprocessError):
        return ""


def time_namespace():
    """The time namespace of this process, such as time:[4026531834]: processes of one share a clock."""
    try:
        return os.readlink("/proc/self/ns/time")
    except OSError:
        return ""


def numa_node():
    """The node whose processors hold this process; None where they span several."""
    try:
        mine = os.sched_getaffinity(0)
        for name in os.listdir("/sys/devices/system/node"):
            if re.match(r"node\d+$", name) and mine <= cpus(read("/sys/devices/system/node/%s/cpulist" % name)):
                return int(name[4:])
    except (AttributeError, OSError, ValueError):
        pass
    return None


def cpus(text):
    """The processors of a list such as 0-3,8."""
    found = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        if first:
            found.update(range(int(first), int(last or first) + 1))
    return found


def read(path):
    try:
        with open(path) as f:
            return f.read().strip()
    except OSError:
        return ""
