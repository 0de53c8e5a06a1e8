package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"

	"assay/bundle"
	"assay/plan"
	"assay/spec"
	"assay/unit"
)

func planCommand(env Env) *cobra.Command {
	var asJSON bool
	var frozen string
	cmd := &cobra.Command{
		Use:   "plan SPEC",
		Short: "Show what a spec will measure, how long it takes and what it can prove",
		Long: `Plan prints what assay run would carry out: the points and launches with their
seeds, what they will take, which percentiles the planned sample can certify,
the smallest effect it could show, what the spec states without effect, every default
that was filled in, and the resolved document. It runs nothing. --workload holds the
plan against a WorkloadSpec and names everything that differs.`,
		Args: exactArgs(1, "a spec file"),
		RunE: func(_ *cobra.Command, args []string) error {
			_, document, err := readRun(args[0])
			if err != nil {
				return err
			}
			p, err := plan.New(document)
			if err != nil {
				return usageError(err)
			}
			if _, err := keeps(p, frozen); err != nil {
				return err
			}
			return showPlan(env.Stdout, p, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the plan as JSON")
	cmd.Flags().StringVar(&frozen, "workload", "", "WorkloadSpec that the plan must keep")
	return cmd
}

// showPlan prints a plan without the secrets that its spec has written out, as a
// bundle keeps it.
func showPlan(w io.Writer, p plan.Plan, asJSON bool) error {
	redactor := bundle.NewRedactor(spec.Secrets(p.Run), nil)
	if asJSON {
		data, err := json.Marshal(p)
		if err != nil {
			return err
		}
		return printJSON(w, json.RawMessage(redactor.Document(data)))
	}
	var text bytes.Buffer
	if err := writePlan(&text, p); err != nil {
		return err
	}
	_, err := io.WriteString(w, redactor.String(text.String()))
	return err
}

// writePlan prints a plan for people.
func writePlan(w io.Writer, p plan.Plan) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "plan of %s (%s)\nworkload %s\nprofile %s\n", p.Name, p.Class(), p.WorkloadDigest, p.Depth())
	writePlanLoad(&b, p)
	writePrecision(&b, p)
	writeQuality(&b, p.Precision.Quality)
	writePaths(&b, p)
	writeInputs(&b, p)
	if u := p.Unacted(); len(u.Recorded)+len(u.Refused) > 0 {
		fmt.Fprintf(&b, "\nstated without effect\n")
		printUnacted(&b, u)
	}
	fmt.Fprintf(&b, "\ndefaults (%d)\n", len(p.Defaults))
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, d := range p.Defaults {
		value, err := json.Marshal(d.Value)
		if err != nil {
			return err
		}
		fmt.Fprintf(t, "  %s\t%s\n", d.Path, value)
	}
	t.Flush()
	frozen, err := frozenYAML(p)
	if err != nil {
		return err
	}
	fmt.Fprintf(&b, "\nfrozen contract\n%s", indent(frozen))
	_, err = w.Write(b.Bytes())
	return err
}

// writePaths says what carries out the suites of the enabled layers.
func writePaths(b *bytes.Buffer, p plan.Plan) {
	fmt.Fprintf(b, "\nsuites\n")
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	for _, path := range p.Paths() {
		fmt.Fprintf(t, "  %s\t%s\t%s\n", path.Layer, path.Suite, path)
	}
	t.Flush()
}

func writePlanLoad(b *bytes.Buffer, p plan.Plan) {
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(b, "\npoints\n")
	if p.Search != nil {
		writePlanSearch(b, p)
	}
	for i, point := range p.Points {
		if p.Search != nil {
			break // too many to list, and most will not be visited
		}
		if point.Kind() != plan.KindServing {
			fmt.Fprintf(t, "  %s\t%s\n", point.Name, rankPoint(point))
			continue
		}
		fmt.Fprintf(t, "  %s\twarm-up %s\tmeasured %s%s\tcool-down %s\tabout %d requests per launch\n",
			point.Name, limited(point.Warmup, point.WarmupRequests), point.Duration, atMost(point.Requests), point.Cooldown, p.Expected.PerPoint[i].Requests)
	}
	t.Flush()
	if p.DrawsSeed() {
		fmt.Fprintf(b, "\nlaunches (each run draws its own seed unless spec.seed fixes it; with %d they are)\n", p.Seed())
	} else {
		fmt.Fprintf(b, "\nlaunches (seed of the run %d)\n", p.Seed())
	}
	for _, l := range p.Launches {
		var order []string
		for _, index := range l.Order {
			point, _ := p.PointByIndex(index)
			order = append(order, point.Name)
		}
		side := ""
		if l.Side != "" {
			side = fmt.Sprintf("block %d, %s\t", l.Block, l.Side)
		}
		if l.Set > 0 {
			side += fmt.Sprintf("hosts of set %d\t", l.Set)
		}
		fmt.Fprintf(t, "  launch %d\t%sseed %d\t%s\n", l.Index+1, side, l.Seed, strings.Join(order, ", "))
	}
	t.Flush()
	if p.Load() == nil {
		return // how long ranks and probes take is what the run will find out
	}
	e := p.Expected
	fmt.Fprintf(b, "\nexpected\n")
	fmt.Fprintf(t, "  time under load\t%s, start-up of servers on top\n", unit.Format(e.Seconds, unit.Second))
	fmt.Fprintf(t, "  requests\t%d, with %d tokens in and %d out\n", e.Requests, e.InputTokens, e.OutputTokens)
	if e.Apart > 0 {
		fmt.Fprintf(t, "  outside of points\t%d requests on top: cold and warm ones of fresh servers, cache probes\n", e.Apart)
	}
	if e.CostUSD != nil {
		fmt.Fprintf(t, "  cost\t%s\n", unit.Format(*e.CostUSD, unit.Dollar))
	} else {
		fmt.Fprintf(t, "  cost\tno prices given (spec.cost)\n")
	}
	t.Flush()
	if e.Assumption != "" {
		fmt.Fprintf(b, "  %s\n", e.Assumption)
	}
}

func limited(d unit.Duration, requests int) string {
	if requests == 0 {
		return d.String()
	}
	if d == 0 {
		return fmt.Sprintf("%d requests", requests)
	}
	return d.String() + atMost(requests)
}

func atMost(requests int) string {
	if requests == 0 {
		return ""
	}
	return fmt.Sprintf(" or %d requests", requests)
}

func writePrecision(b *bytes.Buffer, p plan.Plan) {
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	if p.Load() != nil {
		writePercentiles(b, p)
	}
	if len(p.Precision.Effects) == 0 {
		fmt.Fprintf(b, "\na quick look: one launch has no interval and shows no effect\n")
		return
	}
	fmt.Fprintf(b, "\nsmallest effect %d launches can show\n", p.Precision.Launches)
	for _, e := range p.Precision.Effects {
		fmt.Fprintf(t, "  if launches vary by %g %%\tone system ± %.1f %%\ttwo systems differ by %.1f %% (power %g)\n",
			100*e.CV, 100*e.HalfWidth, 100*e.Detectable, p.Precision.Power)
	}
	t.Flush()
}

func writePercentiles(b *bytes.Buffer, p plan.Plan) {
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(b, "\nwhat this sample can certify (%g %% confidence)\n", 100*p.Precision.Confidence)
	for _, row := range p.Precision.Percentile {
		var reached []string
		for _, index := range row.Certified {
			point, _ := p.PointByIndex(index)
			reached = append(reached, point.Name)
		}
		if p.Search != nil && len(reached) > 0 {
			reached = []string{fmt.Sprintf("%d of the %d possible probes", len(reached), len(p.Points))}
		}
		text := strings.Join(reached, ", ")
		if text == "" {
			text = "at no point: measure longer"
		}
		fmt.Fprintf(t, "  p%g\tneeds %d requests in each launch\t%s\n", 100*row.Quantile, row.Need, text)
	}
	t.Flush()
}

// frozenYAML is the resolved document as its author could have written it.
func frozenYAML(p plan.Plan) ([]byte, error) {
	data, err := json.Marshal(p.Run)
	if err != nil {
		return nil, err
	}
	// Through nodes, which keep the order of the fields; JSON is YAML already.
	var tree yaml.Node
	if err := yaml.Unmarshal(data, &tree); err != nil {
		return nil, err
	}
	blockStyle(&tree)
	var b bytes.Buffer
	encoder := yaml.NewEncoder(&b)
	encoder.SetIndent(2)
	if err := encoder.Encode(&tree); err != nil {
		return nil, err
	}
	return b.Bytes(), encoder.Close()
}

// blockStyle drops the braces and quotes of JSON.
func blockStyle(n *yaml.Node) {
	n.Style = 0
	for _, child := range n.Content {
		blockStyle(child)
	}
}

func indent(text []byte) string {
	return "  " + strings.ReplaceAll(strings.TrimSuffix(string(text), "\n"), "\n", "\n  ") + "\n"
}
