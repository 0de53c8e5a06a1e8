package metric

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"assay/plan"
)

// ReferenceFile is where the source tree keeps what Reference makes.
const ReferenceFile = "docs/reference/metrics.md"

const referenceHead = `# Metrics

Made by ` + "`make generate`" + ` from the table that assay computes with. What the definitions
share is in [METHODOLOGY.md](../../METHODOLOGY.md#metrics) and in detail for
[serving](method-serving.md#metrics-what-the-definitions-share) and for
[training, collectives and hardware](method-ranks.md); the
[worked example](metrics-worked.md) computes the metrics of one request by hand.

A metric of *requests* is a distribution over the successful measured requests of a point,
of *events* or *sessions* over those of all of them, of *steps* over the measured training
steps; one of the *window* has one value for
each point of a launch, one of the *launch* one for each launch. Those marked + are in the
JSON and in ` + "`assay report --all`" + `, and left out of a report otherwise.

| id | name | unit | better | of | definition |
| --- | --- | --- | --- | --- | --- |
`

// Reference is a page that lists every metric.
func Reference() []byte {
	var b bytes.Buffer
	b.WriteString(referenceHead)
	family := false
	for _, m := range All {
		if name, one := strings.CutPrefix(m.ID, attainmentPrefix); one {
			if family {
				continue // one row for all of them
			}
			family = true
			name = strings.TrimSuffix(name, ".v2")
			m.ID, m.Name = attainmentPrefix+"NAME.v2", "SLO attainment, NAME"
			m.Doc = strings.Replace(m.Doc, name, "NAME", 1) + " NAME is any metric that spec.slo can limit for single requests."
		}
		mark := ""
		if m.Detail {
			mark = " +"
		}
		fmt.Fprintf(&b, "| `%s`%s | %s | %s | %s | %s | %s |\n", m.ID, mark, strings.TrimSpace(m.Name), m.Unit, m.Better, m.per(), m.Doc)
	}
	return b.Bytes()
}

// per says what m has its values of.
func (m Metric) per() string {
	if m.Only(Probes) {
		return "probes"
	}
	switch m.Of.(type) {
	case Values:
		return "events"
	case Each:
		return "requests"
	case Many:
		if slices.Contains(m.Scope.Kinds, plan.KindSteps) {
			return "steps"
		}
		return "sessions"
	case Once:
		return "launch"
	}
	return "window"
}
