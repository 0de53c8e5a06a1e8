package hot

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	metricspb "go.opentelemetry.io/proto/otlp/metrics/v1"
	"google.golang.org/protobuf/proto"

	"assay/load"
	"assay/plan"
	"assay/record"
	"assay/run/watch"
	"assay/spec"
)

// busy is a run under way, with something in every family.
func busy() *watch.Live {
	v := &watch.Live{Gauge: func(string, string) (string, int, bool) { return "waiting", 0, true }}
	point := plan.Point{Index: 0, Name: "concurrency=12", Concurrency: 12}
	p := plan.Plan{Name: "nightly", WorkloadDigest: "sha256:ab", Points: []plan.Point{point}, Launches: []plan.Launch{{Order: []int{0}}}}
	v.Begin(p, nil)
	v.Identify("20261117_020000__run__nightly")
	v.EnterLaunch(p.Launches[0])
	v.EnterPoint(point, &load.Tally{})
	v.EnterPhase(record.Measure)
	for i := range 1000 {
		r := &record.Request{ID: int64(i), Phase: record.Measure, Result: record.OK, Sent: 1e6, Done: 9e7}
		if i%100 == 0 {
			r.Result = record.HTTPError
		}
		v.Ended(r, []record.Chunk{{Kind: record.Content, At: 2e7}, {Kind: record.Content, At: 3e7}})
	}
	number := func(v float64) *float64 { return &v }
	sample := func(at int64, source, name string, value float64) record.Sample {
		return record.Sample{At: at, Source: source, Name: name, Scope: "0", Value: number(value)}
	}
	for second := range int64(3) {
		v.Sampled([]record.Sample{
			sample(second*1e9+1, "client", "cpu.user.total", float64(second)), sample(second*1e9+1, "client", "cpu.system.total", 0), sample(second*1e9+1, "client", "gomaxprocs", 4),
			sample(second*1e9+1, "gpu", "utilisation", .5), sample(second*1e9+1, "gpu", "power", 300), sample(second*1e9+1, "server", "vllm:waiting", 7),
		})
	}
	return v
}

func documented(changes func(*spec.HotMetrics)) spec.HotMetrics {
	o := spec.HotMetrics{
		CardinalityBudget: spec.CardinalityBudget{MaxActiveSeries: 1000, DropDimensions: []string{"request_id", "trace_id"}},
		Labels:            map[string]string{"cluster": `east "1"`}, Listen: "127.0.0.1:0",
	}
	if changes != nil {
		changes(&o)
	}
	return o
}

// The page is one that Prometheus' own parser reads; series have labels of the contract,
// and no request is in it.
func TestPage(t *testing.T) {
	p, err := Begin(documented(nil), busy(), os.LookupEnv, os.ReadFile)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Stop()
	time.Sleep(1100 * time.Millisecond) // rates are over a second at least
	p.sample(t.Context())
	response, err := http.Get("http://" + p.Addr() + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	got, err := parser.TextToMetricFamilies(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if got[f.name] == nil && f.name != "assay_run_progress_ratio" {
			t.Errorf("the page has no %s", f.name)
		}
	}
	text := fmt.Sprint(got["assay_ttft_seconds"])
	for _, want := range []string{`"run_id"`, `"20261117_020000__run__nightly"`, `"benchmark_case_id"`, `"8-15"`, `east`, `0.99`} {
		if !strings.Contains(strings.ReplaceAll(text, " ", ""), strings.ReplaceAll(want, " ", "")) {
			t.Errorf("assay_ttft_seconds is %s, want %s in it", text, want)
		}
	}
	if v := value(got["assay_request_failures_total"].Metric[0]); v != 10 {
		t.Errorf("%v requests failed, want 10", v)
	}
}

// Series beyond the budget are left out and counted, and labels that are to be dropped are.
func TestBudget(t *testing.T) {
	c := newCatalog(documented(func(o *spec.HotMetrics) {
		o.CardinalityBudget = spec.CardinalityBudget{MaxActiveSeries: 5, DropDimensions: []string{"cluster"}}
	}))
	for range 3 {
		list, n := c.gather(busy().Snapshot()), 0
		for _, f := range list {
			n += len(f.Metric)
			if strings.Contains(fmt.Sprint(f), "east") {
				t.Fatalf("%v has a label that is to be dropped", f)
			}
		}
		if left := value(list[len(list)-1].Metric[0]); n != 6 || left < 10 {
			t.Fatalf("%d series, %v left out; want 5 and the count of those that are not", n, left)
		}
	}
}

func TestConcurrencyBucket(t *testing.T) {
	for users, want := range map[int]string{0: "", 1: "1", 2: "2-3", 7: "4-7", 8: "8-15", 1000: "512-1023"} {
		if got := concurrencyBucket(users); got != want {
			t.Errorf("%d users are in %q, want %q", users, got, want)
		}
	}
}

// What OTLP gets is what the official messages say; a receiver that fails costs the run
// nothing, and is named without its address.
func TestOTLP(t *testing.T) {
	var mu sync.Mutex
	var body []byte
	status := http.StatusOK
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		if r.URL.Path == "/private/v1/metrics" && r.Header.Get("Authorization") == "Bearer x" {
			body = data
		}
		w.WriteHeader(status)
	}))
	defer receiver.Close()
	lookup := func(string) (string, bool) { return "Bearer x", true }
	p, err := Begin(documented(func(o *spec.HotMetrics) {
		o.OTLP = &spec.OTLPPush{URL: receiver.URL + "/private", Headers: map[string]spec.Secret{"Authorization": {Env: "TOKEN"}}}
	}), busy(), lookup, os.ReadFile)
	if err != nil {
		t.Fatal(err)
	}
	p.sample(t.Context())
	var got metricspb.MetricsData
	mu.Lock()
	err = proto.Unmarshal(body, &got)
	status = http.StatusServiceUnavailable
	mu.Unlock()
	if err != nil || len(got.ResourceMetrics) != 1 {
		t.Fatalf("%v: %d bytes", err, len(body))
	}
	sums := 0
	for _, m := range got.ResourceMetrics[0].ScopeMetrics[0].Metrics {
		if s := m.GetSum(); s != nil && m.Name == "assay_requests_total" && s.IsMonotonic && s.DataPoints[0].GetAsDouble() == 1000 {
			sums++
		}
	}
	if sums != 1 {
		t.Errorf("got %v, want one counter of a thousand requests", &got)
	}
	if err := p.Stop(); err == nil || !strings.Contains(err.Error(), "503") || strings.Contains(err.Error(), "private") {
		t.Errorf("after a failed delivery: %v", err)
	}
	if err := p.Stop(); err != nil {
		t.Errorf("stopped twice: %v", err)
	}
}

// Every query of the dashboard finds something in a real Prometheus that scrapes the page,
// and what is pushed by remote write is there too.
func TestDashboard(t *testing.T) {
	tool, err := exec.LookPath("prometheus")
	if err != nil {
		t.Skip("prometheus is not installed (Debian package prometheus)")
	}
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	own := l.Addr().String()
	l.Close()
	p, err := Begin(documented(func(o *spec.HotMetrics) { o.RemoteWrite = &spec.MetricsPush{URL: "http://" + own + "/api/v1/write"} }), busy(), os.LookupEnv, os.ReadFile)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	config := fmt.Sprintf("global: {scrape_interval: 500ms}\nscrape_configs: [{job_name: assay, static_configs: [{targets: [%q]}]}]\n", p.Addr())
	if err := os.WriteFile(filepath.Join(dir, "prometheus.yml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), tool, "--config.file", filepath.Join(dir, "prometheus.yml"), "--storage.tsdb.path", filepath.Join(dir, "data"),
		"--web.listen-address", own, "--web.enable-remote-write-receiver", "--log.level=error")
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	defer p.Stop()
	for _, query := range append(dashboardQueries(t), `assay_requests_total{job=""}`, `assay_ttft_seconds{job="",cluster="east \"1\""}`) {
		deadline := time.Now().Add(time.Minute) // a machine may be busy
		for n := 0; n == 0; time.Sleep(100 * time.Millisecond) {
			if n, err = answers(own, query); time.Now().After(deadline) {
				t.Fatalf("%s finds nothing: %v\n%s", query, err, said.String())
			}
			if n == 0 {
				p.sample(t.Context())
			}
		}
	}
}

// dashboardQueries are those of every panel, with one run chosen. Progress is not known of a
// run of no planned length.
func dashboardQueries(t *testing.T) (list []string) {
	t.Helper()
	text, err := os.ReadFile("../deploy/grafana/assay.json")
	if err != nil {
		t.Fatal(err)
	}
	var board struct {
		Panels []struct{ Targets []struct{ Expr string } }
	}
	if err := json.Unmarshal(text, &board); err != nil || len(board.Panels) < 10 {
		t.Fatalf("%d panels, %v", len(board.Panels), err)
	}
	for _, panel := range board.Panels {
		for _, target := range panel.Targets {
			if !strings.Contains(target.Expr, "assay_run_progress_ratio") {
				list = append(list, strings.ReplaceAll(target.Expr, "$run", "20261117_020000__run__nightly"))
			}
		}
	}
	return list
}

func answers(address, query string) (n int, err error) {
	response, err := http.Get("http://" + address + "/api/v1/query?query=" + url.QueryEscape(query))
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	var answer struct {
		Status, Error string
		Data          struct{ Result []json.RawMessage }
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		return 0, err
	}
	return len(answer.Data.Result), fmt.Errorf("%s %s", answer.Status, answer.Error)
}

// What a sample costs is said in docs/guides/schedule.md.
func BenchmarkSample(b *testing.B) {
	v := busy()
	c := newCatalog(documented(nil))
	b.Run("snapshot", func(b *testing.B) {
		for b.Loop() {
			v.Snapshot()
		}
	})
	s := v.Snapshot()
	b.Run("encode", func(b *testing.B) {
		for b.Loop() {
			list := c.gather(s)
			if _, _, err := remoteWrite(list, time.Now()); err != nil || math.IsNaN(value(list[0].Metric[0])) {
				b.Fatal(err)
			}
		}
	})
}
