package report

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"assay/analysis/collectives"
	"assay/bundle"
	"assay/metric"
	"assay/plan"
	"assay/record"
)

// NCCL writes collectives in the layout of the tables of nccl-tests, so that what
// reads those reads these. Times are medians of the slowest rank, which the head
// says; the footer has no average over sizes, which means nothing.
func NCCL(w io.Writer, r Report) error {
	if r.Collectives == nil || len(r.Collectives.Rows) == 0 {
		return fmt.Errorf("%s measured no collectives: --format nccl has nothing to show", r.RunID)
	}
	var b bytes.Buffer
	b.WriteString(r.heading("# ", "\n"))
	for i, t := range ncclTables(r.Collectives.Rows) {
		if i > 0 {
			b.WriteByte('\n')
		}
		if err := t.write(&b, r); err != nil {
			return err
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

// An ncclTable is one operation by one algorithm in one world.
type ncclTable struct {
	op, asked string
	ranks     int
	sizes     []ncclSize
}

// An ncclSize is a size out of place and in place; either may be missing.
type ncclSize struct{ out, in *collectives.Row }

func ncclTables(rows []collectives.Row) (list []ncclTable) {
	for _, row := range rows {
		if row.AlgBW == nil {
			continue // nccl-tests has no barrier
		}
		i := slices.IndexFunc(list, func(t ncclTable) bool { return t.op == row.Op && t.asked == row.Asked && t.ranks == row.Ranks })
		if i < 0 {
			list = append(list, ncclTable{op: row.Op, asked: row.Asked, ranks: row.Ranks})
			i = len(list) - 1
		}
		t := &list[i]
		j := slices.IndexFunc(t.sizes, func(s ncclSize) bool { return s.either().Bytes == row.Bytes })
		if j < 0 {
			t.sizes = append(t.sizes, ncclSize{})
			j = len(t.sizes) - 1
		}
		if row.InPlace {
			t.sizes[j].in = &row
		} else {
			t.sizes[j].out = &row
		}
	}
	return list
}

func (s ncclSize) either() collectives.Row {
	if s.out != nil {
		return *s.out
	}
	return *s.in
}

// ncclNames are what nccl-tests calls operations and types that have another name
// here.
var ncclNames = map[string]string{
	"all_to_all": "alltoall", "point_to_point": "sendrecv",
	"float32": "float", "float64": "double", "float16": "half",
}

func ncclName(name string) string {
	if other, ok := ncclNames[name]; ok {
		return other
	}
	return name
}

// ncclRooted are the operations that have a root, and ncclReduced those that reduce.
var (
	ncclRooted  = []string{"broadcast", "reduce", "gather", "scatter"}
	ncclReduced = []string{"all_reduce", "reduce_scatter", "reduce"}
)

func (t ncclTable) write(b *bytes.Buffer, r Report) error {
	first, last := t.sizes[0].either(), t.sizes[len(t.sizes)-1].either()
	point, _ := r.Plan.PointByIndex(first.Point)
	c := point.Collective
	if c == nil {
		c = &plan.Collective{}
	}
	fmt.Fprintf(b, "# Collective test starting: %s_perf\n", ncclName(t.op))
	fmt.Fprintf(b, "# assay %s, run %s, backend %s, algorithm %s\n", r.Estimates.Code, r.RunID, first.Backend, t.asked)
	fmt.Fprintf(b, "# time: median over iterations of the slowest rank, then the mean over %d launches; nccl-tests prints a mean over ranks and iterations\n", len(r.Estimates.Launches))
	fmt.Fprintf(b, "# nThread 1 nGpus 1 minBytes %d maxBytes %d step: %d(factor) warmup iters: %d iters: %d agg iters: 1 validation: %d graph: 0\n#\n",
		first.Bytes, last.Bytes, t.factor(), c.Warmup, c.Iterations, map[bool]int{true: 1}[first.Checked])
	if err := t.writeRanks(b, r, first.Point); err != nil {
		return err
	}
	b.WriteString("#\n")
	fmt.Fprintf(b, "#%13s %37s %25s %31s\n", "", "", "out-of-place", "in-place")
	fmt.Fprintf(b, "#%11s  %12s  %8s  %6s  %6s  %7s  %6s  %6s  %6s  %7s  %6s  %6s  %6s\n", "size", "count", "type", "redop", "root", "time", "algbw", "busbw", "#wrong", "time", "algbw", "busbw", "#wrong")
	fmt.Fprintf(b, "#%11s  %12s  %8s  %6s  %6s  %7s  %6s  %6s  %6s  %7s  %6s  %6s  %6s\n", "(B)", "(elements)", "", "", "", "(us)", "(GB/s)", "(GB/s)", "", "(us)", "(GB/s)", "(GB/s)", "")
	redop, root := "none", "-1"
	if slices.Contains(ncclReduced, t.op) {
		redop = "sum"
	}
	if slices.Contains(ncclRooted, t.op) {
		root = "0"
	}
	wrong := int64(0)
	for _, s := range t.sizes {
		row := s.either()
		fmt.Fprintf(b, "%12d  %12d  %8s  %6s  %6s%s%s\n", row.Bytes, row.Count, ncclName(row.DataType), redop, root, ncclHalf(s.out), ncclHalf(s.in))
		for _, half := range []*collectives.Row{s.out, s.in} {
			if half != nil {
				wrong += half.Wrong
			}
		}
	}
	verdict := "OK"
	if wrong > 0 {
		verdict = "FAILED"
	}
	fmt.Fprintf(b, "# Out of bounds values : %d %s\n", wrong, verdict)
	fmt.Fprintf(b, "# Avg bus bandwidth    : %s\n", t.average())
	return nil
}

// factor is what one size is of the one before; 0 where it varies.
func (t ncclTable) factor() int64 {
	factor := int64(0)
	for i := 1; i < len(t.sizes); i++ {
		a, b := t.sizes[i-1].either().Bytes, t.sizes[i].either().Bytes
		if a <= 0 || b%a != 0 || i > 1 && b/a != factor {
			return 0
		}
		factor = b / a
	}
	return factor
}

// writeRanks lists the processes, where the bundle is at hand.
func (t ncclTable) writeRanks(b *bytes.Buffer, r Report, point int) error {
	fmt.Fprintf(b, "# Using devices\n")
	if r.Bundle == nil || len(r.Estimates.Launches) == 0 {
		fmt.Fprintf(b, "#  %d ranks\n", t.ranks)
		return nil
	}
	launch := r.Estimates.Launches[0]
	world := -1
	for _, l := range r.Plan.Launches {
		if l.Index == launch {
			world = slices.IndexFunc(r.Plan.Worlds(l), func(w plan.World) bool {
				return slices.ContainsFunc(w.Points, func(p plan.Point) bool { return p.Index == point })
			})
		}
	}
	for rank, err := range bundle.Rows[record.Rank](r.Bundle, launch, bundle.Ranks) {
		if err != nil {
			return fmt.Errorf("ranks of launch %d: %w", launch+1, err)
		}
		if int(rank.World) == world {
			fmt.Fprintf(b, "#  Rank %2d Group %2d Pid %6d on %10s device %2d [0000:00:00] %s\n", rank.Rank, 0, rank.PID, rank.Host, rank.LocalRank, rank.Device)
		}
	}
	return nil
}

// average is the bus bandwidth of one size in both modes; of several it says that
// there is none.
func (t ncclTable) average() string {
	if len(t.sizes) > 1 {
		return "none: an average over sizes depends on the sizes that were asked for"
	}
	sum, n := 0.0, 0
	for _, half := range []*collectives.Row{t.sizes[0].out, t.sizes[0].in} {
		if half != nil && half.BusBW != nil {
			sum, n = sum+half.BusBW.Value/1e9, n+1
		}
	}
	if n == 0 {
		return "none: nothing went over a bus"
	}
	return fmt.Sprintf("%g", sum/float64(n))
}

// ncclHalf is one mode of a row; blanks where it was not measured.
func ncclHalf(row *collectives.Row) string {
	if row == nil {
		return fmt.Sprintf("  %7s  %6s  %6s  %6s", "", "", "", "")
	}
	wrong := "N/A"
	if row.Checked {
		wrong = fmt.Sprintf("%g", float64(row.Wrong))
	}
	// Readers hold bandwidths against size and time: they follow from those printed
	// beside them, where the report has means of each launch's own.
	rate, bus := float64(row.Bytes)/row.Time.Value/1e9, "N/A"
	if factor, ok := metric.BusFactor(row.Op, row.Ranks); ok {
		bus = ncclNumber(factor*rate, 6)
	}
	return fmt.Sprintf("  %7s  %6s  %6s  %6s", ncclNumber(row.Time.Value*1e6, 7), ncclNumber(rate, 6), bus, wrong)
}

// ncclNumber loses decimals as a number widens and ends with an exponent.
func ncclNumber(v float64, width int) string {
	for decimals := 2; decimals >= 0; decimals-- {
		if text := fmt.Sprintf("%.*f", decimals, v); len(text) <= width {
			return text
		}
	}
	return strings.TrimSpace(fmt.Sprintf("%.*e", max(0, width-6), v))
}
