package foreign

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"assay/bundle"
	"assay/record"
)

const genaiBench = "genai-bench"

// GenAIBench reads experiment folders of genai-bench, up to version 0.0.5 and
// those of older versions without units and batch sizes.
var GenAIBench = Tool{
	Name: genaiBench,
	Doc:  "experiment folders, each with " + genaiMetadataFile + " and its run files; several folders become several launches",
	Claims: func(path string) bool {
		_, err := os.Stat(filepath.Join(genaiFolder(path), genaiMetadataFile))
		return err == nil
	},
	Read: readGenAIBench,
}

// genaiFolder is the folder of an experiment, which may be named by its metadata.
func genaiFolder(path string) string {
	if filepath.Base(path) == genaiMetadataFile {
		return filepath.Dir(path)
	}
	return path
}

func readGenAIBench(paths []string) (Import, error) {
	var read []genaiExperiment
	for _, path := range paths {
		e, err := readGenaiExperiment(genaiFolder(path))
		if err != nil {
			return Import{}, err
		}
		read = append(read, e)
	}
	if len(read) == 0 {
		return Import{}, errors.New("nothing to read: want an experiment folder of genai-bench")
	}
	first := read[0]
	m := Import{
		Source:      bundle.Source{Tool: genaiBench, Version: first.meta.Version},
		Environment: first.environment(),
	}
	for i, e := range read {
		if err := first.same(e); err != nil {
			return Import{}, err
		}
		if len(read) > 1 {
			for j := range e.files {
				e.files[j].Name = fmt.Sprintf("%d/%s", i, e.files[j].Name)
			}
		}
		m.Files = append(m.Files, e.files...)
		m.Source.Notes = append(m.Source.Notes, e.notes...)
	}
	m.Points = genaiPoints(read)
	m.Run = first.run(read)
	for _, e := range read {
		launch, notes, err := e.launch(m.Points)
		if err != nil {
			return Import{}, err
		}
		m.Launches = append(m.Launches, launch)
		m.Source.Notes = append(m.Source.Notes, notes...)
	}
	m.Source.Unknown = genaiGaps(read)
	m.Source.Notes = append(m.Source.Notes, genaiNotes...)
	return m, nil
}

// A genaiExperiment is one folder.
type genaiExperiment struct {
	folder string
	meta   genaiMetadata
	runs   []genaiRunOf
	files  []File
	notes  []string
}

// A genaiRunOf is one run and the file that it stands in.
type genaiRunOf struct {
	file string
	kept genaiCut // which rows its statistics rest on
	genaiRun
}

func readGenaiExperiment(folder string) (genaiExperiment, error) {
	e := genaiExperiment{folder: folder}
	meta, err := Load(filepath.Join(folder, genaiMetadataFile))
	if errors.Is(err, os.ErrNotExist) {
		return e, fmt.Errorf("%s has no %s: want an experiment folder of genai-bench", folder, genaiMetadataFile)
	}
	if err != nil {
		return e, err
	}
	if err := meta.JSON(&e.meta, "the metadata of genai-bench"); err != nil {
		return e, fmt.Errorf("%s: %w", folder, err)
	}
	if e.meta.Task == "" || e.meta.APIModel == "" && e.meta.Model == "" {
		return e, fmt.Errorf("%s: %s names no task or no model: it is not of genai-bench", folder, meta.Name)
	}
	if meta.Kept, err = redactGenaiMetadata(meta.Data); err != nil {
		return e, fmt.Errorf("%s: %s: %w", folder, meta.Name, err)
	}
	e.files = append(e.files, meta)
	entries, err := os.ReadDir(folder)
	if err != nil {
		return e, err
	}
	places := map[Point]int{}
	for _, entry := range entries { // in the order of names: of two runs of one level the last counts
		if entry.IsDir() || !genaiRunFile.MatchString(entry.Name()) {
			continue
		}
		one, file, err := readGenaiRun(filepath.Join(folder, entry.Name()))
		if err != nil {
			return e, fmt.Errorf("%s: %w", folder, err)
		}
		one.kept = one.cut(e.meta.Command)
		e.files = append(e.files, file)
		if at, twice := places[one.point()]; twice {
			e.notes = append(e.notes, fmt.Sprintf("%s and %s are of one scenario and level: the last counts, as in genai-bench", e.runs[at].file, one.file))
			e.runs[at] = one
			continue
		}
		places[one.point()] = len(e.runs)
		e.runs = append(e.runs, one)
	}
	if len(e.runs) == 0 {
		return e, fmt.Errorf("%s holds no run: want files named SCENARIO_TASK_num_concurrency_LEVEL_time_SECONDSs.json or with batch_size", folder)
	}
	return e, nil
}

func readGenaiRun(path string) (genaiRunOf, File, error) {
	file, err := Load(path)
	if err != nil {
		return genaiRunOf{}, file, err
	}
	one := genaiRunOf{file: file.Name}
	if err := file.JSON(&one.genaiRun, "a run file of genai-bench"); err != nil {
		return one, file, err
	}
	return one, file, one.check()
}

// check wants a run that can be placed and counted.
func (r *genaiRunOf) check() error {
	a := r.Aggregate
	switch {
	case a == nil:
		return fmt.Errorf("%s has no aggregated_metrics: want a run file of genai-bench", r.file)
	case a.Scenario == "":
		return fmt.Errorf("%s: aggregated_metrics names no scenario", r.file)
	case !(a.Seconds > 0 && a.Seconds < mostSeconds):
		return fmt.Errorf("%s: run_duration is %v s, want it above 0", r.file, a.Seconds)
	case r.TimeUnit != "" && r.TimeUnit != inSeconds && r.TimeUnit != inMilliseconds:
		return fmt.Errorf("%s: _time_unit is %q, want s or ms", r.file, r.TimeUnit)
	case len(r.Rows) == 0:
		return fmt.Errorf("%s has no individual_request_metrics", r.file)
	case r.level() < 1 || r.level() > 1_000_000:
		return fmt.Errorf("%s: the level is %d, want 1 to 1000000", r.file, r.level())
	}
	return nil
}

// mostSeconds is a longer time than any run takes, and in nanoseconds still a
// number that can be added to others.
const mostSeconds = 1e9

// scale is what a time of the file is multiplied with to give seconds.
func (r *genaiRunOf) scale() float64 {
	if r.TimeUnit == inMilliseconds {
		return 1e-3
	}
	return 1
}

// level is what differs between the runs of one scenario.
func (r *genaiRunOf) level() int {
	level := r.Aggregate.Concurrency
	if r.Aggregate.Iteration == byBatchSize {
		level = r.Aggregate.BatchSize
	}
	if level == nil {
		return 1 // as genai-bench reads it
	}
	return *level
}

// point is the run's place in the plan.
func (r *genaiRunOf) point() Point {
	p := Point{Scenario: r.Aggregate.Scenario, Concurrency: 1}
	if r.Aggregate.Concurrency != nil {
		p.Concurrency = max(1, *r.Aggregate.Concurrency)
	}
	if r.Aggregate.Iteration == byBatchSize {
		p.BatchSize = r.level()
	}
	return p
}

// genaiPoints lists the points of all experiments: scenarios in the order of the
// metadata, levels upwards.
func genaiPoints(read []genaiExperiment) []Point {
	var scenarios []string
	for _, e := range read {
		scenarios = append(scenarios, e.meta.Scenarios...)
	}
	var list []Point
	for _, e := range read {
		for _, r := range e.runs {
			if !slices.Contains(list, r.point()) {
				list = append(list, r.point())
			}
			scenarios = append(scenarios, r.Aggregate.Scenario)
		}
	}
	slices.SortStableFunc(list, func(a, b Point) int {
		if a.Scenario != b.Scenario {
			return slices.Index(scenarios, a.Scenario) - slices.Index(scenarios, b.Scenario)
		}
		if a.BatchSize != b.BatchSize {
			return a.BatchSize - b.BatchSize
		}
		return a.Concurrency - b.Concurrency
	})
	return list
}

// same wants another experiment to have asked for the same.
func (e genaiExperiment) same(other genaiExperiment) error {
	switch {
	case e.meta.Task != other.meta.Task:
		return fmt.Errorf("%s is of task %s and %s of %s: import them one by one", e.folder, e.meta.Task, other.folder, other.meta.Task)
	case e.meta.APIModel != other.meta.APIModel:
		return fmt.Errorf("%s is of model %s and %s of %s: import them one by one", e.folder, e.meta.APIModel, other.folder, other.meta.APIModel)
	case e.meta.Version != other.meta.Version:
		return fmt.Errorf("%s was made by genai-bench %s and %s by %s: import them one by one", e.folder, e.meta.Version, other.folder, other.meta.Version)
	}
	return nil
}

// launch is the experiment as one launch.
func (e genaiExperiment) launch(points []Point) (Launch, []string, error) {
	var l Launch
	var notes []string
	for i, point := range points {
		at := slices.IndexFunc(e.runs, func(r genaiRunOf) bool { return r.point() == point })
		if at < 0 {
			continue
		}
		r := e.runs[at]
		m := Measured{Point: i, Duration: time.Duration(nanoseconds(r.Aggregate.Seconds)), Stated: e.stated(r)}
		for n, row := range r.Rows {
			request, chunk, err := row.records(int64(n), r.scale(), e.meta.Task)
			if err != nil {
				return l, nil, fmt.Errorf("%s: %s, row %d: %w", e.folder, r.file, n, err)
			}
			request.Phase = r.kept.phase(n)
			m.Requests = append(m.Requests, request)
			if chunk != nil {
				m.Chunks = append(m.Chunks, *chunk)
			}
		}
		found := r.reported(i)
		m.Reported = found.figures
		if r.kept.note != "" {
			notes = append(notes, r.kept.note)
		}
		notes = append(notes, found.notes...)
		l.Points = append(l.Points, m)
	}
	return l, notes, nil
}

// environment holds the labels that somebody typed: nobody has read them off the
// machine.
func (e genaiExperiment) environment() record.Environment {
	env := record.Environment{}
	for name, label := range map[string]any{
		"server.engine": e.meta.Engine, "server.version": e.meta.EngineVersion,
		"declared.gpu.model": e.meta.GPUType, "declared.gpu.count": e.meta.GPUCount,
		"declared.tokenizer": e.meta.Tokenizer,
	} {
		if label != nil && strings.TrimSpace(fmt.Sprint(label)) != "" {
			env.Set(name, fmt.Sprint(label))
		} else {
			env.Miss(name, "no label was given to genai-bench")
		}
	}
	return env
}
