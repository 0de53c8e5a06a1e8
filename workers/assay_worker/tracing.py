"""Steps under the profiler, apart from the measured ones."""

import gzip
import os
import shutil

import torch


def profile(one_step, schedule, folder, rank, device):
    """Takes steps by the schedule (wait, warm up, keep; so many times) and returns the
    names of the traces in the folder, one for each time."""
    wait, warmup = schedule.get("wait", 1), schedule.get("warmup", 1)
    active, repeat = schedule.get("active", 3), schedule.get("repeat", 1)
    names = []

    def keep(profiler):
        again = "-%d" % (len(names) + 1) if names else ""
        names.append("trace-rank-%05d%s.json.gz" % (rank, again))
        write(profiler, os.path.join(folder, names[-1]))

    if not torch.autograd.kineto_available():
        for _ in range(repeat):
            for _ in range(wait + warmup):
                one_step()
            with torch.autograd.profiler.profile(use_kineto=False) as profiler:
                for _ in range(active):
                    one_step()
            keep(profiler)
        return names
    kinds = [torch.profiler.ProfilerActivity.CPU]
    if device.type == "cuda":
        kinds.append(torch.profiler.ProfilerActivity.CUDA)
    when = torch.profiler.schedule(wait=wait, warmup=warmup, active=active, repeat=repeat)
    with torch.profiler.profile(activities=kinds, schedule=when, on_trace_ready=keep) as profiler:
        for _ in range((wait + warmup + active) * repeat):
            one_step()
            profiler.step()
    return names


def write(profiler, path):
    """Writes one trace, compressed, under its name only when it is whole."""
    plain = path + ".plain.json"
    profiler.export_chrome_trace(plain)
    with open(plain, "rb") as source, gzip.open(path + ".part", "wb") as out:
        shutil.copyfileobj(source, out)
    os.remove(plain)
    os.replace(path + ".part", path)
