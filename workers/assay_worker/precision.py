"""The number formats that models are trained in."""

import contextlib

import torch

from link import Setup

# The relative step of each format: what rounding alone may cost.
STEP = {"fp64": 2.0**-52, "fp32": 2.0**-23, "tf32": 2.0**-10, "bf16": 2.0**-7, "fp16": 2.0**-10}

SCALE = 1024.0


class Precision(object):
    """fp32 and fp64 as they are, tf32 in matrix products, bf16 and fp16 by autocast
    over fp32 weights; fp16 with a scaled loss."""

    def __init__(self, name, device):
        if name not in STEP:
            raise Setup("precision %s cannot be trained in here; want one of %s" % (name, ", ".join(STEP)))
        self.name, self._device = name, device
        self.step, self.exact = STEP[name], name in ("fp64", "fp32")
        self.dtype = torch.float64 if name == "fp64" else torch.float32
        self._half = {"bf16": torch.bfloat16, "fp16": torch.float16}.get(name)
        if device.type == "cuda":
            torch.backends.cuda.matmul.allow_tf32 = name == "tf32"
            torch.backends.cudnn.allow_tf32 = name == "tf32"
        elif name in ("tf32", "fp16"):
            raise Setup("precision %s is trained in on CUDA devices only; on a CPU take fp32 or bf16" % name)

    def forward(self):
        """The context of a forward pass."""
        if self._half is None:
            return contextlib.nullcontext()
        return torch.autocast(self._device.type, dtype=self._half)

    def scaler(self):
        """Scales the loss where gradients would vanish; else does nothing."""
        if self.name != "fp16":
            return Unscaled()
        # From the library's own start the first steps overflow and are left out.
        if hasattr(torch, "amp") and hasattr(torch.amp, "GradScaler"):
            return torch.amp.GradScaler("cuda", init_scale=SCALE)
        return torch.cuda.amp.GradScaler(init_scale=SCALE)


class Unscaled(object):
    def scale(self, loss):
        return loss

    def unscale_(self, optimizer):
        pass

    def step(self, optimizer):
        optimizer.step()

    def update(self):
        pass


def optimizer(name, parameters):
    parameters = list(parameters)
    if name == "sgd":
        return torch.optim.SGD(parameters, lr=1e-2, momentum=0.9)
    if name == "adamw":
        return torch.optim.AdamW(parameters, lr=1e-3)
    raise Setup("optimizer %s is not known here; want adamw or sgd" % name)
