// Command benchmark measures how well the open loop holds its schedule: the time
// from when a call was due to when its goroutine ran (dispatch) and to when its
// last byte was written to the socket (wrote), against a simulator in a second
// process on loopback. Run it with make bench-sender; make bench-pacer measures the whole run.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"assay/load"
	"assay/record"
	"assay/sim"
	"assay/target"
	"assay/workload"
	"assay/workload/arrival"
)

func main() {
	log.SetFlags(0)
	duration := flag.Duration("duration", 5*time.Second, "how long each row is measured; 10m shows drift")
	rate := flag.Float64("rate", 0, "measure this rate alone")
	closed := flag.Bool("closed", false, "measure how late the users of a closed loop ask again, by reader, instead")
	server := flag.Int("server", 0, "be the simulator with answers of so many tokens: print the address and serve until stdin ends")
	flag.Parse()
	if *server > 0 {
		if err := serve(*server); err != nil {
			log.Fatal(err)
		}
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	rates := []float64{100, 1000, 5000}
	if *rate > 0 {
		rates = []float64{*rate}
	}
	do := func(ctx context.Context, duration time.Duration) error { return bench(ctx, rates, duration) }
	if *closed {
		do = benchClosed
	}
	if err := do(ctx, *duration); err != nil {
		log.Fatal(err)
	}
}

// serve is the second process: one token at once, or some with a little time
// between them.
func serve(tokens int) error {
	fixed := &sim.Fixed{Tokens: tokens}
	if tokens > 1 {
		fixed.TTFT, fixed.ITL = 20*time.Millisecond, 2*time.Millisecond
	}
	s, err := sim.New(sim.Config{Fixed: fixed})
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println("http://" + listener.Addr().String())
	go func() { // ends Serve, and with it the process
		_, _ = io.Copy(io.Discard, os.Stdin)
		_ = s.Close()
	}()
	if err := s.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func bench(ctx context.Context, rates []float64, duration time.Duration) error {
	url, stop, err := startServer(1)
	if err != nil {
		return err
	}
	defer stop()
	fmt.Printf("%s, %s %s, GOMAXPROCS=%d of %d processors, load %s, kernel %s, %v a row, one-token answers over loopback, second process\n",
		time.Now().UTC().Format(time.RFC3339), runtime.Version(), runtime.GOARCH, runtime.GOMAXPROCS(0), runtime.NumCPU(),
		firstWords("/proc/loadavg", 3), firstWords("/proc/sys/kernel/osrelease", 1), duration)
	fmt.Printf("%-9s %6s %8s  %-26s  %-26s %7s %9s %6s %5s\n", "arrival", "rate/s", "calls", "dispatch p50/p99/p99.9 µs", "wrote p50/p99/p99.9 µs", "IDC", "drift µs", "dialled", "CPU")
	for _, process := range []string{"constant", "poisson"} {
		for _, rate := range rates {
			if err := row(ctx, url, process, rate, duration); err != nil {
				return fmt.Errorf("%s at %g/s: %w", process, rate, err)
			}
		}
	}
	return nil
}

// startServer runs this program again as the simulator.
func startServer(tokens int) (url string, stop func(), err error) {
	self, err := os.Executable()
	if err != nil {
		return "", nil, err
	}
	cmd := exec.Command(self, "-server", strconv.Itoa(tokens))
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return "", nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err := cmd.Start(); err != nil {
		return "", nil, err
	}
	if _, err := fmt.Fscanln(stdout, &url); err != nil {
		return "", nil, fmt.Errorf("the simulator did not tell its address: %w", err)
	}
	return url, func() {
		stdin.Close()
		if err := cmd.Wait(); err != nil {
			log.Print(err)
		}
	}, nil
}

// row measures one rate of one process.
func row(ctx context.Context, url, process string, rate float64, duration time.Duration) error {
	series, err := arrival.NewSeries(process, 0, 1, arrival.Steady(rate))
	if err != nil {
		return err
	}
	schedule, err := arrival.New(series, arrival.Limits{Warmup: time.Second, Measure: duration})
	if err != nil {
		return err
	}
	clock, err := record.StartClock()
	if err != nil {
		return err
	}
	dialect, err := target.Find("openai-chat")
	if err != nil {
		return err
	}
	client, err := target.New(target.Config{URLs: []string{url}, Ask: target.Ask{Model: "sim", Stream: true}, Connections: 1000, Timeout: time.Minute}, dialect, clock)
	if err != nil {
		return err
	}
	defer client.Close()
	if err := client.Warm(ctx, 200); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var mu sync.Mutex
	var requests []record.Request
	cpu := cpuTime()
	began := time.Now()
	err = load.Open{Schedule: schedule, MaxInFlight: 10_000, Pacer: load.Exact{Clock: clock}}.Run(
		ctx, clock, prepare(ctx, client), client, func(raw *target.Raw) {
			r, _ := client.Decode(raw)
			mu.Lock()
			requests = append(requests, r)
			mu.Unlock()
		})
	if err != nil {
		return err
	}
	busy := (cpuTime() - cpu).Seconds() / time.Since(began).Seconds()
	return report(process, rate, requests, busy)
}

// prepare encodes calls ahead of their time.
func prepare(ctx context.Context, client *target.Client) <-chan target.Prepared {
	calls := make(chan target.Prepared, 256) // what the run itself prepares ahead
	go func() {                              // ends with ctx
		source, err := workload.NewSynthetic(1, []workload.Length{{InputTokens: 50, OutputTokens: 1, Weight: 1}})
		for id := int64(0); err == nil; id++ {
			var p target.Prepared
			if p, err = client.Prepare(source.Call(0, id)); err != nil {
				break
			}
			select {
			case calls <- p:
			case <-ctx.Done():
				return
			}
		}
		log.Print(err)
		close(calls)
	}()
	return calls
}

// report prints one row. A benchmark is also a test: every call must have been
// answered.
func report(process string, rate float64, requests []record.Request, busy float64) error {
	slices.SortFunc(requests, func(a, b record.Request) int { return int(a.Due - b.Due) })
	var dispatch, wrote []int64
	counts := map[int64]float64{} // calls sent, by tenth of a second
	dialled := 0
	var first, last int64
	for _, r := range requests {
		if r.Phase != record.Measure {
			continue
		}
		if r.Result != record.OK || r.Wrote == nil {
			return fmt.Errorf("call %d: %s %s", r.ID, r.Result, r.Error)
		}
		dispatch, wrote = append(dispatch, r.Sent-r.Due), append(wrote, *r.Wrote-r.Due)
		counts[r.Sent/1e8]++
		if r.NewConn {
			dialled++
		}
		if first == 0 {
			first = r.Sent
		}
		last = r.Sent
	}
	// Drift: the median lag of the last tenth of the calls less that of the first.
	tenth := max(1, len(dispatch)/10)
	drift := quantile(dispatch[len(dispatch)-tenth:], 0.5) - quantile(dispatch[:tenth], 0.5)
	fmt.Printf("%-9s %6g %8d  %-26s  %-26s %7.3f %9.1f %6d %5.2f\n", process, rate, len(wrote), three(dispatch), three(wrote), dispersion(counts, first/1e8, last/1e8), drift, dialled, busy)
	return nil
}

// dispersion is the index of dispersion of the counts in the whole tenths of a
// second between the first and the last: 1 for Poisson, near 0 for constant.
func dispersion(counts map[int64]float64, first, last int64) float64 {
	n, sum, squares := 0.0, 0.0, 0.0
	for slot := first + 1; slot < last; slot++ {
		n, sum, squares = n+1, sum+counts[slot], squares+counts[slot]*counts[slot]
	}
	mean := sum / n
	return (squares/n - mean*mean) * n / (n - 1) / mean
}

func three(ns []int64) string {
	return fmt.Sprintf("%.0f/%.0f/%.0f", quantile(ns, 0.5), quantile(ns, 0.99), quantile(ns, 0.999))
}

// quantile is the value of rank ⌈qn⌉, in microseconds.
func quantile(ns []int64, q float64) float64 {
	sorted := slices.Sorted(slices.Values(ns))
	rank := int(q * float64(len(sorted)))
	if float64(rank) < q*float64(len(sorted)) {
		rank++
	}
	return float64(sorted[max(0, rank-1)]) / 1e3
}

func firstWords(path string, n int) string {
	text, err := os.ReadFile(path)
	words := strings.Fields(string(text))
	if err != nil || len(words) < n {
		return "unknown"
	}
	return strings.Join(words[:n], " ")
}

func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
