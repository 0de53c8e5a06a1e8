// Command benchmark puts a server under the load of a team: vegeta asks it for pages and
// answers at a fixed rate while twenty clients push bundles, each a second after the one
// before. It prints latencies, what was answered and the server's memory, and exits 3
// where an aim is missed. Run it with make bench-serve, on a machine that nobody else uses;
// without -server-cores the clients share its processors with the server.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"assay/analysis/scene"
	"assay/record"
)

type options struct {
	assay, vegeta string
	cores         string
	rate          int
	duration      time.Duration
	pushers       int
	pushed        int
}

// first is how many bundles the server begins with.
const first = 60

func main() {
	var o options
	flag.StringVar(&o.assay, "assay", "bin/assay", "the program")
	flag.StringVar(&o.vegeta, "vegeta", "bin/vegeta", "the load generator, which judges")
	flag.StringVar(&o.cores, "server-cores", "", "processors of the server, such as 0,1, by taskset; run this program on others. Empty means those that everybody has")
	flag.IntVar(&o.rate, "rate", 200, "requests for each second")
	flag.DurationVar(&o.duration, "duration", 10*time.Minute, "how long")
	flag.IntVar(&o.pushers, "pushers", 20, "how many push at once")
	flag.IntVar(&o.pushed, "bundles", 2000, "how many they push; each of them more than once where the time is longer")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	missed, err := bench(ctx, o)
	stop()
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	case missed:
		os.Exit(3)
	}
}

func bench(ctx context.Context, o options) (missed bool, err error) {
	dir, err := os.MkdirTemp("", "assay-serve-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	if err := bundles(dir, first+o.pushed); err != nil {
		return false, err
	}
	s, err := serve(ctx, o, dir)
	if err != nil {
		return false, err
	}
	defer s.end()
	fmt.Printf("load of the machine before: %s\n", load())
	var pushes counts
	var pushers sync.WaitGroup
	limited, cancel := context.WithTimeout(ctx, o.duration)
	defer cancel()
	for n := range o.pushers {
		pushers.Go(func() { s.push(limited, n, &pushes) })
	}
	memory := make(chan residents, 1)
	go func() { memory <- s.watch(limited) }()
	seen, err := s.attack(ctx, o)
	pushers.Wait()
	kept, counted := s.kept(ctx)
	return seen.print(os.Stdout, &pushes, kept, <-memory), errors.Join(err, counted)
}

const document = `{apiVersion: assay.dev/v1alpha1, kind: BenchmarkRun, metadata: {name: nightly-%d},
spec: {workload: {model: m}, target: {url: "http://127.0.0.1:1"}, load: {concurrency: [1, 2, 4, 8]}, trials: {minReplicates: 3}}}`

// bundles makes sealed ones of a few requests, as many at once as there are processors.
func bundles(dir string, most int) error {
	numbers := make(chan int, most)
	for n := range most {
		numbers <- n
	}
	close(numbers)
	faults, now := make([]error, runtime.GOMAXPROCS(0)), time.Now()
	var makers sync.WaitGroup
	for i := range faults {
		makers.Go(func() {
			for n := range numbers {
				begun := now.Add(-time.Duration(most-n) * 5 * time.Minute)
				if faults[i] = bundle(dir, n, begun); faults[i] != nil {
					return
				}
			}
		})
	}
	makers.Wait()
	return errors.Join(faults...)
}

func bundle(dir string, n int, begun time.Time) error {
	env := record.Environment{}
	env.Set("host.name", fmt.Sprintf("node-%d", n%4))
	_, err := (scene.Run{
		Dir: bundleAt(dir, n), ID: fmt.Sprintf("night-%03d", n), Document: fmt.Sprintf(document, n%3), Begun: begun, Environment: env,
		Launches: scene.Launches(scene.Noise(3, 1, .01, uint64(n))),
	}).Build(context.Background())
	return err
}

func bundleAt(dir string, n int) string { return filepath.Join(dir, fmt.Sprintf("night-%03d", n)) }

// load is how many processes waited for a processor in the last minutes.
func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	return strings.Join(strings.Fields(string(text))[:3], " ")
}

// counts are what became of pushes.
type counts struct {
	mu           sync.Mutex
	done, failed int
	last         error
}

func (c *counts) add(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case err == nil:
		c.done++
	case !errors.Is(err, context.DeadlineExceeded):
		c.failed++
		c.last = err
	}
}
