package claim

import (
	"strings"
	"testing"

	"assay/finding"
	"assay/lint"
	"assay/plan"
	"assay/spec"
)

func parsed(t *testing.T, text string) *spec.Document {
	t.Helper()
	doc, faults := spec.Parse("test.yaml", []byte(text))
	if !spec.Valid(faults) {
		t.Fatal(faults)
	}
	return doc
}

// A run is closed when it keeps a frozen workload and changes nothing else that would
// make the work another one.
func TestDivision(t *testing.T) {
	frozen := parsed(t, `{apiVersion: assay.dev/v1alpha1, kind: WorkloadSpec, run_metadata: {benchmark_grade: realism},
  workload: {type: inference, name: chat, model: {name: m, precision: as_served}, batching_policy: {mode: as_served}, concurrency_model: {values: [2]}},
  measurement_policy: {trials: 3, outlier_policy: {method: mad}, confidence_policy: {method: student_t_95_ci}},
  metrics: {primary: ttft_ms}, artifacts: {provenance_signing: {required: false}}}`).Workload
	for _, tt := range []struct {
		name, target, load, workload string
		frozen                       *spec.WorkloadSpec
		want                         string // label, or what the reason says
	}{
		{"nothing frozen", "", "", "", nil, "made without --workload"},
		{"kept", "", "", "", frozen, Closed},
		{"another model", "", "", ", precision: fp8", frozen, "want as_served (workload.model.precision)"},
		{"fields of its own", `, extraBody: {top_k: 1}`, "", "", frozen, "spec.target.extraBody"},
		{"answers of any length", "", ", ignoreEOS: false", "", frozen, "spec.load.ignoreEOS"},
		{"shared prefixes", "", "", ", prompt: {prefixTokens: 10}", frozen, "spec.workload.prompt"},
	} {
		doc := parsed(t, `{apiVersion: assay.dev/v1alpha1, kind: BenchmarkRun, metadata: {name: t}, spec: {workload: {model: m`+tt.workload+
			`}, target: {url: "http://127.0.0.1:1"`+tt.target+`}, load: {concurrency: [2]`+tt.load+`}}}`)
		p, err := plan.New(*doc.Run)
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		d := DivisionOf(Evidence{Plan: p, Frozen: tt.frozen})
		closed := tt.want == Closed
		if (d.Label == Closed) != closed || !closed && !strings.Contains(strings.Join(d.Because, "\n"), tt.want) {
			t.Errorf("%s: %+v, want %s", tt.name, d, tt.want)
		}
	}
	frozen.Metrics.Primary = "time_to_train_hours"
	e := sound()
	e.Audit.Findings = []finding.Finding{{Check: lint.QualityUnchecked.ID, Severity: finding.Void, Message: "correctness.suite names gsm8k"}}
	e.Frozen = frozen
	if d := DivisionOf(e); d.Label == Closed || !strings.Contains(d.Reasoned(), "names gsm8k") {
		t.Errorf("a suite that nobody asked: %s", d.Reasoned())
	}
	doc := parsed(t, `{apiVersion: assay.dev/v1alpha1, kind: BenchmarkRun, metadata: {name: t}, spec: {workload: {model: m}, train: {ranks: [1]}}}`)
	p, err := plan.New(*doc.Run)
	if err != nil {
		t.Fatal(err)
	}
	if d := DivisionOf(Evidence{Plan: p, Frozen: frozen}); !strings.Contains(d.Reasoned(), "time to train needs a quality target") {
		t.Errorf("time to train without a target: %s", d.Reasoned())
	}
}
