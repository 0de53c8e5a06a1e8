package lint

import (
	"math"
	"slices"
	"strings"
	"testing"

	"assay/finding"
	"assay/metric"
	"assay/record"
	"assay/spec"
	"assay/stats"
)

// slower moves the first token, and all after it, by a share of the TTFT.
func slower(r *record.Request, events []record.Chunk, share float64) {
	by := int64(share * sceneTTFT)
	*r.First += by
	r.Done += by
	for i := range events {
		events[i].At += by
	}
}

// drawnOut makes an answer longer in all its parts.
func drawnOut(r *record.Request, events []record.Chunk, share float64) {
	later := func(at int64) int64 { return at + int64(share*float64(at-r.Sent)) }
	*r.First, r.Done = later(*r.First), later(r.Done)
	for i := range events {
		events[i].At = later(events[i].At)
	}
}

// onBusyHost has tasks wait for a processor most of the time.
func onBusyHost(change func(*scene)) func(*scene) {
	return func(s *scene) {
		change(s)
		s.spoil = func(f *Facts) {
			waited := .6
			for i := range f.Client.Launches {
				f.Client.Launches[i].Isolation.CPUPressure = &waited
			}
		}
	}
}

var steadyTrips = []trip{
	{"launch-trend", "faster with each of five launches, in every figure", func(s *scene) {
		s.request = func(launch int, r *record.Request, events *[]record.Chunk) {
			drawnOut(r, *events, .02*float64(5-launch))
		}
	}, finding.Caution, "TTFT p50 at concurrency=8 by -"},
	{"launch-trend", "3 % slower with each of eight launches", func(s *scene) {
		s.launches = 8
		s.request = func(launch int, r *record.Request, events *[]record.Chunk) { slower(r, *events, .03*float64(launch)) }
	}, finding.Void, "over 8 launches (p = "},
	{"launch-modes", "three launches of eight are a fifth slower", func(s *scene) {
		s.launches = 8
		s.request = func(launch int, r *record.Request, events *[]record.Chunk) {
			if launch == 1 || launch == 4 || launch == 5 {
				slower(r, *events, .2)
			}
		}
	}, finding.Caution, "in launches 2, 5, 6 and"},
	{"outlier-launches", "one launch half as fast", func(s *scene) {
		s.request = func(launch int, r *record.Request, events *[]record.Chunk) {
			if launch == 3 {
				slower(r, *events, 1)
			}
		}
	}, finding.Caution, "launch 4 with"},
	{"outlier-launches", "one launch a little slower", func(s *scene) {
		s.request = func(launch int, r *record.Request, events *[]record.Chunk) {
			if launch == 3 {
				slower(r, *events, .2)
			}
		}
	}, finding.Note, "launch 4 with"},
	{"outlier-launches", "one launch half as fast, by Tukey's fences", func(s *scene) {
		s.run = func(r *spec.Run) { r.Spec.Trials.OutlierPolicy.Method = "tukey_iqr" }
		s.request = func(launch int, r *record.Request, events *[]record.Chunk) {
			if launch == 3 {
				slower(r, *events, 1)
			}
		}
	}, finding.Caution, "beyond Tukey's outer fences"},
	{"outlier-launches", "one launch of three", func(s *scene) {
		s.launches = 3
		s.request = func(launch int, r *record.Request, events *[]record.Chunk) {
			if launch == 2 {
				slower(r, *events, 2)
			}
		}
	}, finding.Caution, "far beyond the robust deviation from the median, as in up to 1 % of 3 normal launches): "},
	{"shares-differ", "one launch fails a fifth", func(s *scene) {
		s.request = func(launch int, r *record.Request, events *[]record.Chunk) {
			turnedAway(r, launch == 2 && r.ID%5 == 0 || r.ID%50 == 0)
		}
	}, finding.Caution, "% in launch 3, which is more than chance does"},
	{"insufficient-warmup", "cold start in the window", func(s *scene) {
		s.request = func(_ int, r *record.Request, events *[]record.Chunk) {
			slower(r, *events, 8*math.Exp(-float64(r.ID)/25))
		}
	}, finding.Void, "requests before TTFT is steady: mean"},
	{"insufficient-warmup", "on a busy host", onBusyHost(func(s *scene) {
		s.request = func(_ int, r *record.Request, events *[]record.Chunk) {
			slower(r, *events, 8*math.Exp(-float64(r.ID)/25))
		}
	}), finding.Caution, "; the host was busy, which may have done it"},
	{"insufficient-warmup", "in one launch of five", func(s *scene) {
		s.request = func(launch int, r *record.Request, events *[]record.Chunk) {
			if launch == 0 {
				slower(r, *events, 8*math.Exp(-float64(r.ID)/25))
			}
		}
	}, finding.Void, "so in 1 of 5 launches"},
	{"insufficient-warmup", "a little, in every launch", func(s *scene) {
		s.request = func(_ int, r *record.Request, events *[]record.Chunk) {
			if r.ID < 100 {
				slower(r, *events, .06)
			}
		}
	}, finding.Caution, "so in 5 of 5 launches"},
	{"insufficient-warmup", "one launch that met a busy moment", func(s *scene) {
		s.request = func(launch int, r *record.Request, events *[]record.Chunk) {
			if launch == 2 && r.ID < 80 {
				slower(r, *events, .4)
			}
		}
	}, finding.Caution, "so in 1 of 5 launches"},
	{"not-steady", "drift", func(s *scene) {
		s.request = func(_ int, r *record.Request, events *[]record.Chunk) {
			slower(r, *events, .3*float64(r.ID)/400)
		}
	}, finding.Caution, "TTFT drifted: the level moves by +"},
	{"not-steady", "a slow cycle", func(s *scene) {
		s.request = func(_ int, r *record.Request, events *[]record.Chunk) {
			slower(r, *events, .3+.3*math.Sin(2*math.Pi*float64(r.ID)/100))
		}
	}, finding.Caution, "TTFT came and went in a cycle"},
	{"not-steady", "a cycle that comes round often", func(s *scene) {
		s.request = func(_ int, r *record.Request, events *[]record.Chunk) {
			slower(r, *events, .3+.3*math.Sin(2*math.Pi*float64(r.ID)/50))
		}
	}, finding.Note, "TTFT came and went in a cycle"},
	{"not-steady", "step in one launch", func(s *scene) {
		s.request = func(launch int, r *record.Request, events *[]record.Chunk) {
			if launch == 2 && r.ID > 250 {
				slower(r, *events, .4)
			}
		}
	}, finding.Caution, "launch 3: TTFT jumped: from value"},
}

// turnedAway has the server turn a call away.
func turnedAway(r *record.Request, fails bool) {
	if fails {
		r.Result, r.Status = record.HTTPError, 500
	}
}

// Launches that fail alike, or too seldom to tell, do not differ.
func TestSharesAlike(t *testing.T) {
	t.Parallel()
	for name, fails := range map[string]func(launch int, id int64) bool{
		"alike":    func(_ int, id int64) bool { return id%10 == 0 },
		"too few":  func(launch int, id int64) bool { return launch == 2 && id%100 == 7 },
		"a little": func(launch int, id int64) bool { return id%10 == 0 || launch == 2 && id%40 == 7 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := clean()
			s.request = func(launch int, r *record.Request, _ *[]record.Chunk) { turnedAway(r, fails(launch, r.ID)) }
			for _, one := range Run(s.facts(t)).Findings {
				if one.Check == SharesDiffer.ID {
					t.Error(one.Message)
				}
			}
		})
	}
}

// Launches that move back and forth, or in one direction by less than anybody acts upon or
// the client can tell, are called no trend; of four nobody can say.
func TestNoLaunchTrend(t *testing.T) {
	t.Parallel()
	by := func(share ...float64) func(*scene) {
		return func(s *scene) {
			s.launches = len(share)
			s.request = func(launch int, r *record.Request, events *[]record.Chunk) { slower(r, *events, share[launch]) }
		}
	}
	for _, tt := range []struct {
		name  string
		spoil func(*scene)
		want  State
	}{
		{"back and forth", by(0, .05, .02, .06, .04, .01), Passed},
		{"by 0.4 % in all", by(0, .001, .002, .003, .004), Passed},
		{"of four", by(0, .1, .2, .3), NotApplicable},
		{"a client that errs by 50 ms", func(s *scene) {
			by(0, .03, .06, .09, .12)(s)
			s.calibration = func(c *record.Calibration) { c.TTFT.P50, c.TTFT.P99 = 50e6, 50e6 }
			s.spoil = func(f *Facts) {
				f.Estimates.Rows = slices.DeleteFunc(f.Estimates.Rows, func(r metric.Row) bool { return r.Metric != metric.TTFT.ID })
			}
		}, Passed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := clean()
			tt.spoil(&s)
			audit := Run(s.facts(t))
			i := slices.IndexFunc(audit.Results, func(r Result) bool { return r.Check == LaunchTrend.ID })
			if audit.Results[i].State != tt.want {
				t.Errorf("%s, want %s: %+v", audit.Results[i].State, tt.want, audit.Findings)
			}
		})
	}
}

// A movement within the client's own error, or within the interval that stands beside
// the figure, says nothing about the system; one beyond both does.
func TestImmaterialMovement(t *testing.T) {
	t.Parallel()
	eighth := func(s *scene) { // a drift of 8 ms of 100
		s.request = func(_ int, r *record.Request, events *[]record.Chunk) { slower(r, *events, .09*float64(r.ID)/440) }
	}
	tests := []struct {
		name  string
		spoil func(*scene)
		found bool
	}{
		{"beyond both", eighth, true},
		{"a client that errs by 10 ms", func(s *scene) {
			eighth(s)
			s.calibration = func(c *record.Calibration) { c.TTFT = record.ErrorSpread{N: 1000, P50: 5e6, P99: 10e6, Max: 10e6} }
		}, false},
		{"a client that is 10 ms late", func(s *scene) {
			eighth(s)
			drift := s.request
			s.request = func(launch int, r *record.Request, events *[]record.Chunk) {
				drift(launch, r, events)
				r.User, r.Due = -1, r.Due-10e6 // of a schedule
			}
		}, false},
		{"an interval of ± 9 ms", func(s *scene) {
			eighth(s)
			s.spoil = func(f *Facts) {
				for i, row := range f.Estimates.Rows {
					f.Estimates.Rows[i].Interval = stats.Interval{Lo: row.Value * .91, Hi: row.Value * 1.09}
				}
			}
		}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := clean()
			tt.spoil(&s)
			if got := NotSteady.Run(s.facts(t)).Findings; (len(got) > 0) != tt.found {
				t.Errorf("found %+v, want %v", got, tt.found)
			}
		})
	}
}

// A launch of 146 requests cannot bound its p99, and a few slow ones at its
// beginning void nothing.
func TestTailBelowItsFloor(t *testing.T) {
	t.Parallel()
	s := clean()
	s.requests, s.warmups = 146, 40
	s.request = func(launch int, r *record.Request, events *[]record.Chunk) {
		if launch == 2 && r.ID < 56 {
			slower(r, *events, .15)
		}
	}
	for _, f := range InsufficientWarmup.Run(s.facts(t)).Findings {
		t.Errorf("%s: %s", f.Severity, f.Message)
	}
}

// Without a request nothing can be said, which is not a pass.
func TestSteadinessWithoutEvidence(t *testing.T) {
	s := clean()
	s.requests, s.warmups = 0, 0
	for _, r := range Run(s.facts(t)).Results {
		if (r.Check == NotSteady.ID || r.Check == InsufficientWarmup.ID) && r.State != NotChecked {
			t.Errorf("%s is %s, want %s", r.Check, r.State, NotChecked)
		}
	}
}

// A load that changes by plan has no steady state to miss.
func TestSteadinessOfStages(t *testing.T) {
	s := clean()
	f := s.facts(t)
	for i := range f.Steady.Points {
		f.Steady.Points[i].Skipped = "the load changes in stages"
	}
	for _, r := range Run(f).Results {
		if r.Check == NotSteady.ID && r.State != NotApplicable {
			t.Errorf("%s is %s, want %s", r.Check, r.State, NotApplicable)
		}
	}
	if !strings.Contains(f.Steady.Method, "steady_state") || len(f.Steady.Points) != 5 {
		t.Errorf("steady: %+v", f.Steady)
	}
}

// Tukey's fences can mark none of three launches, and the check says that it has not
// looked instead of passing them.
func TestOutliersOfThree(t *testing.T) {
	t.Parallel()
	for method, want := range map[string]State{"tukey_iqr": NotChecked, "mad": Found, "tukey_iqr_and_mad": Found} {
		s := clean()
		s.small()
		s.launches, s.state = 3, nil
		s.also(func(r *spec.Run) { r.Spec.Trials.OutlierPolicy.Method = method })
		s.request = func(launch int, r *record.Request, events *[]record.Chunk) {
			if launch == 2 {
				slower(r, *events, 2)
			}
		}
		f := s.facts(t)
		if got := f.Estimates.Outliers; got.Method != method || got.Action != "flag_and_keep" || (len(got.Marked) > 0) != (want == Found) {
			t.Errorf("%s: the estimates have %+v", method, got)
		}
		audit := Run(f)
		i := slices.IndexFunc(audit.Results, func(r Result) bool { return r.Check == OutlierLaunches.ID })
		if r := audit.Results[i]; r.State != want || want == NotChecked && r.Missing != "5 launches of a headline metric (of fewer, tukey_iqr can mark none)" {
			t.Errorf("%s: %+v, want %s", method, r, want)
		}
	}
}
