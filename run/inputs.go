package run

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"assay/bundle"
	"assay/plan"
	"assay/secret"
	"assay/spec"
	"assay/target"
	"assay/workload"
	"assay/workload/dataset"
	"assay/workload/exam"
	"assay/workload/token"
)

// inputs are what calls are made of. They are read once, before anything starts,
// and serve every point of every launch.
type inputs struct {
	kind    string          // of the tokenizer
	tok     token.Tokenizer // what counts; nil until the server has been asked
	counter *token.Counter  // the same, for the makers of prompts
	builder *workload.Builder
	rows    []dataset.Row // of the data set; nil for synthetic prompts
	sheet   *exam.Sheet   // the questions of an evaluation; nil where there is none

	// answers counts what the target said, where the author named a file: the
	// embedded tokenizer is no model's, and a server counts its own answers.
	answers token.Tokenizer
}

// readInputs reads the tokenizer and the data set of p and makes sure that they
// are the ones that the plan names.
func readInputs(p plan.Plan) (*inputs, error) {
	w := p.Workload()
	in := &inputs{kind: w.Tokenizer.Kind}
	switch in.kind {
	case spec.TokenizerFile:
		model, err := pinnedTokenizer(w.Tokenizer)
		if err != nil {
			return nil, err
		}
		in.use(model)
		if spec.AnswersText(w.Prompt.Task) {
			in.answers = model
		}
	case spec.TokenizerServer: // it may not run yet; see learn
	default:
		in.use(token.Default())
	}
	if w.Prompt.Dataset != nil && w.Session == nil { // sessions read conversations
		var err error
		if in.rows, err = pinnedRows(w, p.Seed()); err != nil {
			return nil, err
		}
	}
	if e := p.Evaluation(); e != nil {
		var err error
		if in.sheet, err = exam.Write(e, p.Seed()); err != nil {
			return nil, fmt.Errorf("spec.evaluation: %w", err)
		}
		if longest := in.sheet.Longest(); longest >= sessionStride {
			return nil, fmt.Errorf("spec.evaluation: the longest conversation has %d steps, want fewer than %d", longest, sessionStride)
		}
	}
	if in.kind == spec.TokenizerServer {
		return in, nil
	}
	for _, w := range asks(p) { // so that what cannot be asked is reported at once
		if _, err := newSource(w, in, 0); err != nil {
			return in, err
		}
	}
	return in, nil
}

// asks lists the workloads of p: one, or one for each shape of a sweep.
func asks(p plan.Plan) []spec.Workload {
	list := []spec.Workload{apartFrom(p)}
	for i, point := range p.Points[1:] {
		if before := p.Points[i]; point.Scenario != before.Scenario || point.BatchSize != before.BatchSize {
			list = append(list, p.WorkloadOf(point))
		}
	}
	return list
}

func (in *inputs) use(tok token.Tokenizer) {
	in.tok, in.counter = tok, token.NewCounter(tok)
	in.builder = workload.NewBuilder(in.counter)
}

// words is what counts the words of prompts; nil when nothing does.
func (in *inputs) words() workload.Counter {
	if in.builder == nil {
		return nil
	}
	return in.builder
}

// pinnedTokenizer reads the tokenizer's file, which must be the one that the
// spec names.
func pinnedTokenizer(t spec.Tokenizer) (*token.Model, error) {
	model, err := token.Load(t.Path, token.Options{Pattern: t.Pattern})
	if err != nil {
		return nil, fmt.Errorf("spec.workload.tokenizer: %w", err)
	}
	if model.Digest() != t.Digest {
		return nil, fmt.Errorf("tokenizer %s has digest %s, spec.workload.tokenizer.digest is %s: want the same content", t.Path, model.Digest(), t.Digest)
	}
	return model, nil
}

// tokenizeTimeout bounds each question to a server's /tokenize.
const tokenizeTimeout = 30 * time.Second

// learn asks the target what words cost, once, before the first point: while it
// is measured it must not be asked for anything else. The rows of a data set are
// counted now for the same reason.
func (in *inputs) learn(ctx context.Context, conn connection) error {
	if in.kind != spec.TokenizerServer || in.builder != nil {
		return nil
	}
	base, err := target.Below(conn.client.URLs[0], "")
	if err != nil {
		return err
	}
	transport := &http.Transport{TLSClientConfig: conn.client.TLS, MaxIdleConnsPerHost: 1}
	defer transport.CloseIdleConnections()
	server := &token.Server{
		URL: base.String(), Model: conn.client.Ask.Model,
		HTTP: &http.Client{CheckRedirect: secret.SameHost, Timeout: tokenizeTimeout, Transport: withHeader(ctx, conn.client.Header, transport)},
	}
	counter := token.NewCounter(server)
	builder, err := workload.Learn(counter)
	if counter.Err() != nil {
		err = counter.Err()
	}
	if err != nil {
		return fmt.Errorf("spec.workload.tokenizer.kind server: %w; name the tokenizer's file instead", err)
	}
	for i := range in.rows {
		if err := countRow(&in.rows[i], server); err != nil {
			return fmt.Errorf("count the row at %d: %w", in.rows[i].Line, err)
		}
	}
	in.tok, in.counter, in.builder = server, counter, builder
	return nil
}

// countRow writes down how long the texts of a row are.
func countRow(row *dataset.Row, tok token.Tokenizer) error {
	total := 0
	for _, text := range row.Texts() {
		n, err := tok.Count(text)
		if err != nil {
			return err
		}
		total += n
	}
	row.InputTokens = total
	if row.OutputTokens > 0 || row.Answer == "" {
		return nil
	}
	n, err := tok.Count(row.Answer)
	row.OutputTokens = n
	return err
}

// A tripper is an http.RoundTripper.
type tripper func(*http.Request) (*http.Response, error)

// RoundTrip implements http.RoundTripper.
func (t tripper) RoundTrip(r *http.Request) (*http.Response, error) { return t(r) }

// withHeader sends the run's own headers, and nothing once the run has ended.
func withHeader(ctx context.Context, header http.Header, next http.RoundTripper) tripper {
	return func(r *http.Request) (*http.Response, error) {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		r = r.Clone(r.Context())
		for name, values := range header {
			r.Header[name] = values
		}
		return next.RoundTrip(r)
	}
}

// describe is the tokenizer as the manifest names it.
func (in *inputs) describe() *bundle.Input {
	switch {
	case in.tok == nil:
		return &bundle.Input{Name: "server", Unavailable: "the target was not asked"}
	case in.tok.Digest() == "":
		return &bundle.Input{Name: in.tok.Name(), Unavailable: "a server does not show its tokenizer's file"}
	}
	return &bundle.Input{Name: in.tok.Name(), Digest: in.tok.Digest()}
}
