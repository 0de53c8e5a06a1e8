package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"assay/accuracy"
	"assay/accuracy/scorer"
	"assay/bundle"
	"assay/plan"
	"assay/run"
	"assay/spec"
	"assay/unit"
)

// A scoreCall is one call of assay score: what its flags say.
type scoreCall struct {
	scorer   spec.Scorer
	command  string
	planned  string
	template string // the file that holds it
	lower    []string
	headers  []string // NAME=VARIABLE
	timeout  time.Duration
	task     []string
	trust    trustFlags
	asJSON   bool
}

// A scored is what a scorer made of answers.
type scored struct {
	Scorer string           `json:"scorer"`
	Ended  string           `json:"ended,omitempty"` // why it stopped before it was through
	Report accuracy.Report  `json:"report"`
	Grades []accuracy.Grade `json:"grades"`
}

const scoreLong = `Score asks a scorer about the answers of a sealed bundle, or about the lines of a file of
your own, and prints its scores with their intervals. Nothing in the bundle changes.

A scorer is a program (--command) or an address (--url) that reads {"batch": [{"id",
"prediction", "references", "prompt", "image"}]} and answers {"scores": [{"id", "scores",
"signature"}]}; a program does so line by line. --kind rubric rates answers by a chat model
at --url, and --kind vqascore asks a chat model that sees images whether one shows the
answer. The scorers that the bundle's own plan names are asked with --planned NAME only:
a bundle starts nothing by itself.

A file has one object in each line: id, prediction, references, prompt, image. Lines with
the same id are several answers to one question, and the best of them by each score is
reported beside their mean.

An answer without a score is counted apart and is never a 0.

Exit codes: 0 scored, 1 the scorer failed before it was through, 2 usage error, 4 the
bundle was changed after sealing.`

func scoreCommand(env Env) *cobra.Command {
	var c scoreCall
	cmd := &cobra.Command{
		Use:   "score BUNDLE|FILE.jsonl",
		Short: "Score answers by a model: a scorer of your own, a rubric, VQAScore",
		Long:  scoreLong,
		Example: `  assay score runs/eval_own --command "python3 bertscore.py" --scores f1
  assay score images.jsonl --kind vqascore --url http://127.0.0.1:8000 --model qwen-vl`,
		Args: exactArgs(1, "a bundle or a file of JSON lines"),
	}
	f := cmd.Flags()
	f.StringVar(&c.command, "command", "", "program that scores, with its arguments, split at spaces")
	f.StringVar(&c.scorer.URL, "url", "", "address that scores; of a chat model the server's")
	f.StringVar(&c.scorer.Kind, "kind", spec.ScorerProtocol, "what it speaks: protocol, rubric or vqascore")
	f.StringVar(&c.planned, "planned", "", "the scorer of this name in the bundle's own plan")
	f.StringSliceVar(&c.scorer.Scores, "scores", nil, "names of the scores that it gives")
	f.StringSliceVar(&c.lower, "lower", nil, "those of which less is better")
	f.StringVar(&c.scorer.Model, "model", "", "chat model that judges")
	f.StringVar(&c.template, "template", "", "file with what a chat model is asked: {{prompt}}, {{prediction}}, {{reference}}")
	f.StringVar(&c.scorer.Scale, "scale", "", "of a rubric: 1-5 or yes-no")
	f.IntVar(&c.scorer.Repeat, "repeat", 0, "of a rubric: how often each answer is rated")
	f.IntVar(&c.scorer.Batch, "batch", 0, "answers in a batch, or requests at a time; 0 means 16")
	f.DurationVar(&c.timeout, "timeout", 5*time.Minute, "longest time for a batch, or for a request")
	f.StringSliceVar(&c.scorer.Env, "env", nil, "names of environment variables that the program gets")
	f.StringArrayVar(&c.headers, "header", nil, "NAME=VARIABLE: a header, whose value the environment variable holds; may be given again")
	f.StringVar(&c.scorer.TLS.CAFile, "ca-file", "", "PEM file of certificate authorities to trust")
	f.StringSliceVar(&c.task, "task", nil, "tasks of the bundle that are scored; all without it")
	f.BoolVar(&c.asJSON, "json", false, "print scores and grades as JSON")
	c.trust.add(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return c.run(cmd.Context(), env, args[0]) }
	return cmd
}

func (c *scoreCall) run(ctx context.Context, env Env, path string) error {
	answers, p, e, err := c.answers(env, path)
	if err != nil {
		return err
	}
	s, err := c.read(p)
	if err != nil {
		return usageError(err)
	}
	evaluation := scoredBy(e, s, c.lower, c.task)
	if len(evaluation.Tasks) == 0 {
		return usageError(fmt.Errorf("%s has no task called %s", path, strings.Join(c.task, " or ")))
	}
	var tasks []string
	for _, t := range evaluation.Tasks {
		tasks = append(tasks, t.Name)
	}
	said := scorer.Answers(ctx, s, scorer.Environment{Lookup: lookupIn(env)}, answers, tasks)
	result := scored{Scorer: s.Name, Ended: said.Ended}
	if result.Report, result.Grades, err = accuracy.GradeAll(answers, p, evaluation, map[string]accuracy.Scores{s.Name: said}); err != nil {
		return err
	}
	if c.asJSON {
		err = printJSON(env.Stdout, result)
	} else {
		err = printScored(env.Stdout, result)
	}
	if err == nil && said.Ended != "" {
		err = errors.New(said.Ended)
	}
	return err
}

// read makes a scorer of the flags, or finds the one that the plan names.
func (c *scoreCall) read(p plan.Plan) (spec.Scorer, error) {
	if c.planned != "" {
		return plannedScorer(p, c.planned)
	}
	return c.given()
}

// given is the scorer of the flags.
func (c *scoreCall) given() (spec.Scorer, error) {
	s := c.scorer
	s.Command, s.Timeout = strings.Fields(c.command), unit.Duration(c.timeout)
	switch {
	case s.Name != "":
	case s.Kind == spec.ScorerProtocol:
		s.Name = "given"
	default:
		s.Name = s.Kind
	}
	if c.template != "" {
		text, err := os.ReadFile(c.template)
		if err != nil {
			return s, fmt.Errorf("--template: %w", err)
		}
		s.Template = string(text)
	}
	for _, header := range c.headers {
		name, variable, ok := strings.Cut(header, "=")
		if !ok || name == "" || variable == "" {
			return s, fmt.Errorf("--header %q: want NAME=VARIABLE, such as Authorization=SCORER_KEY", header)
		}
		if s.Headers == nil {
			s.Headers = map[string]spec.Secret{}
		}
		s.Headers[name] = spec.Secret{Env: variable}
	}
	s = s.Settled()
	if fault := s.Check(); fault != "" {
		return s, fmt.Errorf("the scorer's %s", fault)
	}
	return s, nil
}

func plannedScorer(p plan.Plan, name string) (spec.Scorer, error) {
	var names []string
	if e := p.Evaluation(); e != nil {
		for _, s := range e.Scorers {
			if s.Name == name {
				return s, nil
			}
			names = append(names, s.Name)
		}
	}
	return spec.Scorer{}, fmt.Errorf("--planned %s: the plan names %s", name, orNone(names))
}

func orNone(names []string) string {
	if len(names) == 0 {
		return "no scorer"
	}
	return strings.Join(names, ", ")
}

// scoredBy is e with s as the scorer of its tasks: each keeps its first grader of assay's
// own, which says what the best of several answers is worth.
func scoredBy(e *spec.Evaluation, s spec.Scorer, lower, only []string) *spec.Evaluation {
	out := &spec.Evaluation{Scorers: []spec.Scorer{s}, Margin: e.Margin}
	for _, t := range e.Tasks {
		if len(only) > 0 && !slices.Contains(only, t.Name) {
			continue
		}
		var graders []string
		for _, score := range s.Scores {
			name := "scorer:" + s.Name + "/" + score
			if slices.Contains(lower, score) {
				name += ":lower"
			}
			graders = append(graders, name)
		}
		for _, name := range t.Graders {
			if _, scores := spec.ParseScorerGrader(name); !scores {
				graders = append(graders, name)
				break
			}
		}
		t.Graders, t.MinScore = graders, 0
		out.Tasks = append(out.Tasks, t)
	}
	return out
}

// answers reads what is to be scored: the answers of a bundle, or the lines of a file.
func (c *scoreCall) answers(env Env, path string) ([]accuracy.Answer, plan.Plan, *spec.Evaluation, error) {
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
		return fileAnswers(path)
	}
	j, err := c.trust.decide(env, path)
	if err != nil {
		return nil, plan.Plan{}, nil, err
	}
	e := j.Plan.Evaluation()
	if e == nil {
		return nil, j.Plan, nil, usageError(fmt.Errorf("%s holds no evaluation: assay eval makes one", path))
	}
	answers, err := accuracy.Answers(j.Bundle)
	return answers, j.Plan, e, err
}

// askScorers asks the scorers of a run about its answers, before it is sealed. What they
// said is kept with the answers; a scorer that fails leaves its reason.
func askScorers(ctx context.Context, env Env, result *run.Result, e *spec.Evaluation) error {
	if e == nil || len(e.Scorers) == 0 {
		return nil
	}
	b, err := bundle.Open(result.Bundle.Dir())
	if err != nil {
		return err
	}
	all, err := scorer.Bundle(ctx, b, e, scorer.Environment{Lookup: lookupIn(env)})
	if err != nil {
		return err
	}
	for _, scores := range all {
		data, err := json.Marshal(scores)
		if err != nil {
			return err
		}
		if err := result.Bundle.WriteScores(scores.Scorer, data); err != nil {
			return err
		}
	}
	return nil
}

// printScored prints a row for each task, load and score, and what choosing by a score is
// worth.
func printScored(w io.Writer, s scored) error {
	var out bytes.Buffer
	t := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "task\tload\tgrader\tscore\tgraded\tnot scored")
	var notes []string
	for _, task := range s.Report.Tasks {
		for _, p := range task.Points {
			for _, score := range p.Scores {
				value := "none" // the error says why
				if score.Unavailable == "" {
					e := score.Estimate
					value = unit.FormatInterval(e.Value, e.Interval.Lo, e.Interval.Hi, unit.Ratio)
				}
				fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%d\t%d\n", task.Name, p.Name, score.Grader, value, score.Graded, score.Unscored)
				if note := "made by " + score.Signature; score.Signature != "" && !slices.Contains(notes, note) {
					notes = append(notes, note)
				}
			}
			for _, b := range p.BestOf {
				notes = append(notes, fmt.Sprintf("%s, best of %d by %s: %s %.4g, where the mean is %.4g and the best choice %.4g", task.Name, b.Samples, b.By, b.Grader, b.Chosen.Value, b.Mean.Value, b.Oracle.Value))
			}
		}
	}
	t.Flush() // into memory
	for _, note := range notes {
		fmt.Fprintln(&out, note)
	}
	_, err := w.Write(out.Bytes())
	return err
}
