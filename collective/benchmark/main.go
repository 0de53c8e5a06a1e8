// Command benchmark holds the native collectives against iperf3 on the same link, in
// turns: two ranks over loopback and, as root, over a link between two network
// namespaces that is shaped to a known rate.
//
// A broadcast between two ranks goes one way, as iperf3 does; an all-reduce goes both
// ways at once, as iperf3 --bidir does. Both have bus bandwidth S/t at two ranks. The
// calls are timed as the worker times them: each by itself after a barrier, and the
// slower rank counts. On loopback there is no link but the processors, so what a byte
// takes of them is printed too: it tells more than a rate when others use them.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"assay/collective"
)

func main() {
	if os.Getenv(envRank) != "" {
		if err := beRank(os.Getenv(envRank), os.Getenv(envHost)); err != nil {
			fmt.Fprintln(os.Stderr, "rank:", err)
			os.Exit(1)
		}
		return
	}
	rounds := flag.Int("rounds", 4, "how often each is measured")
	seconds := flag.Float64("seconds", 1, "length of each measurement")
	rate := flag.Int("rate", 400, "rate of the shaped link in Mbit/s")
	size := flag.Int64("size", 32<<20, "bytes of the buffer")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *rounds, *seconds, *rate, *size); err != nil {
		fmt.Fprintln(os.Stderr, "benchmark:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, rounds int, seconds float64, rate int, size int64) error {
	if _, err := exec.LookPath("iperf3"); err != nil {
		return fmt.Errorf("iperf3 is the measure here; install it: %w", err)
	}
	fmt.Printf("%s, %s %s, %d processors, load %s, kernel %s\n%d rounds, buffers of %d bytes, float32, %.3g s of each\n\n",
		time.Now().UTC().Format(time.RFC3339), runtime.Version(), runtime.GOARCH, runtime.NumCPU(),
		words("/proc/loadavg", 3), words("/proc/sys/kernel/osrelease", 1), rounds, size, seconds)
	if err := both(ctx, loopback(), rounds, seconds, size); err != nil {
		return fmt.Errorf("loopback: %w", err)
	}
	if os.Getuid() != 0 {
		fmt.Println("not root: the shaped link is left out")
		return nil
	}
	shaped, remove, err := shapedLink(ctx, rate)
	if err != nil {
		return fmt.Errorf("shaped link: %w", err)
	}
	defer remove()
	if err := both(ctx, shaped, rounds, max(seconds, 2), size); err != nil {
		return fmt.Errorf("shaped link: %w", err)
	}
	return nil
}

func both(ctx context.Context, l link, rounds int, seconds float64, size int64) error {
	fmt.Println(l.name)
	if err := versus(ctx, l, rounds, seconds, size); err != nil {
		return err
	}
	for _, n := range []int{2, 4} {
		if err := crossings(ctx, l, n); err != nil {
			return err
		}
	}
	fmt.Println()
	return nil
}

// crossings prints what an all-reduce takes by algorithm: the median of calls, in
// turns.
func crossings(ctx context.Context, l link, n int) error {
	group, err := startRanks(ctx, l, n)
	if err != nil {
		return err
	}
	defer group.stop()
	list := []string{collective.Auto, collective.Ring, collective.Tree, collective.HalvingDoubling, collective.Direct}
	fmt.Printf("  all_reduce of %d ranks, median µs: %s\n", n, strings.Join(list, ", "))
	for _, size := range []int64{64, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20} {
		times := map[string][]float64{}
		for range 4 {
			for _, algorithm := range list {
				some, _, err := group.times(collective.AllReduce, algorithm, size, 5)
				if err != nil {
					return err
				}
				times[algorithm] = append(times[algorithm], some...)
			}
		}
		fmt.Printf("  %9d B", size)
		for _, algorithm := range list {
			slices.Sort(times[algorithm])
			fmt.Printf(" %9.0f", times[algorithm][len(times[algorithm])/2]*1e6)
		}
		fmt.Println()
	}
	return nil
}

// A contest is an operation and the run of iperf3 that moves bytes the same way.
type contest struct {
	op   string
	ways int64
}

var contests = []contest{{collective.Broadcast, 1}, {collective.AllReduce, 2}}

// versus measures both in turns and prints the ratios.
func versus(ctx context.Context, l link, rounds int, seconds float64, size int64) error {
	two, err := startRanks(ctx, l, 2)
	if err != nil {
		return err
	}
	defer two.stop()
	fmt.Printf("  %-12s %-26s %-26s %-24s %s\n", "ring", "native bus bandwidth MB/s", "iperf3 MB/s, one way", "ratio", "processor s/GB, native and iperf3")
	for _, c := range contests {
		var ours, theirs, ratios, cost, other []float64
		for round := range rounds {
			var a, b flow
			measure := []func() error{
				func() (err error) { a, err = two.bandwidth(c.op, c.ways, size, seconds); return },
				func() (err error) { b, err = iperf(ctx, l, c.ways == 2, seconds); return },
			}
			for i := range measure { // whoever goes second may find the machine otherwise
				if err := measure[(i+round)%2](); err != nil {
					return err
				}
			}
			ours, theirs, ratios = append(ours, a.rate/1e6), append(theirs, b.rate/1e6), append(ratios, a.rate/b.rate)
			cost, other = append(cost, a.cost*1e9), append(other, b.cost*1e9)
		}
		fmt.Printf("  %-12s %-26s %-26s %-24s %s and %s\n", c.op, spread(ours, 1), spread(theirs, 1), spread(ratios, 3), spread(cost, 2), spread(other, 2))
		if l.goodput > 0 {
			fmt.Printf("  %-12s theory %.1f MB/s; native reaches %s of it\n", "", l.goodput/1e6, spread(scaled(ours, 1e6/l.goodput), 3))
		}
	}
	return nil
}

func words(path string, n int) string {
	text, err := os.ReadFile(path)
	list := strings.Fields(string(text))
	if err != nil || len(list) < n {
		return "unknown"
	}
	return strings.Join(list[:n], " ")
}
