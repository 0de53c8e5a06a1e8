package telemetry

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"assay/record"
)

const page = `# HELP vllm:num_requests_running Number of requests in model execution batches.
# TYPE vllm:num_requests_running gauge
vllm:num_requests_running{engine="0",model_name="m"} 7
# TYPE vllm:generation_tokens_total counter
vllm:generation_tokens_total{model_name="m"} 1024
# TYPE vllm:time_to_first_token_seconds histogram
vllm:time_to_first_token_seconds_bucket{le="0.1",model_name="m"} 3
vllm:time_to_first_token_seconds_bucket{le="+Inf",model_name="m"} 4
vllm:time_to_first_token_seconds_sum{model_name="m"} 0.5
vllm:time_to_first_token_seconds_count{model_name="m"} 4
# TYPE rpc_seconds summary
rpc_seconds{quantile="0.5"} NaN
rpc_seconds_sum 2
rpc_seconds_count 8
untyped_bytes 9
`

func TestPrometheus(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, page) }))
	defer server.Close()
	host := strings.TrimPrefix(server.URL, "http://")
	var samples []record.Sample
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	sink := Sink{Samples: func(b []record.Sample) { samples = append(samples, b...) }}
	Sample(ctx, Host{}, func() int64 { return 1 }, sink, Options{Sources: []Source{Prometheus}, Scrape: []string{server.URL + "/metrics"}})
	f := func(name, scope, unit string, want float64) {
		t.Helper()
		i := slices.IndexFunc(samples, func(s record.Sample) bool { return s.Name == name && s.Scope == host+scope })
		if i < 0 || samples[i].Value == nil || *samples[i].Value != want || samples[i].Unit != unit || samples[i].Source != "server" {
			t.Errorf("%s%s: no sample of %v %s among %d", name, scope, want, unit, len(samples))
		}
	}
	f("up", "", "1", 1)
	f("vllm:num_requests_running", `{engine="0",model_name="m"}`, "1", 7)
	f("vllm:generation_tokens_total", `{model_name="m"}`, "tok", 1024)
	f("vllm:time_to_first_token_seconds_bucket", `{model_name="m",le="0.1"}`, "1", 3)
	f("vllm:time_to_first_token_seconds_bucket", `{model_name="m",le="+Inf"}`, "1", 4)
	f("vllm:time_to_first_token_seconds_sum", `{model_name="m"}`, "s", 0.5)
	f("vllm:time_to_first_token_seconds_count", `{model_name="m"}`, "1", 4)
	f("rpc_seconds_sum", "", "s", 2)
	f("untyped_bytes", "", "B", 9)
	i := slices.IndexFunc(samples, func(s record.Sample) bool { return s.Name == "rpc_seconds" })
	if i < 0 || samples[i].Value != nil {
		t.Errorf("a NaN of the server must be a null sample, got %d", i)
	}
}

func TestPrometheusFailures(t *testing.T) {
	status := httptest.NewServer(http.NotFoundHandler())
	defer status.Close()
	garbage := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "{not metrics}\n") }))
	defer garbage.Close()
	endless := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		line := []byte("a_metric{x=\"" + strings.Repeat("y", 1<<20) + "\"} 1\n")
		for range 16 {
			if _, err := w.Write(line); err != nil {
				return
			}
		}
	}))
	defer endless.Close()
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	page := func(text string) string {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, text) }))
		t.Cleanup(server.Close)
		return server.URL
	}
	f := func(page, want string) {
		t.Helper()
		read := Prometheus.Open(Host{}, Options{Scrape: []string{page}})
		got, err := read(t.Context())
		if err != nil || len(got) != 2 || got[0].Name != "up" || got[1].Name != "scrape.time" || got[1].Missing != "" || !strings.Contains(got[0].Missing, want) {
			t.Errorf("%s: got %.200v, %v; want up missing because of %q", page, got, err, want)
		}
		if strings.Contains(got[0].Missing+got[0].Scope, "hunter2") {
			t.Errorf("the password of the address is in %+v", got[0])
		}
	}
	f(status.URL, "404")
	f(garbage.URL, "scrape")
	f(endless.URL, "longer than")
	f(page(strings.Repeat("a 1\n", mostPageLines+1)), "more than 100000 lines")
	f(page(`a{b="`+strings.Repeat("x", mostLineBytes)+"\"} 1\n"), "line 1 of the page is longer than")
	f(strings.Replace(closed.URL, "http://", "http://me:hunter2@", 1), "refused")
	f("http://me:hunter2@bad host/", "want an address")
	f("::", "want an address")
}

// A page that hangs is missing; the page beside it is read all the same.
func TestPrometheusHangingPage(t *testing.T) {
	release := make(chan struct{})
	hangs := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	defer hangs.Close()
	defer close(release)
	works := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, page) }))
	defer works.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	got, err := Prometheus.Open(Host{}, Options{Scrape: []string{hangs.URL, works.URL}})(ctx)
	if err != nil || len(got) < 5 || got[0].Missing == "" || got[1].Value < 0.1 || got[2].Value != 1 {
		t.Errorf("got %.300v, %v; want the first page missing and the second one up", got, err)
	}
}

// Pages are read at their own pace, and nothing is read where none is named.
func TestScrapeInterval(t *testing.T) {
	scrape := func(opts Options) (pages, loads int) {
		var asked atomic.Int64
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			asked.Add(1)
			fmt.Fprint(w, page)
		}))
		defer server.Close()
		for i := range opts.Scrape {
			opts.Scrape[i] = server.URL
		}
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		opts.Sources = []Source{Prometheus, Load}
		sink := Sink{Samples: func(b []record.Sample) {
			if b[0].Name == "load.avg1" {
				loads++
			}
		}}
		Sample(ctx, fakeHost(), func() int64 { return 1 }, sink, opts)
		return int(asked.Load()), loads
	}
	if pages, loads := scrape(Options{Interval: 10 * time.Millisecond, ScrapeInterval: time.Hour, Scrape: []string{""}}); pages != 2 || loads <= 2 {
		t.Errorf("%d pages and %d loads were read, want 2 pages, at the start and the end, and more loads", pages, loads)
	}
	if pages, _ := scrape(Options{Interval: 10 * time.Millisecond}); pages != 0 {
		t.Errorf("%d pages were read, want none", pages)
	}
}

// A page behind a certificate of one's own is read with the target's settings.
func TestScrapeTLS(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, page) }))
	defer server.Close()
	trusted := server.Client().Transport.(*http.Transport).TLSClientConfig
	for _, opts := range []Options{{ScrapeTLS: trusted}, {}} {
		opts.Scrape = []string{server.URL}
		got, err := Prometheus.Open(Host{}, opts)(t.Context())
		if up := err == nil && got[0].Missing == ""; up != (opts.ScrapeTLS != nil) {
			t.Errorf("trusted %v: got %.200v, %v", opts.ScrapeTLS != nil, got, err)
		}
	}
}
