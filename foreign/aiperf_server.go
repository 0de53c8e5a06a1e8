package foreign

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"assay/bundle"
	"assay/record"
)

const (
	aiperfScrapes = "server_metrics_export.jsonl" // what every scrape read
	aiperfServer  = "server_metrics_export.json"  // types of the metrics, and aggregates over the run
)

// aiperfServerOther are formats of the same content that are not read.
var aiperfServerOther = []string{"server_metrics_export.csv", "server_metrics_export.parquet"}

// A serverKnowledge says what a folder tells of the server's own metrics, the least
// first: several folders tell what the poorest of them does.
type serverKnowledge int

const (
	serverAbsent      serverKnowledge = iota // no file, or one without content
	serverOtherFormat                        // in files that are not read
	serverElsewhere                          // scrapes, none of them near the window
	serverAggregates                         // over the whole run
	serverReadings                           // single scrapes
)

// serverGaps say precisely what is missing.
var serverGaps = map[serverKnowledge]string{
	serverAbsent:      "there is no " + aiperfServer + " and no " + aiperfScrapes + ": AIPerf stored nothing of the server's own metrics",
	serverOtherFormat: "AIPerf stored the server's own metrics as CSV or Parquet only; assay reads " + aiperfScrapes + " and " + aiperfServer + " (--server-metrics-formats json jsonl)",
	serverElsewhere:   aiperfScrapes + " has no scrape within ten minutes of the measured window",
	serverAggregates:  "AIPerf stored aggregates of the server's own metrics over the run (" + aiperfServer + "), which are kept as reported values; single scrapes are missing, so nothing can be computed over the window (--server-metrics-formats json jsonl stores them)",
}

// An aiperfServerFile is what AIPerf says about the server's metrics as a whole.
type aiperfServerFile struct {
	Summary struct {
		Pages map[string]aiperfFetches `json:"endpoint_info"`
	} `json:"summary"`
	Metrics map[string]struct {
		Type   string `json:"type"`
		Series []struct {
			Page   string             `json:"endpoint_url"`
			Labels map[string]string  `json:"labels"`
			Stats  map[string]float64 `json:"stats"`
		} `json:"series"`
	} `json:"metrics"`
}

// readServer reads what lies beside the results about the server.
func (run *aiperfRun) readServer(folder string) error {
	var file aiperfServerFile
	whole, err := Load(filepath.Join(folder, aiperfServer))
	hasWhole := err == nil
	switch {
	case errors.Is(err, os.ErrNotExist):
	case err != nil:
		return err
	default:
		if err := whole.JSON(&file, "the server metrics of AIPerf"); err != nil {
			return err
		}
		if file.Metrics == nil {
			return fmt.Errorf("%s has no metrics: want the server metrics of AIPerf", whole.Name)
		}
		run.files = append(run.files, whole.redacted())
		run.server = serverAggregates
	}
	if err := run.readScrapes(folder, file, hasWhole); err != nil {
		return err
	}
	if run.server == serverAggregates || hasWhole && !run.records {
		run.reportServer(file)
	}
	if run.server == serverAbsent && slices.ContainsFunc(aiperfServerOther, func(name string) bool {
		_, err := os.Stat(filepath.Join(folder, name))
		return err == nil
	}) {
		run.server = serverOtherFormat
	}
	return nil
}

// readScrapes reads the single scrapes, where there are any.
func (run *aiperfRun) readScrapes(folder string, whole aiperfServerFile, hasWhole bool) error {
	path := filepath.Join(folder, aiperfScrapes)
	info, err := os.Stat(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err == nil && info.Size() == 0 && !hasWhole {
		return nil // AIPerf opens the file before it knows whether there is a page
	}
	file, err := Load(path)
	if err != nil {
		return err
	}
	read := newScrapeReader(whole, run.from, run.from+run.result.measured.Duration.Nanoseconds())
	if err := read.lines(file); err != nil {
		return err
	}
	run.files = append(run.files, file.redacted())
	if !hasWhole {
		addOnce(&run.notes, "without "+aiperfServer+" the server's counters cannot be told from its gauges: their names lack the ending _total, which AIPerf drops")
	}
	if read.stride > 1 {
		addOnce(&run.notes, fmt.Sprintf("of the server's metrics one scrape in %d is read: all of them are more than %d readings", read.stride, mostReadings))
	}
	if n := read.putBack(); n > 0 {
		addOnce(&run.notes, fmt.Sprintf("AIPerf leaves out scrapes of the server's metrics that are equal to the one before; %d of them are put back", n))
	}
	if len(read.kept) == 0 {
		if run.server == serverAbsent {
			run.server = serverElsewhere
		}
		return nil
	}
	run.result.measured.Samples, run.result.measured.Lead = read.samples()
	run.server = serverReadings
	return nil
}

// named is a metric under the server's own name: AIPerf's parser drops the ending
// _total of counters. Triton and TGI write their counters without it.
func (f aiperfServerFile) named(family string) string {
	if f.Metrics[family].Type != "counter" || strings.HasSuffix(family, "_total") ||
		strings.HasPrefix(family, "nv_") || strings.HasPrefix(family, "tgi_") {
		return family
	}
	return family + "_total"
}

const (
	// mostReadings bounds what is kept of a file of scrapes: some 200 MB. A page of
	// vLLM has 700 lines, so that a quarter of an hour is kept whole.
	mostReadings = 2_000_000

	// mostScrapeBytes is the longest scrape, and mostPages the most pages: as much as
	// assay itself reads of a server, and more servers than one run has.
	mostScrapeBytes = 8 << 20
	mostPages       = 1000

	// besideWindow is how far from the window scrapes are kept. Those around its two
	// ends belong to it; the one before it may be older than the preparation of prompts,
	// for a page that does not change is not stored again.
	besideWindow = 10 * time.Minute
)

// A scrapeReader gathers the scrapes around a window. Where there are too many it
// keeps every second, fourth, eighth … of each page: a window needs scrapes from its
// beginning to its end more than it needs all of them.
type scrapeReader struct {
	whole    aiperfServerFile
	from, to int64 // of the window, on the wall clock

	kept     []scrape
	readings int
	stride   int
	seen     map[string]int    // scrapes of a page
	words    map[string]string // names and scopes, each once
}

// A scrape is what one page said at one time.
type scrape struct {
	page    string
	at      int64 // since the beginning of the window
	number  int   // among those of its page
	samples []record.Sample
}

func newScrapeReader(whole aiperfServerFile, from, to int64) *scrapeReader {
	return &scrapeReader{whole: whole, from: from, to: to, stride: 1, seen: map[string]int{}, words: map[string]string{}}
}

// An aiperfScrape is one line of the scrapes.
type aiperfScrape struct {
	Page    string                    `json:"endpoint_url"`
	At      int64                     `json:"timestamp_ns"`
	Took    float64                   `json:"endpoint_latency_ns"`
	Metrics map[string][]aiperfSample `json:"metrics"`
}

// An aiperfSample is one series of a metric: a value, or a histogram.
type aiperfSample struct {
	Labels  map[string]string  `json:"labels"`
	Value   *float64           `json:"value"`
	Buckets map[string]float64 `json:"buckets"`
	Sum     *float64           `json:"sum"`
	Count   *float64           `json:"count"`
}

func (s *scrapeReader) lines(file File) error {
	const want = "the scrapes of AIPerf, one JSON object on each line"
	n := 0
	for line := range bytes.Lines(file.Data) {
		n++
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if len(line) > mostScrapeBytes {
			return fmt.Errorf("%s, line %d is longer than %d bytes: want %s", file.Name, n, mostScrapeBytes, want)
		}
		var one aiperfScrape
		if err := json.Unmarshal(line, &one); err != nil {
			return fmt.Errorf("%s, line %d: %w; want %s", file.Name, n, err, want)
		}
		if one.Page == "" || one.At <= 0 || one.At > mostNanoseconds || one.Metrics == nil {
			return fmt.Errorf("%s, line %d: endpoint_url, timestamp_ns or metrics is missing or no possible value: want %s", file.Name, n, want)
		}
		if err := s.add(one); err != nil {
			return fmt.Errorf("%s, line %d: %w", file.Name, n, err)
		}
	}
	return file.unique(want)
}

func (s *scrapeReader) add(one aiperfScrape) error {
	if s.from == 0 { // no record says when the window began: it begins with the first scrape
		s.to, s.from = one.At+s.to, one.At
	}
	if one.At < s.from-besideWindow.Nanoseconds() || one.At > s.to+besideWindow.Nanoseconds() {
		return nil
	}
	number := s.seen[one.Page]
	if s.seen[one.Page]++; len(s.seen) > mostPages {
		return fmt.Errorf("more than %d metrics pages", mostPages)
	}
	if number%s.stride != 0 {
		return nil
	}
	samples := s.flatten(one)
	s.kept, s.readings = append(s.kept, scrape{one.Page, one.At - s.from, number, samples}), s.readings+len(samples)
	for s.readings > mostReadings && len(s.kept) > len(s.seen) {
		s.thin()
	}
	return nil
}

// thin leaves every second scrape of each page out.
func (s *scrapeReader) thin() {
	s.stride *= 2
	s.kept = slices.DeleteFunc(s.kept, func(one scrape) bool {
		if one.number%s.stride == 0 {
			return false
		}
		s.readings -= len(one.samples)
		return true
	})
}

// flatten writes a scrape as the lines of the page had it, and what scraping took.
func (s *scrapeReader) flatten(one aiperfScrape) []record.Sample {
	page, at := record.PageScope(one.Page), one.At-s.from
	var list []record.Sample
	add := func(name, scope string, value float64) {
		name = s.once(name)
		list = append(list, record.Sample{At: at, Source: "server", Name: name, Scope: s.once(scope), Value: &value, Unit: record.UnitOfName(name)})
	}
	up, took := 1., one.Took/1e9
	list = append(list,
		record.Sample{At: at, Source: "server", Name: "up", Scope: s.once(page), Value: &up, Unit: "1"},
		record.Sample{At: at, Source: "server", Name: "scrape.time", Scope: s.once(page), Value: &took, Unit: "s"})
	for family, series := range one.Metrics {
		name := s.whole.named(family)
		for _, each := range series {
			scope := page + record.LabelScope(each.Labels)
			if each.Value != nil {
				add(name, scope, *each.Value)
			}
			if each.Count != nil {
				add(family+"_count", scope, *each.Count)
			}
			if each.Sum != nil {
				add(family+"_sum", scope, *each.Sum)
			}
			for bound, count := range each.Buckets {
				add(family+"_bucket", page+record.LabelScope(each.Labels, "le", plainBound(bound)), count)
			}
		}
	}
	slices.SortFunc(list[2:], func(a, b record.Sample) int {
		return strings.Compare(a.Name+a.Scope, b.Name+b.Scope)
	})
	return list
}

// once is the text, held in memory once however often it comes.
func (s *scrapeReader) once(text string) string {
	if have, ok := s.words[text]; ok {
		return have
	}
	s.words[text] = text
	return text
}

// samples are all that was kept, and how long before the window it begins.
func (s *scrapeReader) samples() (list []record.Sample, lead time.Duration) {
	list = make([]record.Sample, 0, s.readings)
	for _, one := range s.kept {
		lead = max(lead, -time.Duration(one.at))
		list = append(list, one.samples...)
	}
	return list, lead
}

// gap is what is missing of the server; false where nothing is.
func (k serverKnowledge) gap() (bundle.Gap, bool) {
	return bundle.Gap{ID: bundle.GapServer, Detail: serverGaps[k]}, k != serverReadings
}
