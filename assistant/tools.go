package assistant

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A tool is one thing that may be asked for.
type tool struct {
	name, title, doc string
	add              func(*Server, tool)
}

// tools lists everything that may be asked for, in the order of its use.
var tools = []tool{
	{"search", "Find runs and guides", "Finds kept runs, bundles in the folders and pages of the guides by words in their names, systems, models and claims. Start here.", asked((*Server).search)},
	{"report", "Results of a run", "Shows the results of one run: every number with unit, interval, n, the digest of its bundle and the sentence that may be quoted, and what the checks found. A void run answers with why instead of numbers.", asked((*Server).report)},
	{"claim", "What may be quoted", "Lists the sentences about a run that may be quoted, each standing alone with interval, load, conditions and grade, and what may not be claimed, with the reason and the cure.", asked((*Server).claim)},
	{"lint", "Check a run for mistakes", "Makes every check of assay's catalogue over a run, alone or as a pair with a baseline, and lists what was found, worst first, with the cure.", asked((*Server).lint)},
	{"compare", "Compare runs", "Compares candidates with a baseline (the first bundle), metric by metric: the ratio with its interval and better, worse, equivalent or inconclusive. Says first whether the comparison is controlled.", asked((*Server).compare)},
	{"gate", "Judge a candidate by a policy", "Says by a GatePolicy document whether a candidate regressed. It fails closed and remembers nothing: the history of a gate is kept by assay gate --history.", asked((*Server).gate)},
	{"history", "A result over time", "Shows a metric over time from the warehouse, one series for each workload, point, system and machine, and where it changed.", asked((*Server).history)},
	{"query", "Ask the catalogue in SQL", "Answers one SELECT (SQLite) over the warehouse: benchmark_run_fact, current_run, metric_fact, launch_metric_fact, serving_outcome_fact, training_outcome_fact, telemetry_slice_fact, finding_fact, claim_fact, launch_fact, file_fact, act_fact and the dimensions workload_dim, software_version_dim, hardware_topology_dim, cluster_region_dim. Results of void, unfinished and retracted runs are left out of every table. An answer with measured numbers must have the columns artifact_manifest_digest, unit, low, high and n of metric_fact.", asked((*Server).query)},
	{"lineage", "Where a number comes from", "Follows a printed number (\"12.3 ms\"), words of a claim or a digest back to the run, its bundle and the raw tables.", asked((*Server).lineage)},
	{"benchmark_contracts", "Documents that may be declared", "Lists the documents of the published contract, their schemas, and the choices and defaults of the renderer.", asked((*Server).contracts)},
	{"render", "Write a document from choices", "Writes a valid BenchmarkRun (or WorkloadSpec) from choices; benchmark_contracts lists them. Nothing is written to disk.", asked((*Server).render)},
	{"validate", "Check a document", "Checks a BenchmarkRun, WorkloadSpec, GatePolicy or PerformanceIntake and reports every fault with its line. Files that it names are not looked for.", asked((*Server).validate)},
	{"plan", "What a document will measure", "Says what a BenchmarkRun would measure: points, launches, time, requests, cost, which percentiles it can certify and the smallest effect it can show. It runs nothing.", asked((*Server).plan)},
	{"run", "Measure", "Carries out a BenchmarkRun that was planned. It loads the system under test and may start programs that the document names. Refused unless the server was started with --allow-run; the user is asked where the client can ask.", addRun},
}

// asked makes a tool of a function that only reads.
func asked[In, Out any](answer func(*Server, context.Context, In) (Out, error)) func(*Server, tool) {
	return func(s *Server, t tool) {
		no := false
		mcp.AddTool(s.mcp, &mcp.Tool{
			Name: t.name, Title: t.title, Description: t.doc, InputSchema: inputSchema[In](),
			Annotations: &mcp.ToolAnnotations{Title: t.title, ReadOnlyHint: true, IdempotentHint: true, DestructiveHint: &no, OpenWorldHint: &no},
		}, func(ctx context.Context, _ *mcp.CallToolRequest, in In) (*mcp.CallToolResult, Out, error) {
			var out Out
			err := s.compute(ctx, func() (err error) {
				out, err = answer(s, ctx, in)
				return err
			})
			return nil, out, err
		})
	}
}

// The longest texts and lists of a call. What is longer is refused before it is read.
const (
	mostWords = 4096
	mostItems = 16
)

// inputSchema is the schema of what a tool takes: nothing that it does not name, and no
// text or list without a bound.
func inputSchema[In any]() *jsonschema.Schema {
	schema, err := jsonschema.For[In](nil)
	if err != nil {
		panic(fmt.Sprintf("input of a tool: %v", err)) // a fault of our own types, at start-up
	}
	for name, field := range schema.Properties {
		bound(field, longTexts[name])
	}
	return schema
}

// longTexts are the arguments that hold whole documents.
var longTexts = map[string]int{"document": 1 << 20, "policy": 1 << 20}

func bound(s *jsonschema.Schema, longest int) {
	if longest == 0 {
		longest = mostWords
	}
	if slices.Contains(s.Types, "array") {
		s.Type, s.Types = "array", nil // null is no list, and leaving it out is shorter
	}
	list := mostItems
	s.MaxLength, s.MaxItems = &longest, &list
	if s.Items != nil {
		bound(s.Items, 0)
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Not == nil {
		bound(s.AdditionalProperties, 0)
	}
}
