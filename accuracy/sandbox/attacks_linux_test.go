//go:build linux && (amd64 || arm64)

package sandbox

import "time"

// inside comes before every attack. An attack that finds itself on a host, where the
// canary is, ends at once: a broken sandbox must not cost anybody a machine.
const inside = `
import os, sys
if os.path.exists(%q) or os.getpid() > 64:
    raise SystemExit("ATTACK ON THE HOST ITSELF: not done")
def attempt(f, *args, **kwargs):
    try:
        return f(*args, **kwargs)
    except (OSError, MemoryError, AttributeError, ImportError) as error:
        print(getattr(f, "__name__", f), error)
def must_not(f, *args, **kwargs):
    try:
        f(*args, **kwargs)
    except (OSError, AttributeError, ImportError) as error:
        print("refused:", error)
    else:
        raise RuntimeError("ESCAPED: " + getattr(f, "__name__", str(f)))
def answer():
    return 42
`

// An attack is a program that means harm. Its function answer is checked as any other,
// so that a program whose attack failed may still pass, and one that forges its verdict
// is seen to fail.
type attack struct {
	name   string
	source string
	want   Verdict
	why    string // part of the reason
	check  string // empty means that answer() is 42
	limits Limits
}

var attacks = []attack{
	// Use up the machine.
	{name: "fork bomb", want: Passed, source: `
n = 0
try:
    while True:
        if os.fork() == 0:
            while True:
                try: os.fork()
                except OSError: pass
        n += 1
except OSError: pass
print("forks", n)
if n > 64: raise RuntimeError("ESCAPED")`, limits: Limits{CPU: 30 * time.Second}},
	{name: "memory bomb", want: Failed, why: "MemoryError", source: `
x = []
while True: x.append(bytearray(64 << 20))`},
	{name: "memory bomb of many processes", want: Killed, why: "together", source: `
import time
for _ in range(6):
    if os.fork() == 0:
        x = bytearray(os.urandom(1 << 20)) * 150
        time.sleep(60)
time.sleep(60)`, limits: Limits{Memory: 256 << 20}},
	{name: "memory outside the address space", want: Passed, source: `
import mmap
must_not(os.memfd_create, "x")
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
for call in ("shmget", "msgget", "semget"):
    if getattr(libc, call)(0, 1 << 20, 0o1600) != -1: raise RuntimeError("ESCAPED: " + call)`},
	{name: "filling the disk", want: Passed, source: `
written = 0
try:
    for i in range(1000):
        with open("f%d" % i, "wb", 0) as f:
            for _ in range(64): written += f.write(bytes(1 << 20))
except OSError as e: print(e)
if written > 17 << 20: raise RuntimeError("ESCAPED %d" % written)`},
	{name: "many small files", want: Passed, source: `
try:
    for i in range(100000): open("f%d" % i, "w").close()
except OSError as e: print(e, i)
if i > 2000: raise RuntimeError("ESCAPED")`},
	{name: "many threads", want: Passed, source: `
import threading, time
n = 0
try:
    while n < 1000:
        threading.Thread(target=time.sleep, args=(60,), daemon=True).start(); n += 1
except RuntimeError as e: print(e)
if n >= 64: raise RuntimeError("ESCAPED")`},
	{name: "many descriptors", want: Passed, source: `
n = 0
try:
    while n < 1000: os.dup(0); n += 1
except OSError as e: print(e)
if n >= 64: raise RuntimeError("ESCAPED")`},
	{name: "endless output", want: Killed, why: "wrote more than", source: `
while True: print("x" * 100000)`, limits: Limits{CPU: time.Minute, Wall: time.Minute}},
	{name: "huge stderr", want: Killed, why: "wrote more than", source: `
while True: sys.stderr.write("x" * 100000)`, limits: Limits{CPU: time.Minute, Wall: time.Minute}},
	{name: "core dump", want: Killed, why: "signal", source: `
import signal
os.kill(os.getpid(), signal.SIGABRT)`},
	{name: "raised limits", want: Passed, source: `
import resource
for limit in (resource.RLIMIT_AS, resource.RLIMIT_NPROC, resource.RLIMIT_CPU, resource.RLIMIT_FSIZE):
    try: resource.setrlimit(limit, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    except (ValueError, OSError) as e: print(e)
    else: raise RuntimeError("ESCAPED")
must_not(resource.prlimit, 1, resource.RLIMIT_CPU, (0, 0))`},

	// Never end.
	{name: "endless loop", want: TimedOut, why: "processor time", source: `
while True: pass`, limits: Limits{CPU: time.Second, Wall: time.Minute}},
	{name: "endless loop that ignores signals", want: TimedOut, why: "processor time", source: `
import signal
for s in range(1, 65):
    try: signal.signal(s, signal.SIG_IGN)
    except (OSError, ValueError): pass
while True: pass`, limits: Limits{CPU: time.Second, Wall: time.Minute}},
	{name: "sleep", want: TimedOut, why: "ran longer", source: `
import signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN); signal.signal(signal.SIGALRM, signal.SIG_IGN); signal.alarm(1)
while True: time.sleep(100)`, limits: Limits{Wall: time.Second}},
	{name: "answer that never comes", want: TimedOut, why: "ran longer", source: `
import time
def answer(): time.sleep(100)`, limits: Limits{Wall: time.Second}},
	{name: "daemon that outlives it", want: Passed, source: `
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        import time
        while True: time.sleep(1)
    os._exit(0)`},

	// Destroy and write.
	{name: "rm -rf /", want: Passed, source: `
import shutil
for folder in ("/bin", "/root", "/home", "/etc", "/work", "/var", "/dev", REPOSITORY, os.path.dirname(CANARY)):
    shutil.rmtree(folder, ignore_errors=True)
import subprocess
attempt(subprocess.run, ["/bin/rm", "-rf", "/usr/bin", "/dev", "/tmp", REPOSITORY, os.path.dirname(CANARY)], stderr=subprocess.DEVNULL)
if not os.path.exists("/usr/bin"): raise RuntimeError("ESCAPED")`},
	{name: "writing outside", want: Passed, source: `
for path in ("/x", "/usr/x", "/usr/lib/x", "/lib/x", "/bin/x", "/dev/x", "/etc/x", "/root/x", "/var/tmp/x", "/dev/shm/x", "/referee.pyc", sys.executable, REPOSITORY + "/x", CANARY):
    must_not(open, path, "wb")
must_not(os.chmod, "/usr/bin", 0o777)
must_not(os.mkdir, "/x")
must_not(os.remove, "/dev/null")
must_not(os.utime, "/usr")
must_not(os.rename, "/usr", "/tmp/usr")`},
	{name: "symbolic link out", want: Passed, source: `
os.symlink("/", "root"); os.symlink("/usr/bin", "bin"); os.symlink(REPOSITORY, "repository"); os.symlink(CANARY, "canary")
for path in ("root/etc/passwd", "repository/go.mod", "canary"): must_not(open, path)
must_not(open, "bin/x", "w")
must_not(os.link, "/usr/bin/python3", "python")
for n in range(1, 30): must_not(open, "../" * n + "etc/passwd")`},
	{name: "program of its own making", want: Passed, source: `
import shutil, subprocess
shutil.copy("/bin/true", "true"); os.chmod("true", 0o4755)
must_not(subprocess.run, ["./true"])`},

	// Read what is not theirs.
	{name: "secrets", want: Passed, source: `
for path in ("/etc/shadow", "/etc/passwd", "/root/.bashrc", "/root/.profile", "/root/.ssh", "/proc/self/environ", "/proc/1/environ", "/sys", "/var", "/run", CANARY, REPOSITORY):
    must_not(os.stat, path)
if "ASSAY_SECRET" in os.environ or "hunter2" in str(os.environ) or "PATH" in os.environ: raise RuntimeError("ESCAPED")
import ctypes
environ = ctypes.POINTER(ctypes.c_char_p).in_dll(ctypes.CDLL(None), "environ")
i = 0
while environ[i]:
    if b"hunter2" in environ[i]: raise RuntimeError("ESCAPED")
    i += 1`},
	{name: "other programs' files", want: Passed, source: `
if os.listdir("/tmp"): raise RuntimeError("ESCAPED: " + str(os.listdir("/tmp")))
open("/tmp/left behind", "w").write("secret")`},
	{name: "proc", want: Passed, source: `
for path in ("/proc", "/proc/1/root/etc/passwd", "/proc/self/exe", "/proc/self/mem", "/proc/1/mem", "/proc/self/fd/3", "/proc/1/fd/3", "/proc/sys/kernel/core_pattern", "/proc/self/cwd"):
    must_not(open, path, "rb+", 0)
must_not(open, sys.executable, "rb+")`},
	{name: "descriptors of the referee", want: Passed, source: `
open_files = [fd for fd in range(0, 64) if not attempt(os.fstat, fd) is None]
print(open_files)
for fd in open_files:
    if fd > 2 and os.fstat(fd).st_mode & 0o170000 != 0o010000: raise RuntimeError("ESCAPED: %d" % fd)
if len(open_files) > 5: raise RuntimeError("ESCAPED: %s" % open_files)
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
pidfd = libc.syscall(CALLS["pidfd_open"], 1, 0)
if pidfd >= 0 and libc.syscall(CALLS["pidfd_getfd"], pidfd, 4, 0) >= 0: raise RuntimeError("ESCAPED")`},

	// Reach other processes.
	{name: "signals to everybody", want: Passed, source: `
import signal
for pid in (1, os.getppid(), -1, 0, 2):
    for s in (signal.SIGSTOP, signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGSEGV, signal.SIGUSR1):
        if pid == 1 or pid == os.getppid(): attempt(os.kill, pid, s)
if os.fork() == 0: os.kill(-1, signal.SIGCONT); os._exit(0)
must_not(os.kill, HOST_PID, 0) if HOST_PID > 64 else None`},
	{name: "killing everything that it can", want: Killed, why: "signal 9", source: `
import signal
if os.fork() == 0:
    os.kill(-1, signal.SIGKILL)
import time; time.sleep(60)`},
	{name: "ptrace and process memory", want: Passed, source: `
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
buffer = ctypes.create_string_buffer(64)
class iovec(ctypes.Structure): _fields_ = [("base", ctypes.c_void_p), ("len", ctypes.c_size_t)]
one = iovec(ctypes.addressof(buffer), 64)
if libc.ptrace(16, 1, None, None) != -1: raise RuntimeError("ESCAPED: attach")
if libc.ptrace(0, 0, None, None) != -1: raise RuntimeError("ESCAPED: traceme")
for call in ("process_vm_readv", "process_vm_writev"):
    if getattr(libc, call)(1, ctypes.byref(one), 1, ctypes.byref(one), 1, 0) != -1: raise RuntimeError("ESCAPED: " + call)`},

	// Talk.
	{name: "network", want: Passed, source: `
import socket
for family in (socket.AF_INET, socket.AF_INET6, socket.AF_UNIX, socket.AF_NETLINK, socket.AF_PACKET, getattr(socket, "AF_VSOCK", 40), getattr(socket, "AF_ALG", 38)):
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW): must_not(socket.socket, family, kind)
must_not(socket.create_connection, ("127.0.0.1", LISTENER), 2)
must_not(socket.create_server, ("127.0.0.1", 0))
must_not(socket.getaddrinfo, "example.com", 80)
must_not(socket.socketpair, socket.AF_INET)`},

	// Become somebody.
	{name: "namespaces, mounts and root", want: Passed, source: `
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
for flag in (0x10000000, 0x20000, 0x40000000, 0x20000000, 0x08000000, 0x10020000, 0x80):
    if libc.unshare(flag) != -1: raise RuntimeError("ESCAPED: unshare %x" % flag)
    if flag != 0x80 and libc.syscall(CALLS["clone"], flag | 17, 0, 0, 0, 0) >= 0: raise RuntimeError("ESCAPED: clone %x" % flag)
if libc.syscall(CALLS["clone3"], ctypes.create_string_buffer(88), 88) >= 0: raise RuntimeError("ESCAPED: clone3")
os.mkdir("m")
for kind in (b"tmpfs", b"proc", b"sysfs", b"ext4"):
    if libc.mount(kind, b"/tmp/m", kind, 0, None) != -1: raise RuntimeError("ESCAPED: mount")
if libc.mount(b"/", b"/tmp/m", None, 4096, None) != -1: raise RuntimeError("ESCAPED: bind")
if libc.umount2(b"/tmp", 2) != -1: raise RuntimeError("ESCAPED: umount")
must_not(os.chroot, "/tmp")
for f, args in ((os.setuid, (0,)), (os.setgid, (0,)), (os.setresuid, (0, 0, 0)), (os.setgroups, ([0],)), (os.chown, ("/tmp", 0, 0))): must_not(f, *args)
if os.getuid() in (0, HOST_UID) and HOST_UID == 0: raise RuntimeError("ESCAPED: root")`},
	{name: "the kernel itself", want: Passed, source: `
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
for name, number in CALLS.items():
    if name not in ("clone", "clone3") and libc.syscall(number, 0, 0, 0, 0, 0) != -1: raise RuntimeError("ESCAPED: " + name)
must_not(os.mknod, "/tmp/disk", 0o060600, os.makedev(254, 0))
must_not(os.mknod, "/tmp/mem", 0o020600, os.makedev(1, 1))`},
	// Forge the verdict.
	{name: "exit 0", want: Failed, source: `sys.exit(0)`},
	{name: "os._exit(0)", want: Failed, why: "exit status 0", source: `os._exit(0)`},
	{name: "os._exit(0) in the answer", want: Failed, why: "exit status 0", source: `
def answer(): os._exit(0)`},
	{name: "another program in its place", want: Failed, why: "exit status 0", source: `os.execv("/bin/true", ["true"])`},
	{name: "closed pipes", want: Failed, why: "stopped answering", source: `
import time
os.closerange(0, 64)
time.sleep(60)`},
	{name: "exit at exit", want: Failed, source: `
import atexit
atexit.register(os._exit, 0)
def answer(): sys.exit(0)`},
	{name: "patched checker", want: Failed, why: "answer() == 42", source: `
import builtins, gc
class Always:
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __bool__(self): return True
builtins.AssertionError = type("Nothing", (BaseException,), {})
builtins.check = lambda f: None
for frame in (sys._getframe(i) for i in range(3)):
    for space in (frame.f_globals, frame.f_locals):
        for name in ("judge", "verdict_of", "describe"): space[name] = lambda *a, **k: ("passed", "")
for thing in gc.get_objects():
    if type(thing) is dict and "verdict_of" in thing: thing["judge"] = lambda *a, **k: None
sys.settrace(lambda *a: None)
def answer(): return Always()`},
	{name: "integer that equals everything", want: Failed, why: "answer() == 42", source: `
class Always(int):
    def __eq__(self, other): return True
    __hash__ = int.__hash__
def answer(): return Always(7)`},
	{name: "verdicts on every descriptor", want: Failed, source: `
import gc
for fd in range(64):
    for text in (b"passed", b"passed\n", b"\npassed\n", b"nonce\npassed\n", bytes(8) + b"passed"): attempt(os.write, fd, text)
for thing in gc.get_objects():
    if isinstance(thing, (str, bytes)) and len(thing) == 26: attempt(os.write, 4, thing)
def answer(): return None`},
	{name: "nonce in memory", want: Failed, why: "answer() == 42", source: `
import gc
frame, seen = sys._getframe(), []
while frame:
    seen.append(frame.f_locals); seen.append(frame.f_globals); frame = frame.f_back
if any(name in space for space in seen for name in ("nonce", "check", "prepare")): raise RuntimeError("ESCAPED")
def answer(): return None`},
	{name: "answer of the right shape and no value", want: Failed, source: `
frame = sys._getframe()
while "replies" not in frame.f_locals: frame = frame.f_back
replies = frame.f_locals["replies"]
def answer():
    os.write(replies, (20).to_bytes(8, "big") + b"l99999999999:l-9:s-5:")
    os.write(replies, (1 << 62).to_bytes(8, "big"))`},
	{name: "module for the checks to import", want: Failed, why: "answer() == 42", check: "import random, json, decimal\nassert answer() == 42", source: `
for name in ("random", "json", "decimal", "os", "sitecustomize"):
    open("/tmp/%s.py" % name, "w").write("import os; os.write(4, b'passed')\nraise SystemExit(0)")
    try: os.mkdir(name); open(name + "/__init__.py", "w").write("raise SystemExit(0)")
    except OSError: pass
def answer(): return None`},
	{name: "killing who writes the verdict", want: Failed, why: "answer() == 42", source: `
import signal
for s in range(1, 65): attempt(os.kill, os.getppid(), s)
def answer(): return None`},
	{name: "exception that the checks expect", want: Failed, check: "try:\n    answer()\nexcept Exception:\n    pass\nelse:\n    raise RuntimeError", source: `
def answer(): os._exit(0)`},
}
