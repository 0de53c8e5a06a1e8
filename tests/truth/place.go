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
	lane   bool   // everything is on the cores of the client
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

// beside is a program that is not the client: where it pins itself, or wherever there is room.
func (p place) beside(ctx context.Context, command []string) *exec.Cmd {
	if p.lane {
		return p.command(ctx, command[0], command[1:]...)
	}
	return exec.CommandContext(ctx, command[0], command[1:]...)
}

// cores are how many the client may use.
func (p place) cores() int {
	if p.client == "" {
		return runtime.NumCPU()
	}
	return strings.Count(p.client, ",") + 1
}

// lanes are n places with cores of their own, for work that runs beside other work. Without n there
// is one, and it is the whole machine.
func lanes(n int) ([]place, error) {
	if n == 0 {
		return []place{{server: -1}}, nil
	}
	cores, err := allowedCores()
	if err != nil {
		return nil, err
	}
	if 2*n > len(cores) {
		return nil, fmt.Errorf("-lanes %d: each has two cores, and this program may use %d", n, len(cores))
	}
	var all []place
	for i := range n {
		all = append(all, place{client: strings.Join(cores[2*i:2*i+2], ","), server: -1, lane: true})
	}
	return all, nil
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
