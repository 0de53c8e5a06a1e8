package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"assay/accuracy/parity"
	"assay/analysis/compare"
	"assay/finding"
	"assay/judge/pair"
	"assay/report"
	"assay/report/page"
	"assay/spec"
)

// The policies of a comparison.
const (
	policyPublication = "publication"
	policyExploratory = "exploratory"
)

// A compareCall is what the command was asked for.
type compareCall struct {
	options  compare.Options
	baseline string
	policy   string
	format   string
	all      bool
	trust    trustFlags
	earlier  warehouseFlag
}

func compareCommand(env Env) *cobra.Command {
	var ask compareCall
	var once again
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "compare BUNDLE [BUNDLE…]",
		Short: "Compare two or more runs",
		Long: `Compare says first whether the sides differ in the one declared variable only
(controlled) or in more (exploratory), and names everything that differs. Then it
says for every metric by which factor the candidates differ from the baseline, how
sure that is, and whether it means better, worse, equivalent or nothing yet. Where both
sides hold graded answers (assay eval), it also says item by item whether the answers are
still as good.

The first bundle is the baseline (or the one that --baseline names). One bundle of a
run with candidates is compared with itself, side by side, paired by block; a side of
such a bundle among others is written BUNDLE@SIDE.

Of two runs that were made one after the other, what the machine did meanwhile looks
like a difference. With --again the two become one document that measures both in
interleaved blocks; with --run it is carried out and compared at once.

Exit codes: 0 compared, 2 usage error, 3 not controlled, or void, and --policy is publication,
4 a bundle was changed after sealing.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usageError(errors.New("compare: got no bundle, want two or more, or one of a run with candidates"))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if asJSON {
				ask.format = "json"
			}
			if once.wanted {
				return once.measure(cmd.Context(), env, ask, args)
			}
			return ask.run(cmd.Context(), env, args)
		},
	}
	f := cmd.Flags()
	f.StringVar(&ask.options.Variable, "variable", "", "the one variable that may differ (default: the candidate's comparison.variableUnderTest)")
	f.Float64Var(&ask.options.Margin, "margin", 0, "the relative difference that matters (default: the candidate's comparison.margin, or 0.02)")
	f.Float64Var(&ask.options.Power, "power", 0.8, "the chance to see an effect that \"could see\" speaks of")
	f.Float64Var(&ask.options.Quality.Margin, "quality-margin", 0, "the loss of quality that matters, as a share of the scale (default: the baseline's evaluation.margin)")
	f.StringVar(&ask.options.Quality.Correction, "correction", parity.Corrections[0].Name, "how p values of quality are corrected over the tasks: holm, benjamini-hochberg or benjamini-yekutieli")
	f.StringVar(&ask.baseline, "baseline", "", "the bundle to compare with, as it stands among the arguments (default: the first)")
	f.StringVar(&ask.policy, "policy", policyExploratory, "publication: end with 3 unless controlled and free of void findings; exploratory: say so and go on")
	f.StringVar(&ask.format, "format", "text", "text, md, html, json, junit or csv")
	f.BoolVar(&ask.all, "all", false, "show every statistic")
	f.StringVar(&ask.earlier.dir, "warehouse", "", earlierRuns)
	ask.trust.add(cmd)
	f.BoolVar(&asJSON, "json", false, "same as --format json")
	f.BoolVar(&once.wanted, "again", false, "write one document that measures both in interleaved blocks, from the two bundles")
	f.BoolVar(&once.run, "run", false, "with --again: carry it out, and compare what it measured")
	f.StringVarP(&once.out, "out", "o", "again", "with --again: the folder for the document and the bundle")
	f.StringVar(&once.key, "sign", "", "with --run: private key to sign the bundle with")
	return cmd
}

func (ask compareCall) run(ctx context.Context, env Env, args []string) error {
	if err := ask.check(); err != nil {
		return usageError(err)
	}
	bundles, done, err := ask.earlier.remembering(ctx, env, newReader(env, ask.trust))
	if err != nil {
		return err
	}
	sides, err := ask.openSides(bundles, args)
	if err = errors.Join(err, done()); err != nil {
		return err
	}
	r, err := bundles.Compare(sides, ask.options)
	if err != nil {
		return err
	}
	show := map[string]func() error{
		"text": func() error { return report.CompareText(env.Stdout, r, ask.all) },
		"md":   func() error { return report.CompareMarkdown(env.Stdout, r, ask.all) },
		"html": func() error {
			answers, err := flippedAnswers(r, sides)
			if err != nil {
				return err
			}
			return page.CompareHTML(env.Stdout, r, ask.all, answers...)
		},
		"json": func() error { return printJSON(env.Stdout, r) },

		"junit": func() error { return report.CompareJUnit(env.Stdout, r, ask.all) },
		"csv":   func() error { return report.CompareCSV(env.Stdout, r) },
	}
	if err := show[ask.format](); err != nil {
		return err
	}
	if ask.policy == policyPublication {
		return publishable(env.Stderr, r)
	}
	return nil
}

func (ask compareCall) check() error {
	switch {
	case ask.policy != policyPublication && ask.policy != policyExploratory:
		return fmt.Errorf("--policy %q: want publication or exploratory", ask.policy)
	case !slices.Contains([]string{"text", "md", "html", "json", "junit", "csv"}, ask.format):
		return fmt.Errorf("--format %q: want text, md, html, json, junit or csv", ask.format)
	case ask.options.Variable != "" && !slices.Contains(spec.Vocabularies["variables"], ask.options.Variable):
		return fmt.Errorf("--variable %q: want one of %s", ask.options.Variable, strings.Join(spec.Vocabularies["variables"], ", "))
	case !(ask.options.Margin >= 0 && ask.options.Margin < 1):
		return fmt.Errorf("--margin %v: want a share between 0 and 1, such as 0.02 for 2 %%", ask.options.Margin)
	case !(ask.options.Quality.Margin >= 0 && ask.options.Quality.Margin < 1):
		return fmt.Errorf("--quality-margin %v: want a share between 0 and 1, such as 0.01 for one point of a hundred", ask.options.Quality.Margin)
	case !slices.ContainsFunc(parity.Corrections, func(c parity.Correction) bool { return c.Name == ask.options.Quality.Correction }):
		return fmt.Errorf("--correction %q: want holm, benjamini-hochberg or benjamini-yekutieli", ask.options.Quality.Correction)
	case !(ask.options.Power > 0 && ask.options.Power < 1):
		return fmt.Errorf("--power %v: want a chance between 0 and 1", ask.options.Power)
	}
	return nil
}

// publishable names what keeps the comparison from being published: more than the
// declared variable differs, or a check voids the pair.
func publishable(w io.Writer, r compare.Report) error {
	refused := false
	for _, c := range r.Comparisons {
		for _, f := range c.Findings {
			if f.Severity == finding.Void && f.Scope.Broad() { // of others the primary rows say so
				refused = true
				fmt.Fprintf(w, "assay: compare: %s is void: %s: %s\n", c.Candidate.Label, f.Check, f.Message)
			}
		}
		for _, row := range c.Rows {
			if row.Primary && row.Verdict == compare.Void {
				refused = true
				fmt.Fprintf(w, "assay: compare: %s: %s is void: %s\n", c.Candidate.Label, compare.Key(row.Metric, row.Statistic, row.Point), strings.Join(row.Void, "; "))
			}
		}
		if c.Controlled {
			continue
		}
		refused = true
		fmt.Fprintf(w, "assay: compare: %s is not controlled: besides %s these differ:\n", c.Candidate.Label, c.Declared)
		for _, change := range c.Others {
			fmt.Fprintf(w, "  %s\n", change)
		}
	}
	if refused {
		return silent(exitVerdict)
	}
	return nil
}

// openSides opens what the arguments name, the baseline first.
func (ask compareCall) openSides(bundles pair.Reader, args []string) ([]compare.Side, error) {
	if baseline := ask.baseline; baseline != "" {
		i := slices.Index(args, baseline)
		if i < 0 {
			return nil, usageError(fmt.Errorf("--baseline %q: want one of the arguments: %s", baseline, strings.Join(args, ", ")))
		}
		args = slices.Concat([]string{baseline}, args[:i], args[i+1:])
	}
	return bundles.Sides(args)
}
