package finding

import "testing"

func TestScope(t *testing.T) {
	result := Result{Subject: Speed, Metric: "ttft.v1", Statistic: "p50", Point: "concurrency=4", Side: "candidate"}
	for _, tt := range []struct {
		name  string
		scope Scope
		want  bool
	}{
		{"the whole run", Scope{}, true},
		{"its subject", Scope{Subject: Speed}, true},
		{"the other subject", Scope{Subject: Accuracy}, false},
		{"its point", Scope{Points: []string{"concurrency=1", "concurrency=4"}}, true},
		{"another point", Scope{Points: []string{"concurrency=1"}}, false},
		{"its side", Scope{Side: "candidate"}, true},
		{"the other side", Scope{Side: "baseline"}, false},
		{"its statistic", Scope{Metrics: []string{"ttft.v1"}, Statistics: []string{"p50"}}, true},
		{"its tail", Scope{Metrics: []string{"ttft.v1"}, Statistics: []string{"p99"}}, false},
		{"all but it", Scope{Except: []string{"ttft.v1"}}, false},
		{"all but another", Scope{Except: []string{"tpot.v1"}}, true},
		{"what it and another touch", Scope{Metrics: []string{"tpot.v1"}}.With(Scope{Metrics: []string{"ttft.v1"}}), true},
		{"another metric", Scope{Metrics: []string{"tpot.v1"}}, false},
	} {
		if got := tt.scope.Touches(result); got != tt.want {
			t.Errorf("%s: touches is %v, want %v", tt.name, got, tt.want)
		}
	}
	whole := Result{Subject: Speed, Metric: "step_time.v1", Statistic: "value"}
	if !(Scope{Points: []string{"concurrency=1"}}).Touches(whole) {
		t.Error("a finding about one point does not touch what the launch as a whole gives")
	}
}
