package suite

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// One step that ran is looked into, and the card says which profilers are not here.
func TestProfile(t *testing.T) {
	p, _ := Find("component")
	quick := p
	p.Size = full
	h := Host{Has: map[Need]bool{Torch: true}, Device: "cpu", Ranks: 2, Model: "m"}
	dir := filepath.Join(t.TempDir(), "s")
	var looked []string
	card, err := Run(t.Context(), p, h, Options{
		Dir: dir, RunID: "s", Now: time.Now,
		Measure: func(context.Context, string, []byte, string) (Outcome, error) {
			return Outcome{Report: measured(3)}, nil
		},
		Profile: func(_ context.Context, spec, _ string) ([]Profile, error) {
			looked = append(looked, filepath.Base(spec))
			return []Profile{{Tool: "nsys", Report: "nsys.nsys-rep", Tables: []string{"nsys_cuda_api_sum.csv"}}, {Tool: "ncu", Absent: "not found on this host"}}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(looked) != 1 || looked[0] != "train_step.yaml" || len(card.Profiles) != 2 || card.Profiles[0].Step != "train_step" {
		t.Fatalf("looked into %v: %+v", looked, card.Profiles)
	}
	var text strings.Builder
	if err := card.Text(&text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"profile of train_step: profiles/nsys.nsys-rep, profiles/nsys_cuda_api_sum.csv", "profile of train_step: ncu: not found on this host"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
	card, _, err = runOf(t, quick, h, func(context.Context, string, []byte, string) (Outcome, error) {
		return Outcome{Report: measured(3)}, nil
	})
	if err != nil || len(card.Profiles) != 0 {
		t.Errorf("nobody asked for profiles: %+v, %v", card.Profiles, err)
	}
}
