package metric

import (
	"math/rand/v2"
	"strings"
	"testing"

	"assay/bundle"
	"assay/plan"
	"assay/record"
	"assay/spec"
	"assay/stats"
)

func completed(launches int) []bundle.LaunchOutcome {
	list := make([]bundle.LaunchOutcome, launches)
	for i := range list {
		list[i] = bundle.LaunchCompleted
	}
	return list
}

func estimated(t *testing.T, p plan.Plan, launches int, requests func(launch int) []*Timeline) Estimates {
	t.Helper()
	e, _, err := JudgeWatched(build(t, p, completed(launches), requests), p, "test", Watcher{})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func found(t *testing.T, e Estimates, metric, statistic string) Row {
	t.Helper()
	row, ok := e.Find(metric, statistic, 0)
	if !ok {
		t.Fatalf("no %s %s", metric, statistic)
	}
	return row
}

// Gaps inside a stream share its luck: four hundred of them in forty streams do not
// certify a p99, which wants 368 requests.
func TestGapsAreHeldToRequests(t *testing.T) {
	e := estimated(t, testPlan(t), 3, func(launch int) (list []*Timeline) {
		for i := range 40 {
			var at []int64
			for gap := range 12 {
				at = append(at, 10+int64(10*gap+i%3+launch))
			}
			list = append(list, timeline(12, at...))
		}
		return list
	})
	p99 := found(t, e, "itl_chunk.v2", "p99")
	if p99.PerLaunch[0].N != 440 || p99.Interval.Bounded() || !strings.Contains(strings.Join(p99.Warnings, ";"), "too few requests (40 of") {
		t.Errorf("p99 of 440 gaps in 40 streams: %+v; want too few", p99.Estimate)
	}
	if p90 := found(t, e, "itl_chunk.v2", "p90"); !p90.Interval.Bounded() {
		t.Errorf("p90 of gaps in 40 streams: %+v; want an interval", p90.Estimate)
	}
}

// Launches that never vary have an interval without width, and say so.
func TestNoSpreadWarns(t *testing.T) {
	e := estimated(t, testPlan(t), 3, func(int) (list []*Timeline) {
		for range 40 {
			list = append(list, timeline(2, 10, 20))
		}
		return list
	})
	row := found(t, e, "ttft.v2", "p50")
	if row.Interval.Lo != row.Interval.Hi || len(row.Warnings) != 1 || !strings.Contains(row.Warnings[0], "never vary") {
		t.Errorf("%+v, want a warning beside an interval of no width", row.Estimate)
	}
	if row.UnseenShare != stats.UnseenShare(3, .95) {
		t.Errorf("unseen share %v, want that of three launches", row.UnseenShare)
	}
}

// One request of a hundred that takes as long as all others together decides the mean,
// not the median.
func TestHeavyTailWarns(t *testing.T) {
	e := estimated(t, testPlan(t), 3, func(launch int) (list []*Timeline) {
		for i := range 120 {
			at := 10 + int64(i%4+launch)
			if i%100 == 7 {
				at = 900
			}
			list = append(list, timeline(2, at, at+5))
		}
		return list
	})
	if mean := found(t, e, "ttft.v2", "mean"); !strings.Contains(strings.Join(mean.Warnings, ";"), "heavy tail") {
		t.Errorf("mean %+v, want it to warn of its tail", mean.Estimate)
	}
	if median := found(t, e, "ttft.v2", "p50"); strings.Contains(strings.Join(median.Warnings, ";"), "heavy tail") {
		t.Errorf("median %+v, want no warning", median.Estimate)
	}
}

// A launch in which a quarter of the requests fail beside two without failures is not
// one sample of a share.
func TestSharesByLaunches(t *testing.T) {
	e := estimated(t, testPlan(t), 3, func(launch int) (list []*Timeline) {
		for i := range 80 {
			r := timeline(2, 10, 20)
			if launch == 1 && i < 20 {
				r.Result = record.Truncated
			}
			list = append(list, r)
		}
		return list
	})
	pooled, err := stats.Proportion(20, 240, .95)
	row := found(t, e, "error_rate.v1", "value")
	if err != nil || row.Method != stats.SharesMethod || row.Value != pooled.Value || row.Interval.Hi < 2*pooled.Interval.Hi {
		t.Errorf("%+v, %v; want far wider than the %v of independent requests", row.Estimate, err, pooled.Interval)
	}
}

// A document that asks for a bootstrap gets one, the same again from the same bundle.
func TestBootstrapAsAsked(t *testing.T) {
	p := testPlan(t)
	p.Run.Spec.Trials.Interval = spec.IntervalBootstrap
	rng := rand.New(rand.NewPCG(4, 4))
	late := make([]int64, 20)
	for i := range late {
		late[i] = rng.Int64N(8)
	}
	make20 := func() Estimates {
		return estimated(t, p, 20, func(launch int) (list []*Timeline) {
			for range 40 {
				list = append(list, timeline(2, 50+late[launch], 90))
			}
			return list
		})
	}
	first, again := found(t, make20(), "ttft.v2", "p50"), found(t, make20(), "ttft.v2", "p50")
	if first.Method != stats.BCaMethod || !first.Interval.Bounded() || first.Interval != again.Interval || first.N != 20 || first.UnseenShare == 0 {
		t.Errorf("%+v, again %v", first.Estimate, again.Interval)
	}
	e := estimated(t, p, 3, func(launch int) []*Timeline { return []*Timeline{timeline(2, 50+int64(launch), 90)} })
	if row := found(t, e, "ttft.v2", "mean"); row.Interval.Bounded() || len(row.Warnings) == 0 || !strings.Contains(row.Warnings[0], "want 20") {
		t.Errorf("of three launches: %+v, want a refusal", row.Estimate)
	}
}
