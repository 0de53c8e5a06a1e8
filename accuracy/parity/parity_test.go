package parity

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"assay/accuracy"
	"assay/stats/items"
)

// sided makes a side that answered one task: score says how it did on each item, and a
// negative score that it did not answer.
func sided(label string, n int, score func(i int) float64) Side {
	return atPoints(label, n, []string{"concurrency=1"}, func(_, i int) float64 { return score(i) })
}

// atPoints is the same at several points.
func atPoints(label string, n int, points []string, score func(point, i int) float64) Side {
	s := Side{Label: label}
	task := accuracy.Task{Name: "gsm8k", Identity: "gsm8k, 0 examples, sha256:1", Margin: .01}
	for p, name := range points {
		task.Points = append(task.Points, accuracy.Point{
			Point: int32(p), Name: name, Items: n, Scores: []accuracy.Score{{Grader: "exact_match"}},
		})
		for i := range n {
			g := accuracy.Grade{Task: "gsm8k", Item: fmt.Sprint(i), Point: int32(p), Grader: "exact_match", State: accuracy.Answered}
			if v := score(p, i); v >= 0 {
				g.Score = &v
			} else {
				g.State = accuracy.Failed
			}
			s.Grades = append(s.Grades, g)
		}
	}
	s.Tasks = []accuracy.Task{task}
	return s
}

// rightBut is right on every item but the first lost ones of every hundred.
func rightBut(lost int) func(int) float64 {
	return func(i int) float64 {
		if i%100 < lost {
			return 0
		}
		return 1
	}
}

func judged(t *testing.T, a, b Side, o Options) Report {
	t.Helper()
	r, err := Judge(a, b, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestVerdictsByTask(t *testing.T) {
	for _, tt := range []struct {
		name                string
		n                   int
		baseline, candidate func(int) float64
		want                items.Verdict
	}{
		{"the same answers", 1319, rightBut(10), rightBut(10), items.Equivalent},
		{"the same answers to few", 100, rightBut(10), rightBut(10), items.Undecided},
		{"three points worse", 1319, rightBut(10), rightBut(13), items.Worse},
		{"three points better", 1319, rightBut(13), rightBut(10), items.Better},
	} {
		r := judged(t, sided("old", tt.n, tt.baseline), sided("new", tt.n, tt.candidate), Options{})
		if len(r.Rows) != 1 || r.Rows[0].Verdict != tt.want {
			t.Errorf("%s: %+v, want %s", tt.name, r.Rows, tt.want)
			continue
		}
		row := r.Rows[0]
		if (row.More > 0) != (tt.want == items.Undecided) || row.Holds() != (tt.want != items.Worse && tt.want != items.Undecided) {
			t.Errorf("%s: %d more items, holds %v", tt.name, row.More, row.Holds())
		}
		if math.Abs(row.Candidate-row.Baseline-row.Difference.Value) > 1e-12 || !row.Bounds.Contains(row.Difference.Value) {
			t.Errorf("%s: %v − %v is not %v in %v", tt.name, row.Candidate, row.Baseline, row.Difference.Value, row.Bounds)
		}
	}
}

// What a system loses is said absolutely and relative to what it had, with the items that
// made it, the lost ones first.
func TestLossIsSaidInFull(t *testing.T) {
	row := judged(t, sided("bf16", 1000, rightBut(20)), sided("int4", 1000, func(i int) float64 {
		if i == 0 {
			return 1 // and one that is gained
		}
		return rightBut(24)(i)
	}), Options{}).Rows[0]
	if row.Flips == nil || row.Flips.Lost != 40 || row.Flips.Gained != 1 || len(row.Changed) != 41 {
		t.Fatalf("flips %+v, %d changed", row.Flips, len(row.Changed))
	}
	if first, last := row.Changed[0], row.Changed[40]; first.Candidate != 0 || last.Candidate != 1 || last.Item != "0" {
		t.Errorf("changed from %+v to %+v", first, last)
	}
	if math.Abs(row.Difference.Value+.039) > 1e-9 || row.Relative == nil || math.Abs(row.Relative.Value+.039/.8) > 1e-9 {
		t.Errorf("difference %v, relative %+v", row.Difference.Value, row.Relative)
	}
	if len(row.Reference) != 2 || row.Reference[0].Verdict != items.IsMissed || row.Reference[0].Above {
		t.Errorf("reference %+v, want 99 %% missed", row.Reference)
	}
	if len(row.Others) != 3 {
		t.Errorf("other tests %+v", row.Others)
	}
}

// A request that failed is no wrong answer: the item is left out on both sides.
func TestFailuresAreNoLoss(t *testing.T) {
	failing := func(i int) float64 {
		if i%20 == 7 {
			return -1
		}
		return rightBut(5)(i)
	}
	row := judged(t, sided("old", 2000, rightBut(5)), sided("new", 2000, failing), Options{}).Rows[0]
	if row.Difference.Value != 0 || row.Verdict != items.Equivalent || row.Items != 1900 || row.OnlyBaseline != 100 {
		t.Errorf("%+v", row)
	}
	if len(row.Warnings) != 1 || !strings.Contains(row.Warnings[0], "left out") {
		t.Errorf("warnings %q", row.Warnings)
	}
}

// The warning between numbers of workers does not wait for significance.
func TestWorkers(t *testing.T) {
	one, eight := sided("one", 200, rightBut(0)), sided("eight", 200, rightBut(2))
	one.Workers, eight.Workers = 1, 8
	row := judged(t, one, eight, Options{}).Rows[0]
	if len(row.Warnings) != 1 || !strings.Contains(row.Warnings[0], "from 1 to 8 workers the score falls by 0.02") {
		t.Errorf("warnings %q", row.Warnings)
	}
	eight.Workers = 1
	if row := judged(t, one, eight, Options{}).Rows[0]; len(row.Warnings) != 0 {
		t.Errorf("warnings %q of equally many workers", row.Warnings)
	}
}

// Tasks that do not mean the same are not compared.
func TestOnlyTheSameTask(t *testing.T) {
	a, b := sided("old", 100, rightBut(0)), sided("new", 100, rightBut(0))
	b.Tasks[0].Identity = "gsm8k, 8 examples, sha256:1"
	r := judged(t, a, b, Options{})
	if len(r.Rows) != 0 || len(r.Missing) != 1 || !strings.Contains(r.Missing[0].Why, "8 examples") {
		t.Errorf("%+v", r)
	}
	b.Tasks = nil
	if r := judged(t, a, b, Options{}); len(r.Missing) != 1 {
		t.Errorf("%+v", r)
	}
}

// A server that answers wrongly when many ask it is caught at that load.
func TestLoads(t *testing.T) {
	s := atPoints("server", 1319, []string{"concurrency=1", "concurrency=16", "concurrency=64"}, func(point, i int) float64 {
		return rightBut([]int{10, 10, 15}[point])(i)
	})
	r, err := Loads(s, Options{})
	if err != nil || len(r.Rows) != 2 {
		t.Fatalf("%+v, %v", r, err)
	}
	if r.Rows[0].Verdict != items.Equivalent || r.Rows[1].Verdict != items.Worse || !strings.HasSuffix(r.Rows[1].Name(), "at concurrency=64") {
		t.Errorf("%s is %s, %s is %s", r.Rows[0].Name(), r.Rows[0].Verdict, r.Rows[1].Name(), r.Rows[1].Verdict)
	}
}

// Twenty tasks of which one differs by chance raise no alarm, and one that is
// clearly worse still does.
func TestManyTasks(t *testing.T) {
	build := func(label string, lost func(task int) int) Side {
		var s Side
		for k := range 20 {
			one := sided(label, 1000, func(i int) float64 {
				if i < lost(k) {
					return 0
				}
				return 1
			})
			name := fmt.Sprintf("task-%02d", k)
			one.Tasks[0].Name, one.Tasks[0].Margin = name, .001
			for j := range one.Grades {
				one.Grades[j].Task = name
			}
			s.Tasks, s.Grades = append(s.Tasks, one.Tasks...), append(s.Grades, one.Grades...)
		}
		s.Label = label
		return s
	}
	r := judged(t, build("old", func(int) int { return 0 }), build("new", func(k int) int { return []int{6, 40}[k/19] }), Options{})
	for i, row := range r.Rows {
		want := items.Undecided
		if i == 19 {
			want = items.Worse
		}
		if row.Verdict != want {
			t.Errorf("%s: %s at %v (%v alone), want %s", row.Task, row.Verdict, row.Adjusted, row.Test.P, want)
		}
	}
	if _, err := Judge(build("old", func(int) int { return 0 }), build("new", func(int) int { return 0 }), Options{Correction: "none"}); err == nil {
		t.Error("an unknown correction: want an error")
	}
}

// TestMarginsOfOtherScales: the margin of a perplexity is a share of the baseline's, and
// that of a rating one of its scale.
func TestMarginsOfOtherScales(t *testing.T) {
	bits := func(label string, log float64) Side {
		s := sided(label, 100, func(int) float64 { return 1 })
		s.Tasks[0].Points[0].Scores[0].Grader = "perplexity"
		for i := range s.Grades {
			s.Grades[i].Grader, s.Grades[i].Stats = "perplexity", []float64{log, 1}
		}
		return s
	}
	r := judged(t, bits("a", -2), bits("b", -2.1), Options{})
	if row := r.Rows[0]; math.Abs(row.Margin-.01*math.Exp(2)) > 1e-9 || row.Verdict != items.Worse {
		t.Errorf("a perplexity of %v, then %v: margin %v, %s: want a hundredth of the baseline, and worse", row.Baseline, row.Candidate, row.Margin, row.Verdict)
	}
	rating := func(i int) float64 { return float64(1 + i%5) }
	r = judged(t, sided("a", 100, rating), sided("b", 100, rating), Options{})
	if margin := r.Rows[0].Margin; math.Abs(margin-.05) > 1e-9 {
		t.Errorf("margin of ratings from 1 to 5: %v, want 0.05", margin)
	}
}
