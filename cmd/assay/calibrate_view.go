package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"text/tabwriter"
	"time"

	"github.com/creack/pty"

	"assay/live"
	"assay/load"
	"assay/plan"
	"assay/record"
	"assay/stats"
	"assay/target/fidelity"
	"assay/unit"
)

// viewTrials is how often each is measured with the view and without when nobody
// says otherwise: fewer give intervals that say nothing.
const viewTrials = 8

// A viewComparison is the answer of assay calibrate --view.
type viewComparison struct {
	Schedule    fidelity.Schedule `json:"schedule"`
	Rounds      int               `json:"rounds"`
	Cores       []int             `json:"cores"`
	LoadBefore  string            `json:"load_before"`
	LoadAfter   string            `json:"load_after"`
	Trials      []viewTrial       `json:"trials"`
	Differences []viewDifference  `json:"differences"`
}

// A viewTrial is one trial, with the view drawn or without.
type viewTrial struct {
	View  bool  `json:"view"`
	Drawn int64 `json:"drawn_bytes"` // that the terminal got
	fidelity.Result
}

// A viewDifference is what the view adds to a figure of the client.
type viewDifference struct {
	Reader  string         `json:"reader"`
	Streams int            `json:"streams"`
	Figure  string         `json:"figure"`
	Unit    string         `json:"unit"`
	Without float64        `json:"without"` // median
	With    float64        `json:"with"`    // median
	Added   stats.Estimate `json:"added"`   // mean over pairs of trials
	Beside  bool           `json:"beside"`  // no error of the measurement
	Beyond  bool           `json:"beyond"`  // an error whose interval lies above zero
}

// viewFigures are those that decide whether the view costs the measurement
// anything, and last what it costs beside.
var viewFigures = []struct {
	name, unit string
	beside     bool
	of         func(fidelity.Result) float64
}{
	{"stamp error p50", "µs", false, func(r fidelity.Result) float64 { return micros(r.Stamp.P50) }},
	{"stamp error p99", "µs", false, func(r fidelity.Result) float64 { return micros(r.Stamp.P99) }},
	{"TTFT error p50", "µs", false, func(r fidelity.Result) float64 { return micros(r.TTFT.P50) }},
	{"gap error p99", "µs", false, func(r fidelity.Result) float64 { return micros(r.Gap.P99) }},
	{"CPU per M events", "s", true, func(r fidelity.Result) float64 { return r.CPU.Seconds() }},
}

// compareViews measures the client with a live view in a terminal and without, in
// turns: which comes first changes from pair to pair.
func compareViews(ctx context.Context, env Env, o calibrateOptions, streams []int) error {
	answer := viewComparison{Schedule: o.bench.Schedule, Cores: o.bench.Cores, Rounds: o.bench.Rounds, LoadBefore: hostLoad()}
	for _, n := range streams {
		for _, reader := range o.readers {
			for trial := range o.trials {
				for turn := range 2 {
					view := (trial+turn)%2 == 1
					fmt.Fprintf(env.Stderr, "%d streams, %s, view %s, trial %d of %d\n", n, reader, onOff(view), trial+1, o.trials)
					r, err := viewedTrial(ctx, o.bench, reader, n, trial, view)
					if err != nil {
						return fmt.Errorf("%d streams, %s, view %s: %w", n, reader, onOff(view), err)
					}
					answer.Trials = append(answer.Trials, r)
				}
			}
		}
	}
	answer.LoadAfter = hostLoad()
	if err := answer.compare(len(streams) * len(o.readers)); err != nil {
		return err
	}
	show := answer.print
	if o.json {
		show = func(w io.Writer) error { return printJSON(w, answer) }
	}
	if err := show(env.Stdout); err != nil {
		return err
	}
	for _, d := range answer.Differences {
		if d.Beyond {
			return silent(exitVerdict)
		}
	}
	return nil
}

func onOff(view bool) string {
	if view {
		return "on"
	}
	return "off"
}

// viewedTrial is one trial; with a view its client draws on a pseudo-terminal that
// this process reads, as a terminal would.
func viewedTrial(ctx context.Context, bench fidelity.Bench, reader string, streams, trial int, view bool) (t viewTrial, err error) {
	t.View = view
	if !view {
		t.Result, err = bench.Trial(ctx, reader, streams, trial)
		return t, err
	}
	master, terminal, err := pty.Open()
	if err != nil {
		return t, fmt.Errorf("open a pseudo-terminal: %w", err)
	}
	if err := pty.Setsize(master, &pty.Winsize{Rows: 40, Cols: 120}); err != nil {
		return t, errors.Join(err, master.Close(), terminal.Close())
	}
	var drawn atomic.Int64
	read := make(chan struct{})
	go func() { // ends when the terminal is closed
		defer close(read)
		page := make([]byte, 1<<14)
		for {
			n, err := master.Read(page)
			drawn.Add(int64(n))
			if err != nil {
				return
			}
		}
	}()
	bench.Terminal = terminal
	t.Result, err = bench.Trial(ctx, reader, streams, trial)
	err = errors.Join(err, terminal.Close())
	<-read
	err = errors.Join(err, master.Close())
	t.Drawn = drawn.Load()
	if err == nil && t.Drawn == 0 {
		err = errors.New("the client drew nothing: this is a fault of assay")
	}
	return t, err
}

// compare pairs the trials. All intervals together hold with 95 %.
func (c *viewComparison) compare(groups int) error {
	confidence := 1 - .05/float64(groups*len(viewFigures))
	for rest := c.Trials; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n].Reader == rest[0].Reader && rest[n].Streams == rest[0].Streams {
			n++
		}
		var with, without []fidelity.Result
		for _, t := range rest[:n] {
			if t.View {
				with = append(with, t.Result)
			} else {
				without = append(without, t.Result)
			}
		}
		rest = rest[n:]
		for _, f := range viewFigures {
			var a, b []float64
			for i := range with {
				a, b = append(a, f.of(without[i])), append(b, f.of(with[i]))
			}
			added, err := stats.PairedDifference(a, b, confidence)
			if err != nil {
				return fmt.Errorf("%s: %w", f.name, err)
			}
			c.Differences = append(c.Differences, viewDifference{
				Reader: with[0].Reader, Streams: with[0].Streams, Figure: f.name, Unit: f.unit,
				Without: median(without, f.of), With: median(with, f.of), Added: added, Beside: f.beside, Beyond: !f.beside && added.Interval.Lo > 0,
			})
		}
	}
	return nil
}

func (c viewComparison) print(w io.Writer) error {
	s := c.Schedule
	fmt.Fprintf(w, "truth: %v, then %v × %d; %s; load average before %s, after %s\n", s.TTFT, s.ITL, s.Tokens-1, pinning(c.Cores), c.LoadBefore, c.LoadAfter)
	fmt.Fprintln(w, "the client with a live view drawn into a terminal against the same client without, in turns; medians of the trials,")
	fmt.Fprintln(w, "and the mean difference of the pairs with an interval; all intervals together hold with 95 %")
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "streams\tstamped by\tpairs\tfigure\twithout\twith\tadded by the view\t\t")
	beyond := 0
	for _, d := range c.Differences {
		verdict := "zero lies within"
		switch {
		case d.Beside:
			verdict = "no error"
		case d.Beyond:
			verdict = "MORE THAN NOTHING"
			beyond++
		case d.Added.Interval.Hi < 0:
			verdict = "less with it"
		}
		fmt.Fprintf(t, "%d\t%s\t%d\t%s\t%.1f %s\t%.1f %s\t%+.1f [%+.1f, %+.1f] %s\t%s\t\n", d.Streams, d.Reader, d.Added.N, d.Figure,
			d.Without, d.Unit, d.With, d.Unit, d.Added.Value, d.Added.Interval.Lo, d.Added.Interval.Hi, d.Unit, verdict)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "the terminals got %s\n", c.drawn())
	if err == nil && beyond == 0 {
		_, err = fmt.Fprintln(w, "no difference beyond its interval: the view costs the measurement nothing that these trials could show")
	}
	return err
}

// drawn is how much the terminals got.
func (c viewComparison) drawn() string {
	var bytes, n int64
	for _, t := range c.Trials {
		if t.View {
			bytes += t.Drawn
			n++
		}
	}
	return fmt.Sprintf("%d bytes in a trial", bytes/max(1, n))
}

// watchObserving shows a client process of a calibration as a run is shown.
func watchObserving(env Env, l *fidelity.Load, abort context.CancelCauseFunc) (stop func(), err error) {
	watch, err := live.Begin(live.Options{
		Mode: live.TTY, Out: unfiltered(env.Stderr), In: env.Stdin, Environ: env.Environ(), Abort: abort,
	})
	if err != nil {
		return nil, err
	}
	point := plan.Point{Name: fmt.Sprintf("%d streams", l.Streams), Concurrency: l.Streams, Requests: l.Streams * (l.Rounds - 1)}
	point.Duration = unit.Duration(time.Hour) // it ends with its requests
	p := plan.Plan{Name: "calibration", Points: []plan.Point{point}, Launches: []plan.Launch{{Order: []int{0}}}}
	tally := &load.Tally{}
	tally.Begun.Store(int64(l.Streams))
	watch.Live.Begin(p, nil)
	watch.Live.EnterLaunch(p.Launches[0])
	watch.Live.EnterPoint(point, tally)
	watch.Live.EnterPhase(record.Measure)
	left := l.Streams * (l.Rounds - 1) // asked again as soon as an answer has ended
	l.Watcher = func(request *record.Request, chunks []record.Chunk) {
		if left--; left >= 0 {
			tally.Begun.Add(1)
		}
		r := *request
		if int(r.ID)%l.Rounds > 0 {
			r.Phase = record.Measure
		}
		watch.Live.Ended(&r, chunks)
	}
	return watch.Stop, nil
}
