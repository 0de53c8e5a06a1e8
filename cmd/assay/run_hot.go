package main

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/pflag"

	"assay/bundle"
	"assay/hot"
	"assay/live"
	"assay/plan"
	"assay/spec"
)

// hotFlags are where a run is published while it goes on, in place of what its document
// says.
type hotFlags struct {
	listen, remoteWrite, otlp string
	spans                     float64
}

func (h *hotFlags) register(f *pflag.FlagSet) {
	f.StringVar(&h.listen, "metrics-listen", "", "serve metrics of the run for Prometheus at this address, such as 127.0.0.1:9464")
	f.StringVar(&h.remoteWrite, "metrics-push", "", "push them to this address by Prometheus remote write")
	f.StringVar(&h.otlp, "otlp", "", "push them to this base address by OTLP over HTTP")
	f.Float64Var(&h.spans, "otlp-spans", 0, "share of requests that become spans there when the run is over, 0 to 1")
}

// given reports whether a flag asks for something.
func (h hotFlags) given() bool {
	return h.listen != "" || h.remoteWrite != "" || h.otlp != "" || h.spans != 0
}

// over is what a document says, with the flags in its place.
func (h hotFlags) over(r spec.Run) (spec.HotMetrics, error) {
	o := &r.Spec.Sinks.HotMetrics
	if h.listen != "" {
		o.Listen = h.listen
	}
	if h.remoteWrite != "" {
		o.RemoteWrite = &spec.MetricsPush{URL: h.remoteWrite}
	}
	if h.otlp != "" {
		o.OTLP = &spec.OTLPPush{URL: h.otlp}
	}
	if h.spans != 0 {
		if o.OTLP == nil || h.spans < 0 || h.spans > 1 {
			return *o, fmt.Errorf("--otlp-spans %g: want a share from 0 to 1, beside --otlp", h.spans)
		}
		push := *o.OTLP
		push.Spans, o.OTLP = h.spans, &push
	}
	return *o, o.CheckAddresses()
}

// A publication is a run that is published while it goes on.
type publication struct {
	env  Env
	hot  *hot.Publisher // nil where nobody asked for it
	plan plan.Plan
}

// shows begins to show a run, and to publish it where somebody asked for that.
func (j job) shows(env Env, p plan.Plan, abort context.CancelCauseFunc) (*live.Watch, publication, error) {
	asked, err := j.hot.over(p.Run)
	if err != nil {
		return nil, publication{}, err
	}
	view, err := j.progress.begin(env, abort, hot.Asked(asked))
	if err != nil {
		return nil, publication{}, err
	}
	publisher, err := hot.Begin(asked, view.Live, lookupIn(env), os.ReadFile)
	if err != nil {
		view.Stop()
		return nil, publication{}, err
	}
	if publisher != nil && publisher.Addr() != "" {
		view.Live.Tell("metrics at http://" + publisher.Addr() + "/metrics")
		if !j.quiet {
			fmt.Fprintf(env.Stderr, "metrics at http://%s/metrics\n", publisher.Addr())
		}
	}
	return view, publication{env, publisher, p}, nil
}

// end publishes what is left to publish. What cannot be delivered is said, and is no fault
// of the run.
func (p publication) end(ctx context.Context, dir string) {
	if p.hot == nil {
		return
	}
	b, err := bundle.Open(dir)
	if err == nil {
		var sent int
		if sent, err = p.hot.Spans(ctx, b, p.plan.WorkloadDigest); sent > 0 {
			fmt.Fprintf(p.env.Stderr, "%s delivered by OTLP\n", counted(sent, "span"))
		}
	}
	if err != nil {
		fmt.Fprintln(p.env.Stderr, err)
	}
	p.stop()
}

// stop ends it, also of a run that could not begin.
func (p publication) stop() {
	if err := p.hot.Stop(); err != nil {
		fmt.Fprintln(p.env.Stderr, err)
	}
}
