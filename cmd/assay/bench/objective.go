package bench

import (
	"regexp"
	"strconv"
	"strings"

	"assay/spec"
	"assay/unit"
)

// objectiveForm is METRIC, perhaps :pNN, a sign and a bound.
var objectiveForm = regexp.MustCompile(`^([a-z0-9_]+)(?::p([0-9.]+))?\s*(<=?|>=?)\s*([^<>=]+)$`)

// objectives takes what must hold. Which bound a metric has is the spec's to say.
func (m *maker) objectives() {
	for _, text := range m.v.list("slo") {
		o, ok := objective(text)
		if !ok {
			m.fail("--slo: got %q, want such as 'ttft:p99<300ms', 'error_rate<1%%' or 'tokens_per_second>500'", text)
			continue
		}
		m.run.Spec.SLO = append(m.run.Spec.SLO, o)
	}
}

func objective(text string) (spec.Objective, bool) {
	parts := objectiveForm.FindStringSubmatch(strings.TrimSpace(text))
	if parts == nil {
		return spec.Objective{}, false
	}
	o := spec.Objective{Metric: parts[1]}
	var err error
	if parts[2] != "" {
		if o.Percentile, err = strconv.ParseFloat(parts[2], 64); err != nil {
			return o, false
		}
	}
	bound := strings.TrimSpace(parts[4])
	if strings.HasPrefix(parts[3], ">") {
		o.Min, err = strconv.ParseFloat(bound, 64)
		return o, err == nil
	}
	if o.Max, err = unit.ParseDuration(bound); err == nil {
		return o, true
	}
	number, percent := strings.CutSuffix(bound, "%")
	if o.MaxRatio, err = strconv.ParseFloat(number, 64); percent {
		o.MaxRatio /= 100
	}
	return o, err == nil
}
