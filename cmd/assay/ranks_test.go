package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"assay/bundle"
	"assay/record"
	"assay/tests/whole"
)

// debianPython has torch on Debian; make test installs it.
const debianPython = "/usr/bin/python3"

func needTorch(t *testing.T) {
	t.Helper()
	if err := exec.Command(debianPython, "-c", "import torch").Run(); err != nil {
		t.Skip(debianPython + " has no torch: make torch installs it")
	}
}

// TestComm measures with the native backend, which needs nothing but this program.
func TestComm(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	dir := t.TempDir()
	stdout, stderr, code := call(t, "comm", "--ranks", "4", "--sizes", "1KiB,256KiB", "--ops", "all_reduce,all_gather,barrier",
		"--iterations", "6", "--pairs", "--stability", "20", "--chunks", "4", "--progress", "none", "-o", dir)
	if code != exitOK {
		t.Fatalf("exit %d\n%s%s", code, stdout, stderr)
	}
	for _, want := range []string{"all_reduce", "all_gather", "barrier", "native"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("the report does not say %q:\n%s", want, stdout)
		}
	}
	b, err := bundle.Open(onlyBundle(t, dir))
	if err != nil {
		t.Fatal(err)
	}
	ranks, wrong := map[int32]bool{}, int64(0)
	for row, err := range bundle.Rows[record.Collective](b, 0, bundle.Collectives) {
		if err != nil {
			t.Fatal(err)
		}
		ranks[row.Rank] = true
		wrong += row.Wrong
		if row.End < row.Start {
			t.Fatalf("a collective of rank %d ends before it begins: %+v", row.Rank, row)
		}
	}
	if len(ranks) != 4 || wrong != 0 {
		t.Errorf("%d ranks recorded, %d wrong elements; want 4 and none", len(ranks), wrong)
	}
	if _, stderr, code := call(t, "verify", onlyBundle(t, dir)); code != exitOK {
		t.Errorf("verify: exit %d: %s", code, stderr)
	}
}

// TestCommGloo measures with torch's backend.
func TestCommGloo(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	needTorch(t)
	dir := t.TempDir()
	stdout, stderr, code := call(t, "comm", "--backend", "gloo", "--device", "cpu", "--python", debianPython, "--ranks", "2", "--sizes", "4KiB,1MiB",
		"--ops", "all_reduce,reduce_scatter", "--iterations", "5", "--quick", "--progress", "none", "-o", dir)
	if code != exitOK {
		t.Fatalf("exit %d\n%s%s", code, stdout, stderr)
	}
	if !strings.Contains(stdout, "gloo") || !strings.Contains(stdout, "all_reduce") {
		t.Errorf("the report does not speak of gloo's all_reduce:\n%s", stdout)
	}
}

// TestTrain trains for real, alone and with two ranks, and holds the result against
// one process.
func TestTrain(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	needTorch(t)
	dir := t.TempDir()
	stdout, stderr, code := call(t, "train", "--python", debianPython, "--device", "cpu", "--ranks", "2", "--single", "--layers", "2", "--hidden", "64", "--heads", "2",
		"--sequence", "32", "--vocabulary", "256", "--batch", "8", "--steps", "6", "--warmup", "2", "--profile", "--quick", "--progress", "none", "-o", dir)
	if code != exitOK {
		t.Fatalf("exit %d\n%s%s", code, stdout, stderr)
	}
	long, _, _ := call(t, "report", "--all", onlyBundle(t, dir))
	for _, want := range []string{"forward", "backward", "optimizer", "reference"} {
		if !strings.Contains(long, want) {
			t.Errorf("the report does not say %q:\n%s", want, long)
		}
	}
	traces, _ := filepath.Glob(filepath.Join(onlyBundle(t, dir), "raw", "launch-00", "*trace*"))
	if len(traces) == 0 {
		t.Error("no trace of the profiler was kept")
	}
}

// TestShortShard leaves samples of a rank out: the comparison with one process must
// catch it, and no claim may stand.
func TestShortShard(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	needTorch(t)
	stdout, stderr, code := call(t, "train", "--python", debianPython, "--device", "cpu", "--ranks", "2", "--layers", "1", "--hidden", "32", "--heads", "2",
		"--sequence", "16", "--vocabulary", "64", "--batch", "8", "--steps", "4", "--warmup", "1", "--emulate-rank", "1", "--emulate-short-shard", "--quick", "--progress", "none", "-o", t.TempDir())
	if code != exitOK {
		t.Fatalf("exit %d\n%s%s", code, stdout, stderr)
	}
	if !strings.Contains(stdout, "reference") || !strings.Contains(stdout, "void") {
		t.Errorf("an unequal shard was not caught:\n%s", stdout)
	}
}

// TestTrainWithoutTorch says in one sentence how to get it.
func TestTrainWithoutTorch(t *testing.T) {
	dir := t.TempDir()
	bare := filepath.Join(dir, "python3")
	if err := os.WriteFile(bare, []byte("#!/bin/sh\necho \"ModuleNotFoundError: No module named 'torch'\" >&2\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	_, stderr, code := call(t, "train", "--ranks", "2", "--python", bare, "--progress", "none", "-o", dir)
	if code == exitOK || !strings.Contains(stderr, "python3-torch") || strings.Count(strings.TrimSpace(stderr), "\n") > 0 {
		t.Errorf("exit %d, said %q; want one sentence that says how to get torch", code, stderr)
	}
}

// TestRankFails kills, freezes and cuts off rank 1 of a world. Each time the error
// must name it, soon, and the bundle must be whole.
func TestRankFails(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	tests := []struct {
		name, said string
		hurt       func(pid int) error
	}{
		{"killed", "rank 1", func(pid int) error { return syscall.Kill(pid, syscall.SIGKILL) }},
		{"frozen", "rank 1", func(pid int) error { return syscall.Kill(pid, syscall.SIGSTOP) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			broken(t, tt.said, tt.hurt)
		})
	}
	t.Run("cut off", func(t *testing.T) {
		bridge := newBridge(t, 3)
		broken(t, "rank 1", func(int) error {
			return exec.Command("ip", "-n", bridge.inside, "link", "set", bridge.port(1), "down").Run()
		},
			"--namespaces", strings.Join(bridge.namespaces, ","), "--interface", "eth0", "--address", bridge.address)
	})
}

// broken starts a world, hurts its rank 1 and looks at what is said of it.
func broken(t *testing.T, want string, hurt func(pid int) error, more ...string) {
	t.Helper()
	dir := t.TempDir()
	var said bytes.Buffer
	args := slices.Concat([]string{"comm", "--ranks", "3", "--ops", "all_reduce", "--sizes", "256B", "--iterations", "10000000", "--place", "in_place",
		"--launches", "3", "--progress", "none", "-o", dir}, more)
	cmd := program(t.Context(), args...)
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pid := rankProcess(t, cmd.Process.Pid, 1)
	failed := filepath.Join(dir, "*__run__*", "raw", "launch-00")
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		if measured, _ := filepath.Glob(filepath.Join(failed, "collectives-*.parquet")); len(measured) > 0 {
			break // it is in the middle of measuring
		}
		if time.Now().After(deadline) {
			t.Fatal("a minute later it had not begun to measure")
		}
	}
	began := time.Now()
	if err := hurt(pid); err != nil {
		t.Fatal(err)
	}
	for len(worldFailures(t, failed)) == 0 {
		if time.Since(began) > 15*time.Second {
			t.Fatal("15 s later nothing had been said")
		}
		time.Sleep(50 * time.Millisecond)
	}
	took := time.Since(began)
	_ = cmd.Process.Signal(os.Interrupt) // the launches that would follow are of no use here
	_ = cmd.Wait()
	detail := worldFailures(t, failed)[0]
	t.Logf("after %.1f s: %s", took.Seconds(), detail)
	if took > 10*time.Second || !strings.Contains(detail, want) {
		t.Errorf("after %.1f s it said %q; want %s named within 10 s", took.Seconds(), detail, want)
	}
	if out, stderr, code := call(t, "verify", onlyBundle(t, dir)); code != exitOK {
		t.Errorf("the bundle is not whole: exit %d\n%s%s\n%s", code, out, stderr, said.String())
	}
}

// worldFailures reads what has been said of failed worlds so far.
func worldFailures(t *testing.T, pattern string) []string {
	t.Helper()
	found, _ := filepath.Glob(pattern)
	if len(found) == 0 {
		return nil
	}
	b, err := bundle.Open(filepath.Dir(filepath.Dir(found[0])))
	if err != nil {
		return nil // not there yet
	}
	var list []string
	for row, err := range bundle.Rows[record.Event](b, 0, bundle.Events) {
		if err != nil {
			return nil
		}
		if row.Name == record.WorldFailed {
			list = append(list, row.Detail)
		}
	}
	return list
}

// rankProcess waits until the program has started a rank and finds its process.
func rankProcess(t *testing.T, parent, rank int) int {
	t.Helper()
	want := fmt.Sprintf("RANK=%d", rank)
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		entries, _ := filepath.Glob("/proc/[0-9]*")
		for _, entry := range entries {
			stat, _ := os.ReadFile(filepath.Join(entry, "stat"))
			_, after, _ := strings.Cut(string(stat), ") ")
			fields := strings.Fields(after)
			if len(fields) < 2 || fields[1] != strconv.Itoa(parent) {
				continue
			}
			environ, _ := os.ReadFile(filepath.Join(entry, "environ"))
			if slices.Contains(strings.Split(string(environ), "\x00"), want) {
				pid, _ := strconv.Atoi(filepath.Base(entry))
				return pid
			}
		}
	}
	t.Fatalf("no process of rank %d", rank)
	return 0
}

// A bridge joins network namespaces, and the host by its address. It stands in a
// namespace of its own: what the host sees of it is one end of a cable, as of a
// container, so that runs beside it do not find another environment.
type bridge struct {
	inside, address string
	namespaces      []string
}

func (b bridge) port(i int) string { return fmt.Sprintf("port%d", i) }

// newBridge makes one; it needs root.
func newBridge(t *testing.T, n int) bridge {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("network namespaces need root: run it as root")
	}
	if err := exec.Command("ip", "-V").Run(); err != nil {
		t.Skip("network namespaces need iproute2: make judges installs it")
	}
	number := os.Getpid() % 200
	name := fmt.Sprintf("assay%d", number)
	b := bridge{inside: name, address: fmt.Sprintf("10.78.%d.254", number)}
	do := func(line string) {
		t.Helper()
		words := strings.Fields(line)
		if out, err := exec.Command(words[0], words[1:]...).CombinedOutput(); err != nil {
			t.Skipf("network namespaces need root and iproute2 (make judges installs it): %s: %v: %s", line, err, out)
		}
	}
	t.Cleanup(func() {
		for _, ns := range append(b.namespaces, b.inside) {
			_ = exec.Command("ip", "netns", "del", ns).Run()
		}
	})
	do("ip netns add " + name)
	do("ip -n " + name + " link add bridge type bridge")
	do("ip -n " + name + " link set bridge up")
	do(fmt.Sprintf("ip link add veth%s type veth peer name host netns %s", name, name))
	do(fmt.Sprintf("ip -n %s link set host master bridge up", name))
	do(fmt.Sprintf("ip addr add %s/24 dev veth%s", b.address, name))
	do("ip link set veth" + name + " up")
	for i := range n {
		ns := fmt.Sprintf("%sn%d", name, i)
		b.namespaces = append(b.namespaces, ns)
		do("ip netns add " + ns)
		do(fmt.Sprintf("ip -n %s link add %s type veth peer name eth0 netns %s", name, b.port(i), ns))
		do(fmt.Sprintf("ip -n %s link set %s master bridge up", name, b.port(i)))
		do(fmt.Sprintf("ip -n %s addr add 10.78.%d.%d/24 dev eth0", ns, number, i+1))
		do(fmt.Sprintf("ip -n %s link set eth0 up", ns))
		do(fmt.Sprintf("ip -n %s link set lo up", ns))
	}
	return b
}
