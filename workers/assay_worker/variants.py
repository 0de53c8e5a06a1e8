"""What a probe measures: one way to use what it is about."""

COLD = 256 << 20  # bytes that no cache of an accelerator holds


class Variant(object):
    """One way to use what a probe measures.

    call(i) does iteration i; the counts are those of one iteration. wrong, where it is
    given, counts wrong answers after a replicate; close frees what is held.
    """

    def __init__(self, name, call, size=0, moved=0, flop=None, operations=1, scope=None, clock=None, wrong=None, close=None):
        self.name, self.call, self.size = name, call, size
        self.bytes, self.flop, self.operations, self.scope = moved, flop, operations, scope
        self.clock, self.wrong, self.close = clock, wrong, close
