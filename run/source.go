package run

import (
	"cmp"
	"fmt"
	"strings"

	"assay/bundle"
	"assay/plan"
	"assay/record"
	"assay/spec"
	"assay/target"
	"assay/workload"
	"assay/workload/dataset"
	"assay/workload/scenario"
)

// newSource returns the calls of w, which is what one point asks, drawn from seed.
func newSource(w spec.Workload, in *inputs, seed int64) (workload.Source, error) {
	opts := workload.Options{
		Lengths: lengths(w),
		Spread:  workload.Spread{Distribution: workload.Distribution(w.Prompt.Distribution), Share: w.Prompt.Spread},
		Prefix: workload.Prefix{
			Tokens: w.Prompt.PrefixTokens, Ratio: w.Prompt.PrefixRatio, Pool: w.Prompt.PrefixPool,
			Levels: w.Prompt.PrefixLevels, Branch: w.Prompt.PrefixBranch,
		},
		Counter: in.builder,
		Task:    w.Prompt.Task, PromptTokens: w.Prompt.Details.TextTokens, OutputTokens: w.Prompt.Details.OutputTokens, Voice: w.Prompt.Details.Voice,
	}
	if w.Prompt.Scenario != "" {
		var err error
		if opts.Scenario, err = scenario.Parse(w.Prompt.Scenario); err != nil {
			return nil, fmt.Errorf("spec.workload.prompt, scenario %s: %w", w.Prompt.Scenario, err)
		}
	}
	switch {
	case in.rows != nil:
		if in.kind == spec.TokenizerDefault {
			opts.Counter = nil // it is no model's: what a text counts in it says nothing
		}
		rows, err := workload.NewRows(seed, in.rows, opts)
		if err != nil {
			return nil, fmt.Errorf("data set %s: %w", w.Prompt.Dataset.Path, err)
		}
		return rows, nil
	case w.Prompt.Task != spec.TextToText:
		return workload.NewTask(seed, w.Prompt.Task, opts.Scenario, workload.TaskOptions{
			Batch: w.Prompt.Details.Documents, PromptTokens: w.Prompt.Details.TextTokens,
			OutputTokens: w.Prompt.Details.OutputTokens, Voice: w.Prompt.Details.Voice,
			Sound: w.Prompt.Details.Sound.Std(), Counter: opts.Counter,
		})
	}
	return workload.New(seed, opts)
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
		if len(row.Messages) > 0 {
			return nil, fmt.Errorf("data set %s, row at %d has earlier messages: want prompts alone, or spec.workload.session with from: dataset", d.Path, row.Line)
		}
	}
	return set.Rows, nil
}

// countAnswer writes down how many tokens the named tokenizer counts in the
// answer. It is done off the measured path, after the stream has been
// interpreted, and while the text is still there; a tool call's text is not.
func (in *inputs) countAnswer(request *record.Request, chunks []record.Chunk) {
	if in.answers == nil || request.Text == "" {
		return
	}
	for _, c := range chunks {
		if c.Kind.Output() && c.TextBytes == 0 {
			return // output without text, such as a tool call: the text is not all of it
		}
	}
	if n, err := in.answers.Count(request.Text); err == nil {
		count := int32(n)
		request.TokenizerOutput = &count
	}
}

// keepText says whether the text of answers is needed: to be kept, or to be
// counted before it is dropped.
func keepText(s spec.RunSpec) bool {
	return s.Load.KeepAnswers || s.Workload.Tokenizer.Kind == spec.TokenizerFile
}

// prepare makes call number id and encodes it.
func (in *inputs) prepare(client *target.Client, source workload.Source, point int32, id int64) (target.Prepared, error) {
	call := source.Call(point, id)
	if err := in.counter.Err(); err != nil {
		return target.Prepared{}, fmt.Errorf("count the tokens of call %d: %w", id, err)
	}
	return client.Prepare(call)
}

// datasets names the data set and the trace of p for the manifest; the plan pins
// their digests and a run with another content is refused.
func datasets(p plan.Plan) []bundle.Input {
	var list []bundle.Input
	if input, ok := pinnedInput(p.Workload().DatasetRef, "dataset"); ok {
		list = append(list, input) // synthetic: the seed is all there is
	}
	if ref := p.Load().TraceRef; ref != "" {
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
