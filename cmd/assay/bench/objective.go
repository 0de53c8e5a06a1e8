package bench

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"assay/spec"
	"assay/unit"
)

// objectiveForm is METRIC, perhaps :pNN, a sign and a bound.
var objectiveForm = regexp.MustCompile(`^([a-z0-9_]+)(?::p([0-9.]+))?\s*(<=?|>=?)\s*([^<>=]+)$`)

// objectives takes what must hold, and which result leads.
func (m *maker) objectives() {
	m.run.Spec.Intent.Headline = m.oneOf("headline", spec.Vocabularies["headlines"]...)
	for _, text := range m.v.list("slo") {
		o, err := objective(text)
		if err != nil {
			m.fail("--slo %q: %w", text, err)
			continue
		}
		m.run.Spec.SLO = append(m.run.Spec.SLO, o)
	}
}

// objective reads one objective. The metric says which bound it takes.
func objective(text string) (spec.Objective, error) {
	parts := objectiveForm.FindStringSubmatch(strings.TrimSpace(text))
	if parts == nil {
		return spec.Objective{}, errors.New("want such as 'ttft:p99<300ms', 'error_rate<1%' or 'tokens_per_second>500'")
	}
	o := spec.Objective{Metric: parts[1]}
	var err error
	if parts[2] != "" {
		if o.Percentile, err = strconv.ParseFloat(parts[2], 64); err != nil || o.Percentile <= 0 || o.Percentile >= 100 {
			return o, fmt.Errorf("p%s is no percentile, want one between 0 and 100", parts[2])
		}
	}
	bound, below := strings.TrimSpace(parts[4]), strings.HasPrefix(parts[3], "<")
	switch kind := spec.ObjectiveBound(o.Metric); {
	case kind == "":
		return o, fmt.Errorf("unknown metric %s: want one of %s", o.Metric, strings.Join(spec.Vocabularies["sloMetrics"], ", "))
	case kind == "max" && below:
		if o.Max, err = unit.ParseDuration(bound); err != nil || o.Max <= 0 {
			return o, fmt.Errorf("%s is a time and needs a unit: want %s<%ss or %s<%sms", o.Metric, o.Metric, number(bound), o.Metric, number(bound))
		}
	case kind == "maxRatio" && below:
		if o.MaxRatio, err = ratio(bound); err != nil || o.MaxRatio <= 0 || o.MaxRatio > 1 {
			return o, fmt.Errorf("%s is a share: want %s<1%% or %s<0.01", o.Metric, o.Metric, o.Metric)
		}
	case kind == "min" && !below:
		if o.Min, err = strconv.ParseFloat(bound, 64); err != nil || o.Min <= 0 {
			return o, fmt.Errorf("%s is a speed: want a number above zero, as in %s>500", o.Metric, o.Metric)
		}
	case below:
		return o, fmt.Errorf("%s is better when it is higher: want %s>%s", o.Metric, o.Metric, bound)
	default:
		return o, fmt.Errorf("%s is better when it is lower: want %s<%s", o.Metric, o.Metric, bound)
	}
	return o, nil
}

// number is text where it is a number, and else an example of one.
func number(text string) string {
	if _, err := strconv.ParseFloat(text, 64); err != nil {
		return "300"
	}
	return text
}

// ratio reads a share, also one in percent.
func ratio(text string) (float64, error) {
	digits, percent := strings.CutSuffix(text, "%")
	share, err := strconv.ParseFloat(digits, 64)
	if percent {
		share /= 100
	}
	return share, err
}
