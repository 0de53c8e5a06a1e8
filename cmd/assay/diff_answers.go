package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"assay/accuracy"
	"assay/accuracy/changes"
	"assay/judge"
	"assay/visible"
)

// A diffCall is one call of assay diff-answers: what its flags say.
type diffCall struct {
	trust         trustFlags
	points, sides []string
	only          string
	filter        changes.Filter
	asJSON        bool
}

const diffAnswersLong = `Diff-answers holds the answers of two evaluations against each other, question by question:
the same text, another text with the same mark, right to wrong, wrong to right, a score that
rose or fell, or an answer that only one of them gave. With one bundle and --points it holds two loads of it
against each other, and with --sides two systems.

Where both bundles kept the probabilities of tokens, it also says how far apart these are:
the Kullback–Leibler divergence, and how often the likeliest token is the same.

The first launch of each counts. Whether a difference is more than chance is for assay
compare, which has the whole of both.`

func diffAnswersCommand(env Env) *cobra.Command {
	var d diffCall
	cmd := &cobra.Command{
		Use:   "diff-answers A [B]",
		Short: "Show which answers differ between two evaluations",
		Long:  diffAnswersLong,
		Example: `  assay diff-answers runs/bf16 runs/fp8 --only flips
  assay diff-answers runs/eval --points concurrency=1,concurrency=64`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 1 || len(args) > 2 {
				return usageError(fmt.Errorf("got %d arguments, want one bundle or two", len(args)))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			report, err := d.compare(env, args)
			if err != nil {
				return err
			}
			if d.asJSON {
				return printJSON(env.Stdout, report)
			}
			return printChanges(env.Stdout, report)
		},
	}
	d.trust.add(cmd)
	f := cmd.Flags()
	f.StringSliceVar(&d.points, "points", nil, "the point of A and that of B, or two of one bundle; by default the first of each")
	f.StringSliceVar(&d.sides, "sides", nil, "the side of A and that of B, in runs of several")
	f.StringVar(&d.filter.Task, "task", "", "this task alone")
	f.StringVar(&d.only, "only", "", "list flips (another mark) or changed (another text); by default everything that differs")
	f.IntVar(&d.filter.Most, "limit", 20, "the most questions listed; 0 means all")
	f.BoolVar(&d.asJSON, "json", false, "print counts and questions as JSON")
	return cmd
}

func (d *diffCall) compare(env Env, dirs []string) (changes.Report, error) {
	d.filter.Only = changes.Only(d.only)
	if !slices.Contains([]changes.Only{changes.Differing, changes.Flips, changes.Texts}, d.filter.Only) {
		return changes.Report{}, usageError(fmt.Errorf("--only %q: want flips or changed", d.only))
	}
	if d.filter.Most < 0 {
		return changes.Report{}, usageError(fmt.Errorf("--limit: got %d, want at least 0", d.filter.Most))
	}
	if len(d.points) > 2 || len(d.sides) > 2 {
		return changes.Report{}, usageError(errors.New("--points and --sides: want two of each at most, separated by a comma"))
	}
	if len(dirs) == 1 && len(d.points) < 2 && len(d.sides) < 2 {
		return changes.Report{}, usageError(errors.New("one bundle has one answer to each question at a point: want a second bundle, --points P,Q or --sides S,T"))
	}
	read := newReader(env, d.trust)
	var both []changes.Side
	var tools [2]string
	for i := range 2 {
		j, err := read.Judgement(dirs[min(i, len(dirs)-1)])
		if err != nil {
			return changes.Report{}, err
		}
		side, err := sideOfAnswers(j, pick(d.points, i), pick(d.sides, i))
		if err != nil {
			return changes.Report{}, fmt.Errorf("%s: %w", j.Bundle.Dir, err)
		}
		if source := j.Bundle.Manifest.Source; source != nil {
			tools[i] = source.Tool
		}
		both = append(both, side)
	}
	report := changes.Between(both[0], alignAnswers(both[0], both[1], tools[0], tools[1]), d.filter)
	if len(report.Tasks) == 0 {
		return report, usageError(fmt.Errorf("--task %q: want one of %s", d.filter.Task, strings.Join(taskNames(both[0].Report), ", ")))
	}
	return report, nil
}

// pick is item i of a list, or the last one that there is; empty for none.
func pick(list []string, i int) string {
	if len(list) == 0 {
		return ""
	}
	return list[min(i, len(list)-1)]
}

func taskNames(r accuracy.Report) (names []string) {
	for _, t := range r.Tasks {
		names = append(names, t.Name)
	}
	return names
}

// sideOfAnswers is the answers of a bundle at a point, the first by default.
func sideOfAnswers(j *judge.Judgement, point, side string) (changes.Side, error) {
	if !j.HasAccuracy() {
		return changes.Side{}, errors.New("nothing was asked whose right answer is known: want a bundle of assay eval")
	}
	answers, err := accuracy.Answers(j.Bundle)
	if err != nil {
		return changes.Side{}, err
	}
	var known []string
	for _, t := range j.Accuracy.Tasks {
		for _, p := range t.Points {
			if (point == "" || p.Name == point) && (side == "" || p.Side == side) {
				place := changes.Place{Bundle: j.Bundle.Dir, Side: p.Side, Point: p.Name}
				return changes.Side{Place: place, Point: p.Point, Report: j.Accuracy, Answers: answers, Grades: j.Grades}, nil
			}
			if name := strings.TrimSpace(p.Name + " " + p.Side); !slices.Contains(known, name) {
				known = append(known, name)
			}
		}
	}
	return changes.Side{}, usageError(fmt.Errorf("no answers at point %q of side %q: want one of %s", point, side, strings.Join(known, ", ")))
}

// Characters that are shown of a prompt's end and of an answer.
const (
	promptShown = 160
	answerShown = 300
)

func printChanges(w io.Writer, r changes.Report) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "A  %s\nB  %s\n\n", placeText(r.A), placeText(r.B))
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	head := []string{"task", "asked"}
	kinds := slices.DeleteFunc(slices.Clone(changes.Kinds), func(k changes.Kind) bool { return k.Flip() && !occurs(r.Tasks, k) })
	for _, kind := range kinds {
		head = append(head, kind.Words())
	}
	fmt.Fprintln(t, strings.Join(head, "\t")+"\t")
	for _, task := range r.Tasks {
		cells := []string{visible.Line(task.Name), fmt.Sprint(task.Asked)}
		for _, kind := range kinds {
			cells = append(cells, fmt.Sprint(task.Counts[kind]))
		}
		fmt.Fprintln(t, strings.Join(cells, "\t")+"\t")
	}
	_ = t.Flush() // a buffer takes everything
	for _, task := range r.Tasks {
		if task.OnlyA+task.OnlyB > 0 {
			fmt.Fprintf(&b, "%s: %d questions in A alone, %d in B alone\n", visible.Line(task.Name), task.OnlyA, task.OnlyB)
		}
	}
	printDivergence(&b, r.Tasks)
	for _, item := range r.Items {
		printItem(&b, item)
	}
	if left := r.Matched - len(r.Items); left > 0 {
		fmt.Fprintf(&b, "\n%d more: --limit 0 lists all\n", left)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// occurs reports whether the table has a column of the kind: right and wrong are always there
// unless every task has a scale of its own, and rises and falls where a task has.
func occurs(tasks []changes.Task, k changes.Kind) bool {
	own := func(t changes.Task) bool { return t.Counts[changes.Fell]+t.Counts[changes.Rose] > 0 }
	if k == changes.Fell || k == changes.Rose {
		return slices.ContainsFunc(tasks, own)
	}
	return slices.ContainsFunc(tasks, func(t changes.Task) bool { return !own(t) })
}

// printDivergence writes how far apart the expected tokens are, where both bundles kept
// their probabilities.
func printDivergence(b *bytes.Buffer, tasks []changes.Task) {
	if !slices.ContainsFunc(tasks, func(t changes.Task) bool { return t.Divergence != nil }) {
		return
	}
	b.WriteString("\nnext tokens\n")
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "task\tquestions\tpositions\tsame likeliest\tmean KL\tlargest KL\tnot in both lists\t")
	for _, task := range tasks {
		if d := task.Divergence; d != nil {
			fmt.Fprintf(t, "%s\t%d\t%d\t%.2f %%\t%.4g\t%.4g\t%.2f %%, %.2f %%\t\n", visible.Line(task.Name), d.Questions, d.Positions,
				100*d.SameTop, d.MeanKL, d.MaxKL, 100*d.UnseenA, 100*d.UnseenB)
		}
	}
	_ = t.Flush() // a buffer takes everything
	b.WriteString("KL divergence of B from A in nats, a lower bound: tokens that are not in both lists count as one.\n" +
		"Each answer is compared up to its first differing token.\n")
}

func placeText(p changes.Place) string {
	text := visible.Line(p.Bundle) + ", " + visible.Line(p.Point)
	if p.Side != "" {
		text += ", " + visible.Line(p.Side)
	}
	return text
}

func printItem(b *bytes.Buffer, i changes.Item) {
	name := i.Item
	if i.Group != "" {
		name += " (" + i.Group + ")"
	}
	fmt.Fprintf(b, "\n%s  %s %s\n", strings.ToUpper(i.Kind.Words()), visible.Line(i.Task), visible.Line(name))
	fmt.Fprintf(b, "  prompt    %s\n  expected  %s\n", tail(i.Prompt, promptShown), tail(i.Expected, promptShown))
	for _, side := range []struct {
		name  string
		reply changes.Reply
	}{{"A", i.A}, {"B", i.B}} {
		fmt.Fprintf(b, "  %s         %s\n", side.name, replyText(side.reply))
	}
}

func replyText(r changes.Reply) string {
	if r.Score == nil {
		return fmt.Sprintf("%s: %s", r.State, visible.Line(r.Why))
	}
	text := fmt.Sprintf("score %.4g, extracted %q", *r.Score, r.Extracted)
	if r.State != accuracy.Answered {
		text += ", " + string(r.State)
	}
	return text + ": " + tail(r.Text, answerShown)
}

// tail is the end of a text in one line: a prompt has its question there, and an answer its
// result.
func tail(text string, most int) string {
	runes := []rune(visible.Line(strings.Join(strings.Fields(text), " ")))
	if len(runes) <= most {
		return string(runes)
	}
	return "…" + string(runes[len(runes)-most:])
}
