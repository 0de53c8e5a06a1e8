package foreign

import (
	"fmt"
	"math"
	"regexp"
	"strconv"

	"assay/record"
)

// genai-bench cuts its rows by their place in the order of completion, errors
// counted in: with n rows and the ratios w and c it keeps those from ⌊nw⌋ up to
// n − ⌊nc⌋ for its statistics. The ratios stand nowhere but in the command.

// A genaiCut is which rows of a run its own statistics rest on.
type genaiCut struct {
	from, to int // rows kept, in order of completion

	// Found says that the statistics of these rows are the stored ones, to the last
	// digits. Without it all rows are taken.
	found bool
	note  string // what was found out; empty where nothing was cut
}

var (
	genaiWarmupRatio   = regexp.MustCompile(`\s--warmup-ratio[ =](\S+)`)
	genaiCooldownRatio = regexp.MustCompile(`\s--cooldown-ratio[ =](\S+)`)
)

// genaiRatio is the share that an option of the command names; 0 when it is not
// there or no share.
func genaiRatio(option *regexp.Regexp, command string) float64 {
	found := option.FindStringSubmatch(command)
	if found == nil {
		return 0
	}
	v, err := strconv.ParseFloat(found[1], 64)
	if err != nil || !(v >= 0 && v < 1) {
		return 0
	}
	return v
}

// withoutRatios is the command of a run whose statistics rest on all its rows.
func withoutRatios(command string) string {
	return genaiCooldownRatio.ReplaceAllString(genaiWarmupRatio.ReplaceAllString(command, ""), "")
}

// cut finds the rows that the statistics of the run rest on: those that the ratios
// of the command give, where they reproduce what is stored.
func (r *genaiRunOf) cut(command string) genaiCut {
	n := len(r.Rows)
	all := genaiCut{to: n}
	good, _, kept := r.count()
	warm, cool := genaiRatio(genaiWarmupRatio, command), genaiRatio(genaiCooldownRatio, command)
	if warm+cool > 0 && warm+cool < 1 {
		c := genaiCut{from: int(float64(n) * warm), to: n - int(float64(n)*cool)}
		if field := r.differs(r.Rows[c.from:c.to]); field != "" {
			all.note = fmt.Sprintf("%s: the rows %d to %d that --warmup-ratio %g and --cooldown-ratio %g keep do not give its %s: all %d rows are taken", r.file, c.from, c.to-1, warm, cool, field, n)
			return all
		}
		c.found = true
		c.note = fmt.Sprintf("%s: its statistics rest on rows %d to %d of %d, which --warmup-ratio %g and --cooldown-ratio %g keep and which give them to the last digits: latencies are those of these rows, the others are marked as warm-up and cool-down; rates count all rows over the whole run_duration", r.file, c.from, c.to-1, n, warm, cool)
		return c
	}
	if kept >= 0 && kept < good {
		all.note = fmt.Sprintf("%s: its statistics rest on %d of %d successful requests and its command names no ratio that says which: all of them are taken", r.file, kept, good)
	}
	return all
}

// differs names a statistic that rows do not give; empty when they give all that
// are stored.
func (r *genaiRunOf) differs(rows []genaiRow) string {
	compared := 0
	for _, f := range genaiFields {
		ours := genaiSummary(genaiValues(rows, f))
		for _, statistic := range genaiStatistics {
			stored := r.Aggregate.Stats[f.name][statistic]
			if stored == nil {
				continue
			}
			if compared++; ours[statistic] == nil || !alike(*stored, *ours[statistic], lastDigits) {
				return statistic + " of " + f.name
			}
		}
	}
	if compared == 0 {
		return "statistics, of which it stores none"
	}
	return ""
}

const (
	// lastDigits is how far two sums of the same numbers may be apart: the order of
	// adding moves the last digits of some thousands of them by less.
	lastDigits = 1e-11

	// rounding is how far figures may be apart when one comes from records, which
	// hold whole nanoseconds.
	rounding = 1e-6
)

// alike reports whether two numbers are one but for a share of themselves.
func alike(a, b, share float64) bool {
	return math.Abs(a-b) <= share*max(1e-3, math.Abs(a), math.Abs(b))
}

// phase is the part of the run that a row belongs to.
func (c genaiCut) phase(row int) record.Phase {
	switch {
	case row < c.from:
		return record.Warmup
	case row >= c.to:
		return record.Cooldown
	}
	return record.Measure
}
