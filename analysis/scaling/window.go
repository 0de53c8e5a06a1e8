package scaling

import (
	"fmt"
	"strings"

	"assay/finding"
	"assay/plan"
	"assay/unit"
)

// A Window is over what a size was measured in every launch.
type Window struct {
	Steps         int     `json:"steps,omitempty"` // of training
	WarmupSteps   int     `json:"warmupSteps,omitempty"`
	Seconds       float64 `json:"seconds,omitempty"` // of requests
	WarmupSeconds float64 `json:"warmupSeconds,omitempty"`
}

// WindowOf is the window of a planned point; nil where the plan sets none.
func WindowOf(p plan.Point) *Window {
	switch {
	case p.Steps != nil:
		return &Window{Steps: p.Steps.Steps, WarmupSteps: p.Steps.Warmup}
	case p.Duration > 0:
		return &Window{Seconds: p.Duration.Seconds(), WarmupSeconds: p.Warmup.Seconds()}
	}
	return nil
}

// String is the window in words.
func (w Window) String() string {
	text := unit.Format(w.Seconds, unit.Second)
	if w.Steps > 0 {
		text = fmt.Sprintf("%d steps", w.Steps)
	}
	switch {
	case w.WarmupSteps > 0:
		text += fmt.Sprintf(" after %d of warm-up", w.WarmupSteps)
	case w.WarmupSeconds > 0:
		text += fmt.Sprintf(" after %s of warm-up", unit.Format(w.WarmupSeconds, unit.Second))
	}
	return text
}

// windows says over what the sizes were measured: one sentence where all are alike.
func (s Study) windows() string {
	var parts []string
	alike := true
	for _, p := range s.Points {
		if p.Window == nil {
			return ""
		}
		alike = alike && *p.Window == *s.Points[0].Window
		parts = append(parts, fmt.Sprintf("%s at %d workers", p.Window, p.Workers))
	}
	if alike {
		return s.Points[0].Window.String() + ", in every launch of every size"
	}
	return strings.Join(parts, ", ")
}

// windowFindings asks for the window of a study that does not state it.
func (s Study) windowFindings(r Result) []finding.Finding {
	if r.Window != "" || s.toTarget() {
		return nil // a time to a target ends by itself
	}
	return []finding.Finding{{
		Check: "scaling-window", Severity: finding.Note, Message: "over how many steps or seconds the sizes were measured is not stated",
		Why: "a short window shows warm-up and chance", Fix: "give points of a JSON study a window, or a CSV file the columns steps or seconds; bundles know it",
	}}
}
