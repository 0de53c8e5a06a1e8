package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"assay/bundle"
	"assay/record"
)

// A reading is the run as seen from outside at one moment.
type reading struct {
	requests int64 // answered by the simulator
	resident int64 // bytes
	peak     int64 // the most so far, bytes
	ended    int   // launches that are over; what follows the last reads the bundle
}

type readings []reading

const lookEvery = 250 * time.Millisecond

// watch reads the process until it has ended.
func watch(pid int, url, out string, ended <-chan error) (readings, error) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	var seen readings
	for {
		select {
		case err := <-ended:
			return seen, err
		case <-tick.C:
		}
		r, err := look(pid, url, out)
		if errors.Is(err, os.ErrNotExist) {
			continue // it is just ending
		}
		if err != nil {
			return seen, err
		}
		seen = append(seen, r)
	}
}

func look(pid int, url, out string) (r reading, err error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return r, err
	}
	for line := range strings.Lines(string(status)) {
		name, value, _ := strings.Cut(line, ":")
		kilobytes, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
		switch name {
		case "VmRSS":
			r.resident = kilobytes << 10
		case "VmHWM":
			r.peak = kilobytes << 10
		}
	}
	if r.resident == 0 {
		return r, os.ErrNotExist // a zombie has no memory
	}
	if r.requests, err = answered(url); err != nil {
		return r, err
	}
	ledgers, err := filepath.Glob(filepath.Join(out, "*", bundle.LedgerFile))
	for _, path := range ledgers {
		text, readErr := os.ReadFile(path)
		err = errors.Join(err, readErr)
		r.ended = bytes.Count(text, []byte(`"event":"ended"`))
	}
	return r, err
}

// answered is how many requests the simulator has answered.
func answered(url string) (int64, error) {
	resp, err := http.Get(url + "/metrics")
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	total := 0.0
	lines := bufio.NewScanner(io.LimitReader(resp.Body, 1<<20))
	for lines.Scan() {
		if fields := strings.Fields(lines.Text()); len(fields) == 2 && strings.HasPrefix(fields[0], "vllm:request_success_total") {
			n, err := strconv.ParseFloat(fields[1], 64)
			if err != nil {
				return 0, err
			}
			total += n
		}
	}
	return int64(total), lines.Err()
}

// The most that a run may grow. Goroutines and descriptors come and go with
// connections; a leak is one for each launch or request.
const (
	mostGrowth     = 20 << 20
	mostHeapGrowth = 10 << 20
	mostMore       = 20
)

// judge prints what was seen and says what grew.
func (seen readings) judge(t trial, out string) error {
	var early, late, last reading // the largest of each stretch; last is the whole
	for _, r := range seen {
		into := &late
		switch {
		case t.early(r):
			into = &early
		case r.ended == launches:
			into = &last
		}
		if r.peak > into.peak {
			*into = r
		}
	}
	if early.peak == 0 || late.peak == 0 {
		return fmt.Errorf("%d readings are too few to say anything: make the run longer", len(seen))
	}
	growth := late.peak - early.peak
	fmt.Printf("  resident memory, most  %s up to %s, %s to the end of the last launch: %+.1f MB (at most %d)\n",
		megabytes(early.peak), t.settledText(), megabytes(late.peak), float64(growth)/(1<<20), mostGrowth>>20)
	fmt.Printf("  and while estimating   %s, for %d requests, after the measurement\n", megabytes(max(last.peak, late.peak)), seen[len(seen)-1].requests)
	var errs []error
	if growth > mostGrowth {
		errs = append(errs, fmt.Errorf("resident memory grew by %s", megabytes(growth)))
	}
	return errors.Join(errors.Join(errs...), judgeInside(out))
}

func megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/(1<<20)) }

// judgeInside compares what the run recorded about itself: the second half of the
// first launch, when pools have filled, with that of the last.
func judgeInside(out string) error {
	dirs, err := filepath.Glob(filepath.Join(out, "*"))
	if err != nil || len(dirs) != 1 {
		return fmt.Errorf("bundles %v, %v; want one", dirs, err)
	}
	b, err := bundle.Open(dirs[0])
	if err != nil {
		return err
	}
	var errs []error
	for _, gauge := range []struct {
		name string
		most float64
		show func(float64) string
	}{
		{"heap.live", mostHeapGrowth, func(v float64) string { return megabytes(int64(v)) }},
		{"memory.resident", mostGrowth, func(v float64) string { return megabytes(int64(v)) }},
		{"goroutines", mostMore, func(v float64) string { return fmt.Sprint(v) }},
		{"files.open", mostMore, func(v float64) string { return fmt.Sprint(v) }},
		{"threads", mostMore, func(v float64) string { return fmt.Sprint(v) }},
	} {
		first, err1 := readGauge(b, 0, gauge.name)
		final, err2 := readGauge(b, launches-1, gauge.name)
		if err := errors.Join(err1, err2); err != nil {
			return err
		}
		begin, end := median(secondHalf(first)), median(secondHalf(final))
		fmt.Printf("  %-22s %s in the first launch, %s in the last\n", gauge.name, gauge.show(begin), gauge.show(end))
		if end-begin > gauge.most {
			errs = append(errs, fmt.Errorf("%s grew by %s", gauge.name, gauge.show(end-begin)))
		}
	}
	return errors.Join(errs...)
}

// readGauge is every reading of one gauge of the client in a launch.
func readGauge(b *bundle.Bundle, launch int, name string) (values []float64, err error) {
	for s, err := range bundle.Rows[record.Sample](b, launch, bundle.Samples) {
		if err != nil {
			return nil, err
		}
		if s.Source == "client" && s.Name == name && s.Value != nil {
			values = append(values, *s.Value)
		}
	}
	if len(values) == 0 {
		return nil, fmt.Errorf("launch %d has no sample of %s", launch, name)
	}
	return values, nil
}

// secondHalf leaves out the last reading, which is taken when all is over.
func secondHalf(xs []float64) []float64 {
	return xs[len(xs)/2 : max(len(xs)/2+1, len(xs)-1)]
}

func median(xs []float64) float64 {
	sorted := slices.Sorted(slices.Values(xs))
	return sorted[len(sorted)/2]
}
