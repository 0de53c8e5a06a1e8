package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"text/tabwriter"

	"assay/target/fidelity"
)

// peerStreams are the numbers of streams of a comparison that names none: other
// clients need a minute for each.
var peerStreams = []string{"1", "16", "64", "256"}

// A comparison is the answer of assay calibrate --peers.
type comparison struct {
	Schedule   fidelity.Schedule   `json:"schedule"`
	Rounds     int                 `json:"rounds"`
	Cores      []int               `json:"cores"`
	LoadBefore string              `json:"load_before"`
	LoadAfter  string              `json:"load_after"`
	Trials     []fidelity.Compared `json:"trials"`
}

// comparePeers gives assay's client and every other one the same streams, in an
// order drawn anew for each number of streams and trial, so that a host that
// gets busier meanwhile does not hurt the same one each time.
func comparePeers(ctx context.Context, env Env, o calibrateOptions, streams []int) error {
	answer := comparison{Schedule: o.bench.Schedule, Rounds: o.bench.Rounds, Cores: o.bench.Cores, LoadBefore: hostLoad()}
	rng := rand.New(rand.NewPCG(1, 0))
	for trial := range o.trials {
		for _, n := range streams {
			turns := rng.Perm(1 + len(fidelity.Peers))
			for _, turn := range turns {
				c, err := oneTurn(ctx, env, o, turn, n, trial)
				if err != nil {
					// What took half an hour is shown, also when the rest was not waited for.
					return errors.Join(err, answer.show(env.Stdout, o.json))
				}
				answer.Trials = append(answer.Trials, c)
			}
		}
	}
	return answer.show(env.Stdout, o.json)
}

func (c comparison) show(w io.Writer, asJSON bool) error {
	c.LoadAfter = hostLoad()
	if asJSON {
		return printJSON(w, c)
	}
	return c.print(w)
}

// oneTurn runs assay's client for turn 0 and a peer for each other.
func oneTurn(ctx context.Context, env Env, o calibrateOptions, turn, streams, trial int) (c fidelity.Compared, err error) {
	name := "assay"
	if turn > 0 {
		name = fidelity.Peers[turn-1].Name
	}
	fmt.Fprintf(env.Stderr, "%d streams, %s, trial %d of %d\n", streams, name, trial+1, o.trials)
	if turn == 0 {
		c, err = o.bench.Self(ctx, o.readers[0], streams, trial)
	} else {
		c, err = o.bench.Against(ctx, fidelity.Peers[turn-1], o.peersDir, streams, trial)
	}
	if err != nil {
		return c, fmt.Errorf("%d streams, %s: %w", streams, name, err)
	}
	if c.Skipped != "" {
		fmt.Fprintf(env.Stderr, "  skipped: %s\n", c.Skipped)
	}
	return c, nil
}

// print shows the medians over trials, assay first.
func (c comparison) print(w io.Writer) error {
	s := c.Schedule
	fmt.Fprintf(w, "truth: %v, then %v × %d; %s; load average before %s, after %s\n", s.TTFT, s.ITL, s.Tokens-1, pinning(c.Cores), c.LoadBefore, c.LoadAfter)
	fmt.Fprintln(w, "what each client reports over what the simulator did in the same trial; 1.00 is right; each figure is the median of its trials")
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "streams\tclient\ttrials\tanswers\tTTFT p50\tTTFT p99\tITL p50\tITL p99\tITL is\tsim late p99\t")
	for group := range c.groups {
		first := group[0]
		if first.Skipped != "" {
			fmt.Fprintf(t, "%d\t%s\tskipped\t\t\t\t\t\t\t\t\n", first.Streams, first.Client)
			continue
		}
		kind := "mean of an answer"
		if first.PerGap {
			kind = "every gap"
		}
		of := func(value func(fidelity.Compared) float64) float64 { return medianOf(group, value) }
		fmt.Fprintf(t, "%d\t%s\t%d\t%d\t× %.2f\t× %.2f\t× %.3f\t× %.2f\t%s\t%.0f µs\t\n", first.Streams, first.Client, len(group), first.Answers,
			of(func(r fidelity.Compared) float64 { return r.TTFT.P50() }), of(func(r fidelity.Compared) float64 { return r.TTFT.P99() }),
			of(func(r fidelity.Compared) float64 { return r.ITL.P50() }), of(func(r fidelity.Compared) float64 { return r.ITL.P99() }),
			kind, of(func(r fidelity.Compared) float64 { return micros(r.Late.P99) }))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	return c.printSkipped(w)
}

// groups yields the trials of each client at each number of streams; a client
// with one whole trial is not skipped.
func (c comparison) groups(yield func([]fidelity.Compared) bool) {
	names := []string{"assay"}
	for _, p := range fidelity.Peers {
		names = append(names, p.Name)
	}
	var streams []int
	for _, r := range c.Trials {
		if !slices.Contains(streams, r.Streams) {
			streams = append(streams, r.Streams)
		}
	}
	slices.Sort(streams)
	for _, n := range streams {
		for _, name := range names {
			var whole, skipped []fidelity.Compared
			for _, r := range c.Trials {
				switch {
				case r.Streams != n || r.Client != name:
				case r.Skipped != "":
					skipped = append(skipped, r)
				default:
					whole = append(whole, r)
				}
			}
			if whole == nil {
				whole = skipped
			}
			if whole != nil && !yield(whole) {
				return
			}
		}
	}
}

func (c comparison) printSkipped(w io.Writer) error {
	for _, r := range c.Trials {
		if r.Skipped == "" {
			continue
		}
		if _, err := fmt.Fprintf(w, "%d streams, %s, trial %d was skipped: %s\n", r.Streams, r.Client, r.Trial+1, r.Skipped); err != nil {
			return err
		}
	}
	return nil
}
