// Package fidelity measures the client that measures: a simulator that knows
// when it sent each token and a client run as two processes, one processor each,
// and the client's stamps are compared with the simulator's own.
//
// It judges assay's clients alone, on this host, at this moment. It is no
// benchmark of a server, and says nothing about a network between two hosts.
package fidelity

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"time"
)

// A Spread is a distribution of errors. Quantiles are of the absolute value.
type Spread struct {
	N     int           `json:"n"`
	P50   time.Duration `json:"p50_ns"`
	P90   time.Duration `json:"p90_ns"`
	Mean  time.Duration `json:"mean_ns"` // without the largest tenth
	P99   time.Duration `json:"p99_ns"`
	P999  time.Duration `json:"p999_ns"`
	Max   time.Duration `json:"max_ns"`
	Sigma time.Duration `json:"sigma_ns"` // of the signed error
}

// A Result is one trial.
type Result struct {
	Reader  string `json:"reader"`
	Stamps  string `json:"stamps"` // what the records say, "mixed" if they differ
	Streams int    `json:"streams"`
	Trial   int    `json:"trial"`

	// TTFT is what the client adds to the time to first token: from the origin of
	// the request, which is its due time in an open loop, until it was written, and from the server's stamp of the
	// first token until ours.
	TTFT Spread `json:"ttft"`
	// Lag is from when a request was due until it was sent.
	Lag Spread `json:"lag"`
	// Stamp is our stamp of a token minus the server's.
	Stamp Spread `json:"stamp"`
	// Gap is our time between two tokens minus the server's, where reports count it:
	// not beside a token that shared a read with the next.
	Gap Spread `json:"gap"`

	Events    int           `json:"events"` // judged
	Lost      int           `json:"lost"`   // sent by the server and not seen, or the reverse
	Failed    int           `json:"failed"` // requests
	Error     string        `json:"error,omitempty"`
	PerSecond float64       `json:"events_per_s"`
	Reads     float64       `json:"reads_per_event"`
	ReadsCPU  float64       `json:"reads_per_cpu_s"` // reads in a second of the client's processor time, decoding included
	Shared    float64       `json:"shared_reads"`    // tokens that came in one read with the token before
	CPU       time.Duration `json:"cpu_per_million_events_ns"`
	DecodeCPU time.Duration `json:"decode_cpu_per_million_events_ns"` // part of CPU
	RSS       int64         `json:"rss_bytes"`
	RSSFile   int64         `json:"rss_file_bytes"` // part of RSS: the program file
	Startup   time.Duration `json:"startup_ns"`     // process start until the first request could go out
	Late      Spread        `json:"server_late"`    // the simulator's own: sent after due
}

// truth is when the server sent the tokens of each request, and when they were
// due.
type truth map[string][]sending

type sending struct{ arrival, due, sent int64 }

// readTruth reads the simulator's truth log.
func readTruth(r io.Reader) (truth, error) {
	rows := csv.NewReader(bufio.NewReaderSize(r, 1<<20))
	rows.ReuseRecord = true
	head, err := rows.Read()
	if err != nil {
		return nil, fmt.Errorf("truth log: %w", err)
	}
	request, kind := slices.Index(head, "request"), slices.Index(head, "kind")
	arrival, due, sent := slices.Index(head, "arrival_ns"), slices.Index(head, "due_ns"), slices.Index(head, "sent_ns")
	if min(request, arrival, kind, due, sent) < 0 {
		return nil, fmt.Errorf("truth log: got columns %v, want request, arrival_ns, kind, due_ns and sent_ns", head)
	}
	all := truth{}
	for {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("truth log: %w", err)
		}
		if row[kind] != "token" {
			continue
		}
		d, dErr := strconv.ParseInt(row[due], 10, 64)
		s, sErr := strconv.ParseInt(row[sent], 10, 64)
		a, aErr := strconv.ParseInt(row[arrival], 10, 64)
		if err := errors.Join(aErr, dErr, sErr); err != nil {
			return nil, fmt.Errorf("truth log: %w", err)
		}
		all[row[request]] = append(all[row[request]], sending{a, d, s})
	}
}

// judge compares what was observed with the truth. The first request of each
// stream opens a connection and is left out.
func judge(seen Observed, t truth) Result {
	r := Result{Failed: seen.Failed, Error: seen.Error, RSS: seen.RSS, RSSFile: seen.RSSFile}
	var ttft, lag, stamp, gap, late []int64
	first, last, all := int64(math.MaxInt64), int64(0), 0
	for _, a := range seen.Requests {
		sent := t[a.ID]
		all += len(a.At)
		r.Lost += max(len(sent)-len(a.At), len(a.At)-len(sent))
		if a.Round == 0 {
			continue
		}
		r.Stamps = agreed(r.Stamps, a.Stamps)
		n := min(len(sent), len(a.At))
		for i := range n {
			stamp = append(stamp, a.At[i]-sent[i].sent)
			late = append(late, sent[i].sent-sent[i].due)
			if i > 0 && !readLater(a.At, i-1) && !readLater(a.At, i) {
				gap = append(gap, (a.At[i]-a.At[i-1])-(sent[i].sent-sent[i-1].sent))
			}
		}
		if n > 0 {
			ttft = append(ttft, a.Late+a.Lag+a.At[0]-sent[0].sent)
			lag = append(lag, a.Wait)
			first, last = min(first, a.At[0]), max(last, a.At[n-1])
		}
	}
	r.Lag = spread(lag)
	r.TTFT, r.Stamp, r.Gap, r.Late = spread(ttft), spread(stamp), spread(gap), spread(late)
	r.Events = len(stamp)
	if last > first {
		r.PerSecond = float64(r.Events) / time.Duration(last-first).Seconds()
	}
	if all > 0 {
		r.Reads = float64(seen.Reads) / float64(all)
		r.Shared = float64(seen.Shared) / float64(all)
		r.CPU = perMillion(seen.CPU, all)
		r.ReadsCPU = float64(seen.Reads) / max(seen.CPU.Seconds(), 1e-9)
		r.DecodeCPU = perMillion(seen.DecodeCPU, all)
	}
	return r
}

// readLater reports whether one read took event i and the next, whose stamp both then have:
// gaps beside it are not known, and reports leave them out.
func readLater(at []int64, i int) bool { return i+1 < len(at) && at[i] == at[i+1] }

func perMillion(d time.Duration, events int) time.Duration {
	return time.Duration(float64(d) * 1e6 / float64(events))
}

func agreed(before, now string) string {
	if before == "" || before == now {
		return now
	}
	return "mixed"
}

func spread(signed []int64) Spread {
	if len(signed) == 0 {
		return Spread{}
	}
	mean, squares := 0.0, 0.0
	for i, v := range signed {
		d := float64(v) - mean
		mean += d / float64(i+1)
		squares += d * (float64(v) - mean)
		signed[i] = max(v, -v)
	}
	slices.SortFunc(signed, cmp.Compare[int64])
	most := max(1, len(signed)*9/10)
	usual := int64(0)
	for _, v := range signed[:most] {
		usual += v
	}
	at := func(q float64) time.Duration {
		return time.Duration(signed[min(len(signed)-1, int(q*float64(len(signed))))])
	}
	return Spread{
		N: len(signed), P50: at(.5), P90: at(.9), Mean: time.Duration(usual / int64(most)), P99: at(.99), P999: at(.999), Max: at(1),
		Sigma: time.Duration(math.Sqrt(squares / float64(len(signed)))),
	}
}
