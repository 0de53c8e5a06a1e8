package main

import (
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"assay/bundle"
	"assay/record"
)

// A run is published while it goes on, and half of its requests become spans that lead back
// to their records; a receiver that is not there costs the run nothing.
func TestRunHot(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var spans []*tracepb.Span
	metrics := 0
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		if r.URL.Path == "/v1/metrics" {
			metrics++
			return
		}
		var data tracepb.TracesData
		if proto.Unmarshal(body, &data) == nil && len(data.ResourceSpans) == 1 {
			spans = append(spans, data.ResourceSpans[0].ScopeSpans[0].Spans...)
		}
	}))
	defer receiver.Close()
	s := newScheduleScene(t, "600ms")
	file := filepath.Join(s.dir, "run.yaml")
	if err := os.WriteFile(file, []byte(templateOf(t, s.file)+"  sinks: {hotMetrics: {interval: 1s}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	page, nobody := freeAddress(t), freeAddress(t)
	done := make(chan struct{})
	seen := make(chan bool)
	go func() { // somebody scrapes as the run goes on
		found := false
		for {
			if response, err := http.Get("http://" + page + "/metrics"); err == nil {
				text, _ := io.ReadAll(response.Body)
				response.Body.Close()
				found = found || strings.Contains(string(text), `assay_run_stage{benchmark_case_id="sha256:`)
			}
			select {
			case <-done:
				seen <- found
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	}()
	out, errs, code := call(t, "run", file, "--out", filepath.Join(s.dir, "runs"), "--progress", "none", "--metrics-listen", page,
		"--metrics-push", "http://"+nobody+"/api/v1/write", "--otlp", receiver.URL, "--otlp-spans", "0.5")
	close(done)
	if found := <-seen; code != exitOK || !found || metrics == 0 {
		t.Fatalf("exit %d, scraped %v, %d pushes\n%s%s", code, found, metrics, out, errs)
	}
	if !strings.Contains(errs, "hot metrics: ") || !strings.Contains(errs, fmt.Sprintf("%d spans delivered", len(spans))) {
		t.Errorf("standard error does not say what was delivered and what was not:\n%s", errs)
	}
	b, err := bundle.Open(onlyBundle(t, filepath.Join(s.dir, "runs")))
	if err != nil {
		t.Fatal(err)
	}
	traces, all := map[string]record.Request{}, 0
	for _, l := range b.Launches() {
		for r, err := range bundle.Rows[record.Request](b, l.Index, bundle.Requests) {
			if err != nil {
				t.Fatal(err)
			}
			traces[r.TraceID] = r
			all++
		}
	}
	if len(spans) < all/4 || len(spans) > all*3/4 {
		t.Errorf("%d spans of %d requests, want about half", len(spans), all)
	}
	for _, span := range spans {
		if !slices.ContainsFunc(span.Attributes, func(a *commonpb.KeyValue) bool { return a.Key == "trace_id" }) {
			continue // a control, which was sent without a trace
		}
		r, known := traces[hex.EncodeToString(span.TraceId)]
		if took := int64(span.EndTimeUnixNano - span.StartTimeUnixNano); !known || took != r.Done-r.Origin() || len(span.SpanId) != 8 {
			t.Fatalf("span %v took %d, want the request %+v", span, took, r)
		}
	}
}

// templateOf is the run of a schedule as a document of its own.
func templateOf(t *testing.T, file string) string {
	t.Helper()
	_, template, found := strings.Cut(read(t, file), "  template:\n")
	if !found {
		t.Fatal("no template")
	}
	return "apiVersion: assay.dev/v1alpha1\nkind: BenchmarkRun\nmetadata: {name: hot}\n" + strings.ReplaceAll(template, "\n    ", "\n")[len("    "):]
}

// An address that is none is refused before anything is measured, and not repeated.
func TestRunHotRefuses(t *testing.T) {
	document := documentOf(t, "http://127.0.0.1:1", "")
	for _, flags := range [][]string{{"--otlp", "collector:4318/canary"}, {"--metrics-push", "ftp://canary"}, {"--metrics-listen", "canary"}, {"--otlp-spans", "0.1"}} {
		_, stderr, code := call(t, append([]string{"run", "--out", t.TempDir(), document}, flags...)...)
		if code == exitOK || !strings.Contains(stderr, "want") || strings.Contains(stderr, "canary") {
			t.Errorf("%v: exit %d, %s", flags, code, stderr)
		}
	}
}
