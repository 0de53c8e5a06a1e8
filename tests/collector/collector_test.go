// Package collector has a real OpenTelemetry Collector receive what a run publishes: its
// OTLP receiver and its service, from their own modules, in a module of its own. It is no
// part of the product. Run it with make test-collector.
package collector

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/provider/yamlprovider"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/exporter/debugexporter"
	"go.opentelemetry.io/collector/exporter/exporterhelper"
	"go.opentelemetry.io/collector/otelcol"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/receiver/otlpreceiver"
	"go.opentelemetry.io/collector/service/telemetry/otelconftelemetry"
)

// A sink is the exporter at the end of the pipelines.
type sink struct {
	mu      sync.Mutex
	metrics []pmetric.Metric
	spans   []ptrace.Span
	names   map[string]bool // of the services
}

func (s *sink) factory() exporter.Factory {
	return exporter.NewFactory(component.MustNewType("sink"), func() component.Config { return &struct{}{} },
		exporter.WithMetrics(func(ctx context.Context, set exporter.Settings, c component.Config) (exporter.Metrics, error) {
			return exporterhelper.NewMetrics(ctx, set, c, s.keepMetrics)
		}, component.StabilityLevelStable),
		exporter.WithTraces(func(ctx context.Context, set exporter.Settings, c component.Config) (exporter.Traces, error) {
			return exporterhelper.NewTraces(ctx, set, c, s.keepTraces)
		}, component.StabilityLevelStable))
}

func (s *sink) service(r pcommon.Resource) {
	name, _ := r.Attributes().Get("service.name")
	s.names[name.Str()] = true
}

func (s *sink) keepMetrics(_ context.Context, all pmetric.Metrics) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range all.ResourceMetrics().All() {
		s.service(r.Resource())
		for _, scope := range r.ScopeMetrics().All() {
			for _, m := range scope.Metrics().All() {
				kept := pmetric.NewMetric()
				m.CopyTo(kept)
				s.metrics = append(s.metrics, kept)
			}
		}
	}
	return nil
}

func (s *sink) keepTraces(_ context.Context, all ptrace.Traces) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range all.ResourceSpans().All() {
		s.service(r.Resource())
		for _, scope := range r.ScopeSpans().All() {
			for _, span := range scope.Spans().All() {
				kept := ptrace.NewSpan()
				span.CopyTo(kept)
				s.spans = append(s.spans, kept)
			}
		}
	}
	return nil
}

// collect starts a collector that ends with the test, and returns its address.
func collect(t *testing.T, s *sink) string {
	t.Helper()
	address := free(t)
	config := fmt.Sprintf(`yaml:{receivers: {otlp: {protocols: {http: {endpoint: "%s"}}}}, exporters: {sink: {}, debug: {}},
service: {telemetry: {metrics: {level: none}, logs: {level: error}}, pipelines: {metrics: {receivers: [otlp], exporters: [sink, debug]}, traces: {receivers: [otlp], exporters: [sink, debug]}}}}`, address)
	c, err := otelcol.NewCollector(otelcol.CollectorSettings{
		BuildInfo: component.BuildInfo{Command: "collector", Version: "test"},
		Factories: func() (f otelcol.Factories, err error) {
			if f.Receivers, err = otelcol.MakeFactoryMap(otlpreceiver.NewFactory()); err != nil {
				return f, err
			}
			f.Exporters, err = otelcol.MakeFactoryMap(s.factory(), debugexporter.NewFactory())
			f.Telemetry = otelconftelemetry.NewFactory()
			return f, err
		},
		ConfigProviderSettings: otelcol.ConfigProviderSettings{ResolverSettings: confmap.ResolverSettings{
			URIs: []string{config}, ProviderFactories: []confmap.ProviderFactory{yamlprovider.NewFactory()},
		}},
		DisableGracefulShutdown: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Run(context.Background()) }()
	t.Cleanup(func() {
		c.Shutdown()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	for {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			conn.Close()
			return "http://" + address
		}
		select {
		case err := <-ended:
			ended <- err
			t.Fatalf("the collector ended: %v", err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func free(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

const document = `apiVersion: assay.dev/v1alpha1
kind: BenchmarkRun
metadata: {name: collected}
spec:
  workload: {model: sim, sequenceLengthMix: [{inputTokens: 16, outputTokens: 8, weight: 1}]}
  target:
    url: "http://%[2]s"
    server: {command: [%[1]q, sim, --addr, "%[2]s", --ttft, 5ms, --itl, 1ms], ready: {interval: 20ms}}
  load: {concurrency: [4], duration: 1s, warmup: {duration: 100ms}, calibrate: false}
  trials: {minReplicates: 3}
  sinks: {hotMetrics: {interval: 1s, labels: {cluster: blue}}}
`

// published are metrics that every such run has, with their units and what they are.
var published = map[string]struct {
	unit string
	kind pmetric.MetricType
}{
	"assay_run_stage":                    {"", pmetric.MetricTypeGauge},
	"assay_run_progress_ratio":           {"1", pmetric.MetricTypeGauge},
	"assay_requests_total":               {"{request}", pmetric.MetricTypeSum},
	"assay_request_failures_total":       {"{request}", pmetric.MetricTypeSum},
	"assay_requests_in_flight":           {"{request}", pmetric.MetricTypeGauge},
	"assay_achieved_requests_per_second": {"{request}/s", pmetric.MetricTypeGauge},
	"assay_output_tokens_per_second":     {"{token}/s", pmetric.MetricTypeGauge},
	"assay_ttft_seconds":                 {"s", pmetric.MetricTypeGauge},
	"assay_itl_seconds":                  {"s", pmetric.MetricTypeGauge},
	"assay_e2e_seconds":                  {"s", pmetric.MetricTypeGauge},
}

// Metrics and spans of a run arrive with their names, units and kinds, and with the keys that
// join them with each other and with the bundle.
func TestARunIsCollected(t *testing.T) {
	program := os.Getenv("ASSAY_PROGRAM")
	if program == "" {
		t.Skip("ASSAY_PROGRAM names no assay: make test-collector builds it")
	}
	s := &sink{names: map[string]bool{}}
	address, dir := collect(t, s), t.TempDir()
	file := filepath.Join(dir, "run.yaml")
	if err := os.WriteFile(file, fmt.Appendf(nil, document, program, free(t)), 0o600); err != nil {
		t.Fatal(err)
	}
	before := time.Now()
	cmd := exec.Command(program, "run", file, "--out", filepath.Join(dir, "runs"), "--progress", "none", "--otlp", address, "--otlp-spans", "1")
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, &said)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if strings.Contains(said.String(), "deliveries failed") || len(s.names) != 1 || !s.names["assay"] {
		t.Fatalf("the services are %v\n%s", s.names, &said)
	}
	run := manifestOf(t, filepath.Join(dir, "runs"))
	s.checkMetrics(t, run, before)
	s.checkSpans(t, run, said.String())
}

// A manifest is what a bundle says of itself.
type manifest struct {
	RunID          string
	WorkloadDigest string
}

func manifestOf(t *testing.T, runs string) (m manifest) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(runs, "*", "manifest.json"))
	if err != nil || len(found) != 1 {
		t.Fatalf("%v, %v: want one bundle", found, err)
	}
	text, err := os.ReadFile(found[0])
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	if err != nil || m.RunID == "" || m.WorkloadDigest == "" {
		t.Fatalf("%+v, %v: want a run and its workload", m, err)
	}
	return m
}

func (s *sink) checkMetrics(t *testing.T, run manifest, before time.Time) {
	t.Helper()
	seen, joined := map[string]bool{}, false
	for _, m := range s.metrics {
		seen[m.Name()] = true
		want, known := published[m.Name()]
		if known && (m.Unit() != want.unit || m.Type() != want.kind || m.Description() == "") {
			t.Errorf("%s is a %v in %q, want a %v in %q", m.Name(), m.Type(), m.Unit(), want.kind, want.unit)
		}
		points := m.Gauge().DataPoints
		if m.Type() == pmetric.MetricTypeSum {
			points = m.Sum().DataPoints
			if !m.Sum().IsMonotonic() || m.Sum().AggregationTemporality() != pmetric.AggregationTemporalityCumulative {
				t.Errorf("%s is no counter", m.Name())
			}
		}
		for _, p := range points().All() {
			attributes := p.Attributes().AsRaw()
			if early := p.Timestamp().AsTime().Before(before); early || attributes["cluster"] != "blue" {
				t.Errorf("%s at %v has %v", m.Name(), p.Timestamp().AsTime(), attributes)
			}
			id, known := attributes["run_id"] // not before the run has begun
			if known && (id != run.RunID || attributes["benchmark_case_id"] != run.WorkloadDigest) {
				t.Errorf("%s has %v, want %+v", m.Name(), attributes, run)
			}
			joined = joined || known
			if m.Type() == pmetric.MetricTypeSum && (p.StartTimestamp().AsTime().Before(before) || p.StartTimestamp() > p.Timestamp()) {
				t.Errorf("%s is counted since %v", m.Name(), p.StartTimestamp().AsTime())
			}
		}
	}
	if !joined {
		t.Error("no series names its run")
	}
	for name := range published {
		if !seen[name] {
			t.Errorf("%s did not arrive", name)
		}
	}
}

var delivered = regexp.MustCompile(`(\d+) spans delivered by OTLP`)

func (s *sink) checkSpans(t *testing.T, run manifest, said string) {
	t.Helper()
	if told := delivered.FindStringSubmatch(said); told == nil || told[1] != fmt.Sprint(len(s.spans)) || len(s.spans) < 100 {
		t.Errorf("%d spans arrived; the run said %v", len(s.spans), told)
	}
	ids, events := map[string]bool{}, map[bool]int{true: 2, false: 1} // one that was cut may have no first byte
	for _, span := range s.spans {
		attributes := span.Attributes().AsRaw()
		ids[span.TraceID().String()+span.SpanID().String()] = true
		if span.Name() != "request" || span.Kind() != ptrace.SpanKindClient || span.EndTimestamp() <= span.StartTimestamp() ||
			attributes["run_id"] != run.RunID || attributes["benchmark_case_id"] != run.WorkloadDigest || attributes["trace_id"] != nil && attributes["trace_id"] != span.TraceID().String() ||
			attributes["request_id"] == nil || attributes["launch"] == nil || attributes["point"] == nil || span.Events().Len() < events[attributes["outcome"] == "ok"] {
			t.Fatalf("the span %s of %v has %v", span.Name(), span.Kind(), attributes)
		}
	}
	if len(ids) != len(s.spans) {
		t.Errorf("%d spans have %d ids", len(s.spans), len(ids))
	}
}
