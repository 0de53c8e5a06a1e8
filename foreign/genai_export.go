package foreign

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"assay/bundle"
	"assay/plan"
	"assay/record"
)

// ExportGenAIBench writes one launch of a bundle as an experiment folder of
// genai-bench 0.0.5, which must not exist yet. genai-bench knows no repetitions:
// each launch is an experiment of its own.
//
// Everything is computed from the records, in seconds, as genai-bench computes it,
// statistics and rates of a run from the same rows. Where the bundle repeats
// genai-bench itself these are all rows, those of a warm-up too: none tells when it
// was sent, so that only all of them together have a window. Figures that it got
// right of them are repeated to the last digit.
func ExportGenAIBench(b *bundle.Bundle, p plan.Plan, launch int, dir string) error {
	e := genaiExport{from: b, plan: p, launch: launch}
	runs, err := e.runs()
	if err != nil {
		return err
	}
	meta, err := e.metadata(runs, filepath.Base(dir))
	if err != nil {
		return err
	}
	files := map[string]any{genaiMetadataFile: meta}
	for _, r := range runs {
		name := r.fileName(e.task())
		if files[name] != nil {
			return fmt.Errorf("two points of the plan are %s at level %d, which genai-bench keeps once: export a run with one of them", r.Aggregate.Scenario, r.level())
		}
		files[name] = r.genaiRun
	}
	return writeFolder(dir, files)
}

// writeFolder writes JSON files into a new folder, all of them or none.
func writeFolder(dir string, files map[string]any) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return fmt.Errorf("%w: want a folder that does not exist", err)
	}
	for name, content := range files {
		data, err := json.MarshalIndent(content, "", "    ")
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), data, 0o644)
		}
		if err != nil {
			return errors.Join(fmt.Errorf("%s: %w", name, err), os.RemoveAll(dir))
		}
	}
	return nil
}

// A genaiExport is a launch on its way into a folder.
type genaiExport struct {
	from   *bundle.Bundle
	plan   plan.Plan
	launch int
}

func (e genaiExport) task() string { return e.plan.Workload().Prompt.Task }

// A genaiPoint is what is read of one point.
type genaiPoint struct {
	begin, end int64
	requests   []record.Request
}

// runs makes the run of every point of the launch.
func (e genaiExport) runs() ([]genaiRunOf, error) {
	points, firsts, err := e.read()
	if err != nil {
		return nil, fmt.Errorf("launch %d: %w", e.launch+1, err)
	}
	reported, err := e.reported()
	if err != nil {
		return nil, err
	}
	var runs []genaiRunOf
	for _, point := range e.plan.Points {
		at := points[int32(point.Index)]
		if at == nil || at.end <= at.begin || len(at.requests) == 0 {
			continue
		}
		if point.Open() {
			return nil, fmt.Errorf("%s is an open loop: genai-bench has closed loops only, and would show its rate as users", point.Name)
		}
		r := genaiRunOf{genaiRun: genaiRun{TimeUnit: inSeconds, Aggregate: &genaiAggregate{
			Scenario: e.scenario(point), Iteration: byConcurrency, Seconds: float64(at.end-at.begin) / 1e9, ErrorCodes: map[string]int{},
		}}}
		users, batch := max(1, point.Concurrency), max(1, point.BatchSize, e.plan.Workload().Prompt.Details.Documents)
		r.Aggregate.Concurrency, r.Aggregate.BatchSize = &users, &batch
		if point.BatchSize > 0 {
			r.Aggregate.Iteration = byBatchSize
		}
		for _, request := range at.requests {
			first, streamed := firsts[request.ID]
			if !streamed {
				first = request.Done // without a stream the first token is the last
			}
			row := genaiRowOf(request, first, e.task())
			if row.ErrorCode != nil {
				r.Aggregate.ErrorCodes[fmt.Sprint(*row.ErrorCode)]++
			}
			r.Rows = append(r.Rows, row)
		}
		r.aggregate()
		r.repeat(reported, point.Index)
		runs = append(runs, r)
	}
	if len(runs) == 0 {
		return nil, fmt.Errorf("launch %d holds no measured request: nothing to export", e.launch+1)
	}
	if slices.ContainsFunc(runs, func(r genaiRunOf) bool { return r.Aggregate.Iteration != runs[0].Aggregate.Iteration }) {
		return nil, errors.New("some points sweep batch sizes and others users: genai-bench keeps one of the two in a folder")
	}
	return runs, nil
}

// read gathers the requests of every point that are exported, in order of completion, and
// when the first output of each arrived.
func (e genaiExport) read() (map[int32]*genaiPoint, map[int64]int64, error) {
	points, firsts := map[int32]*genaiPoint{}, map[int64]int64{}
	for event, err := range bundle.Rows[record.Event](e.from, e.launch, bundle.Events) {
		switch {
		case err != nil:
			return nil, nil, err
		case event.Name == record.WindowBegin:
			points[event.Point] = &genaiPoint{begin: event.At}
		case event.Name == record.WindowEnd && points[event.Point] != nil:
			points[event.Point].end = event.At
		}
	}
	for r, err := range bundle.Rows[record.Request](e.from, e.launch, bundle.Requests) {
		if err != nil {
			return nil, nil, err
		}
		// What was cut or given up is neither a success nor an error, and genai-bench
		// has no place for it.
		if at := points[r.Point]; at != nil && (r.Phase == record.Measure || e.repeats()) && (r.Result == record.OK || r.Result.Failure()) {
			at.requests = append(at.requests, r)
		}
	}
	for c, err := range bundle.Rows[record.Chunk](e.from, e.launch, bundle.Chunks) {
		if err != nil {
			return nil, nil, err
		}
		if first, seen := firsts[c.Request]; c.Kind.Output() && (!seen || c.At < first) {
			firsts[c.Request] = c.At
		}
	}
	if !e.from.Manifest.Unknown(bundle.GapSendTimes) {
		for _, at := range points {
			slices.SortStableFunc(at.requests, func(a, b record.Request) int { return int(min(1, max(-1, a.Done-b.Done))) })
		}
	}
	return points, firsts, nil
}

// repeats reports whether the bundle repeats a result of genai-bench.
func (e genaiExport) repeats() bool {
	s := e.from.Manifest.Source
	return s != nil && s.Tool == genaiBench
}

// reported reads the figures that genai-bench itself computed, where the bundle
// repeats it.
func (e genaiExport) reported() ([]record.Reported, error) {
	if !e.repeats() {
		return nil, nil
	}
	data, err := e.from.ReadFile(fmt.Sprintf("raw/launch-%02d/%s", e.launch, record.ReportedFile))
	if err != nil {
		return nil, err
	}
	var list []record.Reported
	return list, json.Unmarshal(data, &list)
}

// scenario is the shape of the requests of a point in genai-bench's notation.
func (e genaiExport) scenario(point plan.Point) string {
	w := e.plan.Workload()
	switch {
	case point.Scenario != "":
		return point.Scenario
	case w.Prompt.Scenario != "":
		return w.Prompt.Scenario
	case w.Prompt.Dataset == nil && w.Prompt.Spread == 0 && len(w.SequenceLengthMix) == 1:
		return fmt.Sprintf("D(%d,%d)", w.SequenceLengthMix[0].InputTokens, w.SequenceLengthMix[0].OutputTokens)
	}
	return "dataset" // genai-bench's word for lengths that no scenario shapes
}

// fileName is what genai-bench calls the file of a run, with its whole seconds.
func (r *genaiRunOf) fileName(task string) string {
	scenario := strings.NewReplacer("/", "_", ",", "_", "(", "", ")", "").Replace(r.Aggregate.Scenario)
	return fmt.Sprintf("%s_%s_%s_%d_time_%ds.json", scenario, task, r.Aggregate.Iteration, r.level(), int(math.Round(r.Aggregate.Seconds)))
}
