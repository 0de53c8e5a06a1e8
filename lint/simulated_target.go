package lint

import (
	"fmt"
	"slices"
	"strings"

	"assay/finding"
	"assay/metric"
	"assay/spec"
)

// SimulatedTarget fires when the system under test does not do the work.
var SimulatedTarget = Check{
	ID: "simulated-target", Code: "L-20", Severity: finding.Void,
	Doc: "The target is a mock, or claims more than its hardware can do.",
	When: "the engine calls itself a simulator or mock, or tells the latencies that it was given, as " +
		"llm-d-inference-sim does, unless the plan declares it (note); MFU or MBU with a lower bound " +
		"above one. A note where it calls itself vLLM or SGLang and answers through an HTTP server that they do not use",
	Applies: serves,
	Run:     simulatedTarget,
}

// simulator is what assay's own simulator calls itself.
const simulator = "assay-sim"

// mockNames are parts of the names of engines that do not compute anything.
var mockNames = []string{simulator, "mock", "fake", "dummy", "simulat", "inference-sim", "test server"}

func simulatedTarget(f *Facts) Answer {
	var answer Answer
	for _, side := range f.sides() {
		engine, known := f.serverFact(side, "server.engine")
		if !known {
			answer.Missing = "the environment's server.engine: what the target says that it is"
			continue
		}
		mock := slices.ContainsFunc(mockNames, func(name string) bool { return strings.Contains(strings.ToLower(engine), name) })
		says := "says that it is"
		if unmasked, ok := f.serverFact(side, "server.simulator"); ok {
			mock, engine, says = true, unmasked, "is"
		}
		if !mock {
			answer.Findings = append(answer.Findings, f.oddServer(side, engine)...)
			continue
		}
		one := finding.Finding{
			Severity: finding.Void,
			Message:  fmt.Sprintf("%s %s %s, and the plan calls it %s", targetOf(side), says, engine, f.Plan.Workload().Model),
			Why:      "it computes no answer: its figures are those of a schedule",
			Fix:      "measure the engine itself; where the simulator is the subject, name it: let assay start it with target.server, or call the model sim",
		}
		if declaredSimulator(f.target(side), f.Plan.Workload().Model) {
			one.Severity = finding.Note
			one.Message = fmt.Sprintf("%s is %s, as the plan declares", targetOf(side), engine)
			one.Fix = "say so wherever a figure is stated"
		}
		answer.Findings = append(answer.Findings, one)
	}
	for _, row := range f.Estimates.Rows {
		name, _, _ := strings.Cut(row.Metric, ".")
		if (name == "mfu" || name == "mbu") && row.Value > 1 && row.Interval.Lo > 1 {
			answer.Findings = append(answer.Findings, impossible(f, row))
		}
	}
	return answer
}

// uvicornEngines answer through uvicorn, unless something stands before them.
var uvicornEngines = []string{"vllm", "sglang"}

// oddServer notes an engine that answers through an HTTP server that it does not use: a
// simulator, such as earlier versions of llm-d-inference-sim, or a proxy before it.
func (f *Facts) oddServer(side, engine string) []finding.Finding {
	http, known := f.serverFact(side, "server.http")
	if !known || http != "fasthttp" || !slices.Contains(uvicornEngines, engine) {
		return nil
	}
	return []finding.Finding{{
		Severity: finding.Note,
		Message:  fmt.Sprintf("%s says that it is %s, and answers through %s, which %s does not use", targetOf(side), engine, http, engine),
		Why:      "it may be a simulator, such as llm-d-inference-sim, or a proxy before the engine",
		Fix:      "look at what runs there; measure the engine itself, or name the simulator or proxy beside the results",
	}}
}

func impossible(f *Facts, row metric.Row) finding.Finding {
	return finding.Finding{
		Severity: finding.Void,
		Message:  fmt.Sprintf("%s: %s is %.3g, more than the hardware can do", rowName(f, row), row.Name, row.Value),
		Why:      "work that was not done is counted, or the bounds are those of other hardware",
		Fix:      "correct the declared bounds of hardware and model, and look for caches and skipped work",
	}
}

// declaredSimulator reports whether the plan says that the subject is the
// simulator: assay starts it, or the model has its name.
func declaredSimulator(t spec.Target, model string) bool {
	started := t.Server != nil && len(t.Server.Command) > 1 && t.Server.Command[1] == "sim"
	return started || model == "sim"
}
