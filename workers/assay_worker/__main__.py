"""Assay's worker for torch: one rank, or a probe of an accelerator.

It is started once per rank with the environment that the worker protocol names,
greets the controller and measures the points that it is given, one after another.
"""

import os
import sys
import traceback


def main():
    from link import Link, Lost, Setup, Stranger

    if "ASSAY_CTRL" not in os.environ:
        sys.exit("this is a worker of assay and is started by it: ASSAY_CTRL is not set")
    import world as worlds

    here = worlds.World(os.environ)
    line = Link(os.environ, here.rank)
    try:
        trouble = None
        try:
            here.choose(os.environ.get("ASSAY_DEVICE", "auto"), os.environ.get("ASSAY_BACKEND", ""))
        except Setup as e:
            trouble = e  # nobody hears it before the greeting
        line.greet(here.hello(here.reserve(line)))
        if trouble:
            raise trouble
        while True:
            got = line.plan()
            if got is None:
                break
            measure(line, here, *got)
            line.end_point()
        line.phase = "leave"
        here.leave()
        line.bye()
        return 0
    except Stranger as e:
        print(e, file=sys.stderr)
        return 1
    except Lost as e:
        print(e, file=sys.stderr)
        line.bye()  # into the rank's file
        return 1
    except BaseException as e:
        if not isinstance(e, Setup):
            traceback.print_exc()
        line.fail(kind_of(e), str(e) if isinstance(e, Setup) else "%s: %s" % (type(e).__name__, e))
        return 1


def measure(line, here, point, world_line):
    """Dispatches one point to the module that measures it."""
    if point.get("steps"):
        import train

        part, run = point["steps"], train.run
    elif point.get("collective"):
        import collectives
        import pairs

        part = point["collective"]
        run = pairs.run if part["op"] == "pairs" else collectives.run
    elif point.get("micro"):
        import probes

        here.choose(point["micro"].get("device", "auto"), here.backend)
        return probes.run(line, here, point, world_line)
    else:
        from link import Setup

        raise Setup("point %s is none that a worker measures" % point.get("name"))
    line.phase = "join"
    if part.get("parallelism") == "none":
        here.choose(part.get("device", "auto"), part.get("backend", ""))  # the plain program: no group
    else:
        here.join(part.get("backend", ""), part.get("device", "auto"), world_line)
    run(line, here, point, world_line)


# What libraries say when a peer is gone: this rank is then likely a victim.
PEER_GONE = ("connection", "peer", "nccl", "gloo", "timed out", "timeout", "socket", "broken pipe", "store", "distnetwork", "distbackend")


def kind_of(error):
    """The kind of an error, as the protocol names it."""
    from link import Setup, WrongAnswer

    text = (type(error).__name__ + " " + str(error)).lower()
    if isinstance(error, Setup):
        return "setup"
    if isinstance(error, WrongAnswer):
        return "wrong_answer"
    if isinstance(error, MemoryError) or "out of memory" in text or "outofmemory" in text:
        return "out_of_memory"
    if isinstance(error, (ConnectionError, TimeoutError)):
        return "communication"
    if isinstance(error, RuntimeError) and any(word in text for word in PEER_GONE):
        return "communication"
    return "internal"


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)  # destructors of process groups wait for peers that may be gone
