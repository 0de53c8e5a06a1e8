//go:build linux && (amd64 || arm64)

package sandbox

import (
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// forbidden are system calls that attacks make by their numbers.
var forbidden = map[string]int{
	"acct": unix.SYS_ACCT, "add_key": unix.SYS_ADD_KEY, "bpf": unix.SYS_BPF, "clone": unix.SYS_CLONE, "clone3": unix.SYS_CLONE3,
	"fanotify_init": unix.SYS_FANOTIFY_INIT, "finit_module": unix.SYS_FINIT_MODULE, "fsopen": unix.SYS_FSOPEN,
	"init_module": unix.SYS_INIT_MODULE, "io_uring_setup": unix.SYS_IO_URING_SETUP, "kcmp": unix.SYS_KCMP,
	"kexec_load": unix.SYS_KEXEC_LOAD, "keyctl": unix.SYS_KEYCTL, "mlock": unix.SYS_MLOCK, "mount": unix.SYS_MOUNT,
	"move_mount": unix.SYS_MOVE_MOUNT, "mq_open": unix.SYS_MQ_OPEN, "open_by_handle_at": unix.SYS_OPEN_BY_HANDLE_AT,
	"open_tree": unix.SYS_OPEN_TREE, "perf_event_open": unix.SYS_PERF_EVENT_OPEN, "personality": unix.SYS_PERSONALITY,
	"pidfd_getfd": unix.SYS_PIDFD_GETFD, "pidfd_open": unix.SYS_PIDFD_OPEN, "pivot_root": unix.SYS_PIVOT_ROOT,
	"quotactl": unix.SYS_QUOTACTL, "reboot": unix.SYS_REBOOT, "setns": unix.SYS_SETNS, "settimeofday": unix.SYS_SETTIMEOFDAY,
	"swapon": unix.SYS_SWAPON, "syslog": unix.SYS_SYSLOG, "userfaultfd": unix.SYS_USERFAULTFD, "vhangup": unix.SYS_VHANGUP,
}

// A host is what attacks must not change.
type host struct {
	canary   string
	accepted chan struct{} // a connection that reached us
	listener net.Listener
	before   []string // the names in the repository's folder
}

const repository = "../.."

func newHost(t *testing.T) *host {
	h := &host{canary: filepath.Join(t.TempDir(), "canary"), accepted: make(chan struct{}, 1)}
	if err := os.WriteFile(h.canary, []byte("alive"), 0o666); err != nil {
		t.Fatal(err)
	}
	var err error
	if h.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	go func() { // ends when the listener is closed
		for {
			conn, err := h.listener.Accept()
			if err != nil {
				return
			}
			conn.Close()
			select {
			case h.accepted <- struct{}{}:
			default:
			}
		}
	}()
	t.Cleanup(func() { h.listener.Close() })
	h.before = names(t, repository)
	return h
}

func names(t *testing.T, folder string) []string {
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

// program puts what an attack may know of the host in front of it.
func (h *host) program(t *testing.T, a attack) Program {
	here, err := filepath.Abs(repository)
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(h.listener.Addr().String())
	numbers, err := json.Marshal(forbidden)
	if err != nil {
		t.Fatal(err)
	}
	known := strings.Join([]string{
		"CANARY = " + strconv.Quote(h.canary), "REPOSITORY = " + strconv.Quote(here), "LISTENER = " + port,
		"HOST_PID = " + strconv.Itoa(os.Getpid()), "HOST_UID = " + strconv.Itoa(os.Getuid()), "CALLS = " + string(numbers),
	}, "\n")
	guard := strings.Replace(inside, "%q", strconv.Quote(h.canary), 1)
	return Program{Source: guard + known + "\n" + a.source, Check: or(a.check, "assert answer() == 42"), Limits: a.limits}
}

// unharmed says what must hold after every attack.
func (h *host) unharmed(t *testing.T) {
	t.Helper()
	if text, err := os.ReadFile(h.canary); err != nil || string(text) != "alive" {
		t.Errorf("the canary is %q, %v", text, err)
	}
	if now := names(t, repository); strings.Join(now, "\n") != strings.Join(h.before, "\n") {
		t.Errorf("the repository holds %q, held %q", now, h.before)
	}
	select {
	case <-h.accepted:
		t.Error("something connected to a port of the host")
	default:
	}
}

// Each attack is followed by a harmless program in the same place, which must find
// nothing of it.
func TestAttacks(t *testing.T) {
	t.Parallel()
	opened(t)
	boxes := make(chan *Sandbox, 2) // most attacks wait for something
	for range cap(boxes) {
		s, err := Open(t.Context(), Options{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		boxes <- s
	}
	h := newHost(t)
	for _, a := range slices.Concat(attacks, oldDoor) {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			s := <-boxes
			defer func() { boxes <- s }()
			h.withstands(t, s, a)
		})
	}
}

func (h *host) withstands(t *testing.T, s *Sandbox, a attack) {
	p := h.program(t, a)
	p.Limits.Wall = or(p.Limits.Wall, time.Minute)
	o, err := s.Run(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if o.Verdict != a.want || !strings.Contains(o.Why, a.why) || strings.Contains(o.Why, "ESCAPED") || strings.Contains(o.Why, "HOST") {
		t.Errorf("%s because %q, want %s with %q; it wrote %q", o.Verdict, o.Why, a.want, a.why, o.OutputTail)
	}
	if int64(len(o.OutputTail)) > tailBytes {
		t.Errorf("%d bytes of output kept", len(o.OutputTail))
	}
	h.unharmed(t)
	quiet(t, s)
}

// quiet runs a program that looks for what another one left.
func quiet(t *testing.T, s *Sandbox) {
	t.Helper()
	o, err := s.Run(t.Context(), Program{
		Source: "import os\ndef look(): return os.listdir('/tmp'), os.getpid(), os.getppid()\n",
		Check:  "files, pid, parent = look()\nassert files == [] and pid == 2 and parent == 1, (files, pid, parent)",
		Limits: Limits{Wall: time.Minute},
	})
	if err != nil || !o.Passed() {
		t.Errorf("after it: %s, %s, %v", o.Verdict, o.Why, err)
	}
}
