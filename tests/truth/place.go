package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// A place says which cores the two sides have.
type place struct {
	client string // as taskset lists them; empty pins nothing
	server int    // -1 pins nothing
}

// placeFor gives the client the first cores and the server the last, far enough apart
// that on most machines they are not two halves of one.
func placeFor(clientCores int) (place, error) {
	if clientCores == 0 {
		return place{server: -1}, nil
	}
	if clientCores >= runtime.NumCPU() {
		return place{}, fmt.Errorf("-client-cores %d: this machine has %d cores and the server needs one; 0 pins nothing", clientCores, runtime.NumCPU())
	}
	cores, err := allowedCores()
	if err != nil {
		return place{}, err
	}
	if clientCores >= len(cores) {
		return place{}, fmt.Errorf("-client-cores %d: this program may use %d cores and the server needs one", clientCores, len(cores))
	}
	return place{client: strings.Join(cores[:clientCores], ","), server: number(cores[len(cores)-1])}, nil
}

// allowedCores are the cores that this program may use.
func allowedCores() ([]string, error) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return nil, err
	}
	_, rest, _ := strings.Cut(string(status), "Cpus_allowed_list:")
	text, _, _ := strings.Cut(rest, "\n")
	var cores []string
	for span := range strings.SplitSeq(strings.TrimSpace(text), ",") {
		from, to, isRange := strings.Cut(span, "-")
		if !isRange {
			to = from
		}
		for i := number(from); i <= number(to); i++ {
			cores = append(cores, strconv.Itoa(i))
		}
	}
	return cores, nil
}

// number reads what the kernel wrote.
func number(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}

// command is a program of the client's side.
func (p place) command(ctx context.Context, name string, args ...string) *exec.Cmd {
	if p.client == "" {
		return exec.CommandContext(ctx, name, args...)
	}
	return exec.CommandContext(ctx, "taskset", append([]string{"-c", p.client, name}, args...)...)
}

func (p place) String() string {
	if p.client == "" {
		return "client and server wherever there is room"
	}
	return fmt.Sprintf("client on cores %s, server on core %d", p.client, p.server)
}

// head says where and when the figures below were measured.
func (p place) head(o options) {
	fmt.Printf("%s, %s, kernel %s, load average %s; %s\n", time.Now().UTC().Format(time.RFC3339), processor(),
		words("/proc/sys/kernel/osrelease", 1), words("/proc/loadavg", 3), p)
	fmt.Printf("answers of %v and %d times %v, jitter %g; %d launches of %v after %v of warm-up\n",
		o.answer.ttft, o.answer.tokens-1, o.answer.gap, o.answer.jitter, o.launches, o.duration, o.warmup)
}

func processor() string {
	text, _ := os.ReadFile("/proc/cpuinfo")
	_, rest, _ := strings.Cut(string(text), "model name")
	name, _, _ := strings.Cut(rest, "\n")
	return fmt.Sprintf("%d × %s", runtime.NumCPU(), strings.TrimLeft(name, "\t :"))
}

func words(path string, n int) string {
	text, _ := os.ReadFile(path)
	all := strings.Fields(string(text))
	return strings.Join(all[:min(n, len(all))], " ")
}
