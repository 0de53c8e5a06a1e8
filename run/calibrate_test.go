package run

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"assay/record"
)

// A client that cannot be calibrated still measures, and the bundle says why its
// error is unknown. The helper's options have no simulator.
func TestCalibrationUnavailable(t *testing.T) {
	url := serverOf(t, func(w http.ResponseWriter, _ *http.Request) { reply(w) })
	b := carryOut(t, openPlan(t, url, `{rate: [20], duration: 200ms, warmup: {}}`))
	for _, when := range []string{record.CalibrationBefore, record.CalibrationAfter} {
		data, err := b.ReadFile("raw/launch-00/" + record.CalibrationFile(when))
		if err != nil {
			t.Fatal(err)
		}
		var c record.Calibration
		if err := json.Unmarshal(data, &c); err != nil {
			t.Fatal(err)
		}
		if c.When != when || c.Version != record.CalibrationVersion || !strings.Contains(c.Unavailable, "cannot start a simulator") {
			t.Errorf("%s the run: %+v", when, c)
		}
		if c.Loop != "open" || c.Rate != 20 || c.EndNS < c.BeginNS || len(c.NotCovered) != 1 {
			t.Errorf("%s the run, the operating point: %+v", when, c)
		}
	}
}

func TestCalibrateFalse(t *testing.T) {
	url := serverOf(t, func(w http.ResponseWriter, _ *http.Request) { reply(w) })
	b := carryOut(t, openPlan(t, url, `{rate: [20], duration: 200ms, warmup: {}, calibrate: false}`))
	if _, err := b.ReadFile("raw/launch-00/" + record.CalibrationFile(record.CalibrationBefore)); err == nil {
		t.Error("a run that was told not to calibrate did")
	}
}
