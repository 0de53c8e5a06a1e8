// Package hot publishes a run while it goes on: on a page that Prometheus scrapes, by
// remote write, and by OTLP. It reads what the live view reads, every few seconds, from a
// goroutine of its own: nothing of it is on the way of a request. What it cannot deliver is
// dropped and counted; a run does not wait for it, and nothing of it enters a bundle.
//
// Series are of runs, points and devices, never of requests: those become spans, a share of
// them, made from the records when the run is over.
//
// To publish something new, count it in watch.Live and give it a line in families.
package hot

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"sync"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"

	"assay/run/watch"
	"assay/spec"
)

// usualInterval is the time between two samples where nobody says another: Prometheus
// itself looks every fifteen seconds by default.
const usualInterval = 5 * time.Second

// A Publisher publishes one run.
type Publisher struct {
	live    *watch.Live
	catalog *catalog
	pushes  []push
	every   time.Duration
	otlp    *push // of the spans; nil for none
	spans   float64

	look sync.Mutex // one sample at a time

	mu     sync.Mutex
	page   []byte
	faults []string // of pushes, the first of each route
	failed int

	server *http.Server
	addr   string
	end    chan struct{}
	once   sync.Once
	work   sync.WaitGroup
}

// Begin publishes what live counts as o says, from now until Stop. Nil means that o asks
// for nothing.
func Begin(o spec.HotMetrics, live *watch.Live, lookup func(string) (string, bool), readFile func(string) ([]byte, error)) (*Publisher, error) {
	if !Asked(o) {
		return nil, nil
	}
	p := &Publisher{live: live, every: o.Interval.Std(), end: make(chan struct{})}
	if p.every == 0 {
		p.every = usualInterval
	}
	p.catalog = newCatalog(o)
	if err := p.routes(o, lookup, readFile); err != nil {
		return nil, err
	}
	if o.Listen != "" {
		if err := p.listen(o.Listen); err != nil {
			return nil, err
		}
	}
	p.work.Go(p.follow)
	return p, nil
}

// Asked reports whether anything is to be published.
func Asked(o spec.HotMetrics) bool { return o.Listen != "" || o.RemoteWrite != nil || o.OTLP != nil }

// routes makes the pushes of a document.
func (p *Publisher) routes(o spec.HotMetrics, lookup func(string) (string, bool), readFile func(string) ([]byte, error)) error {
	reveal := func(headers map[string]spec.Secret) (http.Header, error) {
		list := http.Header{}
		for name, s := range maps.All(headers) {
			value, err := s.Reveal(lookup, readFile)
			if err != nil {
				return nil, fmt.Errorf("header %s: %w", name, err)
			}
			list.Set(name, value)
		}
		return list, nil
	}
	if w := o.RemoteWrite; w != nil {
		headers, err := reveal(w.Headers)
		if err != nil {
			return fmt.Errorf("sinks.hotMetrics.remoteWrite: %w", err)
		}
		p.pushes = append(p.pushes, push{"remote write", w.URL, headers, remoteWrite})
	}
	if t := o.OTLP; t != nil {
		headers, err := reveal(t.Headers)
		if err != nil {
			return fmt.Errorf("sinks.hotMetrics.otlp: %w", err)
		}
		p.pushes = append(p.pushes, push{"OTLP", t.URL + "/v1/metrics", headers, otlpSince(time.Now())})
		p.otlp, p.spans = &push{name: "OTLP", address: t.URL + "/v1/traces", headers: headers}, t.Spans
	}
	return nil
}

// listen serves the page.
func (p *Publisher) listen(address string) error {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return fmt.Errorf("publish metrics: %w: want a free address", err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, _ *http.Request) {
		p.mu.Lock()
		page := p.page
		p.mu.Unlock()
		w.Header().Set("Content-Type", string(expfmt.NewFormat(expfmt.TypeTextPlain)))
		w.Write(page) // who went away needs no answer
	})
	p.addr = l.Addr().String()
	p.server = &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second, WriteTimeout: 10 * time.Second, MaxHeaderBytes: 16 << 10}
	p.work.Go(func() { p.server.Serve(l) }) // ends with Stop
	return nil
}

// Addr is where the page is served; empty for nowhere.
func (p *Publisher) Addr() string { return p.addr }

// follow samples until Stop.
func (p *Publisher) follow() {
	p.sample(context.Background())
	tick := time.NewTicker(p.every)
	defer tick.Stop()
	for {
		select {
		case <-p.end:
			return
		case <-tick.C:
			p.sample(context.Background())
		}
	}
}

// sample takes one look and hands it on.
func (p *Publisher) sample(ctx context.Context) {
	p.look.Lock()
	defer p.look.Unlock()
	now := time.Now()
	list := p.catalog.gather(p.live.Snapshot())
	var page bytes.Buffer
	for _, f := range list {
		if _, err := expfmt.MetricFamilyToText(&page, f); err != nil {
			p.fault("the page", err)
			return
		}
	}
	p.mu.Lock()
	p.page = page.Bytes()
	p.mu.Unlock()
	for _, one := range p.pushes {
		if err := one.send(ctx, list, now); err != nil {
			p.fault(one.name, err)
		}
	}
}

func (p *Publisher) fault(name string, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.failed++
	if len(p.faults) < 3 {
		p.faults = append(p.faults, name+": "+err.Error())
	}
}

// Stop publishes the last sample and ends. It may be called more than once, and says what
// could not be delivered.
func (p *Publisher) Stop() error {
	if p == nil {
		return nil
	}
	var err error
	p.once.Do(func() {
		close(p.end)
		p.sample(context.Background())
		if p.server != nil {
			err = p.server.Close()
		}
		p.work.Wait()
		if p.failed > 0 {
			err = errors.Join(err, fmt.Errorf("hot metrics: %d deliveries failed; the first: %s", p.failed, p.faults[0]))
		}
	})
	return err
}

// A familyOf is one metric: its name, what it is, and its values at a moment.
type familyOf struct {
	name, help string
	counter    bool
	read       func(watch.Snapshot) []sampleOf
}

// A sampleOf is one value with its own labels.
type sampleOf struct {
	value  float64
	labels []*dto.LabelPair
}
