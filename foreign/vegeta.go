package foreign

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/url"
	"slices"
	"strconv"
	"time"

	"assay/bundle"
	"assay/record"
	"assay/unit"
)

const vegetaWants = "results of vegeta encode --to json, or a report of vegeta report --type json"

// Vegeta reads what vegeta measured: single results, or the report over them.
var Vegeta = Tool{
	Name: "vegeta",
	Doc:  "files of vegeta encode --to json, or of vegeta report --type json; files at one rate become launches",
	Claims: func(path string) bool {
		head := Head(path)
		return vegetaLines(head) || bytes.Contains(head, []byte(`"latencies"`)) && bytes.Contains(head, []byte(`"status_codes"`))
	},
	Read: readVegeta,
}

// vegetaLines reports whether a file that begins so holds single results.
func vegetaLines(head []byte) bool {
	return bytes.HasPrefix(bytes.TrimSpace(head), []byte("{")) && bytes.Contains(head, []byte(`"attack"`)) && bytes.Contains(head, []byte(`"bytes_out"`))
}

// A vegetaRow is one request. Its latency is in nanoseconds.
type vegetaRow struct {
	Code    int32
	At      *time.Time `json:"timestamp"`
	Latency *int64
	Error   string
	URL     string
	In      int64 `json:"bytes_in"`
}

// A vegetaReport is a summary. Its times are nanoseconds.
type vegetaReport struct {
	Latencies  map[string]*float64 `json:"latencies"`
	Earliest   time.Time           `json:"earliest"`
	Duration   *float64            `json:"duration"`
	Wait       *float64            `json:"wait"`
	Requests   *float64            `json:"requests"`
	Rate       *float64            `json:"rate"`
	Throughput *float64            `json:"throughput"`
	Success    *float64            `json:"success"`
}

func readVegeta(paths []string) (m Import, err error) {
	if m, err = begin("vegeta", paths, vegetaWants); err != nil {
		return m, err
	}
	var results []result
	question, summaries := asked{name: "vegeta", arrival: "constant"}, 0
	for i, file := range m.Files {
		var one result
		var at time.Time
		if vegetaLines(file.Data[:min(len(file.Data), headBytes)]) {
			one, at, err = readVegetaRows(file, &question)
		} else {
			one, at, err = readVegetaReport(file)
			summaries++
		}
		if err != nil {
			return m, err
		}
		if i == 0 {
			m.Started = at
		}
		results = append(results, one)
	}
	if summaries > 0 && summaries < len(m.Files) {
		return m, fmt.Errorf("%d of %d files are reports and the others single results: import one kind at a time", summaries, len(m.Files))
	}
	m.Points, m.Launches = group(results)
	m.Run = question.run(m.Points, m.Launches)
	m.Source.Notes = []string{"the rate that was asked for is not stored: the points name (requests − 1) / time from the first send to the last, to three digits"}
	gaps := []bundle.Gap{
		{ID: bundle.GapDueTimes, Detail: "a request counts from when a worker took it up: with --max-workers the wait for one is not in the latency"},
		{ID: bundle.GapChunks, Detail: "only the end of an answer is stamped: no first token, no gaps"},
		{ID: bundle.GapTokens, Detail: "tokens are not counted: vegeta knows requests and bytes"},
		{ID: bundle.GapRetries, Detail: "Go's HTTP client may send a request again on a connection that the server has closed"},
		{ID: bundle.GapWarmup, Detail: "there is no warm-up: the first requests open their connections"},
		{ID: bundle.GapClient, Detail: "it does not say whether it was the limit"},
		{ID: bundle.GapHost, Detail: "neither the machine nor the version is described"},
		{ID: bundle.GapServer, Detail: "the server's own counters are not read"},
	}
	if summaries > 0 {
		gaps = append(gaps, bundle.Gap{ID: bundle.GapRequests, Detail: "a report holds summaries alone; pass the single results (vegeta encode --to json) to have them computed again"})
	}
	m.Source.Unknown = unknown(m.Launches, gaps...)
	return m, nil
}

func readVegetaRows(file File, question *asked) (out result, started time.Time, err error) {
	if !text(file.Data) {
		return out, started, fmt.Errorf("%s is a binary file, want %s", file.Name, vegetaWants)
	}
	var rows []vegetaRow
	from := json.NewDecoder(bytes.NewReader(file.Data))
	for n := 1; ; n++ {
		var row vegetaRow
		err := from.Decode(&row)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return out, started, file.bad(fmt.Sprintf("line %d", n), from, nil, err, vegetaWants)
		}
		if row.At == nil || row.Latency == nil || *row.Latency < 0 || float64(*row.Latency) >= mostSeconds*1e9 {
			return out, started, fmt.Errorf("%s, line %d: timestamp or latency is missing or no time, want %s", file.Name, n, vegetaWants)
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		return out, started, fmt.Errorf("%s holds no result, want %s", file.Name, vegetaWants)
	}
	if err := file.unique(vegetaWants); err != nil {
		return out, started, err
	}
	slices.SortStableFunc(rows, func(a, b vegetaRow) int { return a.At.Compare(*b.At) })
	started = *rows[0].At
	end := time.Duration(0)
	out.measured.room(len(rows), 0)
	for i, row := range rows {
		sent := row.At.Sub(started)
		end = max(end, sent+time.Duration(*row.Latency))
		a := answer{sent: sent.Seconds(), end: float64(*row.Latency) / 1e9, status: row.Code, failed: row.Error}
		if a.failed == "" && (row.Code < 200 || row.Code >= 300) {
			a.failed = fmt.Sprintf("status %d", row.Code)
		}
		if err := out.measured.add(a); err != nil {
			return out, started, fmt.Errorf("%s, result %d: %w", file.Name, i, err)
		}
		r := &out.measured.Requests[i]
		r.Bytes = max(0, row.In)
		if r.Result == record.OK {
			r.Status = row.Code
		}
	}
	if address, err := url.Parse(rows[0].URL); err == nil && address.Host != "" {
		question.url = address.Scheme + "://" + address.Host
	}
	out.measured.Duration = end
	out.point = vegetaPoint(float64(len(rows)), rows[len(rows)-1].At.Sub(started).Seconds())
	return out, started, nil
}

// vegetaPoint is the rate at which requests left.
func vegetaPoint(requests, seconds float64) Point {
	if requests < 2 || !(seconds > 0) {
		return Point{Concurrency: 1}
	}
	rate, err := strconv.ParseFloat(strconv.FormatFloat((requests-1)/seconds, 'g', 3, 64), 64)
	if err != nil || rate > 1e6 {
		return Point{Name: "vegeta"}
	}
	return Point{Rate: rate}
}

func readVegetaReport(file File) (out result, started time.Time, err error) {
	var r vegetaReport
	if err := file.JSON(&r, vegetaWants); err != nil {
		return out, started, err
	}
	for _, n := range []named{{"duration", r.Duration}, {"requests", r.Requests}, {"rate", r.Rate}, {"throughput", r.Throughput}, {"success", r.Success}, {"wait", r.Wait}} {
		if v := n.value; v == nil || !(*v >= 0 && *v < mostSeconds*1e9) {
			return out, started, fmt.Errorf("%s: %s is missing or no number from 0 up, want %s", file.Name, n.field, vegetaWants)
		}
	}
	out.point = vegetaPoint(*r.Requests, *r.Duration/1e9)
	out.measured.Duration = time.Duration(math.Round(*r.Duration + *r.Wait))
	add := func(name, statistic string, v float64, f figure) {
		out.measured.Reported = append(out.measured.Reported, f.says(name, statistic, v))
	}
	latency := figure{unit: unit.Second, scale: 1e-9, definition: "from when a worker took the request up to the end of the body; failed requests count too"}
	for _, s := range [][2]string{{"mean", "mean"}, {"min", "min"}, {"50th", "p50"}, {"90th", "p90"}, {"95th", "p95"}, {"99th", "p99"}, {"max", "max"}} {
		if v := r.Latencies[s[0]]; v != nil {
			add("latencies", s[1], *v, latency)
		}
	}
	add("requests", "value", *r.Requests, figure{unit: unit.Request, definition: "requests that were sent"})
	add("rate", "value", *r.Rate, figure{unit: unit.RequestPerSecond, definition: "requests / time from the first send to the last", wrong: "n requests have n − 1 gaps: it is too high by n / (n − 1)"})
	add("throughput", "value", *r.Throughput, figure{unit: unit.RequestPerSecond, metric: "request_throughput.v2"})
	add("success", "value", *r.Success, figure{unit: unit.Ratio, definition: "requests with a status from 200 to 399 / all requests"})
	return out, r.Earliest, nil
}
