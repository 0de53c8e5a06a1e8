"""Products of matrices: the shapes that everybody names, skinny ones, and a search for
the shape that runs fastest."""

import torch

from variants import COLD, Variant

# name: type of the result, rounding of an element of it, rounding of one addition,
# whether operands may be rounded to tf32
PRECISIONS = {
    "float64": (torch.float64, 2.0 ** -52, 2.0 ** -53, False),
    "float32": (torch.float32, 2.0 ** -23, 2.0 ** -24, False),
    "tf32": (torch.float32, 2.0 ** -10, 2.0 ** -24, True),
    "bfloat16": (torch.bfloat16, 2.0 ** -8, 2.0 ** -24, False),
    "float16": (torch.float16, 2.0 ** -10, 2.0 ** -24, False),
    "float8": (torch.bfloat16, 2.0 ** -8, 2.0 ** -13, False),  # whose sums keep few digits
}
# The first of each type is the one that goes by the type's name alone.
CUDA_PRODUCTS = (
    ("bfloat16", 8192, 8192, 8192), ("bfloat16", 4096, 4096, 4096), ("bfloat16", 2048, 2048, 2048), ("bfloat16", 1024, 1024, 1024),
    ("bfloat16", 16384, 8192, 4096), ("float16", 8192, 8192, 8192), ("float8", 8192, 8192, 8192),
    ("tf32", 8192, 8192, 8192), ("float32", 4096, 4096, 4096), ("float64", 4096, 4096, 4096),
)
CPU_PRODUCTS = (("float32", 1024, 1024, 1024), ("float32", 256, 256, 256), ("float64", 1024, 1024, 1024))


def matmul(world, wanted):
    cuda, seen = world.device.type == "cuda", set()
    for name, m, n, k in CUDA_PRODUCTS if cuda else CPU_PRODUCTS:
        if name == "float8" and not has_float8(world.device):
            continue
        variant = "%s %dx%dx%d" % (name, m, n, k) if name in seen else name
        seen.add(name)
        yield lambda name=name, m=m, n=n, k=k, variant=variant: product(world, name, m, n, k, variant)


def product(world, name, m, n, k, variant):
    """C = AB on random numbers: zeros cost less power and so run faster. Several sets
    of operands take turns where one would stay in a cache."""
    dtype, last, sums, tf32 = PRECISIONS[name]
    width = torch.empty(0, dtype=dtype).element_size()
    size = (m * k + k * n + m * n) * width
    sets = max(1, min(64, -(-COLD // size))) if world.device.type == "cuda" else 1
    random = torch.Generator(device=world.device)
    random.manual_seed(1)

    def filled(rows, columns):
        return torch.randn(rows, columns, device=world.device, dtype=torch.float32 if width < 8 else dtype, generator=random).to(dtype)

    a, b = [filled(m, k) for _ in range(sets)], [filled(k, n) for _ in range(sets)]
    c = [torch.empty(m, n, dtype=dtype, device=world.device) for _ in range(sets)]
    if name == "float8":
        call, a, b = scaled(a, b, c)
        size = (m * k + k * n) + m * n * width
    else:
        def call(i):
            torch.mm(a[i % sets], b[i % sets], out=c[i % sets])
    before = torch.backends.cuda.matmul.allow_tf32
    torch.backends.cuda.matmul.allow_tf32 = tf32

    def close():
        torch.backends.cuda.matmul.allow_tf32 = before
    return Variant(variant, call, size=size, flop=2.0 * m * n * k, wrong=lambda: wrong_rows(a[0], b[0], c[0], last, sums), close=close)


def has_float8(device):
    return hasattr(torch, "float8_e4m3fn") and hasattr(torch, "_scaled_mm") and torch.cuda.get_device_capability(device) >= (8, 9)


def scaled(a, b, c):
    """Products of 8-bit floats with a scale of one; the second operand lies by columns."""
    f8 = torch.float8_e4m3fn
    a = [x.to(f8) for x in a]
    b = [x.t().contiguous().to(f8).t() for x in b]
    one = torch.ones((), device=c[0].device, dtype=torch.float32)

    def call(i):
        j = i % len(a)
        c[j] = torch._scaled_mm(a[j], b[j], scale_a=one, scale_b=one, out_dtype=torch.bfloat16)
    return call, a, b


def wrong_rows(a, b, c, last, sums):
    """Rows of C that are not those of AB, by Freivalds' check: C x is held against
    A (B x) for a random x. Elements of C are about |row of A| |column of B| / sqrt(k)
    for random numbers; each is off by its last digit and by those of k additions."""
    a, b, c = (m.float().double() if m.element_size() == 1 else m.double() for m in (a, b, c))
    k, n = b.shape
    x = torch.randint(-3, 4, (n, 1), device=b.device).double()
    want, got = a @ (b @ x), c @ x
    element = a.norm(dim=1, keepdim=True) * b.norm() / (n * k) ** 0.5
    room = SIGMAS * (last + k ** 0.5 * sums) * element * x.norm()
    return int((((got - want).abs() > room) | ~torch.isfinite(got)).sum())


SIGMAS = 8  # so many times what rounding does on average is an error


# Skinny products of one weight matrix: m rows at a time, as in decoding. What a row
# of the plan's roofline needs is operations and bytes.
SKINNY = (1, 4, 16, 64, 256, 1024)


def roofline(world, wanted):
    cuda = world.device.type == "cuda"
    name, side = ("bfloat16", 8192) if cuda else ("float32", 1024)
    yield lambda: product(world, name, side, side, side, "peak")
    width = torch.empty(0, dtype=PRECISIONS[name][0]).element_size()
    for m in SKINNY:
        moved = (2 * m * side + side * side) * width

        def make(m=m, moved=moved):
            made = product(world, name, m, side, side, "%.3g FLOP/B" % (2.0 * m * side * side / moved))
            made.bytes = moved
            return made
        yield make


# A search over shapes: squares first, then the fastest of them made longer, deeper and
# a little smaller or larger. What libraries reach depends on how tiles fill the device,
# and is seldom best at a power of two.
CUDA_SIDES = (2048, 4096, 6144, 8192, 12288)
CPU_SIDES = (256, 512, 768, 1024)


def search(world, wanted):
    cuda = world.device.type == "cuda"
    name, sides = ("bfloat16", CUDA_SIDES) if cuda else ("float32", CPU_SIDES)
    rates, seen = {}, set()
    for side in sides:
        shape = (side, side, side)
        seen.add(shape)
        each = yield shaped(world, name, shape)
        rates[shape] = (each or 0.0) * 2.0 * side ** 3
    m, n, k = max(rates, key=rates.get)
    step = sides[0] // 4
    for shape in ((2 * m, n, k // 2), (m, n, 2 * k), (m - step, n - step, k), (m + step, n + step, k)):
        if shape not in seen:
            seen.add(shape)
            yield shaped(world, name, shape)


def shaped(world, name, shape):
    return lambda: product(world, name, shape[0], shape[1], shape[2], "%s %dx%dx%d" % ((name,) + tuple(shape)))
