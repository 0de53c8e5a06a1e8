package foreign

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/bundle"
	"assay/record"
	tiers "assay/tests/whole"
)

// serverFolder copies the real result with server metrics and changes its files; a
// nil content takes a file away.
func serverFolder(t *testing.T, change map[string]func([]byte) []byte) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{aiperfSummary, aiperfRecords, aiperfServer, aiperfScrapes} {
		data, err := os.ReadFile(filepath.Join("testdata/aiperf/c2-server", name))
		if err != nil {
			t.Fatal(err)
		}
		if to := change[name]; to != nil {
			if data = to(data); data == nil {
				continue
			}
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func gone([]byte) []byte { return nil }

func readFolder(t *testing.T, dir string) (Import, Measured) {
	t.Helper()
	m, err := AIPerf.Read([]string{dir})
	if err != nil {
		t.Fatal(err)
	}
	return m, m.Launches[0].Points[0]
}

func serverGap(m Import) string {
	for _, g := range m.Source.Unknown {
		if g.ID == bundle.GapServer {
			return g.Detail
		}
	}
	return ""
}

// series are the readings of one name and scope, by their times.
func seriesOf(m Measured, name, scope string) (at []int64, values []float64) {
	for _, s := range m.Samples {
		if s.Source == "server" && s.Name == name && s.Scope == scope {
			at, values = append(at, s.At), append(values, *s.Value)
		}
	}
	return at, values
}

// Scrapes become readings under the server's own names, on the clock of the window.
func TestAIPerfScrapes(t *testing.T) {
	m, at := readFolder(t, "testdata/aiperf/c2-server")
	if gap := serverGap(m); gap != "" {
		t.Errorf("gap %q, want none: the scrapes were read", gap)
	}
	const scope = `127.0.0.1:8461{model_name="sim"}`
	times, values := seriesOf(at, "vllm:generation_tokens_total", scope)
	// By hand: the first scrape lies 6.742239363 s before the first credit, the second
	// 0.328323487 s after it; nine more were stored, and those between were equal.
	if len(values) < 11 || values[len(values)-1] != 960 || !slices.IsSorted(values) {
		t.Fatalf("generation_tokens_total reads %v, want at least 11 readings that rise to 960", values)
	}
	near(t, "last scrape before the first token", times[slices.Index(values, 92)], 0.328323487)
	if lead := at.Lead; lead != 6742239363*time.Nanosecond {
		t.Errorf("the first scrape is %v before the window, want 6.742239363s", lead)
	}
	if _, ups := seriesOf(at, "up", "127.0.0.1:8461"); len(ups) != len(values) {
		t.Errorf("%d scrapes and %d readings of a counter, want as many", len(ups), len(values))
	}
	if _, buckets := seriesOf(at, "vllm:time_to_first_token_seconds_bucket", `127.0.0.1:8461{model_name="sim",le="+Inf"}`); len(buckets) == 0 || buckets[len(buckets)-1] != 24 {
		t.Errorf("the last bucket reads %v, want 24 at the end", buckets)
	}
	if slices.ContainsFunc(at.Reported, func(f record.Reported) bool { return f.Server }) {
		t.Error("aggregates are reported although single scrapes were read")
	}
	// In the bundle no reading is before the beginning of its launch.
	b, _ := write(t, m)
	rows := 0
	for s, err := range bundle.Rows[record.Sample](b, 0, bundle.Samples) {
		if err != nil {
			t.Fatal(err)
		}
		if rows++; s.At < 0 {
			t.Errorf("%s was read at %d ns of the launch", s.Name, s.At)
		}
	}
	if rows != len(at.Samples) {
		t.Errorf("the bundle holds %d readings of %d", rows, len(at.Samples))
	}
}

// What AIPerf left out because it was equal is put back, and no more than it counts.
func TestAIPerfRepeats(t *testing.T) {
	m, at := readFolder(t, "testdata/aiperf/c2-server")
	times, values := seriesOf(at, "vllm:generation_tokens_total", `127.0.0.1:8461{model_name="sim"}`)
	i := slices.Index(values, 92)
	if i < 1 || values[i-1] != 0 || times[i]-times[i-1] > 400e6 {
		t.Errorf("before the first tokens the counter reads %v at %v, want 0 one interval earlier", values, times)
	}
	if len(values) > 20 {
		t.Errorf("%d scrapes, want at most the 20 that AIPerf counts", len(values))
	}
	if !slices.ContainsFunc(m.Source.Notes, func(note string) bool { return strings.Contains(note, "put back") }) {
		t.Errorf("notes %q do not say what was put back", m.Source.Notes)
	}
	none := serverFolder(t, map[string]func([]byte) []byte{aiperfServer: func(data []byte) []byte {
		return bytes.Replace(data, []byte(`"total_fetches": 20`), []byte(`"total_fetches": 11`), 1)
	}})
	if _, at := readFolder(t, none); len(at.Samples) == 0 {
		t.Error("no samples")
	} else if _, values := seriesOf(at, "vllm:generation_tokens_total", `127.0.0.1:8461{model_name="sim"}`); len(values) != 11 {
		t.Errorf("%d scrapes where AIPerf counts no repeats, want the 11 that it stored", len(values))
	}
}

// What is missing of the server is said precisely, whatever lies there.
func TestAIPerfServerGaps(t *testing.T) {
	other := func(name string) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) {
			if err := os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	later := func(data []byte) []byte {
		return bytes.ReplaceAll(data, []byte(`"timestamp_ns":17948`), []byte(`"timestamp_ns":17958`))
	}
	for _, tt := range []struct {
		name   string
		change map[string]func([]byte) []byte
		also   func(t *testing.T, dir string)
		want   string // in the gap; empty for none
	}{
		{"all", nil, nil, ""},
		{"scrapes alone", map[string]func([]byte) []byte{aiperfServer: gone}, nil, ""},
		{"aggregates alone", map[string]func([]byte) []byte{aiperfScrapes: gone}, nil, "single scrapes are missing"},
		{"nothing", map[string]func([]byte) []byte{aiperfServer: gone, aiperfScrapes: gone}, nil, "stored nothing"},
		{"an empty file", map[string]func([]byte) []byte{aiperfServer: gone, aiperfScrapes: func([]byte) []byte { return []byte{} }}, nil, "stored nothing"},
		{"csv", map[string]func([]byte) []byte{aiperfServer: gone, aiperfScrapes: gone}, other("server_metrics_export.csv"), "as CSV or Parquet only"},
		{"parquet", map[string]func([]byte) []byte{aiperfServer: gone, aiperfScrapes: gone}, other("server_metrics_export.parquet"), "as CSV or Parquet only"},
		{"another time", map[string]func([]byte) []byte{aiperfServer: gone, aiperfScrapes: later}, nil, "no scrape within ten minutes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := serverFolder(t, tt.change)
			if tt.also != nil {
				tt.also(t, dir)
			}
			m, _ := readFolder(t, dir)
			if got := serverGap(m); (tt.want == "") != (got == "") || !strings.Contains(got, tt.want) {
				t.Errorf("gap %q, want %q in it", got, tt.want)
			}
		})
	}
	// The poorest of several folders decides.
	m, err := AIPerf.Read([]string{"testdata/aiperf/c2-server", "testdata/aiperf/c4"})
	if err == nil && serverGap(m) == "" {
		t.Error("no gap where one of two folders has no server metrics")
	}
}

// Aggregates alone are values that the tool reported, under the server's names.
func TestAIPerfAggregates(t *testing.T) {
	_, at := readFolder(t, serverFolder(t, map[string]func([]byte) []byte{aiperfScrapes: gone}))
	if len(at.Samples) != 0 {
		t.Errorf("%d readings without scrapes", len(at.Samples))
	}
	for _, want := range []struct {
		name, statistic, unit string
		value                 float64
	}{
		{`vllm:generation_tokens_total{model_name="sim"}`, "increase", "tok", 960},
		{`vllm:num_requests_running{model_name="sim"}`, "max", "1", 2},
		{`vllm:time_to_first_token_seconds{model_name="sim"}`, "mean", "s", 0.008910561958333334},
	} {
		f := figureOf(t, at, want.name, want.statistic)
		if f.Value != want.value || f.Unit != want.unit || !f.Server {
			t.Errorf("%s %s = %+v, want %v %s of the server", want.name, want.statistic, f, want.value, want.unit)
		}
	}
}

// A file of scrapes that cannot be what AIPerf writes is refused by name and line.
func TestAIPerfScrapesDamaged(t *testing.T) {
	for _, tt := range []struct {
		name string
		file string
		do   func([]byte) []byte
		want string
	}{
		{"cut", aiperfScrapes, func(d []byte) []byte { return d[:len(d)-100] }, aiperfScrapes + ", line 11"},
		{"another document", aiperfScrapes, func([]byte) []byte { return []byte(`{"hello": ["world"]}`) }, "endpoint_url, timestamp_ns or metrics is missing"},
		{"empty beside aggregates", aiperfScrapes, func([]byte) []byte { return []byte{} }, aiperfScrapes + " is empty"},
		{"a key twice", aiperfScrapes, func(d []byte) []byte {
			return bytes.Replace(d, []byte(`"timestamp_ns"`), []byte(`"timestamp_ns":1,"timestamp_ns"`), 1)
		}, "timestamp_ns stands twice"},
		{"a long line", aiperfScrapes, func(d []byte) []byte {
			return append([]byte(`{"x":"`+strings.Repeat("y", mostScrapeBytes)+`"}`+"\n"), d...)
		}, "line 1 is longer than"},
		{"no metrics", aiperfServer, func([]byte) []byte { return []byte(`{"hello": 1}`) }, aiperfServer + " has no metrics"},
		{"cut", aiperfServer, func(d []byte) []byte { return d[:len(d)/2] }, aiperfServer + " ends in the middle"},
	} {
		_, err := AIPerf.Read([]string{serverFolder(t, map[string]func([]byte) []byte{tt.file: tt.do})})
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}

// Too many scrapes are thinned over the whole window; its ends stay.
func TestAIPerfThinned(t *testing.T) {
	tiers.Only(t)
	s := newScrapeReader(aiperfServerFile{}, 1, math.MaxInt64/2)
	s.to = 1e15
	metrics := map[string][]aiperfSample{}
	value := 1.
	for i := range 1000 {
		metrics[fmt.Sprintf("m%d", i)] = []aiperfSample{{Value: &value}}
	}
	const scrapes = int64(5000)
	for i := range scrapes {
		if err := s.add(aiperfScrape{Page: "http://h:1/metrics", At: i * 1e9, Metrics: metrics}); err != nil {
			t.Fatal(err)
		}
		if s.readings > mostReadings {
			t.Fatalf("%d readings are held, want at most %d", s.readings, mostReadings)
		}
	}
	samples, _ := s.samples()
	first, last := samples[0].At, samples[len(samples)-1].At
	if s.stride != 4 || first > 1e9 || last < (scrapes-int64(s.stride)-1)*1e9 {
		t.Errorf("every %dth scrape from %d to %d, want every 4th over all 5000 s", s.stride, first, last)
	}
}
