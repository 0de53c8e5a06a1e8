package foreign

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

var (
	ncclVersionLine = regexp.MustCompile(`^# nccl-tests version (\S+)(?: nccl-headers=(\S+))?(?: nccl-library=(\S+))?`)
	ncclStartLine   = regexp.MustCompile(`^# Collective test starting: (\S+)`)
	ncclRankLine    = regexp.MustCompile(`^#\s+Rank\s+(\d+)\s.* on\s+(\S+) device\s+(\d+) \[\S+\] (.*)$`)
	ncclAverageLine = regexp.MustCompile(`^# Avg bus bandwidth\s*:\s*(\S+)`)
)

// readNCCLTable reads what a test printed. Lines of other programs, such as NCCL's
// own messages, may stand between its lines.
func readNCCLTable(f *File) (run ncclRun, err error) {
	run = ncclRun{file: f.Name, facts: map[string]any{}}
	if !text(f.Data) {
		return run, fmt.Errorf("%s is a binary file, want %s", f.Name, ncclWants)
	}
	columns, cpu, ended := 4, false, false
	for i, line := range strings.Split(string(f.Data), "\n") {
		line = strings.TrimRight(line, "\r ")
		if found := ncclVersionLine.FindStringSubmatch(line); found != nil {
			run.version = found[1]
			run.facts["nccl.headers"], run.facts["nccl.version"] = found[2], found[3]
		}
		if found := ncclStartLine.FindStringSubmatch(line); found != nil {
			run.collective = ncclCollective(found[1])
		}
		if found := ncclRankLine.FindStringSubmatch(line); found != nil {
			run.ranks++
			run.facts["rank."+found[1]+".host"], run.facts["rank."+found[1]+".gpu"] = found[2], strings.TrimSpace(found[4])
		}
		if found := ncclAverageLine.FindStringSubmatch(line); found != nil {
			ended = true
			if v, err := strconv.ParseFloat(found[1], 64); err == nil && !math.IsNaN(v) && !math.IsInf(v, 0) {
				v *= 1e9
				run.average = &v
			}
		}
		if strings.HasPrefix(line, "#") {
			cpu = cpu || strings.Contains(line, "cputime")
			if strings.Contains(line, "i_min") {
				columns = 8
			}
			continue
		}
		fields := strings.Fields(line)
		if len(fields) < 5+columns || !ncclNumber(fields[0]) || !ncclNumber(fields[1]) {
			continue
		}
		row, err := ncclTableRow(fields, columns, cpu)
		if err != nil {
			return run, fmt.Errorf("%s, line %d: %w", f.Name, i+1, err)
		}
		run.rows = append(run.rows, row)
	}
	switch {
	case len(run.rows) == 0:
		return run, fmt.Errorf("%s has no row of a table, want %s", f.Name, ncclWants)
	case !ended:
		return run, fmt.Errorf("%s ends before the line with the average bus bandwidth: it is cut short, or the test did not end; want %s", f.Name, ncclWants)
	}
	return run, nil
}

func ncclNumber(text string) bool {
	_, err := strconv.ParseInt(text, 10, 64)
	return err == nil
}

// ncclTableRow reads one size. Where nothing was measured out of place, that half
// is blank; after both, a time of day may follow.
func ncclTableRow(fields []string, columns int, cpu bool) (row ncclRow, err error) {
	row.size, _ = strconv.ParseInt(fields[0], 10, 64)
	row.count, _ = strconv.ParseInt(fields[1], 10, 64)
	row.kind, row.reduce, row.root = fields[2], fields[3], fields[4]
	if row.size < 0 {
		return row, fmt.Errorf("a size of %d", row.size)
	}
	halves := fields[5:]
	if len(halves) < 2*columns {
		row.in, err = ncclHalf(halves, cpu)
		return row, err
	}
	if row.out, err = ncclHalf(halves, cpu); err != nil {
		return row, err
	}
	row.in, err = ncclHalf(halves[columns:], cpu)
	return row, err
}

// ncclHalf reads time in µs, both bandwidths in GB/s and the number of wrong
// elements.
func ncclHalf(fields []string, cpu bool) (*ncclMode, error) {
	m := &ncclMode{cpu: cpu}
	for i, to := range []struct {
		name         string
		value, loose *float64
		times, over  float64
	}{
		{"time", &m.seconds, &m.looseSeconds, 1, 1e6}, {"algbw", &m.alg, &m.looseAlg, 1e9, 1}, {"busbw", &m.bus, &m.looseBus, 1e9, 1},
	} {
		v, loose, err := ncclPrinted(fields[i])
		if err != nil {
			return nil, fmt.Errorf("%s is %q, want a number that is not negative", to.name, fields[i])
		}
		*to.value, *to.loose = v*to.times/to.over, loose*to.times/to.over
	}
	if fields[3] != "N/A" {
		v, _, err := ncclPrinted(fields[3])
		if err != nil {
			return nil, fmt.Errorf("#wrong is %q, want a number or N/A", fields[3])
		}
		m.wrong = &v
	}
	return m, nil
}

// ncclPrinted is a printed number and half a unit of its last digit: the columns
// lose decimals as numbers grow.
func ncclPrinted(text string) (v, loose float64, err error) {
	v, err = strconv.ParseFloat(text, 64)
	if err == nil && (math.IsNaN(v) || math.IsInf(v, 0) || v < 0 || v > 1e15) {
		err = strconv.ErrRange
	}
	digits, exponent, _ := strings.Cut(strings.ToLower(text), "e")
	power, _ := strconv.Atoi(exponent)
	if _, decimals, found := strings.Cut(digits, "."); found {
		power -= len(decimals)
	}
	return v, 0.5 * math.Pow(10, float64(power)), err
}
