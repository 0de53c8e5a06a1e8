package overlap

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"assay/finding"
	"assay/metric"
	"assay/plan"
	"assay/record"
	"assay/spec"
)

const ms = int64(1e6)

// A truth is a world of two ranks whose times are known, in ms: six layers, one
// bucket for each, sent over one link in order as soon as both ranks have it.
type truth struct {
	forward, backward int64    // of each layer
	send              [2]int64 // until a bucket is over, on each rank
	late, slower      int64    // of rank 1: begin of the forward pass, and each layer's backward pass
	data              int64    // before every step
	bound             int64    // of rank 1's clock, µs; zero for a common one
	ahead             int64    // by which rank 1's clock is wrong
	fewer             int      // steps; zero means ten
}

const layers = 6

// point is what such a world records.
func (w truth) point(seed uint64) *metric.Point {
	rng := rand.New(rand.NewPCG(seed, 7))
	noise := func() int64 { return rng.Int64N(ms / 5) }
	r := &metric.Ranked{Plan: plan.Point{Ranks: 2, Name: "ranks=2", Steps: &plan.Steps{
		Parallelism: "ddp", Shape: spec.ModelShape{Family: "mlp", Layers: layers, Hidden: 512}, Precision: "fp32",
	}}}
	offset := int64(0)
	for rank := range int32(2) {
		bound := int64(rank) * w.bound * 1000
		r.World = append(r.World, record.Rank{Rank: rank, Host: "h", Device: "cpu", Offset: &offset, Bound: &bound})
	}
	steps := 10
	if w.fewer > 0 {
		steps = w.fewer
	}
	for n := range int64(2 * steps) {
		w.step(r, n, 1000*ms*n, n%2 == 0, noise)
	}
	for rank := range int32(2) {
		for repeat := range int64(5) {
			at, each := 1000*ms*(int64(2*steps)+repeat), w.send[rank]*ms
			for j := range int64(layers) {
				r.Buckets = append(r.Buckets, record.Bucket{Rank: rank, Step: repeat, Bucket: int32(j), Bytes: 1 << 20, Ready: at, End: at + (j+1)*each, Alone: true})
			}
		}
	}
	return &metric.Point{End: 1000 * ms * int64(2*steps), Kind: plan.KindSteps, Ranked: r, Declared: &metric.Declared{}}
}

func (w truth) step(r *metric.Ranked, number, at int64, synced bool, noise func() int64) {
	var rows [2]record.Step
	var ready [2][layers]int64
	for rank := range int64(2) {
		begin := at + noise()
		f0 := begin + w.data*ms + rank*w.late*ms
		b0 := f0 + layers*w.forward*ms + noise()
		for j := range int64(layers) {
			ready[rank][j] = b0 + (j+1)*(w.backward+rank*w.slower)*ms + noise()
		}
		data, forward := w.data*ms, b0-f0
		loss, sum := 1.0, 42.0
		rows[rank] = record.Step{
			Rank: int32(rank), Step: number, Phase: record.Measure, Start: begin, Synced: synced, Samples: 4, Tokens: 4, Loss: &loss, GradientSum: &sum,
			Data: &data, Forward: &forward, ForwardStart: &f0, BackwardStart: &b0, Clock: "host",
		}
	}
	var free [2]int64
	for j := range layers {
		both := max(ready[0][j], ready[1][j])
		for rank := range 2 {
			free[rank] = max(free[rank], both) + w.send[rank]*ms
		}
		if !synced {
			free = [2]int64{}
			continue
		}
		for rank := range int64(2) {
			r.Buckets = append(r.Buckets, record.Bucket{
				Rank: int32(rank), Step: number, Bucket: int32(j), Bytes: 1 << 20,
				Ready: ready[rank][j] + rank*w.ahead*ms, End: free[rank] + rank*w.ahead*ms,
			})
		}
	}
	for rank := range int64(2) {
		row := rows[rank]
		end := max(ready[rank][layers-1], free[rank]) + ms
		back, optimizer := end-*row.BackwardStart, 2*ms
		row.Backward, row.BackwardEnd, row.Optimizer, row.End = &back, &end, &optimizer, end+3*ms
		for _, at := range []*int64{row.ForwardStart, row.BackwardStart, row.BackwardEnd, &row.Start, &row.End} {
			*at += rank * w.ahead * ms
		}
		r.Steps = append(r.Steps, row)
	}
}

func judged(t *testing.T, w truth, l links) Point {
	t.Helper()
	var list []measured
	for launch := range 3 {
		list = append(list, newMeasured(launch, w.point(uint64(launch)), nil, l))
	}
	out, err := judge(list[0].ranked.Plan, list, .95)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func checkNames(list []finding.Finding) (names []string) {
	for _, f := range list {
		names = append(names, f.Check)
	}
	return names
}

func TestVerdict(t *testing.T) {
	none := -1
	pairs := links{directions: []direction{{0, 1, 48e6}, {1, 0, 12e6}}}
	even := truth{forward: 10, backward: 20, send: [2]int64{22, 22}}
	tests := []struct {
		name           string
		truth          func(*truth)
		links          links
		limit          string
		rank, from, to int
		finding        string
	}{
		{"fast link", func(w *truth) { w.send = [2]int64{2, 2} }, links{}, LimitNone, none, none, none, ""},
		{"even link", func(*truth) {}, links{}, LimitExposed, none, none, none, "training-exposed-communication"},
		{"slow link", func(w *truth) { w.send = [2]int64{88, 88} }, links{}, LimitSlowLink, none, none, none, "training-slow-link"},
		{"slow one way", func(w *truth) { w.send = [2]int64{88, 80} }, links{}, LimitSlowDirection, none, 1, 0, "training-slow-link"},
		{"slow one way, by pairs", func(w *truth) { w.send = [2]int64{88, 88} }, pairs, LimitSlowDirection, none, 1, 0, "training-slow-link"},
		{"late start", func(w *truth) { w.late = 60 }, links{}, LimitLateStart, 1, none, none, "training-straggler"},
		{"slow backward", func(w *truth) { w.slower = 20 }, links{}, LimitSlowCompute, 1, none, none, "training-straggler"},
		{"late inside the bound", func(w *truth) { w.late, w.bound = 60, 90_000 }, links{}, LimitExposed, none, none, none, "training-clock-bound"},
		{"late beyond the bound", func(w *truth) { w.late, w.bound = 60, 10_000 }, links{}, LimitLateStart, 1, none, none, "training-clock-bound"},
		{"late in too few steps", func(w *truth) { w.late, w.fewer = 60, 1 }, links{}, LimitExposed, none, none, none, ""},
		{"clock that cannot be", func(w *truth) { w.ahead, w.bound = 200, 1000 }, links{}, LimitExposed, none, none, none, "training-clocks-rejected"},
		{"slow by its own clock", func(w *truth) { w.ahead, w.slower = 200, 20 }, links{}, LimitSlowCompute, 1, none, none, "training-clocks-rejected"},
		{"input", func(w *truth) { w.data = 100 }, links{}, LimitInput, none, none, none, "training-input-bound"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := even
			tt.truth(&w)
			got := judged(t, w, tt.links)
			v := got.Verdict
			if v.Limit != tt.limit || number(v.Rank) != tt.rank || number(v.From) != tt.from || number(v.To) != tt.to {
				t.Errorf("verdict = %s rank %d %d→%d: %s\n%q", v.Limit, number(v.Rank), number(v.From), number(v.To), v.Text, v.How)
			}
			if names := checkNames(got.Findings); tt.finding != "" && !slices.Contains(names, tt.finding) {
				t.Errorf("findings = %v, want %s among them", names, tt.finding)
			}
		})
	}
}

func number(n *int) int {
	if n == nil {
		return -1
	}
	return *n
}

// What is known of the world must come out: exposed, transfer, waiting.
func TestFigures(t *testing.T) {
	got := judged(t, truth{forward: 10, backward: 20, send: [2]int64{22, 22}, late: 60}, links{})
	f := func(name string, got *float64, want float64) {
		t.Helper()
		if got == nil || math.Abs(*got-want) > .0015 {
			t.Errorf("%s = %v, want %v", name, got, want)
		}
	}
	// After the last gradient at 120 ms the queue of six buckets of 22 ms, the first of
	// them ready at 20 ms, is over at 152 ms; a millisecond of copying follows. Rank 0
	// waits another 60 ms.
	f("exposed of rank 0", got.PerRank[0].Exposed, .093)
	f("exposed of rank 1", got.PerRank[1].Exposed, .033)
	f("exposed by waiting", got.PerRank[0].ByWait, .060)
	f("exposed by transfer", got.PerRank[0].ByTransfer, .033)
	f("transfer", got.PerRank[0].Transfer, .132)
	f("alone", got.PerRank[0].Alone, .132)
	f("unsynced", got.PerRank[0].Unsynced, .121)
	f("interference", got.PerRank[0].Interfere, -.001) // the millisecond is in the steps without exchange too
	f("late start", got.PerRank[1].LateStart, .060)
	sum, step := 0.0, 0.0
	for _, part := range got.Parts {
		sum += part.Value
	}
	for _, r := range got.PerRank {
		step = max(step, r.Step)
	}
	if math.Abs(sum-step) > .001 || len(got.Parts) != len(partNames)-2 {
		t.Errorf("parts %+v add up to %v, want the step of %v in all parts but host and h2d", got.Parts, sum, step)
	}
	if len(got.Timeline) != 2 || len(got.Timeline[1].Buckets) != layers || got.Timeline[1].Buckets[0][2] != 1<<20 {
		t.Errorf("timeline = %+v", got.Timeline)
	}
}

func TestChecksVoid(t *testing.T) {
	w := truth{forward: 10, backward: 20, send: [2]int64{2, 2}}
	bad := func(change func(*measured)) []string {
		m := newMeasured(0, w.point(1), nil, links{})
		change(&m)
		m = newMeasured(0, &metric.Point{Kind: plan.KindSteps, Ranked: &metric.Ranked{
			Plan: m.ranked.Plan, Steps: m.ranked.Steps, Buckets: m.ranked.Buckets, World: m.ranked.World, Memory: m.ranked.Memory,
		}}, m.checks, links{})
		out, err := judge(m.ranked.Plan, []measured{m}, .95)
		if err != nil {
			t.Fatal(err)
		}
		if finding.Worst(out.Findings) == finding.Void {
			return checkNames(out.Findings)
		}
		return nil
	}
	f := func(want string, change func(*measured)) {
		t.Helper()
		if got := bad(change); want == "" && got != nil || want != "" && !slices.Contains(got, want) {
			t.Errorf("void by %v, want %q", got, want)
		}
	}
	off := 42.5
	f("", func(*measured) {})
	f("training-gradient-checksum", func(m *measured) { m.ranked.Steps[1].GradientSum = &off })
	f("training-loss-not-finite", func(m *measured) { m.ranked.Steps[5].Loss = nil })
	f("training-reference-loss", func(m *measured) { m.checks = []record.Check{{Name: "reference_loss", Value: &off}} })
}

func TestMemory(t *testing.T) {
	n := func(v int64) *int64 { return &v }
	m := measured{ranked: &metric.Ranked{Memory: []record.Memory{
		{Rank: 0, Outcome: "ok", Parameters: n(10)},
		{Rank: 0, Outcome: "ok", PeakAllocated: n(50), PeakReserved: n(80)},
		{Rank: 1, Outcome: "out_of_memory"},
	}}}
	got := memoryOf([]measured{m})
	if len(got) != 2 || *got[0].Parameters != 10 || *got[0].Fragmented != 30 || got[1].Outcome != "out_of_memory" {
		t.Errorf("memory = %+v", got)
	}
}
