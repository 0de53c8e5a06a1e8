package hostile

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"assay/tests/program"
)

// siegePeak is the most memory that a program under siege may take: what it takes
// alone, and some.
const siegePeak = 400 << 20

// A besieged program runs while strangers look for its listeners and attack each.
type besieged struct {
	cmd            *exec.Cmd
	done           chan struct{} // closed when it has ended
	peak           int64         // bytes, once it has ended
	stdout, stderr siegeLog
}

// A siegeLog is what a program has said so far.
type siegeLog struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *siegeLog) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *siegeLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// begin starts the program; it is ended with the test.
func begin(t *testing.T, dir string, env []string, args ...string) *besieged {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute) // only ends a hang
	b := &besieged{done: make(chan struct{}), cmd: exec.CommandContext(ctx, program.Path(t), args...)}
	b.cmd.Dir, b.cmd.Env = dir, append(os.Environ(), env...)
	b.cmd.Stdout, b.cmd.Stderr = &b.stdout, &b.stderr
	b.cmd.Cancel = func() error { return b.cmd.Process.Signal(syscall.SIGTERM) }
	b.cmd.WaitDelay = 20 * time.Second
	if err := b.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(b.done)
		ended, peak := make(chan struct{}), make(chan int64, 1)
		go func() { peak <- program.WatchPeak(b.cmd.Process.Pid, b.cmd.Path, ended) }() // ends with the process
		_ = b.cmd.Wait()
		close(ended)
		b.peak = <-peak
	}()
	t.Cleanup(func() {
		cancel()
		<-b.done
	})
	return b
}

// end waits for the program and looks at how it ended and what it took.
func (b *besieged) end(t *testing.T, want int) {
	t.Helper()
	<-b.done
	if got := b.cmd.ProcessState.ExitCode(); got != want {
		t.Errorf("exit %d, want %d\n%s%s", got, want, &b.stdout, &b.stderr)
	}
	if b.peak > siegePeak {
		t.Errorf("it took %d MiB, want at most %d", b.peak>>20, siegePeak>>20)
	}
}

// await waits until the program has said a word on stderr, and returns what follows it
// on that line.
func (b *besieged) await(t *testing.T, word string) string {
	t.Helper()
	for ended := false; !ended; time.Sleep(10 * time.Millisecond) {
		select {
		case <-b.done:
			ended = true // what it said last counts
		default:
		}
		if _, rest, ok := strings.Cut(b.stderr.String(), word); ok && strings.Contains(rest, "\n") {
			line, _, _ := strings.Cut(rest, "\n")
			return line
		}
	}
	t.Fatalf("it never said %q:\n%s", word, &b.stderr)
	return ""
}

// A siege attacks every listener that a program and its children open, each once,
// until it is lifted.
type siege struct {
	mu       sync.Mutex
	attacked map[string]int // connections, by the listener's address
	held     []net.Conn     // those that say nothing

	stop, done chan struct{} // to lift it, and when that has happened
}

// besiege begins a siege of a process.
func besiege(pid int) *siege {
	s := &siege{attacked: map[string]int{}, stop: make(chan struct{}), done: make(chan struct{})}
	go func() { // ends when the siege is lifted
		defer close(s.done)
		var under sync.WaitGroup
		defer under.Wait()
		for {
			for _, address := range listenersOf(pid) {
				s.mu.Lock()
				_, known := s.attacked[address]
				s.attacked[address] += 0
				s.mu.Unlock()
				if !known {
					under.Go(func() { s.attack(address) })
				}
			}
			select {
			case <-s.stop:
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	}()
	return s
}

// lift ends the siege and says how many connections each listener got.
func (s *siege) lift() map[string]int {
	close(s.stop)
	<-s.done
	for _, conn := range s.held {
		conn.Close()
	}
	return s.attacked
}

// await returns when a listener has got so many connections; any of them where no
// address is given.
func (s *siege) await(t *testing.T, address string, connections int) {
	t.Helper()
	for limit := time.Now().Add(3 * time.Minute); ; time.Sleep(5 * time.Millisecond) {
		s.mu.Lock()
		got := s.attacked[address]
		if address == "" {
			got = slices.Max(append(slices.Collect(maps.Values(s.attacked)), 0))
		}
		s.mu.Unlock()
		if got >= connections {
			return
		}
		if time.Now().After(limit) {
			t.Fatalf("listener %q got %d connections of strangers in three minutes, want %d", address, got, connections)
		}
	}
}

// attack is all that strangers do to one listener: silence, garbage, lines and bodies
// without an end, every greeting of assay with a secret that is none, one after the
// other and then many at once.
func (s *siege) attack(address string) {
	for range 300 {
		s.connect(address, func(conn net.Conn) bool { return true })
	}
	for _, text := range strangersSay() {
		for range 5 {
			s.connect(address, func(conn net.Conn) bool { _, _ = io.WriteString(conn, text); return false })
			s.connect(address, func(conn net.Conn) bool { _, _ = io.WriteString(conn, text); return true })
		}
	}
	for range 5 {
		s.connect(address, func(conn net.Conn) bool { _ = tls.Client(conn, strangersTLS()).Handshake(); return false })
	}
}

// connect makes one connection; keep says that it stays open.
func (s *siege) connect(address string, do func(net.Conn) (keep bool)) {
	network := "tcp"
	if strings.HasPrefix(address, "/") {
		network = "unix"
	}
	conn, err := net.DialTimeout(network, address, time.Second)
	if err != nil {
		return // it listens no more
	}
	_ = conn.SetDeadline(time.Now().Add(time.Second))
	keep := do(conn)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.attacked[address]++
	if !keep || len(s.held) > 2000 {
		conn.Close()
		return
	}
	s.held = append(s.held, conn)
}

// strangersSay is what is sent to every listener, whatever it speaks.
func strangersSay() []string {
	zeros := func(n int) string { return strings.Repeat("0", n) }
	rank := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, 0xa55ac012), 2), 1)
	return []string{
		"\x00\xff\xfe\n", "GET / HTTP/1.1\r\nHost: x\r\n\r\n", strings.Repeat("x", 2<<20), "{" + strings.Repeat(`"a":{`, 5000),
		fmt.Sprintf(`{"t":"hello","v":2,"rank":0,"seq":0,"mono":1,"nonce":"%s","proof":"%s","hello":{"world":2,"host":"\u001b]0;x\u0007"}}`+"\n", zeros(32), zeros(64)),
		`{"t":"hello","v":1,"rank":1,"hello":{"token":"guess","world":2}}` + "\n", `{"t":"hello","token":"guess"}` + "\n",
		`{"rank":1,"token":"guess"}` + "\n",
		string(rank) + zeros(32+64), "assay-net/2\n" + zeros(32+64) + "g\xff\xff\xff\xff\xff\xff\xff\x3f",
		"POST /v1/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 268435456\r\n\r\n" + strings.Repeat("y", 1<<20),
	}
}

// strangersTLS speaks TLS with a key of its own.
var strangersTLS = sync.OnceValue(func() *tls.Config {
	_, key, _ := ed25519.GenerateKey(rand.Reader)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().AddDate(1, 0, 0)}
	der, _ := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	return &tls.Config{InsecureSkipVerify: true, Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
})

// listenersOf are the addresses at which a process and its children listen: host:port,
// or the path of a socket file.
func listenersOf(pid int) []string {
	inodes := map[string]bool{}
	for _, pid := range family(pid) {
		fds, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
		for _, fd := range fds {
			if name, err := os.Readlink(fd); err == nil && strings.HasPrefix(name, "socket:[") {
				inodes[strings.Trim(name, "socket:[]")] = true
			}
		}
	}
	var list []string
	for row := range tableRows("/proc/net/tcp") {
		if len(row) < 10 || row[3] == "st" {
			continue
		}
		if row[3] != "0A" { // those that listen come first, and there are thousands of others
			break
		}
		if inodes[row[9]] {
			_, port, _ := strings.Cut(row[1], ":")
			n, _ := strconv.ParseUint(port, 16, 16)
			list = append(list, fmt.Sprintf("127.0.0.1:%d", n))
		}
	}
	for row := range tableRows("/proc/net/unix") {
		if len(row) > 7 && row[3] == "00010000" && inodes[row[6]] && strings.HasPrefix(row[7], "/") {
			list = append(list, row[7])
		}
	}
	return list
}

// tableRows yields the fields of each line of a table of the kernel, which writes no more
// of it than is read.
func tableRows(path string) func(yield func([]string) bool) {
	return func(yield func([]string) bool) {
		f, err := os.Open(path)
		if err != nil {
			return
		}
		defer f.Close()
		for lines := bufio.NewScanner(f); lines.Scan(); {
			if !yield(strings.Fields(lines.Text())) {
				return
			}
		}
	}
}

// family is a process and all below it.
func family(pid int) []int {
	list := []int{pid}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	parent := map[int]int{}
	for _, path := range stats {
		data, _ := os.ReadFile(path)
		_, after, _ := strings.Cut(string(data), ") ")
		if fields := strings.Fields(after); len(fields) > 1 {
			child, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			parent[child], _ = strconv.Atoi(fields[1])
		}
	}
	for i := 0; i < len(list); i++ {
		for child, of := range parent {
			if of == list[i] && !slices.Contains(list, child) {
				list = append(list, child)
			}
		}
	}
	return list
}

// verified finds the one bundle in a folder and has the program check it.
func verified(t *testing.T, out string) {
	t.Helper()
	found, _ := filepath.Glob(filepath.Join(out, "*", "manifest.json"))
	if len(found) != 1 {
		t.Errorf("%d bundles were made, want 1", len(found))
		return
	}
	if r := program.Run(t, out, "verify", filepath.Dir(found[0])); r.Code != 0 {
		t.Errorf("verify: exit %d\n%s", r.Code, r.Text())
	}
}
