package main

import (
	"reflect"
	"strings"

	"assay/accuracy/changes"
	"assay/accuracy/pairwise"
	"assay/analysis/compare"
	"assay/analysis/fleet"
	"assay/analysis/gate"
	"assay/analysis/hardware"
	"assay/analysis/mllog"
	"assay/analysis/scaling"
	"assay/analysis/trace"
	"assay/bundle"
	"assay/claim"
	"assay/cmd/assay/jsonschema"
	"assay/lint"
	"assay/plan"
	"assay/report"
	"assay/report/plot"
	"assay/server/client"
	"assay/sim"
	"assay/spec"
	"assay/suite"
	"assay/suite/acts"
	"assay/suite/triage"
	"assay/telemetry/doctor"
	"assay/timetable"
	"assay/warehouse"
)

// An output is one document that commands print with --json.
type output struct {
	kind     string       // as --kind and the file name it
	of       reflect.Type // what is printed
	commands []string     // that print it, without --json
}

// outputs lists all of them. A command that gets a --json gets a line here.
var outputs = []output{
	{"report", reflect.TypeFor[report.Report](), []string{"report", "run", "bench", "bench run", "eval", "demo", "import", "train", "comm", "scale run"}},
	{"rerun", reflect.TypeFor[rerunAnswer](), []string{"rerun"}},
	{"compare", reflect.TypeFor[compare.Report](), []string{"compare"}},
	{"diff-answers", reflect.TypeFor[changes.Report](), []string{"diff-answers"}},
	{"score", reflect.TypeFor[scored](), []string{"score"}},
	{"score-pairs", reflect.TypeFor[pairwise.Report](), []string{"judge-answers"}},
	{"gate", reflect.TypeFor[gate.Result](), []string{"gate"}},
	{"lint", reflect.TypeFor[lintReport](), []string{"lint"}},
	{"lint-checks", reflect.TypeFor[[]lint.Entry](), []string{"lint --list"}},
	{"claim", reflect.TypeFor[claim.Claims](), []string{"claim"}},
	{"verify", reflect.TypeFor[bundle.Report](), []string{"verify"}},
	{"recover", reflect.TypeFor[bundle.Manifest](), []string{"recover"}},
	{"export", reflect.TypeFor[exported](), []string{"export"}},
	{"import-tools", reflect.TypeFor[[]readTool](), []string{"import --list"}},
	{"keygen", reflect.TypeFor[newKeys](), []string{"keygen"}},
	{"plan", reflect.TypeFor[plan.Plan](), []string{"plan"}},
	{"validate", reflect.TypeFor[[]validation](), []string{"validate"}},
	{"validate-rules", reflect.TypeFor[[]spec.Rule](), []string{"validate --rules"}},
	{"init", reflect.TypeFor[spec.Rendering](), []string{"init"}},
	{"bench-spec", reflect.TypeFor[askedSpec](), []string{"bench --print-spec", "eval --print-spec"}},
	{"triage", reflect.TypeFor[triage.Marker](), []string{"triage"}},
	{"act", reflect.TypeFor[acts.Act](), []string{"suite accept", "promote", "cordon", "uncordon", "mark"}},
	{"keep", reflect.TypeFor[[]warehouse.Kept](), []string{"keep"}},
	{"push", reflect.TypeFor[[]client.Kept](), []string{"push"}},
	{"token", reflect.TypeFor[newToken](), []string{"token new"}},
	{"query", reflect.TypeFor[warehouse.Answer](), []string{"query"}},
	{"history", reflect.TypeFor[warehouse.History](), []string{"history"}},
	{"lineage", reflect.TypeFor[warehouse.Lineage](), []string{"lineage"}},
	{"retain", reflect.TypeFor[[]warehouse.Retained](), []string{"retain"}},
	{"schedule-status", reflect.TypeFor[[]timetable.State](), []string{"schedule status"}},
	{"doctor", reflect.TypeFor[doctor.Report](), []string{"doctor"}},
	{"diagnose", reflect.TypeFor[diagnosis](), []string{"diagnose"}},
	{"scale", reflect.TypeFor[scaling.Result](), []string{"scale"}},
	{"fleet", reflect.TypeFor[fleet.Size](), []string{"fleet"}},
	{"trace", reflect.TypeFor[[]trace.Trace](), []string{"trace"}},
	{"mllog", reflect.TypeFor[[]mllog.Score](), []string{"mllog"}},
	{"plot", reflect.TypeFor[plotted](), []string{"plot"}},
	{"plot-fields", reflect.TypeFor[[]plot.Field](), []string{"plot --list-fields"}},
	{"plot-presets", reflect.TypeFor[[]plot.Preset](), []string{"plot --list-presets"}},
	{"probe", reflect.TypeFor[hardware.Report](), []string{"probe"}},
	{"net", reflect.TypeFor[netReport](), []string{"net HOST"}},
	{"net-interfaces", reflect.TypeFor[crossing](), []string{"net --interfaces (a document for each interval)"}},
	{"suite", reflect.TypeFor[suite.Card](), []string{"suite PRESET", "cluster common-eval"}},
	{"suite-presets", reflect.TypeFor[[]listedSuite](), []string{"suite"}},
	{"suite-readiness", reflect.TypeFor[readiness](), []string{"suite multinode-readiness"}},
	{"suite-tier1", reflect.TypeFor[tier1Answer](), []string{"suite tier1", "bench run-tier1"}},
	{"calibrate", reflect.TypeFor[calibration](), []string{"calibrate"}},
	{"calibrate-peers", reflect.TypeFor[comparison](), []string{"calibrate --peers"}},
	{"calibrate-view", reflect.TypeFor[viewComparison](), []string{"calibrate --view"}},
	{"sim-ready", reflect.TypeFor[simReady](), []string{"sim (its first line)"}},
	{"sim-totals", reflect.TypeFor[sim.Stats](), []string{"sim (its last line)"}},
	{"sim-faults", reflect.TypeFor[[]simFault](), []string{"sim --list-faults"}},
	{"list", reflect.TypeFor[[]listed](), []string{"list TABLE"}},
	{"schema-form", reflect.TypeFor[schemaForm](), []string{"schema crd", "schema docs"}},
	{"schema-files", reflect.TypeFor[[]string](), []string{"schema --write DIR"}},
	{"contracts", reflect.TypeFor[spec.ContractSummary](), []string{"tools benchmark-contracts"}},
	{"version", reflect.TypeFor[bundle.Tool](), []string{"version"}},
}

// schema is the JSON Schema of what is printed.
func (o output) schema() ([]byte, error) {
	var printed []string
	for _, command := range o.commands {
		verb, rest, _ := strings.Cut(command, " (")
		if rest != "" {
			rest = " (" + rest
		}
		printed = append(printed, "assay "+verb+" --json"+rest)
	}
	return jsonschema.Of(o.kind, "What "+strings.Join(printed, ", ")+" prints.", o.of)
}

// outputSchemas are the files of every schema.
func outputSchemas() (files []spec.GeneratedFile, err error) {
	for _, o := range outputs {
		data, err := o.schema()
		if err != nil {
			return nil, err
		}
		files = append(files, spec.GeneratedFile{Path: "docs/reference/schema/" + o.kind + ".schema.json", Data: data})
	}
	return files, nil
}
