package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"assay/cmd/assay/bench"
	"assay/spec"
	"assay/unit"
	"assay/workload/exam"
)

// An evalCall is one call of assay eval: what its flags say.
type evalCall struct {
	benchCall

	tasks                     []string
	fields                    map[string]string
	template                  string
	graders                   []string
	api, model, apiKey, name  string
	fewShot                   int
	fewShotFrom               string
	limit, samples, maxTokens int
	temperature, margin       float64
	concurrency               []int
	launches                  int
	quick, underLoad          bool
	duration, warmup          time.Duration
}

const evalLong = `Eval asks a server the questions of one or more tasks and grades the answers: assay eval
http://127.0.0.1:8000 --task gsm8k=test.jsonl. It is a run like any other: the same load, the
same records, one sealed bundle, and the answers in it can be graded again.

A task is FAMILY=FILE or FAMILY:STYLE=FILE; assay eval --list shows families, styles and
graders. A request that fails is no wrong answer: failed, truncated and empty answers are
counted apart. Several --concurrency values ask everything at each of them, which shows
answers that are worse under load.

Exit codes: 0 done, 1 could not be done (what was recorded is sealed as failed or
aborted), 2 usage error.`

func evalCommand(env Env) *cobra.Command {
	var e evalCall
	list := false
	cmd := &cobra.Command{
		Use:   "eval [URL]",
		Short: "Measure how right a server's answers are",
		Long:  evalLong,
		Example: `  assay eval http://127.0.0.1:8000 --task gsm8k=test.jsonl --few-shot 5 --few-shot-from train.jsonl
  assay eval http://127.0.0.1:8000 --task mmlu:letter=mmlu/test --concurrency 1,64`,
		Args: atMostOne("the address of a server"),
	}
	f := cmd.Flags()
	f.StringArrayVar(&e.tasks, "task", nil, "FAMILY[:STYLE]=FILE or folder; may be given again")
	f.StringToStringVar(&e.fields, "field", nil, "of own, PURPOSE=FIELD for fields with other names; of translation, from=LANGUAGE and to=LANGUAGE")
	f.StringVar(&e.template, "template", "", "of own, the prompt with {{field}} for each field of the row")
	f.StringSliceVar(&e.graders, "grader", nil, "graders in place of the style's, the score first")
	f.IntVar(&e.fewShot, "few-shot", 0, "worked examples before each question")
	f.StringVar(&e.fewShotFrom, "few-shot-from", "", "file or folder of the worked examples")
	f.IntVar(&e.limit, "limit", 0, "the first so many questions of each task; 0 means all")
	f.IntVar(&e.samples, "samples", 1, "how often each question is asked")
	f.IntVar(&e.maxTokens, "max-tokens", 0, "longest answer; 0 means the style's")
	f.Float64Var(&e.temperature, "temperature", 0, "sampling temperature")
	f.Float64Var(&e.margin, "margin", 0, "largest loss of a score that counts as none; 0 means 0.01")
	f.IntSliceVar(&e.concurrency, "concurrency", []int{16}, "requests in flight; several ask everything at each")
	f.BoolVar(&e.quick, "quick", false, "one launch: no measure of the server's own noise, exploratory grade")
	f.IntVar(&e.launches, "launches", 3, "how often everything is asked")
	f.BoolVar(&e.underLoad, "under-load", false, "grade timed requests: each level of load lasts --duration, after a warm-up")
	f.DurationVar(&e.duration, "duration", 30*time.Second, "with --under-load, how long each level lasts")
	f.DurationVar(&e.warmup, "warmup", 5*time.Second, "with --under-load, how long load is offered before a level is measured; 0s for none")
	f.StringVar(&e.api, "api", "", "what the server speaks: openai-chat or openai-completions; styles of likelihood want completions")
	f.StringVar(&e.model, "model", "", "name of the model; without it the server's only one")
	f.StringVar(&e.apiKey, "api-key", "", "key of the server; better a variable, which other users of the host cannot read")
	f.StringVar(&e.name, "name", "", "name of the run")
	f.BoolVar(&list, "list", false, "list families, styles and graders, and ask nothing")
	f.StringVarP(&e.out, "out", "o", "runs", "folder in which the bundle is made")
	f.StringVar(&e.key, "key", "", "private key to sign the bundle with (see assay keygen); without it the bundle is unsigned")
	f.StringVar(&e.format, "format", "text", "report printed at the end, as in assay run")
	f.BoolVar(&e.printSpec, "print-spec", false, "print the spec that the options ask for and run nothing")
	f.BoolVar(&e.asJSON, "json", false, "short for --format json")
	f.BoolVarP(&e.quiet, "quiet", "q", false, "print results only: no notes and no progress")
	e.shown.register(f)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if list {
			return listTasks(env)
		}
		for _, name := range []string{"duration", "warmup"} {
			if cmd.Flags().Changed(name) && !e.underLoad {
				return usageError(fmt.Errorf("--%s wants --under-load: without it every question is asked once, however long that takes", name))
			}
		}
		asked, err := e.make(cmd.Context(), env, args)
		if err != nil {
			return usageError(err)
		}
		return e.run(cmd.Context(), env, asked)
	}
	return cmd
}

// make turns the flags into a spec.
func (e *evalCall) make(ctx context.Context, env Env, args []string) (bench.Asked, error) {
	tasks, err := e.readTasks()
	if err != nil {
		return bench.Asked{}, err
	}
	given := map[string][]string{}
	for name, value := range map[string]string{"api-backend": e.api, "model": e.model, "api-key": e.apiKey, "experiment-folder-name": e.name} {
		if value != "" {
			given[name] = []string{value}
		}
	}
	if len(args) > 0 {
		given["url"] = args
	}
	asked, err := bench.Make(ctx, bench.Values{Given: given, Lookup: lookupIn(env), NewSeed: newSeed, Patience: 3 * time.Second})
	if err != nil {
		return asked, err
	}
	s := &asked.Run.Spec
	s.Evaluation = &spec.Evaluation{Tasks: tasks, UnderLoad: e.underLoad, Margin: e.margin}
	s.Workload = spec.Workload{Model: s.Workload.Model, Tokenizer: s.Workload.Tokenizer}
	s.Load = &spec.Load{Concurrency: e.concurrency}
	if e.underLoad {
		s.Load.Duration, s.Load.Warmup = unit.Duration(e.duration), &spec.Warmup{Duration: unit.Duration(e.warmup)}
	}
	if e.quick {
		s.Trials.Quick = true
	} else {
		s.Trials.MinReplicates = e.launches
	}
	if e.name == "" {
		asked.Run.Metadata.Name = "eval_" + strings.ReplaceAll(tasks[0].Name, "/", "-")
	}
	if !e.underLoad {
		resolved, _ := spec.Resolve(asked.Run)
		sheet, err := exam.Write(resolved.Spec.Evaluation, s.Seed)
		if err != nil {
			return asked, err
		}
		if sheet.Converses() {
			s.Workload.Session = resolved.Spec.Workload.Session
			s.Workload.Session.Limit = sheet.Sessions()
		} else {
			s.Load.Requests = len(sheet.Asks)
		}
		if e.samples > 1 {
			asked.Choices = append(asked.Choices, fmt.Sprintf("%d requests ask every question %d times at each level of load", len(sheet.Asks), e.samples))
		}
	}
	asked.Source, err = spec.WriteYAML(asked.Run)
	return asked, err
}

// readTasks reads --task and pins the files that it names.
func (e *evalCall) readTasks() ([]spec.Task, error) {
	if len(e.tasks) == 0 {
		return nil, errors.New("nothing to ask: want --task FAMILY=FILE, such as --task gsm8k=test.jsonl (assay eval --list shows them)")
	}
	var tasks []spec.Task
	for _, text := range e.tasks {
		kind, path, ok := strings.Cut(text, "=")
		if !ok || path == "" {
			return nil, fmt.Errorf("--task %q: want FAMILY=FILE or FAMILY:STYLE=FILE", text)
		}
		family, style, _ := strings.Cut(kind, ":")
		if _, _, err := exam.Find(family, style); err != nil {
			return nil, fmt.Errorf("--task %q: %w", text, err)
		}
		digest, err := exam.Digest(family, path)
		if err != nil {
			return nil, fmt.Errorf("--task %q: %w", text, err)
		}
		t := spec.Task{
			Name: strings.ReplaceAll(kind, ":", "-"), Family: family, Style: style, Path: path, DatasetRef: refName(path) + "@" + digest,
			FewShot: e.fewShot, Samples: e.samples, Limit: e.limit, MaxTokens: e.maxTokens, Temperature: e.temperature, Graders: e.graders,
			Fields: e.fields, Template: e.template,
		}
		if err := exam.Settle(&t); err != nil {
			return nil, fmt.Errorf("--task %q: %w", text, err)
		}
		if e.fewShotFrom != "" {
			if digest, err = exam.Digest(family, e.fewShotFrom); err != nil {
				return nil, fmt.Errorf("--few-shot-from: %w", err)
			}
			t.FewShotPath, t.FewShotRef = e.fewShotFrom, refName(e.fewShotFrom)+"@"+digest
		}
		tasks = append(tasks, t)
	}
	tellApart(tasks)
	return tasks, nil
}

// notInNames are the characters that names of tasks do not have.
var notInNames = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

// tellApart adds the names of their files to tasks that would be called the same, such as
// own-a and own-b, and numbers those whose files are called the same too.
func tellApart(tasks []spec.Task) {
	count := func() map[string]int {
		n := map[string]int{}
		for _, t := range tasks {
			n[t.Name]++
		}
		return n
	}
	same := count()
	for i, t := range tasks {
		if same[t.Name] > 1 {
			file := notInNames.ReplaceAllString(strings.TrimSuffix(filepath.Base(t.Path), filepath.Ext(t.Path)), "-")
			tasks[i].Name = strings.TrimRight(t.Name+"-"+file[:min(len(file), 60)], "-") // of at most a hundred characters
		}
	}
	same, seen := count(), map[string]int{}
	for i, t := range tasks {
		if seen[t.Name]++; same[t.Name] > 1 {
			tasks[i].Name += fmt.Sprintf("-%d", seen[t.Name])
		}
	}
}

// refName is a file's name as a reference holds it.
func refName(path string) string { return strings.ReplaceAll(filepath.Base(path), "@", "-") }

// listTasks prints the families with their styles.
func listTasks(env Env) error {
	for _, f := range exam.All {
		fmt.Fprintf(env.Stdout, "%s: %s\n", f.Name, f.Doc)
		for i, s := range f.Styles {
			var graders []string
			for _, known := range spec.TaskStyles(f.Name) {
				if known.Name == s.Name {
					graders = known.Graders
				}
			}
			mark := ""
			if i == 0 {
				mark = " (default)"
			}
			fmt.Fprintf(env.Stdout, "  %s%s: %s\n    graded by %s\n", s.Name, mark, s.Doc, strings.Join(graders, ", "))
		}
	}
	return nil
}
