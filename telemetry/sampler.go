package telemetry

import (
	"context"
	"crypto/tls"
	"strings"
	"sync"
	"time"

	"assay/record"
)

// A Reading is one value of one gauge now, or the reason why there is none.
type Reading struct {
	Name    string
	Scope   string // device, interface, server; empty for the whole
	Value   float64
	Missing string // why there is no value
}

// A Gauge is one name a source reads. Names that end in .total are counters:
// they only grow, and readers subtract.
type Gauge struct {
	Name string
	Unit string
	Doc  string
}

// A Source reads a family of gauges. Source values are constants in spirit;
// what a source must remember between readings lives in the Reader it opens.
type Source struct {
	ID     string // unique in All, such as pressure
	Name   string // the samples' source: host, client, gpu, server
	Doc    string
	Gauges []Gauge // the names always read; a server's own come beside them

	// Open returns a reader for one sampler. It touches nothing.
	Open func(h Host, opts Options) Reader
}

// A Reader reads every gauge of its source once. An error means that no gauge
// could be read. It is called from one goroutine at a time.
type Reader func(ctx context.Context) ([]Reading, error)

// All lists every source.
var All = []Source{
	CPU, Memory, Pressure, Load, Network, Disks, Heat, Throttling,
	Process, Runtime,
	GPU, RAPL,
	Prometheus,
	Threads, Receive, Started,
}

// Options tunes a sampler. The zero value is ready to use.
type Options struct {
	// Interval is the time between readings. Zero means 1s.
	Interval time.Duration

	// Scrape lists the metrics pages of servers, such as
	// http://localhost:8000/metrics. Empty means that none is read.
	Scrape []string

	// ScrapeInterval is the time between two readings of those pages, which is
	// load on the servers. Zero means Interval.
	ScrapeInterval time.Duration

	// ScrapeTLS secures the connections to those pages. Nil means as the system
	// does.
	ScrapeTLS *tls.Config

	// Sources are the sources to read. Nil means All.
	Sources []Source
}

func (o Options) withDefaults() Options {
	if o.Interval <= 0 {
		o.Interval = time.Second
	}
	if o.ScrapeInterval <= 0 {
		o.ScrapeInterval = o.Interval
	}
	if o.Sources == nil {
		o.Sources = All
	}
	return o
}

// interval is how often s is read.
func (o Options) interval(s Source) time.Duration {
	if s.ID == Prometheus.ID {
		return o.ScrapeInterval
	}
	return o.Interval
}

// A Sink receives what a sampler reads. Its functions are never called
// concurrently.
type Sink struct {
	Samples func([]record.Sample) // one reading of one source
	Event   func(record.Event)    // once for each gauge that cannot be read
}

// Sample reads every source at once, then once in an interval, and once more
// when ctx ends, so that counters cover the whole time between. It returns when
// the last reading is in. The function now is the launch's clock.
//
// Each source has a goroutine of its own: a server that answers slowly delays
// no other reading.
func Sample(ctx context.Context, h Host, now func() int64, sink Sink, opts Options) {
	opts = opts.withDefaults()
	batches := make(chan batch)
	var wg sync.WaitGroup
	for _, s := range opts.Sources {
		wg.Go(func() { follow(ctx, s, s.Open(h, opts), now, opts.interval(s), batches) })
	}
	go func() { // ends when every source has taken its last reading
		defer close(batches)
		wg.Wait()
	}()
	told := map[string]bool{}
	for b := range batches {
		b.deliver(sink, told)
	}
}

// Start samples in the background until ctx ends or stop is called. Stop waits
// for the last reading.
func Start(ctx context.Context, h Host, now func() int64, sink Sink, opts Options) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() { // ends with ctx; stop waits for it
		defer close(done)
		Sample(ctx, h, now, sink, opts)
	}()
	return func() {
		cancel()
		<-done
	}
}

// follow reads one source now, at every tick, and when ctx has ended.
func follow(ctx context.Context, s Source, read Reader, now func() int64, interval time.Duration, out chan<- batch) {
	ticks := time.NewTicker(interval)
	defer ticks.Stop()
	for {
		last := ctx.Err() != nil // known before the reading, so that the last one begins after the end
		out <- takeReading(ctx, s, read, now, interval)
		if last {
			return
		}
		select {
		case <-ticks.C:
		case <-ctx.Done():
		}
	}
}

// leastPatience is how long a source may take at least: nvidia-smi needs seconds
// on a machine of many GPUs, and a short interval must not turn a slow answer
// into no answer.
const leastPatience = 3 * time.Second

// takeReading gives a source one interval, or leastPatience where that is more.
// The end of the run does not cut a reading off: a value lost to our own hurry
// would look like a failure of the source.
func takeReading(ctx context.Context, s Source, read Reader, now func() int64, interval time.Duration) batch {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), max(interval, leastPatience))
	defer cancel()
	at := now()
	readings, err := read(ctx)
	return batch{source: s, at: at, readings: readings, err: err}
}

// A batch is one reading of one source.
type batch struct {
	source   Source
	at       int64
	readings []Reading
	err      error
}

// deliver turns a batch into samples. Every gauge of a source that failed
// altogether becomes a null sample, so that the gap shows in the table.
func (b batch) deliver(sink Sink, told map[string]bool) {
	readings := b.readings
	if b.err != nil {
		readings = nil
		for _, g := range b.source.Gauges {
			readings = append(readings, Reading{Name: g.Name, Missing: b.err.Error()})
		}
	}
	samples := make([]record.Sample, 0, len(readings))
	for _, r := range readings {
		sample := record.Sample{At: b.at, Source: b.source.Name, Name: r.Name, Scope: r.Scope, Unit: b.source.unit(r.Name)}
		if r.Missing == "" {
			sample.Value = &r.Value
		} else {
			b.tell(sink, told, strings.TrimSpace(r.Name+" "+r.Scope), r.Missing)
		}
		samples = append(samples, sample)
	}
	if len(samples) > 0 && sink.Samples != nil {
		sink.Samples(samples)
	}
}

// tell reports a gauge that cannot be read, the first time it happens.
func (b batch) tell(sink Sink, told map[string]bool, what, reason string) {
	key := b.source.ID + " " + what
	if told[key] || sink.Event == nil {
		return
	}
	told[key] = true
	sink.Event(record.Event{At: b.at, Name: "telemetry.unavailable", Point: -1, Detail: b.source.Name + " " + what + ": " + reason})
}

// unit returns the unit of a gauge; a server's own names carry theirs at the
// end.
func (s Source) unit(name string) string {
	for _, g := range s.Gauges {
		if g.Name == name {
			return g.Unit
		}
	}
	return record.UnitOfName(name)
}
