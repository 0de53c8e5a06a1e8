package main

import (
	"encoding/json"
	"strings"
	"testing"

	"assay/analysis/hardware"
	"assay/plan"
	"assay/spec"
)

// A probe goes the way of every run: three launches, a sealed bundle, a table.
func TestProbe(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	code, text, story := answerAlone(t, "probe", "speed", "network", "--threads", "1", "--duration", "5ms", "--replicates", "3", "--out", out, "--progress", "none", "--json")
	matchesSchema(t, "probe", text)
	var got hardware.Report
	if err := json.Unmarshal([]byte(text), &got); err != nil || code != exitOK {
		t.Fatalf("exit code %d, %s: %v", code, story, err)
	}
	if len(got.Rows) != 5 {
		t.Fatalf("rows %+v, want two of speed and three of the network", got.Rows)
	}
	for _, row := range got.Rows {
		if row.Value <= 0 || row.N != 3 || row.Wrong != 0 || !row.Interval.Bounded() || row.Interval.Lo < 0 {
			t.Errorf("%s %s: %+v over %d launches", row.Probe, row.Variant, row.Estimate, row.N)
		}
	}
	_, dir, _ := strings.Cut(strings.TrimSpace(story[strings.LastIndex(story, "bundle "):]), " ")
	if code, text, _ := answerAlone(t, "verify", dir); code != exitOK {
		t.Errorf("verify: exit code %d, %s", code, text)
	}
}

// The options of probe make a spec whose plan is what was asked for.
func TestProbeSpec(t *testing.T) {
	code, out, story := answerAlone(t, "probe", "--print-spec", "disk", "network", "--threads", "1", "--threads", "3", "--duration", "20ms",
		"--replicates", "4", "--launches", "5", "--dir", "/data", "--file-size", "4MiB", "--host", "n1", "--host", "n2", "--streams", "2")
	if code != exitOK {
		t.Fatalf("exit code %d: %s", code, story)
	}
	document, faults := spec.Parse("probe", []byte(out))
	if !spec.Valid(faults) {
		t.Fatal(faults)
	}
	p, err := plan.New(*document.Run)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, point := range p.Points {
		names = append(names, point.Name)
	}
	m := p.Points[0].Micro
	if strings.Join(names, ", ") != "disk, network n1, network n2" || len(p.Launches) != 5 || m.FileSize != 4<<20 || m.Replicates != 4 || len(m.Threads) != 2 || p.Points[2].Micro.Streams != 2 {
		t.Errorf("points %v, %d launches, %+v", names, len(p.Launches), m)
	}
	if code, _, story := answerAlone(t, "probe", "memery"); code != exitUsage || !strings.Contains(story, "memory") {
		t.Errorf("exit code %d, %q; want the names there are", code, story)
	}
	if code, _, story := answerAlone(t, "probe", "--launches", "1"); code != exitUsage || !strings.Contains(story, "--launches: got 1, must be an integer >= 3") {
		t.Errorf("exit code %d, %q; want at least three launches", code, story)
	}
}
