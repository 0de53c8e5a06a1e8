// Command benchmark holds the probes against programs of their field on this host:
// a C program for memory and caches, iperf3 for the network, fio for the disk. They
// take turns, round after round, and each round gives one ratio; the table has the
// geometric mean of the ratios with its interval. Programs that are not installed are
// left out, and the table says so.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"text/tabwriter"
	"time"

	"assay/plan"
	"assay/probe"
	"assay/record"
	"assay/stats"
	"assay/unit"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	rounds := flag.Int("rounds", 8, "rounds in which every program has its turn")
	turn := flag.Duration("turn", 300*time.Millisecond, "time of each turn")
	dir := flag.String("dir", os.TempDir(), "folder for the disk's files")
	flag.Parse()
	if err := run(ctx, *rounds, *turn, *dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// A match is one figure that two programs measure.
type match struct {
	name  string
	unit  unit.Unit
	other string
	micro plan.Micro
	row   string // variant of the probe
	size  int64  // of the variant; zero means any
	rival func(ctx context.Context) (float64, error)

	ours, theirs []float64
}

func run(ctx context.Context, rounds int, turn time.Duration, dir string) error {
	work, err := os.MkdirTemp(dir, "assay-benchmark-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	b := bench{dir: work, turn: turn}
	matches, end, err := b.matches(ctx)
	if err != nil {
		return err
	}
	defer end()
	for round := range rounds {
		for _, m := range matches {
			if err := b.play(ctx, m, round%2 == 0); err != nil {
				return fmt.Errorf("%s: %w", m.name, err)
			}
		}
		fmt.Fprintf(os.Stderr, "round %d of %d\n", round+1, rounds)
	}
	t := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "FIGURE\tASSAY\tOTHER\tBY\tASSAY / OTHER")
	for _, m := range matches {
		ratio, err := stats.PairedRatio(m.theirs, m.ours, .95)
		if err != nil {
			return err
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%.3f [%.3f, %.3f]\n", m.name, unit.Format(stats.Middle(m.ours), m.unit), unit.Format(stats.Middle(m.theirs), m.unit), m.other, ratio.Value, ratio.Interval.Lo, ratio.Interval.Hi)
	}
	return t.Flush()
}

// A bench is where the programs work.
type bench struct {
	dir  string
	turn time.Duration
}

// play gives both their turn; who is first changes from round to round.
func (b bench) play(ctx context.Context, m *match, first bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	turns := []func() error{
		func() error {
			v, err := b.probe(ctx, m)
			m.ours = append(m.ours, v)
			return err
		},
		func() error {
			v, err := m.rival(ctx)
			m.theirs = append(m.theirs, v)
			return err
		},
	}
	if !first {
		turns[0], turns[1] = turns[1], turns[0]
	}
	for _, turn := range turns {
		if err := turn(); err != nil {
			return err
		}
	}
	return nil
}

// probe is the median of the variant's replicates.
func (b bench) probe(ctx context.Context, m *match) (float64, error) {
	m.micro.Duration, m.micro.Replicates, m.micro.Threads = unit.Duration(b.turn), 3, []int{1}
	var values []float64
	err := probe.Measure(ctx, probe.Setting{Micro: m.micro, Dir: b.dir, Only: m.row, Trial: func(t record.Trial) {
		if t.Phase != record.Measure || m.size > 0 && t.Size != m.size {
			return
		}
		seconds := float64(t.End-t.Start) / 1e9
		switch m.unit {
		case unit.Second:
			values = append(values, seconds/float64(t.Operations))
		case unit.OpPerSecond:
			values = append(values, float64(t.Operations)/seconds)
		default:
			values = append(values, float64(t.Bytes)/seconds)
		}
	}})
	if err == nil && len(values) == 0 {
		err = fmt.Errorf("no replicate of %s", m.row)
	}
	return stats.Middle(values), err
}

// compiled is the C program, or why there is none.
func (b bench) compiled(ctx context.Context) (string, error) {
	to := filepath.Join(b.dir, "stream")
	text, err := exec.CommandContext(ctx, "gcc", "-O3", "-march=native", "-o", to, filepath.Join("probe", "benchmark", "rival", "stream.c")).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("gcc: %w: %s", err, text)
	}
	return to, nil
}
