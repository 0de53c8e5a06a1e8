package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"assay/target"
	"assay/target/fidelity"
)

const calibrateLong = `Measure this host as a client.

For each number of streams, assay starts its simulator and its client as two
processes, one processor each, and compares every stamp of the client with the
simulator's own. It prints the error of time to first token, of every stamp and
of every gap between tokens; events per second; processor time per million
events; memory; and the time from process start to the first request.

The simulator answers on a fixed schedule: --ttft to the first token, --itl
between tokens, --tokens tokens. "max" as a number of streams means as many as
the limit on open files allows. --tls and --http2 add rows in which each reader
reads over TLS and over HTTP/2.

With --peers the same simulator answers genai-bench, GuideLLM, AIPerf and vLLM's
request function as well, where make peers has installed them, and the answer is
the ratio of what each reports to what the simulator did.

With --view every trial is made twice in turns, with a live view drawn into a
terminal and without, and the answer is what the view adds to the client's error;
exit code 3 when that is more than nothing.`

type calibrateOptions struct {
	streams []string
	readers []string
	trials  int
	bench   fidelity.Bench
	json    bool

	tls, http2 bool

	peers    bool
	peersDir string

	view bool
}

func calibrateCommand(env Env) *cobra.Command {
	var o calibrateOptions
	cmd := &cobra.Command{
		Use:   "calibrate",
		Short: "Measure how exact this host is as a client",
		Long:  calibrateLong,
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.peers && !cmd.Flags().Changed("streams") {
				o.streams = peerStreams
			}
			if o.view && !cmd.Flags().Changed("trials") {
				o.trials = viewTrials
			}
			return calibrate(cmd.Context(), env, o)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.peers, "peers", false, "compare with other clients: what each reports against what the simulator did")
	f.StringVar(&o.peersDir, "peers-dir", ".venv-peers", "where make peers has installed them")
	f.BoolVar(&o.view, "view", false, "compare with itself while a live view is drawn: what the view adds to the error")
	f.StringSliceVar(&o.streams, "streams", []string{"1", "10", "100", "1000"}, "numbers of streams, or max")
	f.StringSliceVar(&o.readers, "readers", []string{target.ReadKernel}, "readers to measure: "+strings.Join(readers, ", "))
	f.BoolVar(&o.tls, "tls", false, "measure each reader over TLS as well")
	f.BoolVar(&o.http2, "http2", false, "measure each reader over HTTP/2 as well, with --tls on top of it")
	f.IntVar(&o.trials, "trials", 1, "times that each is measured")
	f.IntVar(&o.bench.Rounds, "rounds", 3, "requests of each stream; the first is not judged")
	f.DurationVar(&o.bench.Schedule.TTFT, "ttft", 50*time.Millisecond, "request to first token")
	f.DurationVar(&o.bench.Schedule.ITL, "itl", 10*time.Millisecond, "between tokens")
	f.IntVar(&o.bench.Schedule.Tokens, "tokens", 100, "tokens of an answer")
	f.StringVar(&o.bench.Profile, "profile", "", "write the client's processor profile to this file")
	f.BoolVar(&o.json, "json", false, "write every trial as JSON")
	cmd.AddCommand(observeCommand(env))
	return cmd
}

var readers = []string{target.ReadKernel, target.ReadEpoll, target.ReadNetHTTP}

// ways are the other ways to reach the simulator that the flags ask for.
func (o calibrateOptions) ways() (list []string) {
	if o.tls {
		list = append(list, fidelity.OverTLS)
	}
	switch {
	case o.http2 && o.tls:
		list = append(list, fidelity.OverHTTP2TLS)
	case o.http2:
		list = append(list, fidelity.OverHTTP2)
	}
	return list
}

// everyReader is each reader in each way, those of one way beside each other.
func (o calibrateOptions) everyReader() []string {
	list := slices.Clone(o.readers)
	for _, way := range o.ways() {
		for _, reader := range o.readers {
			list = append(list, fidelity.Over(reader, way))
		}
	}
	return list
}

func (o calibrateOptions) validate() (streams []int, err error) {
	var errs []error
	most, err := fidelity.MostStreams()
	if err != nil {
		return nil, err
	}
	for _, text := range o.streams {
		n, err := strconv.Atoi(text)
		if text == "max" {
			n, err = most, nil
		}
		if err != nil || n < 1 || n > most {
			errs = append(errs, fmt.Errorf("--streams: got %q, want max or 1 to %d (the limit on open files, ulimit -n)", text, most))
		}
		streams = append(streams, n)
	}
	for _, reader := range o.readers {
		if !slices.Contains(readers, reader) {
			errs = append(errs, fmt.Errorf("--readers: got %q, want one of %s", reader, strings.Join(readers, ", ")))
		}
	}
	if o.view && (o.trials < 2 || o.peers) {
		errs = append(errs, fmt.Errorf("--view: got --trials %d and --peers %t, want at least 2 trials and no --peers", o.trials, o.peers))
	}
	if o.trials < 1 {
		errs = append(errs, fmt.Errorf("--trials: got %d, want at least 1", o.trials))
	}
	if o.bench.Rounds < 2 {
		errs = append(errs, fmt.Errorf("--rounds: got %d, want at least 2, since the first is not judged", o.bench.Rounds))
	}
	if o.bench.Schedule.Tokens < 2 {
		errs = append(errs, fmt.Errorf("--tokens: got %d, want at least 2", o.bench.Schedule.Tokens))
	}
	return streams, errors.Join(errs...)
}

func calibrate(ctx context.Context, env Env, o calibrateOptions) error {
	defer env.hold()()
	streams, err := o.validate()
	if err != nil {
		return usageError(err)
	}
	o.readers = o.everyReader()
	if o.bench.Program, err = os.Executable(); err != nil {
		return err
	}
	if o.bench.Cores, err = fidelity.TwoCores(); err != nil {
		return err
	}
	if o.peers {
		return comparePeers(ctx, env, o, streams)
	}
	if o.view {
		return compareViews(ctx, env, o, streams)
	}
	answer := calibration{Schedule: o.bench.Schedule, Cores: o.bench.Cores, Rounds: o.bench.Rounds}
	answer.LoadBefore = hostLoad()
	for _, n := range streams {
		for trial := range o.trials { // each reader in turn, so that what disturbs one disturbs all
			for _, reader := range o.readers {
				fmt.Fprintf(env.Stderr, "%d streams, %s, trial %d of %d\n", n, reader, trial+1, o.trials)
				r, err := o.bench.Trial(ctx, reader, n, trial)
				if err != nil {
					return fmt.Errorf("%d streams, %s: %w", n, reader, err)
				}
				answer.Trials = append(answer.Trials, r)
			}
		}
	}
	answer.LoadAfter = hostLoad()
	answer.sort(o.readers)
	if o.json {
		return printJSON(env.Stdout, answer)
	}
	return answer.print(env.Stdout)
}

// hostLoad is the kernel's load average, which says how busy others kept the
// host; empty when it cannot be read.
func hostLoad() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return ""
	}
	return strings.Join(strings.Fields(string(text))[:3], " ")
}

// A calibration is the answer of assay calibrate.
type calibration struct {
	Schedule   fidelity.Schedule `json:"schedule"`
	Rounds     int               `json:"rounds"`
	Cores      []int             `json:"cores"`
	LoadBefore string            `json:"load_before"`
	LoadAfter  string            `json:"load_after"`
	Trials     []fidelity.Result `json:"trials"`
}

// sort puts the trials of each reader together, in the order of readers.
func (c calibration) sort(readers []string) {
	place := map[int]int{}
	for i, t := range c.Trials {
		if _, seen := place[t.Streams]; !seen {
			place[t.Streams] = i
		}
	}
	slices.SortStableFunc(c.Trials, func(a, b fidelity.Result) int {
		return cmp.Or(cmp.Compare(place[a.Streams], place[b.Streams]),
			cmp.Compare(slices.Index(readers, a.Reader), slices.Index(readers, b.Reader)))
	})
}

func (c calibration) print(w io.Writer) error {
	s := c.Schedule
	fmt.Fprintf(w, "truth: %v, then %v × %d; %s; load average before %s, after %s\n", s.TTFT, s.ITL, s.Tokens-1, pinning(c.Cores), c.LoadBefore, c.LoadAfter)
	fmt.Fprintln(w, "error against the simulator's stamps, p50/p99/p99.9 in µs; each figure is the median of its trials")
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "streams\tstamped by\ttrials\tTTFT\tstamp\tgap\tgap σ\tevents/s\treads/event\treads/CPU s\tCPU s/M\tof it decoding\tRSS MB\tof it file\tstart ms\tlost\tfailed\tsim late p99\t")
	for group := range c.groups {
		first := group[0]
		fmt.Fprintf(t, "%d\t%s\t%d\t%s\t%s\t%s\t%.0f\t%.0f\t%.2f\t%.0f\t%.1f\t%.1f\t%.0f\t%.0f\t%.0f\t%.0f\t%.0f\t%.0f\t\n",
			first.Streams, first.Stamps, len(group),
			three(group, func(r fidelity.Result) fidelity.Spread { return r.TTFT }),
			three(group, func(r fidelity.Result) fidelity.Spread { return r.Stamp }),
			three(group, func(r fidelity.Result) fidelity.Spread { return r.Gap }),
			median(group, func(r fidelity.Result) float64 { return micros(r.Gap.Sigma) }),
			median(group, func(r fidelity.Result) float64 { return r.PerSecond }),
			median(group, func(r fidelity.Result) float64 { return r.Reads }),
			median(group, func(r fidelity.Result) float64 { return r.ReadsCPU }),
			median(group, func(r fidelity.Result) float64 { return r.CPU.Seconds() }),
			median(group, func(r fidelity.Result) float64 { return r.DecodeCPU.Seconds() }),
			median(group, func(r fidelity.Result) float64 { return float64(r.RSS) / 1e6 }),
			median(group, func(r fidelity.Result) float64 { return float64(r.RSSFile) / 1e6 }),
			median(group, func(r fidelity.Result) float64 { return r.Startup.Seconds() * 1e3 }),
			median(group, func(r fidelity.Result) float64 { return float64(r.Lost) }),
			median(group, func(r fidelity.Result) float64 { return float64(r.Failed) }),
			median(group, func(r fidelity.Result) float64 { return micros(r.Late.P99) }))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	return c.printRatios(w)
}

func pinning(cores []int) string {
	if len(cores) != 2 {
		return "client and simulator share the processors of this host"
	}
	return fmt.Sprintf("client on processor %d, simulator on %d", cores[0], cores[1])
}

// printRatios sets the other readers beside the first that went the same way.
func (c calibration) printRatios(w io.Writer) error {
	type contest struct {
		streams int
		way     string
	}
	first := map[contest][]fidelity.Result{}
	for group := range c.groups {
		n := group[0].Streams
		_, way, _ := strings.Cut(group[0].Reader, fidelity.Over("", ""))
		base := first[contest{n, way}]
		if base == nil {
			first[contest{n, way}] = group
			continue
		}
		ratio := func(value func(fidelity.Result) float64) float64 {
			return median(group, value) / median(base, value)
		}
		_, err := fmt.Fprintf(w, "%d streams, %s against %s: stamp error p50 × %.1f, p99 × %.1f; processor time × %.2f; memory × %.1f\n",
			n, group[0].Reader, base[0].Reader,
			ratio(func(r fidelity.Result) float64 { return micros(r.Stamp.P50) }),
			ratio(func(r fidelity.Result) float64 { return micros(r.Stamp.P99) }),
			ratio(func(r fidelity.Result) float64 { return r.CPU.Seconds() }),
			ratio(func(r fidelity.Result) float64 { return float64(r.RSS) }))
		if err != nil {
			return err
		}
	}
	return nil
}

// groups yields the trials of each reader at each number of streams.
func (c calibration) groups(yield func([]fidelity.Result) bool) {
	for rest := c.Trials; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n].Reader == rest[0].Reader && rest[n].Streams == rest[0].Streams {
			n++
		}
		if !yield(rest[:n]) {
			return
		}
		rest = rest[n:]
	}
}

func three(group []fidelity.Result, of func(fidelity.Result) fidelity.Spread) string {
	at := func(pick func(fidelity.Spread) time.Duration) float64 {
		return median(group, func(r fidelity.Result) float64 { return micros(pick(of(r))) })
	}
	return fmt.Sprintf("%.0f/%.0f/%.0f",
		at(func(s fidelity.Spread) time.Duration { return s.P50 }),
		at(func(s fidelity.Spread) time.Duration { return s.P99 }),
		at(func(s fidelity.Spread) time.Duration { return s.P999 }))
}

func median(group []fidelity.Result, value func(fidelity.Result) float64) float64 {
	return medianOf(group, value)
}

// medianOf an even number is the upper of the two in the middle.
func medianOf[T any](group []T, value func(T) float64) float64 {
	var values []float64
	for _, r := range group {
		values = append(values, value(r))
	}
	slices.Sort(values)
	return values[len(values)/2]
}

func micros(d time.Duration) float64 { return float64(d) / 1e3 }

// observeCommand is the client process of a calibration.
func observeCommand(env Env) *cobra.Command {
	var l fidelity.Load
	var profile string
	var view bool
	cmd := &cobra.Command{
		Use:    "observe",
		Short:  "Be the client process of a calibration",
		Hidden: true,
		Args:   noArguments,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			collectSooner(env)
			ctx, abort := context.WithCancelCause(cmd.Context())
			defer abort(nil)
			if view {
				stop, err := watchObserving(env, &l, abort)
				if err != nil {
					return err
				}
				defer stop()
			}
			if profile == "" {
				return l.Observe(ctx, env.Stdout)
			}
			file, err := os.Create(profile)
			if err != nil {
				return fmt.Errorf("--profile: %w", err)
			}
			defer func() { err = errors.Join(err, file.Close()) }()
			if err := pprof.StartCPUProfile(file); err != nil {
				return fmt.Errorf("--profile: %w", err)
			}
			defer pprof.StopCPUProfile()
			return l.Observe(ctx, env.Stdout)
		},
	}
	f := cmd.Flags()
	f.StringVar(&l.URL, "url", "", "the simulator")
	f.StringVar(&l.Reader, "reader", "", "how answers are read")
	f.StringVar(&l.CAFile, "ca-file", "", "whose certificate to trust")
	f.BoolVar(&l.HTTP2, "http2", false, "speak HTTP/2")
	f.IntVar(&l.Streams, "streams", 1, "streams at once")
	f.IntVar(&l.Rounds, "rounds", 3, "requests of each stream")
	f.IntVar(&l.Tokens, "tokens", 100, "tokens of an answer")
	f.DurationVar(&l.Spread, "spread", 0, "over which the streams begin")
	f.StringVar(&profile, "profile", "", "write a processor profile to this file")
	f.BoolVar(&view, "view", false, "draw a live view on standard error, a terminal")
	return cmd
}
