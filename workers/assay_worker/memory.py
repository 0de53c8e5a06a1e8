"""What a rank's memory holds: parameters, gradients, optimizer state, activations,
and how high it went.
"""

import resource

import torch

from parallel import local


class OutOfMemory(Exception):
    """A training point did not fit."""


def ran_out(error):
    """Whether an error says that memory is used up."""
    if isinstance(error, MemoryError):
        return True
    kind = getattr(torch.cuda, "OutOfMemoryError", None)
    if kind is not None and isinstance(error, kind):
        return True
    text = str(error).lower()
    return isinstance(error, RuntimeError) and ("out of memory" in text or "can't allocate memory" in text or "not enough memory" in text)


def size(tensors):
    return sum(t.numel() * t.element_size() for t in map(local, tensors))


def storage(tensor):
    """Address and bytes of what a tensor is a view of."""
    held = tensor.untyped_storage() if hasattr(tensor, "untyped_storage") else tensor.storage()
    if hasattr(held, "nbytes"):
        return held.data_ptr(), held.nbytes()
    return held.data_ptr(), held.size() * tensor.element_size()


def state(optimizer):
    """Bytes of the optimizer's state."""
    return size(t for of in optimizer.state.values() for t in of.values() if torch.is_tensor(t))


def gradients(model):
    return size(p.grad for p in model.parameters() if p.grad is not None)


def activations(model, forward):
    """Bytes that a forward pass keeps for the backward one: every storage once, those
    of parameters left out. Weights that autocast has copied count."""
    own = {storage(local(p))[0] for p in model.parameters()}
    kept = {}

    def pack(tensor):
        address, nbytes = storage(local(tensor))
        if address not in own:
            kept[address] = nbytes
        return tensor.detach()  # the tensor itself would keep its own graph alive

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        loss = forward()
    del loss
    return sum(kept.values())


def reset(device):
    """Forgets earlier peaks, so that those of the measured steps are seen."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)
        torch.cuda.reset_peak_memory_stats(device)
        torch.cuda.reset_accumulated_memory_stats(device)


def peaks(device):
    """How high memory went; the fields of a mem line."""
    found = {"resident": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024}
    if device.type != "cuda":
        found["total"] = host_total()
        return found
    said = torch.cuda.memory_stats(device)
    for field, name in (
        ("peak_allocated", "allocated_bytes.all.peak"),
        ("peak_active", "active_bytes.all.peak"),
        ("peak_reserved", "reserved_bytes.all.peak"),
        ("alloc_retries", "num_alloc_retries"),
        ("out_of_memory", "num_ooms"),
    ):
        found[field] = int(said.get(name, 0))
    found["total"] = int(torch.cuda.get_device_properties(device).total_memory)
    return found


def host_total():
    """Bytes of the host's memory."""
    with open("/proc/meminfo") as f:
        for line in f:
            if line.startswith("MemTotal:"):
                return int(line.split()[1]) * 1024
    return None
