package run

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"assay/plan"
	"assay/record"
	"assay/secret"
	"assay/spec"
	"assay/target"
	"assay/visible"
)

// preflightTimeout bounds the request before a run, and half of it the list of models. A server that takes longer is
// measured all the same: that it is slow is what the run finds out.
const preflightTimeout = 10 * time.Second

// preflightPrompt is the one prompt that is sent before a run. No workload makes it,
// so that it warms nothing that is measured.
const preflightPrompt = "assay asks this once before it measures. Answer with one word."

// preflightTokens is how long its answer may be: long enough to see the pace of a
// server.
const preflightTokens = 16

// preflight asks a server that is already there one small request and which models
// it has, before anything is measured: a wrong model, a wrong key or prompts that
// do not fit end the run now and not after every launch. Fields that the server
// refuses and that a run can do without are left out from then on; the notes say so.
//
// A server that assay starts is not asked: its first request is part of what is
// measured.
func (s *side) preflight(ctx context.Context, p plan.Plan) error {
	if s.target == nil || s.conn.server != nil || len(s.conn.client.URLs) == 0 {
		return nil
	}
	served, _ := s.conn.models(ctx) // one that has no list is not worse for it
	if err := fits(p, s.conn.client.Ask.Model, served); err != nil {
		return err
	}
	if p.Workload().Prompt.Task != spec.TextToText {
		return nil
	}
	return s.tryRequest(ctx, p, served)
}

// models asks the target which models it has.
func (c connection) models(ctx context.Context) ([]target.Served, error) {
	ctx, cancel := context.WithTimeout(ctx, preflightTimeout/2)
	defer cancel()
	client := &http.Client{CheckRedirect: secret.SameHost, Transport: &http.Transport{TLSClientConfig: c.client.TLS, DisableKeepAlives: true, Proxy: c.proxy()}}
	return target.Models(ctx, client, c.client.URLs[0], c.client.Header)
}

// fits is an error when prompts and answers of the plan are longer than the model
// takes. Lengths that are drawn are taken at their mean: a few that do not fit are
// failed requests, not a wrong plan.
func fits(p plan.Plan, model string, served []target.Served) error {
	i := slices.IndexFunc(served, func(s target.Served) bool { return s.ID == model })
	if i < 0 || served[i].MaxLength <= 0 || p.Workload().Session != nil || p.Workload().Prompt.Dataset != nil || p.Evaluation() != nil {
		return nil
	}
	for _, point := range p.Points {
		if point.TraceRef != "" {
			continue
		}
		for _, l := range p.WorkloadOf(point).SequenceLengthMix {
			if l.InputTokens+l.OutputTokens > served[i].MaxLength {
				return fmt.Errorf("%s asks %d tokens and %d in answer, and the server takes %d for both (max_model_len of %s): ask less (--input-tokens and --output-tokens, or workload.sequenceLengthMix in a spec), or start the server with a longer context",
					point.Name, l.InputTokens, l.OutputTokens, served[i].MaxLength, model)
			}
		}
	}
	return nil
}

// optional are the fields that a server may refuse without making a run pointless,
// and what is lost without each.
var optional = []struct{ name, loss string }{
	{"ignore_eos", "answers may be shorter than asked"},
	{"stream_options", "the server may not count tokens"},
	{"temperature", "the server's own temperature holds"},
}

// tryRequest sends the one request, again without each field that the server refuses.
func (s *side) tryRequest(ctx context.Context, p plan.Plan, served []target.Served) error {
	for range len(optional) + 1 {
		r, chunks, err := s.request(ctx, record.Call{Prompt: preflightPrompt, OutputTokens: preflightTokens})
		if err != nil {
			return err
		}
		if !slices.Contains([]int32{301, 302, 307, 308, 400, 401, 403, 404, 422}, r.Status) {
			s.noteUsage(r)
			if pace, ok := paceOf(r, chunks); ok {
				s.notePace(p, pace)
				s.noteDrain(p, pace)
			}
			return nil // what else goes wrong may be gone by the time of the run
		}
		i := slices.IndexFunc(optional, func(f struct{ name, loss string }) bool {
			return (r.Status == 400 || r.Status == 422) && strings.Contains(r.Error, f.name) && !slices.Contains(s.conn.client.Ask.Omit, f.name)
		})
		if i < 0 {
			return refusal(r, s.conn.client.Ask.Model, served)
		}
		s.conn.client.Ask.Omit = append(slices.Clone(s.conn.client.Ask.Omit), optional[i].name)
		s.notes = append(s.notes, fmt.Sprintf("the server refuses %s, which is not sent: %s", optional[i].name, optional[i].loss))
	}
	return nil
}

// request makes one request before the run.
func (s *side) request(ctx context.Context, call record.Call) (record.Request, []record.Chunk, error) {
	ctx, cancel := context.WithTimeout(ctx, preflightTimeout)
	defer cancel()
	clock, err := record.StartClock()
	if err != nil {
		return record.Request{}, nil, err
	}
	cfg := s.conn.client
	cfg.Connections, cfg.Reader = 1, target.ReadNetHTTP
	client, err := target.New(cfg, s.conn.dialect, clock)
	if err != nil {
		return record.Request{}, nil, err
	}
	defer client.Close()
	prepared, err := client.Prepare(call)
	if err != nil {
		return record.Request{}, nil, err
	}
	r, chunks := client.Decode(client.Do(ctx, prepared, clock.Now()))
	return r, chunks, nil
}

// noteUsage notes a server that does not count tokens.
func (s *side) noteUsage(r record.Request) {
	if r.Result == record.OK && r.UsageOutput == nil {
		s.notes = append(s.notes, "the server does not report token usage: lengths in tokens are known only where assay counts them (workload.tokenizer, --model-tokenizer)")
	}
}

// refusal says why the server refuses every request, and what to type.
func refusal(r record.Request, model string, served []target.Served) error {
	said := visible.Line(r.Error)
	var names []string
	for _, one := range served {
		names = append(names, one.ID)
	}
	slices.Sort(names)
	switch {
	case r.Status < 400:
		return fmt.Errorf("the server sends requests elsewhere (status %d: %s), and no key goes there: give that address with --url, or as target.url in a spec", r.Status, said)
	case r.Status == 401 || r.Status == 403:
		return fmt.Errorf("the server refuses the key (status %d: %s): set MODEL_API_KEY for assay bench, or target.auth in a spec", r.Status, said)
	case len(names) > 0 && !slices.Contains(names, model):
		return fmt.Errorf("the server has no model %q (status %d: %s): choose one with --model, or target.model in a spec: %s", model, r.Status, said, strings.Join(names, ", "))
	case r.Status == 404:
		return fmt.Errorf("the server does not know this address or model (404: %s): check the URL, --api-backend (target.api) and --model (target.model)", said)
	}
	return fmt.Errorf("the server refuses the request (status %d: %s): check --api-backend (target.api), and leave out what it refuses with target.omitBody in a spec (assay bench --print-spec writes one)", r.Status, said)
}

// tellNotes writes what the target taught before the run into a launch, and tells
// people of it in the first.
func (e *execution) tellNotes(turn turn, l *activeLaunch) error {
	for _, note := range e.side.notes {
		if turn.first {
			e.report(Progress{Launch: l.planned.Index, Message: note})
		}
		row := record.Event{At: l.clock.Now(), Name: record.TargetNote, Point: -1, Detail: note}
		if err := l.out.Events.Append(row); err != nil {
			return &bundleError{fmt.Errorf("record event %s: %w", row.Name, err)}
		}
	}
	return nil
}
