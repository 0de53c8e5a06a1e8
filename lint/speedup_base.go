package lint

import (
	"fmt"

	"assay/finding"
)

// SpeedupBase fires when nobody says what a speed-up is relative to.
var SpeedupBase = Check{
	ID: "speedup-base", Code: "H-01", Severity: finding.Void,
	Doc:     "A speed-up is stated without the kind and the absolute value of its base.",
	When:    "a speed-up without the kind, value and unit of its base",
	Applies: statedWith(statesSpeedup),
	Run: func(f *Facts) Answer {
		var list []finding.Finding
		for _, s := range f.Statements {
			if !statesSpeedup(f, s) {
				continue
			}
			lacks := ""
			switch {
			case s.Base == nil:
				lacks = "neither the kind nor the absolute value of its base"
			case s.Base.Kind == "":
				lacks = "an absolute base but not whether it is one process or the best serial program"
			case s.Base.Value <= 0 || s.Base.Unit == "":
				lacks = "no absolute value and unit of its base (" + s.Base.Kind + ")"
			default:
				continue
			}
			list = append(list, finding.Finding{
				Severity: finding.Void,
				Message:  fmt.Sprintf("%s states a speed-up and has %s", said(s), lacks),
				Why:      "a slow base makes any speed-up",
				Fix:      "state the base with its figure and unit (base.kind, base.value, base.unit)",
			})
		}
		return found(list...)
	},
}

func statesSpeedup(_ *Facts, s Statement) bool {
	return s.Scaling != nil || s.Metric == "speedup" || s.Base != nil
}
