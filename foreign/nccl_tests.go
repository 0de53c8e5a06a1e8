package foreign

import (
	"bytes"
	"fmt"
	"math"
	"path"
	"strings"
	"time"

	"assay/bundle"
	"assay/record"
	"assay/unit"
)

const ncclWants = "the output of a test of nccl-tests from its first to its last line, or the file of its option -J"

// NCCLTests reads what the programs of nccl-tests printed, or wrote with -J.
var NCCLTests = Tool{
	Name: "nccl-tests",
	Doc:  "files with the printed table, or of -J; a size that comes again, in one file or several, becomes another launch",
	Claims: func(path string) bool {
		head := Head(path)
		return bytes.Contains(head, []byte("# nThread ")) && bytes.Contains(head, []byte("busbw")) || ncclJSON(head)
	},
	Read: readNCCL,
}

// ncclJSON reports whether a file that begins so is one of -J.
func ncclJSON(head []byte) bool {
	return bytes.HasPrefix(bytes.TrimSpace(head), []byte("{")) && bytes.Contains(head, []byte(`"nccl_version"`))
}

// An ncclRun is one run of a test.
type ncclRun struct {
	file       string
	collective string // such as all_reduce; empty when the file does not tell
	version    string
	ranks      int // 0 when the file does not tell
	rows       []ncclRow
	average    *float64 // bus bandwidth, B/s
	facts      map[string]any
	started    time.Time
}

// An ncclRow is one size.
type ncclRow struct {
	size, count       int64
	kind, reduce      string
	root              string
	out, in           *ncclMode
	actual            float64 // iterations; 0 when the file does not tell
	outTimes, inTimes []float64
	skipped           int // of those times, at the front
}

// An ncclMode is a size out of place or in place. Times are seconds and bandwidths
// bytes per second; the loose ones are how far off printing may have rounded them.
type ncclMode struct {
	seconds, looseSeconds float64
	alg, looseAlg         float64
	bus, looseBus         float64
	wrong                 *float64 // nil when nothing was checked
	cpu                   bool     // the time is the processor's
}

func readNCCL(paths []string) (m Import, err error) {
	if len(paths) == 0 {
		return m, fmt.Errorf("nothing to read: want %s", ncclWants)
	}
	m.Source.Tool, m.Environment = "nccl-tests", record.Environment{}
	var all []summary
	name := ""
	for i, path := range paths {
		file, err := Load(path)
		if err != nil {
			return m, err
		}
		read := readNCCLTable
		if ncclJSON(file.Data[:min(len(file.Data), headBytes)]) {
			read = readNCCLJSON
		}
		run, err := read(&file)
		if err != nil {
			return m, err
		}
		m.Files = append(m.Files, file)
		for _, row := range run.rows {
			all = append(all, run.summary(row, &m.Source.Notes))
		}
		m.Source.Notes = append(m.Source.Notes, run.notes()...)
		if i == 0 {
			m.Source.Version, m.Started, name = run.version, run.started, run.collective
			for key, value := range run.facts {
				m.Environment.Set(key, value)
			}
		}
	}
	m.Points, m.Launches = summaries(all)
	m.Run = summaryRun("nccl-tests-"+name, "none", m.Points)
	m.Source.Unknown = []bundle.Gap{
		{ID: bundle.GapRequests, Detail: "a time is the mean of iterations that were launched without waiting for each other: it has no spread, unless -I 1 was given"},
		{ID: bundle.GapWarmup, Detail: "iterations of the warm-up are not in the file"},
		{ID: bundle.GapClient, Detail: "the time is averaged over ranks unless -a says otherwise: the slowest rank, which is what a step waits for, is not reported"},
		{ID: bundle.GapServer, Detail: "algorithm and protocol are not reported: under in-network reduction bus bandwidth is not what went over a link"},
	}
	if len(m.Launches) == 1 {
		m.Source.Unknown = append(m.Source.Unknown, bundle.Gap{ID: bundle.GapReplicates, Detail: "each size was measured once; pass several files to make them launches"})
	}
	return m, nil
}

// ncclFactors are what makes bus bandwidth of algorithm bandwidth at n ranks
// (nccl-tests' PERFORMANCE.md and its GetBw functions).
var ncclFactors = map[string]func(n float64) float64{
	"all_reduce":     func(n float64) float64 { return 2 * (n - 1) / n },
	"all_gather":     func(n float64) float64 { return (n - 1) / n },
	"reduce_scatter": func(n float64) float64 { return (n - 1) / n },
	"alltoall":       func(n float64) float64 { return (n - 1) / n },
	"gather":         func(n float64) float64 { return (n - 1) / n },
	"scatter":        func(n float64) float64 { return (n - 1) / n },
	"broadcast":      func(float64) float64 { return 1 },
	"reduce":         func(float64) float64 { return 1 },
	"sendrecv":       func(float64) float64 { return 1 },
	"hypercube":      func(float64) float64 { return 1 },
}

// ncclCollective is the collective that a program tests.
func ncclCollective(program string) string {
	return strings.TrimSuffix(path.Base(strings.TrimSpace(program)), "_perf")
}

// notes are what is known of every run.
func (r ncclRun) notes() (list []string) {
	if r.collective == "" {
		list = append(list, r.file+" does not name its collective: bus bandwidth cannot be checked")
	} else if ncclFactors[r.collective] == nil {
		list = append(list, fmt.Sprintf("%s: the factor of bus bandwidth of %s is not known here: it is not checked", r.file, r.collective))
	}
	if r.ranks == 0 {
		list = append(list, r.file+" does not tell how many ranks there were: bus bandwidth cannot be checked")
	}
	if r.average != nil && len(r.rows) > 1 {
		list = append(list, fmt.Sprintf("%s: the average bus bandwidth of %.4g GB/s is over all sizes and both modes and is left out: it depends on the sizes that were asked for", r.file, *r.average/1e9))
	}
	return list
}

// summary is one size as a point.
func (r ncclRun) summary(row ncclRow, notes *[]string) summary {
	name := r.collective
	if name == "" {
		name = "collective"
	}
	s := summary{point: Point{Name: fmt.Sprintf("%s size=%d type=%s redop=%s root=%s", name, row.size, row.kind, row.reduce, row.root)}}
	var longest float64
	for _, mode := range []struct {
		name    string
		of      *ncclMode
		times   []float64
		inPlace bool
	}{{"out_of_place", row.out, row.outTimes, false}, {"in_place", row.in, row.inTimes, true}} {
		if mode.of == nil {
			continue
		}
		if n := mode.of.wrong; n != nil && *n > 0 {
			*notes = append(*notes, fmt.Sprintf("FAILED %s %s: %g elements were wrong", s.point.Name, mode.name, *n))
		}
		s.measured.Reported = append(s.measured.Reported, r.figures(mode.name, row, *mode.of)...)
		s.measured.Collectives = append(s.measured.Collectives, r.operations(row, mode.times, mode.inPlace, *mode.of, int64(longest*1e9))...)
		iterations := math.Max(1, row.actual)
		longest += mode.of.seconds * iterations
	}
	// A clock cannot show more than some centuries.
	s.measured.Duration = time.Duration(math.Min(longest*1e9, 1e18))
	for _, c := range s.measured.Collectives {
		s.measured.Duration = max(s.measured.Duration, time.Duration(c.End))
	}
	return s
}

// operations are single iterations, where -I 1 has timed them: those of the slowest
// process, end to end, since the file does not tell when each began.
func (r ncclRun) operations(row ncclRow, times []float64, inPlace bool, m ncclMode, begin int64) (list []record.Collective) {
	for i, seconds := range times {
		phase := record.Measure
		if i < row.skipped {
			phase = record.Warmup
		}
		end := begin + int64(seconds*1e9)
		one := record.Collective{
			Seq: int64(i), Phase: phase, Op: r.collective, Bytes: row.size, DataType: row.kind,
			Ranks: int32(r.ranks), InPlace: inPlace, Start: begin, End: end,
		}
		if i == len(times)-1 && m.wrong != nil {
			one.Wrong = int64(math.Min(*m.wrong, 1e15)) // answers are checked once, after the last
		}
		list = append(list, one)
		begin = end
	}
	return list
}

// figures are what is printed of one mode, held against what follows from time and
// size.
func (r ncclRun) figures(mode string, row ncclRow, m ncclMode) []record.Reported {
	unchecked := ""
	if m.wrong != nil && *m.wrong > 0 {
		unchecked = fmt.Sprintf("%g elements of the result were wrong: the operation failed", *m.wrong)
	}
	timeName, timeMeans := mode+".time", "mean time of one operation over the iterations"
	if m.cpu {
		timeName, timeMeans = mode+".cputime", "mean time of one operation until the call returned, on the processor"
	}
	list := []record.Reported{
		{Name: timeName, Statistic: "mean", Value: m.seconds, Unit: string(unit.Second), Definition: timeMeans, Wrong: unchecked},
		{Name: mode + ".algbw", Statistic: "value", Value: m.alg, Unit: string(unit.BytePerSecond), Definition: "size / time", Wrong: firstText(unchecked, r.checkAlg(row, m))},
		{Name: mode + ".busbw", Statistic: "value", Value: m.bus, Unit: string(unit.BytePerSecond), Definition: "algbw × the factor of the collective; to be held against one direction of a link", Wrong: firstText(unchecked, r.checkBus(row, m))},
	}
	if m.wrong != nil {
		list = append(list, record.Reported{Name: mode + ".wrong", Statistic: "value", Value: *m.wrong, Unit: string(unit.Ratio), Definition: "elements with a wrong answer, over all ranks"})
	}
	return list
}

func firstText(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

// checkAlg says when algorithm bandwidth is not size / time, further off than
// rounding explains.
func (r ncclRun) checkAlg(row ncclRow, m ncclMode) string {
	return ncclDiffers("size / time", float64(row.size), m, 1, m.alg, m.looseAlg)
}

// checkBus says when bus bandwidth is not what the factor makes of size / time.
func (r ncclRun) checkBus(row ncclRow, m ncclMode) string {
	factor := ncclFactors[r.collective]
	switch {
	case r.ranks == 1 && factor != nil && factor(1) == 0:
		return "one rank: nothing goes over a bus"
	case factor == nil || r.ranks == 0:
		return ""
	}
	return ncclDiffers(fmt.Sprintf("%.4g × size / time", factor(float64(r.ranks))), float64(row.size), m, factor(float64(r.ranks)), m.bus, m.looseBus)
}

// ncclDiffers compares a bandwidth with factor × size / time.
func ncclDiffers(what string, size float64, m ncclMode, factor, got, loose float64) string {
	if m.seconds <= m.looseSeconds {
		return "" // the time is printed as nothing
	}
	low, high := factor*size/(m.seconds+m.looseSeconds)-loose, factor*size/(m.seconds-m.looseSeconds)+loose
	if got >= low*(1-1e-6) && got <= high*(1+1e-6) {
		return ""
	}
	return fmt.Sprintf("%s is %.4g B/s: what is printed is not of this time and size", what, factor*size/m.seconds)
}
