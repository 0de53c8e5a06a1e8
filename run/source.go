package run

import (
	"cmp"
	"fmt"
	"strings"

	"assay/bundle"
	"assay/plan"
	"assay/spec"
	"assay/workload"
	"assay/workload/dataset"
	"assay/workload/scenario"
)

// newSource returns what a point of p asks, drawn from seed.
func newSource(p plan.Plan, seed int64) (workload.Source, error) {
	w := p.Run.Spec.Workload
	opts := workload.Options{
		Lengths: lengths(p),
		Spread:  workload.Spread{Distribution: workload.Distribution(w.Prompt.Distribution), Share: w.Prompt.Spread},
		Prefix: workload.Prefix{
			Tokens: w.Prompt.PrefixTokens, Ratio: w.Prompt.PrefixRatio, Pool: w.Prompt.PrefixPool,
			Levels: w.Prompt.PrefixLevels, Branch: w.Prompt.PrefixBranch,
		},
	}
	if w.Prompt.Scenario != "" {
		var err error
		if opts.Scenario, err = scenario.Parse(w.Prompt.Scenario); err != nil {
			return nil, fmt.Errorf("spec.workload.prompt.scenario: %w", err)
		}
	}
	if w.Prompt.Dataset == nil {
		return workload.New(seed, opts)
	}
	rows, err := pinnedRows(w, p.Run.Spec.Seed)
	if err != nil {
		return nil, err
	}
	return workload.NewRows(seed, rows, opts)
}

// pinnedRows reads the data set and makes sure that it is the one that the spec
// names.
func pinnedRows(w spec.Workload, seed int64) ([]dataset.Row, error) {
	d := w.Prompt.Dataset
	set, err := dataset.Open(d.Path, dataset.Options{
		Format: d.Format, Fields: d.Fields, Limit: d.Limit,
		Shuffle: d.Shuffle, Seed: plan.Seed(seed, "dataset", 0),
	})
	if err != nil {
		return nil, err
	}
	if !strings.HasSuffix(w.DatasetRef, set.Digest) {
		return nil, fmt.Errorf("data set %s has digest %s, spec.workload.datasetRef names %s: want the same content", d.Path, set.Digest, w.DatasetRef)
	}
	for _, row := range set.Rows {
		switch {
		case row.Prompt == "":
			return nil, fmt.Errorf("data set %s, row at %d: no prompt, want one for text-to-text", d.Path, row.Line)
		case len(row.Messages) > 0 && w.Session == nil:
			return nil, fmt.Errorf("data set %s, row at %d has earlier messages: want prompts alone, or spec.workload.session with from: dataset", d.Path, row.Line)
		}
	}
	return set.Rows, nil
}

// datasets names the data set and the trace of p for the manifest; the plan pins
// their digests and a run with another content is refused.
func datasets(p plan.Plan) []bundle.Input {
	var list []bundle.Input
	if input, ok := pinnedInput(p.Run.Spec.Workload.DatasetRef, "dataset"); ok {
		list = append(list, input) // synthetic: the seed is all there is
	}
	if ref := p.Run.Spec.Load.TraceRef; ref != "" {
		input, ok := pinnedInput(ref, "trace")
		if !ok {
			input = bundle.Input{Name: ref, Unavailable: "named by its path; the digest that was read is in trace-PP.json of each launch"}
		}
		list = append(list, input)
	}
	return list
}

// pinnedInput is what a reference names, if it names a content.
func pinnedInput(ref, unnamed string) (bundle.Input, bool) {
	at := strings.LastIndex(ref, "sha256:")
	if at < 0 {
		return bundle.Input{}, false
	}
	return bundle.Input{Name: cmp.Or(strings.TrimSuffix(ref[:at], "@"), unnamed), Digest: ref[at:]}, true
}
