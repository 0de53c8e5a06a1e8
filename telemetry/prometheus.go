package telemetry

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"assay/record"
	"assay/secret"
)

// Prometheus reads the metrics pages of servers under the servers' own names,
// scoped by page and labels.
var Prometheus = Source{
	ID: "prometheus", Name: "server", Doc: "metrics pages of the servers under test, in Prometheus text format",
	Gauges: []Gauge{
		{"up", "1", "1 when a page could be read; the page's own names stand beside it"},
		{"scrape.time", "s", "how long reading a page took, from the request to the last byte understood"},
	},
	Open: func(_ Host, opts Options) Reader {
		// A connection for each scrape: none outlives the sampler, and none is
		// shared with the measured ones.
		client := &http.Client{CheckRedirect: secret.SameHost, Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: opts.ScrapeTLS}}
		return func(ctx context.Context) ([]Reading, error) {
			return scrapeAll(ctx, client, opts.Scrape), nil
		}
	},
}

// What a page may have. Engines write some hundred kilobytes in some thousand lines
// of some hundred bytes; a page of many times as much is something else. Each line
// takes hundreds of bytes once it is read, and is a row of every scrape.
const (
	mostPageBytes = 8 << 20
	mostPageLines = 100_000
	mostLineBytes = 16 << 10
)

// scrapeAll reads the pages side by side: one that hangs must not use up the
// time of the others.
func scrapeAll(ctx context.Context, client *http.Client, pages []string) []Reading {
	readings := make([][]Reading, len(pages))
	var wg sync.WaitGroup
	for i, page := range pages {
		wg.Go(func() { readings[i] = scrape(ctx, client, page) })
	}
	wg.Wait()
	return slices.Concat(readings...)
}

func scrape(ctx context.Context, client *http.Client, page string) []Reading {
	scope := record.PageScope(page)
	begin := time.Now()
	families, err := fetch(ctx, client, page)
	took := Reading{Name: "scrape.time", Scope: scope, Value: time.Since(begin).Seconds()}
	if err != nil {
		return []Reading{{Name: "up", Scope: scope, Missing: err.Error()}, took}
	}
	out := []Reading{{Name: "up", Scope: scope, Value: 1}, took}
	names := make([]string, 0, len(families))
	for name := range families {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		for _, m := range families[name].GetMetric() {
			out = append(out, flatten(name, scope, m)...)
		}
	}
	return out
}

func fetch(ctx context.Context, client *http.Client, page string) (map[string]*dto.MetricFamily, error) {
	scope := record.PageScope(page)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, page, nil)
	if err != nil {
		return nil, fmt.Errorf("scrape %s: want an address such as http://localhost:8000/metrics", scope)
	}
	req.Header.Set("Accept", "text/plain;version=0.0.4")
	resp, err := client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("scrape %s: %w", scope, cause(err))
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("scrape %s: got %s, want 200 OK", scope, resp.Status)
	}
	text, err := readPage(resp.Body)
	if err != nil {
		return nil, fmt.Errorf("scrape %s: %w", scope, err)
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("scrape %s: %w", scope, err)
	}
	return families, nil
}

// readPage reads a page that is no larger than pages are.
func readPage(from io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(from, mostPageBytes+1))
	if err != nil {
		return nil, err
	}
	if len(text) > mostPageBytes {
		return nil, fmt.Errorf("the page is longer than %d bytes", mostPageBytes)
	}
	lines := 0
	for line := range bytes.Lines(text) {
		if lines++; lines > mostPageLines {
			return nil, fmt.Errorf("the page has more than %d lines", mostPageLines)
		}
		if len(line) > mostLineBytes {
			return nil, fmt.Errorf("line %d of the page is longer than %d bytes", lines, mostLineBytes)
		}
	}
	return text, nil
}

// cause drops the address that net/http puts before an error.
func cause(err error) error {
	if ue, ok := err.(*url.Error); ok {
		return ue.Err
	}
	return err
}

// flatten writes one metric as the lines of the page had it.
func flatten(name, page string, m *dto.Metric) []Reading {
	scope := page + labels(m.GetLabel())
	switch {
	case m.Counter != nil:
		return []Reading{reading(name, scope, m.Counter.GetValue())}
	case m.Gauge != nil:
		return []Reading{reading(name, scope, m.Gauge.GetValue())}
	case m.Untyped != nil:
		return []Reading{reading(name, scope, m.Untyped.GetValue())}
	case m.Summary != nil:
		return flattenSummary(name, page, m)
	case m.Histogram != nil:
		return flattenHistogram(name, page, m)
	}
	return nil
}

func flattenSummary(name, page string, m *dto.Metric) []Reading {
	scope := page + labels(m.GetLabel())
	out := []Reading{
		reading(name+"_count", scope, float64(m.Summary.GetSampleCount())),
		reading(name+"_sum", scope, m.Summary.GetSampleSum()),
	}
	for _, q := range m.Summary.GetQuantile() {
		out = append(out, reading(name, page+labels(m.GetLabel(), "quantile", record.Bound(q.GetQuantile())), q.GetValue()))
	}
	return out
}

func flattenHistogram(name, page string, m *dto.Metric) []Reading {
	scope := page + labels(m.GetLabel())
	out := []Reading{
		reading(name+"_count", scope, float64(m.Histogram.GetSampleCount())),
		reading(name+"_sum", scope, m.Histogram.GetSampleSum()),
	}
	for _, b := range m.Histogram.GetBucket() {
		out = append(out, reading(name+"_bucket", page+labels(m.GetLabel(), "le", record.Bound(b.GetUpperBound())), float64(b.GetCumulativeCount())))
	}
	return out
}

func reading(name, scope string, v float64) Reading {
	if math.IsNaN(v) {
		return Reading{Name: name, Scope: scope, Missing: "the server says NaN"}
	}
	return Reading{Name: name, Scope: scope, Value: v}
}

// labels is what a metric is labelled with, as a scope has it.
func labels(pairs []*dto.LabelPair, more ...string) string {
	named := make(map[string]string, len(pairs))
	for _, p := range pairs {
		named[p.GetName()] = p.GetValue()
	}
	return record.LabelScope(named, more...)
}
