"""Linear layers in eight bits, made of what torch itself has.

fp8 multiplies E4M3 by E4M3 with a scale for each row of either side; int8 multiplies
integers with the same scales. Weights are converted once, activations as they come.
"""

import torch

FP8_MOST = 448.0


def scaled_rows(x, most):
    scale = x.abs().amax(dim=1, keepdim=True).float().clamp(min=1e-12) / most
    return x.float() / scale, scale


class FP8Linear(torch.nn.Module):
    def __init__(self, linear):
        super().__init__()
        weight, scale = scaled_rows(linear.weight.data, FP8_MOST)
        self.register_buffer("weight8", weight.to(torch.float8_e4m3fn))
        self.register_buffer("scale", scale.t().contiguous())
        self.bias = linear.bias

    def forward(self, x):
        rows, scale = scaled_rows(x.reshape(-1, x.shape[-1]), FP8_MOST)
        y = torch._scaled_mm(rows.to(torch.float8_e4m3fn), self.weight8.t(), scale_a=scale.contiguous(), scale_b=self.scale, out_dtype=torch.bfloat16)
        y = y.reshape(*x.shape[:-1], -1)
        return y if self.bias is None else y + self.bias


class Int8Linear(torch.nn.Module):
    def __init__(self, linear):
        super().__init__()
        weight, scale = scaled_rows(linear.weight.data, 127.0)
        self.register_buffer("weight8", weight.round().to(torch.int8))
        self.register_buffer("scale", scale.t().contiguous())
        self.bias = linear.bias

    def forward(self, x):
        rows, scale = scaled_rows(x.reshape(-1, x.shape[-1]), 127.0)
        n = rows.shape[0]
        rows = rows.round().to(torch.int8)
        if n < 32:  # the kernel wants more than sixteen rows
            rows = torch.nn.functional.pad(rows, (0, 0, 0, 32 - n))
        y = torch._int_mm(rows, self.weight8.t())[:n].float() * scale * self.scale
        y = y.to(torch.bfloat16).reshape(*x.shape[:-1], -1)
        return y if self.bias is None else y + self.bias


def convert(model, precision):
    """Replaces the linear layers of model, but not the one that gives the logits."""
    kind = {"fp8": FP8Linear, "int8": Int8Linear}[precision]
    for name, module in list(model.named_modules()):
        for child, layer in list(module.named_children()):
            if isinstance(layer, torch.nn.Linear) and child != "lm_head":
                setattr(module, child, kind(layer))
    return model
