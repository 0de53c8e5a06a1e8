package spec

import (
	"errors"
	"maps"
	"net"
	"net/url"
	"slices"
	"strings"

	"assay/unit"
)

// HotMetrics says where short-lived metrics of a run go while it goes on. Nothing is
// published unless listen, remoteWrite or otlp is given, here or as a flag of assay run.
type HotMetrics struct {
	// The kind of store.
	Store string `json:"store,omitzero" default:"prometheus" use:"recorded"`

	// Days they are kept; equal to curatedWarehouse.retention.hotDays, and by
	// default 30 or what that says.
	RetentionDays int `json:"retentionDays,omitzero" min:"1" max:"36500" use:"recorded"`

	// What keeps the store small.
	CardinalityBudget CardinalityBudget `json:"cardinalityBudget,omitzero"`

	// The address at which Prometheus scrapes them while the run goes on.
	Listen string `json:"listen,omitzero" example:"127.0.0.1:9464"`

	// Where they are pushed to by Prometheus remote write 1.0.
	RemoteWrite *MetricsPush `json:"remoteWrite,omitzero"`

	// Where they are pushed to by OTLP over HTTP.
	OTLP *OTLPPush `json:"otlp,omitzero"`

	// The time between two samples. By default 5s.
	Interval unit.Duration `json:"interval,omitzero" min:"1s" max:"1h"`

	// Labels of every series, of those that the contract allows: cluster, region,
	// node_pool, gpu_model and scheduler_path.
	Labels map[string]string `json:"labels,omitzero" example:"{cluster: east, region: eu-1}"`
}

// A MetricsPush is an address that metrics are pushed to.
type MetricsPush struct {
	// The whole address.
	URL string `json:"url" required:"true" example:"http://prometheus:9090/api/v1/write"`

	// Headers of every push.
	Headers map[string]Secret `json:"headers,omitzero"`
}

// An OTLPPush is a receiver of OTLP over HTTP.
type OTLPPush struct {
	// Its base address, without /v1/metrics.
	URL string `json:"url" required:"true" example:"http://collector:4318"`

	// Headers of every push.
	Headers map[string]Secret `json:"headers,omitzero"`

	// The share of requests that become spans when the run is over, from its records.
	Spans float64 `json:"spans,omitzero" min:"0" max:"1"`
}

// A CardinalityBudget keeps a metrics store small.
type CardinalityBudget struct {
	// The most series at a time. Series of a run beyond it are left out, and counted.
	MaxActiveSeries int `json:"maxActiveSeries,omitzero" default:"2000000" min:"1" max:"1000000000000"`

	// Labels that are never exported.
	DropDimensions []string `json:"dropDimensions,omitzero" default:"[request_id, trace_id, prompt_hash]"`
}

// hotLabels are the labels that a document may give; the others of the contract are known.
var hotLabels = []string{"cluster", "gpu_model", "node_pool", "region", "scheduler_path"}

// requestLabels have a value of their own for every request.
var requestLabels = []string{"request_id", "trace_id", "prompt_hash", "span_id", "user", "session_id"}

func hotLabelsBounded(c *checker) {
	hot := c.run.Spec.Sinks.HotMetrics
	for _, name := range slices.Sorted(maps.Keys(hot.Labels)) {
		path := joinPath("spec.sinks.hotMetrics.labels", name)
		switch {
		case slices.Contains(requestLabels, name) || slices.Contains(hot.CardinalityBudget.DropDimensions, name):
			c.fail(path, "differs from request to request and would make a series for each: leave it out; spans have it")
		case !slices.Contains(hotLabels, name):
			c.fail(path, "is no label of hot metrics: want one of "+strings.Join(hotLabels, ", "))
		}
	}
}

func hotAddresses(c *checker) {
	const at = "spec.sinks.hotMetrics."
	hot := c.run.Spec.Sinks.HotMetrics
	if hot.Listen != "" && !listenable(hot.Listen) {
		c.fail(at+"listen", "is no address to listen on: "+wantListen)
	}
	if hot.RemoteWrite != nil && !postable(hot.RemoteWrite.URL) {
		c.failGot(at+"remoteWrite.url", "another text", wantPush)
	}
	if hot.OTLP != nil && !postable(hot.OTLP.URL) {
		c.failGot(at+"otlp.url", "another text", wantPush)
	}
}

const (
	wantListen = "want one such as 127.0.0.1:9464"
	wantPush   = "want an address such as http://host:4318"
)

func listenable(text string) bool {
	_, port, err := net.SplitHostPort(text)
	return err == nil && port != ""
}

func postable(text string) bool {
	u, err := url.Parse(text)
	return err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https")
}

// CheckAddresses says which address is none, of those that flags have put in place of the
// document's. It repeats no address: one may have a secret in it.
func (h HotMetrics) CheckAddresses() error {
	switch {
	case h.Listen != "" && !listenable(h.Listen):
		return errors.New("the address to listen on is none: " + wantListen)
	case h.RemoteWrite != nil && !postable(h.RemoteWrite.URL):
		return errors.New("the address of remote write is none: " + wantPush)
	case h.OTLP != nil && !postable(h.OTLP.URL):
		return errors.New("the address of OTLP is none: " + wantPush)
	}
	return nil
}

// hotSecrets finds secrets that are written out.
func hotSecrets(hot HotMetrics) (found []literalSecret) {
	const at = "spec.sinks.hotMetrics."
	add := func(path, address string, headers map[string]Secret) {
		for _, s := range urlSecrets(path+".url", address) {
			s.advice = "use headers with {env: NAME}"
			found = append(found, s)
		}
		found = append(found, tableSecrets(path+".headers", headers, harmlessName)...)
	}
	if hot.RemoteWrite != nil {
		add(at+"remoteWrite", hot.RemoteWrite.URL, hot.RemoteWrite.Headers)
	}
	if hot.OTLP != nil {
		add(at+"otlp", hot.OTLP.URL, hot.OTLP.Headers)
	}
	return found
}
