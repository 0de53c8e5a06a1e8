"""Runs one program that is not trusted and says whether it passes its checks.

The referee is the first process of a pid namespace. It reads the program from
standard input and starts it in a second process, the player. Only then does it read
the checks and the nonce from descriptor 3, which the player never had, and it writes
its verdict to descriptor 4, which the player never had either.

Checks run here. They call the player's functions through two pipes, in a format that
holds plain values and nothing that could run. It is written out below rather than
taken from a module: pickle runs code, marshal can be crashed, and json would double
the time that a program takes to start.
"""
import _signal
import posix
import sys

CHECKS, VERDICT = 3, 4
MOST_ITEMS = 100_000  # of an iterator that a program returns
MOST_BYTES = 64 << 20  # of one message


class Opaque:
    """A value that is not plain. It equals nothing but itself."""

    def __init__(self, kind):
        self.kind = kind

    def __repr__(self):
        return "<" + self.kind + " of the program>"


class Broken(BaseException):
    """The task is at fault and not the program: no check may catch it."""


def encode(value, out):
    """Append value to out, a list of bytes. Subclasses lose what makes them special."""
    if value is None:
        out.append(b"n")
    elif isinstance(value, bool):
        out.append(b"b1" if value else b"b0")
    elif isinstance(value, int):
        sized(b"i", format(int(value), "x").encode(), out)
    elif isinstance(value, float):
        sized(b"f", float.hex(float(value)).encode(), out)
    elif isinstance(value, complex):
        out.append(b"c")
        encode(value.real, out)
        encode(value.imag, out)
    elif isinstance(value, str):
        sized(b"s", str(value).encode("utf-8", "surrogatepass"), out)
    elif isinstance(value, (bytes, bytearray)):
        sized(b"y", bytes(value), out)
    elif isinstance(value, dict):
        several(b"d", [part for item in value.items() for part in item], out)
    else:
        encode_several(value, out)


def encode_several(value, out):
    kinds = ((list, b"l"), (tuple, b"t"), (set, b"S"), (frozenset, b"Z"), (type({}.keys()), b"S"))
    for kind, mark in kinds:
        if isinstance(value, kind):
            return several(mark, list(value), out)
    if isinstance(value, range):
        return several(b"r", [value.start, value.stop, value.step], out)
    if hasattr(type(value), "__next__"):
        items = [item for item, _ in zip(value, range(MOST_ITEMS + 1))]
        if len(items) <= MOST_ITEMS:
            return several(b"g", items, out)
    sized(b"o", type(value).__name__.encode("utf-8", "replace"), out)


def sized(mark, text, out):
    out.append(mark + str(len(text)).encode() + b":" + text)


def several(mark, items, out):
    out.append(mark + str(len(items)).encode() + b":")
    for item in items:
        encode(item, out)


def encoded(value):
    out = []
    try:
        encode(value, out)
    except RecursionError:  # it holds itself
        return b"o9:recursive"
    return b"".join(out)


class Decoder:
    def __init__(self, text):
        self.text, self.at, self.opaque = text, 0, []

    def number(self):
        end = self.text.index(b":", self.at, self.at + 20)
        n, self.at = int(self.text[self.at:end]), end + 1
        if n < 0:
            raise ValueError
        return n

    def bytes(self):
        n = self.number()
        self.at += n
        return self.text[self.at - n:self.at]

    def items(self):
        return [self.value() for _ in range(self.number())]

    def value(self):
        mark = self.text[self.at:self.at + 1]
        self.at += 1
        return self.readers[mark](self)

    def boolean(self):
        self.at += 1
        return self.text[self.at - 1:self.at] == b"1"

    def mapping(self):
        parts = self.items()
        return dict(zip(parts[::2], parts[1::2]))

    def unknown(self):
        self.opaque.append(self.bytes().decode("utf-8", "replace"))
        return Opaque(self.opaque[-1])

    readers = {
        b"n": lambda d: None,
        b"b": boolean,
        b"i": lambda d: int(d.bytes(), 16),
        b"f": lambda d: float.fromhex(d.bytes().decode()),
        b"c": lambda d: complex(d.value(), d.value()),
        b"s": lambda d: d.bytes().decode("utf-8", "surrogatepass"),
        b"y": bytes,
        b"d": mapping,
        b"l": items,
        b"t": lambda d: tuple(d.items()),
        b"S": lambda d: set(d.items()),
        b"Z": lambda d: frozenset(d.items()),
        b"r": lambda d: range(*d.items()),
        b"g": lambda d: iter(d.items()),
        b"o": unknown,
    }


def read_all(fd):
    parts = []
    while part := posix.read(fd, 1 << 16):
        parts.append(part)
    posix.close(fd)
    return b"".join(parts)


def read_exactly(fd, n):
    parts = []
    while n > 0:
        part = posix.read(fd, min(n, 1 << 20))
        if not part:
            raise EOFError
        parts.append(part)
        n -= len(part)
    return b"".join(parts)


def write_all(fd, text):
    while text:
        text = text[posix.write(fd, text):]


def write_message(fd, text):
    write_all(fd, len(text).to_bytes(8, "big") + text)


def read_message(fd):
    n = int.from_bytes(read_exactly(fd, 8), "big")
    if n > MOST_BYTES:
        raise Gone("the program answered with something that is no value")
    return read_exactly(fd, n)


def describe(error, file, source, what):
    """Say what was raised, and in which line of file."""
    kind = type(error).__name__
    try:
        text = str(error)
    except BaseException:
        text = ""
    line, trace = 0, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == file:
            line = trace.tb_lineno
        trace = trace.tb_next
    if line and not text:
        text = source.split("\n")[line - 1].strip()
    where = " (line %d of %s)" % (line, what) if line else ""
    return (kind + ": " + text if text else kind)[:500] + where


# The player.


def play(source, requests, replies):
    """Run the program, then answer calls of its functions until the referee is done."""
    module = type(sys)("program")
    sys.modules["program"] = module
    try:
        exec(compile(source, "<program>", "exec", dont_inherit=True), module.__dict__)
    except BaseException as error:
        text = describe(error, "<program>", source.decode("utf-8", "replace"), "the program")
        write_message(replies, encoded(("ended", text)))
        return
    write_message(replies, encoded(("ran", "")))
    while True:
        name, args, kwargs = Decoder(read_message(requests)).value()
        write_message(replies, answer(module, name, args, kwargs))


def answer(module, name, args, kwargs):
    before = encoded((args, kwargs))
    try:
        if name not in module.__dict__:
            raise NameError("the program defines no " + name)
        result = encoded(module.__dict__[name](*args, **kwargs))
    except BaseException as error:
        kind, text = type(error).__name__, describe(error, "<program>", "", "the program")
        result = encoded((kind, text))
        return encoded(("raised", result, b""))
    after = encoded((args, kwargs))
    return encoded(("returned", result, after if after != before else b""))


# The referee.


class Player:
    """The process that runs the program, as the checks see it."""

    def __init__(self, pid, requests, replies):
        self.pid, self.requests, self.replies, self.opaque = pid, requests, replies, set()
        self.status = None
        _signal.signal(_signal.SIGCHLD, self.notice)
        self.notice()

    def notice(self, *_):
        """See whether the player has ended. What it started may hold its pipes open:
        from now on nobody waits for them, and what is in them is still read."""
        if self.status is None:
            pid, status = posix.waitpid(self.pid, posix.WNOHANG)
            if pid == self.pid:
                self.status = status
                posix.set_blocking(self.requests, False)
                posix.set_blocking(self.replies, False)

    def end(self):
        """Say how the player ended, which may be about to happen. After a second it is
        killed: a program that only closed its pipes has stopped answering."""
        given_up = []

        def give_up(*_):
            given_up.append(True)
            posix.kill(self.pid, _signal.SIGKILL)

        _signal.signal(_signal.SIGCHLD, _signal.SIG_DFL)
        if self.status is None:
            _signal.signal(_signal.SIGALRM, give_up)
            _signal.alarm(1)
            _, self.status = posix.waitpid(self.pid, 0)
            _signal.alarm(0)
        if given_up:
            return "the program stopped answering"
        if posix.WIFSIGNALED(self.status):
            return "signal %d" % posix.WTERMSIG(self.status)
        return "the program ended itself with exit status %d before its checks were done" % posix.WEXITSTATUS(self.status)

    def receive(self):
        """Read one reply, which may be anything."""
        try:
            return self.decode(read_message(self.replies))
        except (EOFError, OSError):
            raise Gone(self.end()) from None

    def decode(self, text):
        decoder = Decoder(text)
        try:
            value = decoder.value()
        except (ValueError, TypeError, KeyError, IndexError, RecursionError, AttributeError, OverflowError, EOFError):
            raise Gone("the program answered with something that is no value") from None
        self.opaque.update(decoder.opaque)
        return value

    def function(self, name):
        return lambda *args, **kwargs: self.call(name, args, kwargs)

    def call(self, name, args, kwargs):
        out = []
        encode((name, args, kwargs), out)
        if any(part.startswith(b"o") for part in out):
            raise Broken("the checks hand %s an object that cannot be sent to it" % name)
        try:
            write_message(self.requests, b"".join(out))
        except OSError:
            raise Gone(self.end()) from None
        reply = self.receive()
        if not (isinstance(reply, tuple) and len(reply) == 3 and isinstance(reply[1], bytes) and isinstance(reply[2], bytes)):
            raise Gone("the program answered with something that is no value")
        kind, result, changed = reply
        if kind == "raised":
            raise raised(self.decode(result))
        if changed:
            update((args, kwargs), self.decode(changed))
        return self.decode(result)


class Gone(BaseException):
    """The player does not answer. No check may take it for an error of a function."""


def raised(error):
    """The exception that the program raised, if it is one of Python's own."""
    if not (isinstance(error, tuple) and len(error) == 2 and all(isinstance(part, str) for part in error)):
        return RuntimeError("the program raised something")
    kind, text = error
    builtin = getattr(sys.modules["builtins"], kind, None)
    if isinstance(builtin, type) and issubclass(builtin, Exception):
        try:
            return builtin(text)
        except TypeError:  # it wants other arguments than a text
            pass
    return RuntimeError(text)


def update(old, new):
    """Let old look as new does, in place: a function may change what it was given."""
    if type(old) is not type(new):
        return
    if isinstance(old, (tuple, list)):
        for a, b in zip(old, new):
            update(a, b)
    if isinstance(old, list):
        old[len(new):] = new[len(old):]
        for i, value in enumerate(new):
            if encoded(old[i]) != encoded(value):
                old[i] = value
    elif isinstance(old, dict):
        for key in old.keys() & new.keys():
            update(old[key], new[key])
            if encoded(old[key]) != encoded(new[key]):
                old[key] = new[key]
        for key in list(old.keys() - new.keys()):
            del old[key]
        old.update({key: new[key] for key in new.keys() - old.keys()})
    elif isinstance(old, set):
        old.intersection_update(new)
        old.update(new)


def names_in(code):
    """The global names that code and its functions ask for."""
    found = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, type(code)):
            found |= names_in(constant)
    return found


def judge(player, prepare, check, calls):
    """Run the checks. It returns when all of them hold."""
    space = {"__name__": "checks", "__builtins__": sys.modules["builtins"]}
    try:
        exec(compile(prepare, "<prepare>", "exec", dont_inherit=True), space)
        code = compile(check, "<checks>", "exec", dont_inherit=True)
    except Exception as error:
        raise Broken("the checks themselves: " + describe(error, "<prepare>", prepare, "what prepares the checks"))
    known = space.keys() | vars(sys.modules["builtins"]).keys()
    for name in calls or names_in(code) - known:
        space[name] = player.function(name)
    exec(code, space)


def verdict_of(player, prepare, check, calls):
    try:
        first = player.receive()
        if not (isinstance(first, tuple) and len(first) == 2 and first[0] == "ran"):
            return "failed", str(first[1]) if isinstance(first, tuple) and len(first) == 2 else "no value"
        if check:
            judge(player, prepare, check, calls)
        return "passed", ""
    except Gone as error:
        return "gone", str(error)
    except Broken as error:
        return "broken", str(error)
    except BaseException as error:
        why = describe(error, "<checks>", check, "the checks")
        if player.opaque:
            why += "; the program returned " + ", ".join(sorted(player.opaque)) + ", which is not plain data"
        return "failed", why


def main():
    # The first entry is this file's folder. The program's own is nowhere among them: what
    # it writes there must never be imported by the checks.
    del sys.path[0]
    source = read_all(0)
    posix.open("/dev/null", posix.O_RDONLY)  # is standard input from now on
    requests, ask = posix.pipe()
    reply, replies = posix.pipe()
    # A signal with a handler reaches even the first process of a namespace.
    handler = _signal.signal(_signal.SIGINT, _signal.SIG_IGN)
    pid = posix.fork()
    if pid == 0:
        for fd in (CHECKS, VERDICT, ask, reply):
            posix.close(fd)
        _signal.signal(_signal.SIGINT, handler)
        try:
            play(source, requests, replies)
        finally:
            posix._exit(0)
    posix.close(requests)
    posix.close(replies)
    nonce, prepare, check, *calls = Decoder(read_all(CHECKS)).value()
    verdict, why = verdict_of(Player(pid, ask, reply), prepare, check, calls)
    write_all(VERDICT, "\n".join((nonce, verdict, why)).encode("utf-8", "replace"))


main()
