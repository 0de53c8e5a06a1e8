package collectives

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"assay/finding"
	"assay/plan"
	"assay/record"
	"assay/spec"
)

// A stage makes studies of known truth: every time is what it says.
type stage struct {
	study
	seq int64
}

func newStage(launches int) *stage {
	s := &stage{study: study{confidence: .95, facts: record.Environment{}}}
	s.plan.Run.Spec.Collectives = &spec.Collectives{}
	for i := range launches {
		s.launches = append(s.launches, launch{index: i, points: map[int][]record.Collective{}, worlds: map[int][]record.Rank{}})
	}
	return s
}

// add plans a point and records it: took says how long a rank takes in an iteration
// of a launch, and late how long after the others it enters.
func (s *stage) add(c plan.Collective, ranks int, took func(launch, iteration, rank int) float64, late func(rank int) float64) int {
	index := len(s.plan.Points)
	if c.DataType == "" {
		c.DataType = "float32"
	}
	if c.Algorithm == "" {
		c.Algorithm = "auto"
	}
	s.plan.Points = append(s.plan.Points, plan.Point{Index: index, Name: fmt.Sprint(c.Op, c.Bytes), Ranks: ranks, Collective: &c})
	bound := int64(2000)
	for i, l := range s.launches {
		for rank := range ranks {
			l.worlds[index] = append(l.worlds[index], record.Rank{Rank: int32(rank), Ranks: int32(ranks), Host: fmt.Sprint("host", rank/2), Bound: &bound})
		}
		for it := range c.Iterations {
			for rank := range ranks {
				start := s.seq*1e9 + int64(1e9*late(rank))
				l.points[index] = append(l.points[index], record.Collective{
					Rank: int32(rank), Seq: s.seq, Point: int32(index), Phase: record.Measure, Op: c.Op, Algorithm: "ring", Bytes: c.Bytes, DataType: c.DataType,
					Ranks: int32(ranks), InPlace: c.InPlace, Start: start, End: start + int64(1e9*took(i, it, rank)), Checked: true,
				})
			}
			s.seq++
		}
	}
	return index
}

func together(int) float64 { return 0 }

// sweep plans all_reduce at powers of two by T = α + S/β, with launches that differ
// by a thousandth.
func (s *stage) sweep(alpha, beta float64, sizes ...int64) {
	for _, size := range sizes {
		s.add(plan.Collective{Op: "all_reduce", Bytes: size, Iterations: 9}, 4, func(l, it, rank int) float64 {
			return (alpha + float64(size)/beta) * (1 + .001*float64(l)) * (1 - .01*float64(rank))
		}, together)
	}
}

func mustReport(t *testing.T, s *stage) Report {
	t.Helper()
	r, err := s.report()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func near(got, want, tolerance float64) bool { return math.Abs(got/want-1) <= tolerance }

// The time is the slowest rank's, and bandwidths follow by nccl-tests' factors.
func TestRows(t *testing.T) {
	tests := []struct {
		op     string
		ranks  int
		factor float64 // 0 means no bus bandwidth
		count  int64
	}{
		{"all_reduce", 4, 1.5, 1 << 18}, {"all_gather", 4, .75, 1 << 16}, {"reduce_scatter", 4, .75, 1 << 16}, {"all_to_all", 4, .75, 1 << 16},
		{"gather", 4, .75, 1 << 16}, {"scatter", 4, .75, 1 << 16}, {"broadcast", 4, 1, 1 << 18}, {"reduce", 4, 1, 1 << 18}, {"point_to_point", 2, 1, 1 << 18},
		{"all_reduce", 1, 0, 1 << 18},
	}
	for _, tt := range tests {
		s := newStage(3)
		s.add(plan.Collective{Op: tt.op, Bytes: 1 << 20, Iterations: 5}, tt.ranks, func(l, it, rank int) float64 {
			if rank == tt.ranks-1 {
				return .002 // the slowest
			}
			return .001
		}, together)
		row := mustReport(t, s).Rows[0]
		if !near(row.Time.Value, .002, 1e-9) || row.Samples != 15 || row.Count != tt.count || row.Algorithm != "ring" || row.Asked != "auto" {
			t.Errorf("%s: %+v", tt.op, row)
		}
		if alg := float64(1<<20) / .002; !near(row.AlgBW.Value, alg, 1e-9) {
			t.Errorf("%s: algbw %v, want %v", tt.op, row.AlgBW.Value, alg)
		} else if tt.factor == 0 && row.BusBW != nil || tt.factor > 0 && !near(row.BusBW.Value, tt.factor*alg, 1e-9) {
			t.Errorf("%s: busbw %+v, want %v times %v", tt.op, row.BusBW, tt.factor, alg)
		}
	}
	s := newStage(1)
	s.add(plan.Collective{Op: "barrier", Iterations: 40}, 2, func(l, it, rank int) float64 { return .001 + 1e-5*rand.New(rand.NewPCG(1, uint64(it))).Float64() }, together)
	row := mustReport(t, s).Rows[0]
	if row.AlgBW != nil || row.BusBW != nil || row.P99 != nil || !row.Time.Interval.Bounded() || !strings.Contains(fmt.Sprint(row.Time.Warnings), "one launch") {
		t.Errorf("barrier of one launch: %+v", row)
	}
}

// A model is found where it holds, predicts what it has not seen, and refuses where
// it does not hold.
func TestFit(t *testing.T) {
	powers := func(from, to int) (list []int64) {
		for i := from; i <= to; i++ {
			list = append(list, 1<<i)
		}
		return list
	}
	s := newStage(3)
	s.sweep(100e-6, 1e9, powers(3, 25)...)
	f := mustReport(t, s).Fits[0]
	if !f.Usable || !near(f.Alpha, 100e-6, .05) || !near(f.Beta, 1e9, .02) || f.Residual > .05 || !near(f.Half, 1e5, .05) {
		t.Errorf("%+v", f)
	}
	if len(f.Predicted) != 21 {
		t.Errorf("%d sizes were predicted from the others, want 21", len(f.Predicted))
	}
	for _, p := range f.Predicted {
		if !near(p.Expected, p.Measured, .05) {
			t.Errorf("%d bytes: expected %v, measured %v", p.Bytes, p.Expected, p.Measured)
		}
	}
	if got, ok := f.Time(64 << 20); !ok || !near(got, 100e-6+float64(64<<20)/1e9, .02) {
		t.Errorf("64 MiB: %v, %v", got, ok)
	}

	// A bucket of tokens lets small messages pass: flat, then steep from far above.
	knee := newStage(3)
	for _, size := range powers(3, 23) {
		knee.add(plan.Collective{Op: "all_reduce", Bytes: size, Iterations: 5}, 2, func(l, it, rank int) float64 {
			if size < 1<<16 {
				return 200e-6 + float64(size)/5e8
			}
			return 2e-3 + float64(size)/40e6
		}, together)
	}
	f = mustReport(t, knee).Fits[0]
	if f.Residual < .25 || len(f.Segments) != 2 || !f.Usable || !near(f.Segments[1].Beta, 40e6, .02) || f.Segments[0].To != 1<<15 || f.Segments[1].From != 1<<16 {
		t.Errorf("knee: %+v", f)
	}
	if _, ok := f.Time(1 << 30); ok {
		t.Error("two segments speak of a size beyond them")
	}

	few := newStage(3)
	few.sweep(100e-6, 1e9, 1<<20, 1<<24)
	if f = mustReport(t, few).Fits[0]; f.Usable || !strings.Contains(f.Refused, "no size up to 4KiB") {
		t.Errorf("without small sizes: %+v", f)
	}
}

// Jitter has the class of its coefficient of variation, and no spike is lost to
// thinning.
func TestStability(t *testing.T) {
	f := func(cv float64, class string) {
		t.Helper()
		s := newStage(2)
		s.add(plan.Collective{Op: "all_reduce", Bytes: 1 << 20, Iterations: 1000, Profile: plan.ProfileStability}, 2, func(l, it, rank int) float64 {
			if it == 777 {
				return .5
			}
			return .01 / (1 + cv*math.Sqrt2*math.Sin(float64(it)))
		}, together)
		r := mustReport(t, s)
		one := r.Stability[0]
		if one.Class != class || one.Iterations != 2000 || slices.Max(one.Series) != .5 || len(one.Series) > drawn || len(r.Rows) != 0 {
			t.Errorf("cv %v: %s, CV %v, %d values to draw; want %s", cv, one.Class, one.CV, len(one.Series), class)
		}
		if got := slices.ContainsFunc(r.Findings, func(f finding.Finding) bool { return f.Check == HighJitter }); got != (class == "high_jitter") {
			t.Errorf("cv %v: finding %v", cv, got)
		}
	}
	f(.001, "moderate_jitter") // the spike alone takes 3 % of the deviation
	f(.15, "high_jitter")
	for cv, class := range map[float64]string{.009: "excellent", .011: "good", .03: "moderate_jitter", .05: "high_jitter"} {
		if got := classOf(cv); got != class {
			t.Errorf("classOf(%v) = %s, want %s", cv, got, class)
		}
	}
}

func TestChunkingAndAlgorithms(t *testing.T) {
	s := newStage(4)
	constant := func(v float64) func(l, it, rank int) float64 {
		return func(l, it, rank int) float64 { return v * (1 + .01*float64(l)) }
	}
	s.add(plan.Collective{Op: "all_reduce", Bytes: 1 << 20, Iterations: 5}, 2, constant(.01), together)
	s.add(plan.Collective{Op: "all_reduce", Bytes: 1 << 20, Iterations: 5, Chunks: 100, Profile: plan.ProfileChunking}, 2, constant(.03), together)
	s.add(plan.Collective{Op: "all_reduce", Bytes: 1 << 20, Iterations: 5, Algorithm: "ring"}, 2, constant(.008), together)
	s.add(plan.Collective{Op: "all_reduce", Bytes: 1 << 20, Iterations: 5, Algorithm: "tree"}, 2, constant(.016), together)
	r := mustReport(t, s)
	if c := r.Chunking[0]; c.Chunks != 100 || !near(c.Ratio.Value, 3, 1e-6) || !c.Ratio.Interval.Bounded() {
		t.Errorf("chunking %+v, want a ratio of 3", c)
	}
	a := r.Algorithms[0]
	if a.Best != "ring" || !near(a.Spread, .5, 1e-6) || !near(*a.AutoGap, .2, 1e-6) {
		t.Errorf("algorithms %+v, want ring by 0.5 and auto behind by 0.2", a)
	}
}

// A rank that enters late is named beyond the bound of clocks, and nobody inside.
func TestRanks(t *testing.T) {
	f := func(late float64, outlier bool) {
		t.Helper()
		s := newStage(1)
		s.add(plan.Collective{Op: "all_reduce", Bytes: 1 << 20, Iterations: 40}, 4, func(l, it, rank int) float64 {
			if rank == 2 {
				return .001
			}
			return .001 + late
		}, func(rank int) float64 {
			if rank == 2 {
				return late
			}
			return 0
		})
		r := mustReport(t, s)
		for _, one := range r.Ranks {
			if one.Outlier != (outlier && one.Rank == 2) {
				t.Errorf("late by %v: %+v", late, one)
			}
		}
		if got := slices.ContainsFunc(r.Findings, func(f finding.Finding) bool {
			return f.Check == OutlierRank && strings.Contains(f.Message, "rank 2 on host1")
		}); got != outlier {
			t.Errorf("late by %v: findings %v", late, r.Findings)
		}
	}
	f(.005, true)
	f(3e-6, false) // two clocks may be off by 4 µs
}

// pairs records a matrix: latency and bandwidth by rank.
func (s *stage) pairs(ranks int, latency, bandwidth func(i, j int) float64) {
	for _, of := range []struct {
		op    string
		bytes int64
		took  func(i, j int) float64
	}{{pairLatency, 8, func(i, j int) float64 { return 2 * latency(i, j) }}, {pairBandwidth, 4 << 20, func(i, j int) float64 { return (4 << 20) / bandwidth(i, j) }}} {
		index := s.add(plan.Collective{Op: plan.OpPairs, Bytes: of.bytes}, ranks, nil, nil)
		for _, l := range s.launches {
			for i := range ranks {
				for j := range ranks {
					if peer := int32(j); i != j {
						l.points[index] = append(l.points[index], record.Collective{Rank: int32(i), Peer: &peer, Op: of.op, Bytes: of.bytes, Phase: record.Measure, End: int64(1e9 * of.took(i, j))})
					}
				}
			}
		}
	}
}

// Ranks that are near each other are found, and a slow direction is named.
func TestMatrix(t *testing.T) {
	hosts := newStage(2)
	hosts.pairs(4, func(i, j int) float64 {
		if i/2 == j/2 {
			return 10e-6
		}
		return 50e-6
	}, func(i, j int) float64 { return 1e9 })
	m := mustReport(t, hosts).Matrices
	if len(m) != 2 || fmt.Sprint(m[0].Groups) != "[[0 1] [2 3]]" || !strings.Contains(m[0].Guess, "each group is one host") || !near(m[0].Latency[0][3], 50e-6, 1e-3) || m[0].Latency[1][1] != 0 {
		t.Errorf("two hosts: %+v", m)
	}
	flat := newStage(1)
	flat.pairs(4, func(i, j int) float64 { return 10e-6 + 1e-6*float64(i+j) }, func(i, j int) float64 {
		if i == 3 {
			return 2e8
		}
		return 1e9
	})
	r := mustReport(t, flat)
	if m := r.Matrices[0]; len(m.Groups) > 2 {
		t.Errorf("one switch: %+v", m)
	}
	if len(r.Findings) != 1 || r.Findings[0].Check != SlowDirection || !strings.Contains(r.Findings[0].Message, "everything that rank 3 sends") || len(r.Findings[0].Evidence) != 3 {
		t.Errorf("slow sends of rank 3: %+v", r.Findings)
	}
}

// Wrong answers void, and a bandwidth far below the link is said.
func TestFindings(t *testing.T) {
	s := newStage(3)
	s.sweep(1e-5, 1e9, 1<<10, 1<<20, 1<<24)
	s.plan.Run.Spec.Collectives.LinkRate = 10e9
	s.launches[1].points[1][3].Wrong = 7
	r := mustReport(t, s)
	if r.Link == nil || !near(r.Link.Share, .15, .02) {
		t.Errorf("link %+v", r.Link)
	}
	var checks []string
	for _, f := range r.Findings {
		checks = append(checks, f.Check)
	}
	if !slices.Equal(checks, []string{WrongAnswer, BelowLink}) || finding.Worst(r.Findings) != finding.Void {
		t.Errorf("findings %v", checks)
	}
}
