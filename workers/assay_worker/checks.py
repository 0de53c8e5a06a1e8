"""Whether ranks together train what one process would.

Rank 0 takes the first steps of the point alone: on the same samples, from the same
weights, share by share. It takes them twice, the second time with samples and
shares in the opposite order: the two differ only by rounding, and that difference
is the noise below which nothing can be told. Beyond ten times the noise, or a few
steps of the number format where the noise happens to be smaller, ranks have trained
another model.
"""

import math

import torch

import batches
import model as models
import precision as precisions
from link import finite

STEPS = 2  # that are compared: the second one's loss shows the first one's optimizer
MOST = 1 << 16  # elements of a tensor that are compared, at even distances
TIMES_NOISE = 10.0

# The steps of the number format that are always allowed. In formats of few digits a
# loss is a mean over many rounded values, and optimizers that divide by the size of
# a gradient carry its sign alone.
EXACT = {"reference_loss": 16.0, "reference_gradients": 16.0, "reference_parameters": 64.0}
COARSE = {"reference_loss": 1 / 16.0, "reference_gradients": 2.0, "reference_parameters": 8.0}


class Course(object):
    """What the first steps of a training led to."""

    def __init__(self):
        self.losses, self.gradients, self.parameters, self.start = [], [], None, None


def sample(tensors):
    """Up to MOST elements of each tensor, on the host."""
    kept = []
    for tensor in tensors:
        flat = tensor.detach().reshape(-1)
        stride = max(1, -(-flat.numel() // MOST))
        kept.append(flat[::stride].to("cpu", torch.float64, copy=True))
    return kept


def alone(steps, seed, ranks, device, precision, backwards=False):
    """The course of a single process over the shares of all ranks."""
    model = models.build(steps["shape"], seed, checkpointing=steps.get("checkpointing"), device=device).to(precision.dtype)
    optimizer = precisions.optimizer(steps["optimizer"], model.parameters())
    scaler = precision.scaler()
    samples = batches.Samples(steps["shape"], seed)
    shares = batches.Shares(steps, 0)
    course = Course()
    course.start = sample(model.parameters())
    for step in range(STEPS):
        parts = [shares.part(step, rank, part) for rank in range(ranks) for part in range(shares.parts)]
        if backwards:
            parts = [part[::-1] for part in parts[::-1]]
        optimizer.zero_grad(set_to_none=True)
        losses = []
        for part in parts:
            x, y = (t.to(device) for t in batches.gather(samples, part))
            if x.is_floating_point():
                x, y = x.to(precision.dtype), y.to(precision.dtype)
            with precision.forward():
                loss = model(x, y)
            scaler.scale(loss / len(parts)).backward()
            losses.append(float(loss.detach()))
        scaler.unscale_(optimizer)
        course.losses.append(math.fsum(losses) / len(losses))
        course.gradients.append(sample(p.grad for p in model.parameters()))
        scaler.step(optimizer)
        scaler.update()
    course.parameters = sample(model.parameters())
    return course


def distance(left, right):
    """The norm of a difference, over all tensors together."""
    return math.sqrt(math.fsum(float((a - b).square().sum()) for a, b in zip(left, right)))


def norm(tensors):
    return math.sqrt(math.fsum(float(t.square().sum()) for t in tensors))


def errors(course, reference):
    """How far a course is from the reference, by what is compared; each relative,
    the largest over steps. Parameters are held against how far they have moved."""
    moved = distance(reference.parameters, reference.start) or 1.0
    return {
        "reference_loss": max(abs(a - b) / max(abs(b), 1e-30) for a, b in zip(course.losses, reference.losses)),
        "reference_gradients": max(distance(a, b) / (norm(b) or 1.0) for a, b in zip(course.gradients, reference.gradients)),
        "reference_parameters": distance(course.parameters, reference.parameters) / moved,
    }


def figures(course):
    """What a course shows for each comparison."""
    return {
        "reference_loss": course.losses[-1],
        "reference_gradients": norm(course.gradients[-1]),
        "reference_parameters": norm(course.parameters),
    }


# Compression loses digits on purpose: what it may cost.
LOSSY = {
    "fp16": {"reference_loss": 2.0**-13, "reference_gradients": 2.0**-7, "reference_parameters": 2.0**-4},
    "bf16": {"reference_loss": 2.0**-10, "reference_gradients": 2.0**-4, "reference_parameters": 2.0**-2},
}


def compare(course, reference, other, precision, compression="none"):
    """The check lines of a course: name, value, expected, error, noise, passed, text."""
    off, noise = errors(course, reference), errors(other, reference)
    shown, expected = figures(course), figures(reference)
    found = []
    for name in off:
        floor = EXACT if precision.exact else COARSE
        allowed = max(TIMES_NOISE * noise[name], floor[name] * precision.step)
        text = "%d steps, %s; %.3g allowed" % (len(reference.losses), precision.name, allowed)
        if compression == "powersgd":
            text += "; powersgd compresses later steps, these are sent whole"
        elif compression in LOSSY:
            allowed = max(allowed, LOSSY[compression][name])
            text = "%d steps, %s, gradients sent as %s; %.3g allowed" % (len(reference.losses), precision.name, compression, allowed)
        found.append({
            "name": name, "value": finite(shown[name]), "expected": finite(expected[name]),
            "error": finite(off[name]), "noise": finite(noise[name]),
            "passed": math.isfinite(off[name]) and off[name] <= allowed, "text": text,
        })
    return found
