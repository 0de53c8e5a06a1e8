package lint

import (
	"strings"
	"testing"

	"assay/stats"
)

const statements = `version: "1.0"
statements:
  - metric: ttft.v2
    statistic: p99
    point: concurrency=8
    value: 0.104
    interval: [0.101, null]
    launches: [0, 1]
    aggregation: mean_of_launches
    cites: [{run: a1, seed: 20260313}]
  - metric: speedup
    value: 6.9
    base: {kind: one_process, value: 410, unit: samples/s}
    scaling:
      kind: strong
      points: [{workers: 1, speedup: 1, globalBatch: 256}]
    chart: {x: ordered, points: true}
tuning:
  - {knob: precision, better: higher, settings: [{value: fp32, result: 3}]}
omitted:
  - {what: concurrency=16, reason: the machine was lent out}
`

func TestParseStatements(t *testing.T) {
	file, err := ParseStatements("s.yaml", []byte(statements))
	if err != nil {
		t.Fatal(err)
	}
	s := file.Statements[0]
	if s.Value != .104 || s.Interval.Lo != .101 || s.Interval.Hi != stats.Unbounded.Hi || len(s.Launches) != 2 || s.Cites[0].Seed != "20260313" {
		t.Errorf("read %+v", s)
	}
	if b := file.Statements[1].Base; b == nil || b.Value != 410 || file.Statements[1].Scaling.Points[0].GlobalBatch != 256 {
		t.Errorf("read %+v", file.Statements[1])
	}
	if len(file.Tuning) != 1 || len(file.Omitted) != 1 {
		t.Errorf("read %+v", file)
	}
}

// All faults are told at once, each with its place.
func TestStatementFaults(t *testing.T) {
	_, err := ParseStatements("s.yaml", []byte(`version: 2
statements:
  - metric: ttft.v2
    vlaue: 3
    interval: [2, 1]
    aggregation: average
    scaling: {kind: sideways, points: [{workers: 0, speedup: fast}]}
  - 7
omitted: {}
`))
	if err == nil {
		t.Fatal("no fault was found")
	}
	for _, want := range []string{
		"s.yaml: version: got 2, want 1.0",
		"s.yaml:4: statements[0].vlaue: got an unknown field, want one of metric, statistic",
		"s.yaml:3: statements[0].value: got nothing, want a value",
		"s.yaml:5: statements[0].interval: got [2,1], want two numbers, the smaller first",
		"s.yaml: statements[0].aggregation: got average, want one of mean_of_launches",
		"s.yaml: statements[0].scaling.kind: got sideways, want one of strong, weak",
		"s.yaml: statements[0].scaling.points[0].workers: got 0, want at least 1",
		`s.yaml:7: statements[0].scaling.points[0].speedup: got "fast", want a number`,
		"s.yaml:8: statements[1]: got \"7\", want a mapping",
		"s.yaml:9: omitted: got a mapping, want a list",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not among the faults:\n%v", want, err)
		}
	}
	for _, text := range []string{"", "a: b: c", "version: 1.0\nstatements: []\n---\nversion: 1.0\n"} {
		if _, err := ParseStatements("s.yaml", []byte(text)); err == nil {
			t.Errorf("%q: no fault", text)
		}
	}
}
