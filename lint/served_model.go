package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"assay/finding"
)

// ServedModel fires when the target serves another model than the one that was
// asked for, or than the baseline's did under the same name.
var ServedModel = Check{
	ID: "served-model", Severity: finding.Void,
	Doc: "Another model answers behind the name that was asked for.",
	When: "a pair asks for one model from targets that list different ones (/v1/models). Caution: a " +
		"model that the target does not list",
	Applies: serves,
	Run:     servedModel,
}

func servedModel(f *Facts) Answer {
	var answer Answer
	for _, side := range f.sides() {
		models, known := f.models(side)
		if !known {
			answer.Missing = "the environment's server.models: what " + targetOf(side) + " says that it serves"
			continue
		}
		answer.Findings = append(answer.Findings, f.askedFor(side, models)...)
		if f.Against == nil || f.Against.askedModel(side) != f.askedModel(side) {
			continue
		}
		if others, known := f.Against.models(side); known && !slices.Equal(models, others) {
			answer.Findings = append(answer.Findings, finding.Finding{
				Severity: finding.Void,
				Message: fmt.Sprintf("both runs ask for %s; the baseline's target serves %s, the candidate's %s",
					f.askedModel(side), strings.Join(others, ", "), strings.Join(models, ", ")),
				Why: "a smaller model behind the same name is faster for that reason alone",
				Fix: "serve one model on both sides, by the digest of its weights",
			})
		}
	}
	return answer
}

// askedFor holds what a target serves against what the plan asks for. Some accept any
// name, and a simulator computes none of them.
func (f *Facts) askedFor(side string, models []string) []finding.Finding {
	asked := f.askedModel(side)
	if asked == "" || slices.Contains(models, asked) || declaredSimulator(f.target(side), f.Plan.Workload().Model) {
		return nil
	}
	return []finding.Finding{{
		Severity: finding.Caution,
		Message:  fmt.Sprintf("%s was asked for %s, and says that it serves %s", targetOf(side), asked, strings.Join(models, ", ")),
		Why:      "a server that answers to any name may have answered with another model",
		Fix:      "ask for a name that the target lists, and name the model that it is",
	}}
}

// askedModel is the name of the model in the requests to a side.
func (f *Facts) askedModel(side string) string {
	return cmp.Or(f.target(side).Model, f.Plan.Workload().Model)
}

// models are what the target of a side says that it serves, in order; false where it
// does not say.
func (f *Facts) models(side string) ([]string, bool) {
	text, known := f.serverFact(side, "server.models")
	names := strings.Fields(strings.Trim(text, "[]"))
	slices.Sort(names)
	return names, known && len(names) > 0
}
