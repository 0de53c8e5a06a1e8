// Command benchmark soaks real runs: assay run against assay sim, as two
// processes, while memory, descriptors and threads of the run are read from
// outside. One run makes a million short requests, one keeps a thousand streams
// open for minutes. Run it with make bench-soak; it fails when a run grows.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"
	"time"
)

// options are what to soak, with what.
type options struct {
	assay    string
	requests int
	streams  int
	duration time.Duration
}

func main() {
	log.SetFlags(0)
	var o options
	flag.StringVar(&o.assay, "assay", "bin/assay", "the program to soak")
	flag.IntVar(&o.requests, "requests", 1_000_000, "short requests of the first run; 0 leaves it out")
	flag.IntVar(&o.streams, "streams", 1000, "streams of the second run; 0 leaves it out")
	flag.DurationVar(&o.duration, "duration", 10*time.Minute, "how long the streams are kept up")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := soak(ctx, o); err != nil {
		log.Fatal(err)
	}
}

// launches is how many a run makes at least; the totals are split over them.
const launches = 3

func soak(ctx context.Context, o options) error {
	fmt.Printf("%s, %d processors, %s\n", time.Now().UTC().Format(time.DateTime), runtime.NumCPU(), runtime.Version())
	var errs []error
	if o.requests > 0 {
		each := (o.requests + launches - 1) / launches
		errs = append(errs, one(ctx, o.assay, trial{
			name:   fmt.Sprintf("%d requests of one token, 64 users", each*launches),
			sim:    []string{"--ttft", "0s", "--itl", "0s", "--tokens", "1"},
			tokens: 1, load: fmt.Sprintf("{concurrency: [64], requests: %d, duration: 6h, warmup: {}}", each),
			// The claim is about growth after a hundred thousand requests.
			settled: min(100_000, each*launches/3),
		}))
	}
	if o.streams > 0 {
		each := o.duration / launches
		errs = append(errs, one(ctx, o.assay, trial{
			name:   fmt.Sprintf("%d streams of 100 events, 20 ms apart, for %v", o.streams, o.duration),
			sim:    []string{"--ttft", "50ms", "--itl", "20ms", "--tokens", "100"},
			tokens: 100, load: fmt.Sprintf("{concurrency: [%d], duration: %dms, warmup: {duration: 3s}}", o.streams, each.Milliseconds()),
			// Segments are merged at the end of a launch, which takes memory of its
			// own: a leak is what the later launches take beyond the first.
			settledLaunches: 1,
		}))
	}
	return errors.Join(errs...)
}

// A trial is one run to watch.
type trial struct {
	name   string
	sim    []string // how the simulator answers
	tokens int
	load   string

	// The run may not grow after so many requests, or launches.
	settled, settledLaunches int
}

// early reports whether the run may still grow.
func (t trial) early(r reading) bool {
	return r.requests <= int64(t.settled) || r.ended < t.settledLaunches
}

func (t trial) settledText() string {
	if t.settledLaunches > 0 {
		return "the end of the first launch"
	}
	return fmt.Sprintf("%d requests", t.settled)
}

// one makes a run, watches it and judges what was seen.
func one(ctx context.Context, assay string, t trial) error {
	dir, err := os.MkdirTemp("", "assay-soak")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	url, stop, err := startSim(ctx, assay, t.sim)
	if err != nil {
		return err
	}
	defer stop()
	file := filepath.Join(dir, "soak.yaml")
	text := fmt.Sprintf(`{apiVersion: assay.dev/v1alpha1, kind: BenchmarkRun, metadata: {name: soak},
spec: {workload: {model: sim, sequenceLengthMix: [{inputTokens: 8, outputTokens: %d, weight: 1}]}, target: {url: %q}, load: %s}}`, t.tokens, url, t.load)
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		return err
	}
	out := filepath.Join(dir, "runs")
	cmd := exec.CommandContext(ctx, assay, "run", file, "--out", out)
	log, err := os.Create(filepath.Join(dir, "run.log"))
	if err != nil {
		return err
	}
	defer log.Close()
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }() // ends with the process
	seen, err := watch(cmd.Process.Pid, url, out, ended)
	if err != nil {
		said, _ := os.ReadFile(log.Name())
		return fmt.Errorf("%s: %w\n%s", t.name, err, said)
	}
	fmt.Printf("\n%s\n", t.name)
	return seen.judge(t, out)
}

// startSim starts the simulator and returns its address.
func startSim(ctx context.Context, assay string, flags []string) (url string, stop func(), err error) {
	cmd := exec.CommandContext(ctx, assay, append([]string{"sim", "--addr", "127.0.0.1:0", "--json"}, flags...)...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err := cmd.Start(); err != nil {
		return "", nil, err
	}
	stop = func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait() // it was told to end
	}
	lines := bufio.NewScanner(stdout)
	var ready struct {
		URL string `json:"url"`
	}
	if !lines.Scan() {
		stop()
		return "", nil, errors.New("the simulator told no address")
	}
	if err := json.Unmarshal(lines.Bytes(), &ready); err != nil || ready.URL == "" {
		stop()
		return "", nil, fmt.Errorf("the simulator said %q: %w", lines.Text(), err)
	}
	return ready.URL, stop, nil
}
