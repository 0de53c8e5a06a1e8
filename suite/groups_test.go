package suite

import (
	"strings"
	"testing"

	"assay/plan"
	"assay/spec"
)

// Every step is of one group, and no group names a step that is not there.
func TestGroups(t *testing.T) {
	of := map[string]string{}
	for _, g := range Groups {
		for _, name := range g.Steps {
			if of[name] != "" {
				t.Errorf("%s is of %s and of %s", name, of[name], g.Name)
			}
			of[name] = g.Name
		}
	}
	for _, s := range steps {
		if of[s.Name] == "" {
			t.Errorf("%s is of no group", s.Name)
		}
		delete(of, s.Name)
	}
	if len(of) > 0 {
		t.Errorf("groups name steps that are not there: %v", of)
	}
	all, _ := Find("all")
	if some, err := all.Only("communication"); err != nil || len(some.Steps) == 0 || len(some.Steps) >= len(all.Steps) {
		t.Errorf("communication of all: %d of %d steps, %v", len(some.Steps), len(all.Steps), err)
	}
	end, _ := Find("end-to-end")
	for group, want := range map[string]string{"storage": "has no step about storage", "nothing": "no group"} {
		if _, err := end.Only(group); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", group, err, want)
		}
	}
}

// The counts stand in the spec of every step that counts anything.
func TestCounts(t *testing.T) {
	size := quick
	size.Counts = Counts{Iterations: 37, Warmup: 13}
	for _, s := range steps {
		if s.Fragment == "" {
			continue
		}
		source := s.Spec(size, oneGPU)
		doc, faults := spec.Parse(s.Name, source)
		if !spec.Valid(faults) {
			t.Fatalf("%s: %v\n%s", s.Name, faults, source)
		}
		if _, err := plan.New(*doc.Run); err != nil {
			t.Errorf("%s: %v", s.Name, err)
		}
		var iterations, warmup int
		switch asked := doc.Run.Spec; {
		case asked.Collectives != nil:
			iterations, warmup = asked.Collectives.Iterations, asked.Collectives.Warmup
		case asked.Train != nil:
			iterations, warmup = asked.Train.Steps, asked.Train.WarmupSteps
		case asked.Probe != nil:
			iterations, warmup = asked.Probe.Replicates, 13
		default:
			iterations, warmup = asked.Load.Requests, asked.Load.Warmup.Requests
		}
		if iterations != 37 || warmup != 13 {
			t.Errorf("%s: %d after %d, want 37 after 13\n%s", s.Name, iterations, warmup, source)
		}
	}
}
