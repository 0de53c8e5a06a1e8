package main

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"assay/tests/fixture"
)

// The primary metrics of the contract stand for metrics of training, and a result of
// training has its price. A launch that failed counts against reliability.
func TestTrainingPrimaries(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	run := fixture.Training{ID: "base", Train: "targetLoss: 1.5, peakTFLOPS: 0.01, batchSize: 8", Spec: "cost: {gpuHourlyUSD: 3.6, powerWatts: 500, gramsCO2PerKWh: 400}"}
	base := run.Write(t, dir)
	run.ID, run.Lost = "candidate", true
	candidate := run.Write(t, dir)
	var short struct {
		Results map[string]map[string]struct{ Value float64 }
	}
	stdout, stderr, code := call(t, "report", "--format", "results", candidate)
	if err := json.Unmarshal([]byte(stdout), &short); err != nil || code != exitOK {
		t.Fatalf("exit %d %v: %s", code, err, stderr)
	}
	point := short.Results["ranks=2"]
	step := point["step_time.v1 mean"].Value
	for name, want := range map[string]float64{
		"cost_per_step.v1 value": 2 * .001 * step, "cost_per_trained_sample.v1 value": 2 * .001 * step / 8, "cost_per_million_trained_tokens.v1 value": 1e6 * 2 * .001 * step / 8,
		"training_carbon_per_million_tokens.v1 value": 1e6 * 500 * 2 * step / 8 / 3.6e6 * 400,
	} {
		if got := point[name].Value; math.Abs(got/want-1) > 1e-3 { // the mean of launches' quotients
			t.Errorf("%s = %v, want %v", name, got, want)
		}
	}
	if got := short.Results["launch"]["training_reliability.v1 value"].Value; math.Abs(got-2./3) > 1e-12 {
		t.Errorf("reliability %v, want two of three launches", got)
	}
	stdout, stderr, code = call(t, "compare", "--json", base, candidate)
	if code != exitOK && code != exitVerdict {
		t.Fatalf("compare: exit %d: %s", code, stderr)
	}
	var compared struct {
		Comparisons []struct {
			Rows []struct {
				Metric, Statistic string
				Primary           bool
			}
			Missing []struct{ What, Why string }
		}
	}
	if err := json.Unmarshal([]byte(stdout), &compared); err != nil {
		t.Fatal(err)
	}
	primary := map[string]bool{}
	for _, row := range compared.Comparisons[0].Rows {
		primary[row.Metric] = primary[row.Metric] || row.Primary
		if row.Statistic == "sd" || row.Statistic == "min" {
			t.Errorf("%s %s is compared", row.Metric, row.Statistic)
		}
	}
	for _, id := range []string{"time_to_train.v1", "training_mfu.v1", "training_reliability.v1"} {
		if !primary[id] {
			t.Errorf("%s is not primary", id)
		}
	}
	for _, missing := range compared.Comparisons[0].Missing {
		if strings.Contains(missing.Why, "computes no such metric") {
			t.Errorf("%s: %s", missing.What, missing.Why)
		}
	}
}
