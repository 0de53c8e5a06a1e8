package assistant

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"assay/bundle"
	"assay/plan"
	"assay/spec"
)

// nothing is the input of a tool that takes none.
type nothing struct{}

func (s *Server) contracts(context.Context, nothing) (spec.ContractSummary, error) {
	return spec.Contracts()
}

type renderAsk struct {
	Choices map[string]string `json:"choices,omitempty" jsonschema:"choices that differ from the defaults, by field; see benchmark_contracts"`
	Kind    string            `json:"kind,omitempty" jsonschema:"BenchmarkRun (the default) or WorkloadSpec"`
	Minimal bool              `json:"minimal,omitempty" jsonschema:"leave defaults unwritten"`
}

type rendered struct {
	Document string            `json:"document" jsonschema:"the document in YAML"`
	Values   map[string]string `json:"values" jsonschema:"the choices that it was made from"`
}

func (s *Server) render(_ context.Context, ask renderAsk) (rendered, error) {
	var r spec.Rendering
	var err error
	switch {
	case ask.Kind == spec.KindWorkloadSpec && ask.Minimal:
		err = errors.New("minimal: want it with a BenchmarkRun only")
	case ask.Kind == spec.KindWorkloadSpec:
		r, err = spec.RenderWorkload(ask.Choices)
	case ask.Kind != "" && ask.Kind != spec.KindBenchmarkRun:
		err = fmt.Errorf("kind %q: want BenchmarkRun or WorkloadSpec", shorten(ask.Kind))
	case ask.Minimal:
		r, err = spec.RenderMinimal(ask.Choices)
	default:
		r, err = spec.Render(ask.Choices)
	}
	return rendered{r.RenderedYAML, r.AppliedValues}, err
}

// A documentAsk names a document: its text, or a file in one of the folders.
type documentAsk struct {
	Document string `json:"document,omitempty" jsonschema:"the document itself, YAML or JSON"`
	File     string `json:"file,omitempty" jsonschema:"a file in one of the server's folders, in place of document"`
}

// read is the document and what messages call it.
func (d documentAsk) read(a access) (name string, text []byte, err error) {
	switch {
	case (d.Document == "") == (d.File == ""):
		return "", nil, errors.New("want one of document and file")
	case d.Document != "":
		return "document", []byte(d.Document), nil
	}
	text, err = a.file(d.File, spec.MaxDocumentBytes)
	return d.File, text, err
}

type validated struct {
	Valid    bool     `json:"valid"`
	Kind     string   `json:"kind,omitempty"`
	Faults   []string `json:"faults" jsonschema:"each with line and column, what was got and what is wanted"`
	Warnings []string `json:"warnings"`
	Unacted  []string `json:"unacted,omitempty" jsonschema:"fields that are recorded and change nothing"`
	Refused  []string `json:"refused,omitempty" jsonschema:"fields for which assay run refuses the document"`
	Workload string   `json:"workload,omitempty" jsonschema:"digest of the workload that it declares"`
}

func (s *Server) validate(_ context.Context, ask documentAsk) (validated, error) {
	v := validated{Faults: []string{}, Warnings: []string{}}
	name, text, err := ask.read(s.access)
	if err != nil {
		return v, err
	}
	doc, faults := spec.Parse(name, text)
	for _, f := range faults {
		if f.Severity == spec.SeverityWarning {
			v.Warnings = append(v.Warnings, f.Error())
		} else {
			v.Faults = append(v.Faults, f.Error())
		}
	}
	v.Valid = spec.Valid(faults)
	if doc == nil || !v.Valid {
		return v, nil
	}
	u := doc.Unacted()
	v.Kind, v.Unacted, v.Refused = doc.Kind, u.Recorded, u.Refused
	if doc.Run != nil {
		if summary, err := spec.Summarise(*doc.Run); err == nil { // a valid document has a digest
			v.Workload = summary.WorkloadDigest
		}
	}
	return v, nil
}

// A planned is what a document would measure.
type planned struct {
	Document string   `json:"documentDigest" jsonschema:"digest of the document; run wants it as planned"`
	Name     string   `json:"name"`
	Class    string   `json:"class"`
	Workload string   `json:"workload" jsonschema:"digest of the workload"`
	Target   string   `json:"target,omitempty" jsonschema:"what would be put under load"`
	Points   []string `json:"points"`
	Launches int      `json:"launches"`

	Seconds  float64  `json:"expectedSeconds" jsonschema:"time under load; start-up of servers comes on top"`
	Requests int64    `json:"expectedRequests"`
	CostUSD  *float64 `json:"expectedCostUSD,omitempty"`
	Assumes  string   `json:"assumes,omitempty" jsonschema:"what the expectation rests on"`

	Percentiles []certifiable `json:"percentiles,omitempty" jsonschema:"which percentiles the planned sample can certify"`
	Effects     []effect      `json:"effects,omitempty" jsonschema:"the smallest effects that the launches can show; none for a quick look"`
	Unacted     []string      `json:"unacted,omitempty" jsonschema:"fields that are recorded and change nothing"`
	Refused     []string      `json:"refused,omitempty" jsonschema:"fields for which assay run refuses the document"`
	Defaults    []string      `json:"defaults" jsonschema:"fields that were filled in"`
}

type certifiable struct {
	Quantile float64  `json:"quantile"`
	Needs    int      `json:"needs" jsonschema:"requests in each launch"`
	Points   []string `json:"points" jsonschema:"where the plan reaches that"`
}

type effect struct {
	CV         float64 `json:"ifLaunchesVaryBy" jsonschema:"as a share"`
	HalfWidth  float64 `json:"oneSystemWithin" jsonschema:"half width of the interval, as a share"`
	Detectable float64 `json:"twoSystemsDifferBy" jsonschema:"as a share"`
}

func (s *Server) plan(_ context.Context, ask documentAsk) (planned, error) {
	name, text, err := ask.read(s.access)
	if err != nil {
		return planned{Points: []string{}, Defaults: []string{}}, err
	}
	return planOf(name, text)
}

// planOf plans a document. What it returns holds no secret of it.
func planOf(name string, text []byte) (planned, error) {
	out := planned{Points: []string{}, Defaults: []string{}}
	doc, faults := spec.Parse(name, text)
	switch {
	case !spec.Valid(faults):
		return out, fmt.Errorf("the document is not valid, the first fault being %w: validate lists them all", faults[0])
	case doc.Run == nil:
		return out, fmt.Errorf("the document is a %s, want a BenchmarkRun", doc.Kind)
	}
	p, err := plan.New(*doc.Run)
	if err != nil {
		return out, err
	}
	sum := sha256.Sum256(text)
	u := p.Unacted()
	out = planned{
		Document: "sha256:" + hex.EncodeToString(sum[:]), Name: p.Name, Class: p.Class(), Workload: p.WorkloadDigest,
		Points: []string{}, Launches: len(p.Launches), Seconds: p.Expected.Seconds, Requests: p.Expected.Requests, CostUSD: p.Expected.CostUSD, Assumes: p.Expected.Assumption,
		Unacted: u.Recorded, Refused: u.Refused, Defaults: []string{},
	}
	if target := p.Decided().Target; target != nil {
		out.Target = target.URL
	}
	for _, point := range p.Points {
		out.Points = append(out.Points, point.Name)
	}
	for _, d := range p.Defaults {
		out.Defaults = append(out.Defaults, d.Path)
	}
	for _, row := range p.Precision.Percentile {
		c := certifiable{Quantile: row.Quantile, Needs: row.Need, Points: []string{}}
		for _, index := range row.Certified {
			point, _ := p.PointByIndex(index)
			c.Points = append(c.Points, point.Name)
		}
		out.Percentiles = append(out.Percentiles, c)
	}
	for _, e := range p.Precision.Effects {
		out.Effects = append(out.Effects, effect{e.CV, e.HalfWidth, e.Detectable})
	}
	return redacted(out, spec.Secrets(p.Run))
}

// redacted is a plan without what the document writes out and should not.
func redacted(p planned, secrets []string) (planned, error) {
	data, err := json.Marshal(p)
	if err != nil {
		return p, err
	}
	var out planned
	err = json.Unmarshal(bundle.NewRedactor(secrets, nil).Document(data), &out)
	return out, err
}
