"""Counts the operations of a step by watching it, to hold the formula against."""

import torch

import batches
import model as models

FLOP_OFF = 0.05  # the most that counted and reckoned may differ


def reckoned(shape, parameters):
    """FLOP per token of training by the convention of PaLM: 6N + 12·L·H·Q·T."""
    attention = 0 if shape.get("family") == "mlp" else 12 * shape["layers"] * shape["hidden"] * shape["sequenceLength"]
    return 6.0 * parameters + attention


def uncounted(shape):
    """FLOP per token of the formula that no matrix product does, and whose they are.
    The token embedding is one product, as it is the output's matrix too."""
    hidden = shape["hidden"]
    if shape.get("family") == "mlp":
        return 2.0 * hidden * hidden, "the gradient of the input, which nobody needs"
    return 6.0 * hidden * (shape["sequenceLength"] + 13 * shape["layers"] + 2), "positions, biases and norms, which no product uses"


def _counter():
    """A context that counts matrix products, forward and backward."""
    try:
        from torch.utils.flop_counter import FlopCounterMode

        return FlopCounterMode(display=False)
    except ImportError:
        return Products()


def counted(shape):
    """FLOP per token of one forward and backward pass over one sample.

    The pass runs on shapes alone where torch can (the meta device), else on the CPU.
    Attention is done in plain products, since fused kernels recompute.
    """
    x, y = batches.gather(batches.Samples(shape, 0), [0])
    for device in ("meta", "cpu"):
        model = models.build(shape, 0, explicit=True, device=device)
        try:
            with _counter() as counter:
                model(x.to(device), y.to(device)).backward()
            return counter.get_total_flops() / float(shape["sequenceLength"])
        except (NotImplementedError, RuntimeError):
            if device == "cpu":
                raise


def check(shape, parameters):
    """The check line of the count."""
    value, expected = counted(shape), reckoned(shape, parameters)
    beside, whose = uncounted(shape)
    error = abs(value + beside - expected) / expected
    return {
        "name": "flop_count", "value": value, "expected": expected, "error": error, "noise": 0.0,
        "passed": error <= FLOP_OFF,
        "text": "matrix products per token, counted; the formula adds %.4g for %s; both count attention without its causal half" % (beside, whose),
    }


def _products():
    aten = torch.ops.aten

    def mm(a, b, *_):
        return 2 * a.shape[0] * a.shape[1] * b.shape[1]

    def bmm(a, b, *_):
        return 2 * a.shape[0] * a.shape[1] * a.shape[2] * b.shape[2]

    return {aten.mm.default: mm, aten.bmm.default: bmm, aten.addmm.default: lambda _, a, b, *rest: mm(a, b), aten.baddbmm.default: lambda _, a, b, *rest: bmm(a, b)}


class Products(object):
    """FlopCounterMode for releases of torch before it."""

    def __enter__(self):
        from torch.utils._python_dispatch import TorchDispatchMode

        costs, outer = _products(), self
        self.total = 0

        class Watch(TorchDispatchMode):
            def __torch_dispatch__(self, op, types, args=(), kwargs=None):
                if op in costs:
                    outer.total += costs[op](*args)
                return op(*args, **(kwargs or {}))

        self._watch = Watch()
        self._watch.__enter__()
        return self

    def __exit__(self, *error):
        return self._watch.__exit__(*error)

    def get_total_flops(self):
        return self.total
