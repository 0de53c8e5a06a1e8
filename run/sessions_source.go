package run

import (
	"fmt"
	"strings"

	"assay/plan"
	"assay/record"
	"assay/spec"
	"assay/target"
	"assay/workload"
	"assay/workload/dataset"
	"assay/workload/session"
	"assay/workload/trace"
)

// A sessionSource makes session number n of a point, always the same.
type sessionSource struct {
	session func(n int64) session.Session
	len     int // how many there are before they come again; 0 means no end
	longest int // steps of the longest session
	leftOut int // conversations of a data set that are none

	// address adds to the call of a step what only the source knows; nil for nothing.
	address func(call *record.Call, n int64, step int)
}

// newSessions returns the sessions of a point of p, drawn from seed.
func newSessions(p plan.Plan, in *recordings, seed int64) (sessionSource, error) {
	switch s := p.Workload().Session; s.From {
	case spec.SessionDataset:
		return datasetSessions(p, in.counter)
	case spec.SessionTrace:
		return traceSessions(p, in, seed)
	default:
		return syntheticSessions(p, seed, in.counter)
	}
}

func syntheticSessions(p plan.Plan, seed int64, counter workload.Counter) (sessionSource, error) {
	w := p.Workload()
	s := w.Session
	opts := session.Options{
		Turns: s.Turns, SystemTokens: s.SystemTokens, Think: s.ThinkTime.Std(),
		InputTokens: w.SequenceLengthMix[0].InputTokens, OutputTokens: w.SequenceLengthMix[0].OutputTokens,
		Spread:  workload.Spread{Distribution: workload.Distribution(w.Prompt.Distribution), Share: w.Prompt.Spread},
		Answers: s.History == spec.HistoryRecorded, Counter: counter,
	}
	for _, t := range s.AllTools() {
		opts.Tools = append(opts.Tools, session.ToolCall{Name: t.Name, Every: t.Every, Time: t.Time.Std(), Tokens: t.Tokens})
	}
	if s.Fork != nil {
		opts.ForkEvery, opts.Branches = s.Fork.Every, s.Fork.Branches
	}
	made, err := session.NewSynthetic(seed, opts)
	if err != nil {
		return sessionSource{}, fmt.Errorf("spec.workload.session: %w", err)
	}
	return sessionSource{session: made.Session, longest: len(made.Session(0).Steps)}, nil
}

// datasetSessions are the conversations of the data set, in the order of its
// rows, from the first again after the last.
func datasetSessions(p plan.Plan, counter workload.Counter) (sessionSource, error) {
	w := p.Workload()
	d := w.Prompt.Dataset
	set, err := dataset.Open(d.Path, dataset.Options{
		Format: d.Format, Fields: d.Fields, Limit: d.Limit, Conversations: true,
		Shuffle: d.Shuffle, Seed: plan.Seed(p.Seed(), "dataset", 0),
	})
	if err != nil {
		return sessionSource{}, err
	}
	if !strings.HasSuffix(w.DatasetRef, set.Digest) {
		return sessionSource{}, fmt.Errorf("data set %s has digest %s, spec.workload.datasetRef names %s: want the same content", d.Path, set.Digest, w.DatasetRef)
	}
	pace := session.Pace{Think: w.Session.ThinkTime.Std(), OutputTokens: func(answer string) int32 {
		if counter == nil || answer == "" {
			return int32(w.SequenceLengthMix[0].OutputTokens)
		}
		return int32(max(1, counter.Count(answer)))
	}}
	if w.Session.Tool != nil {
		pace.ToolTime, pace.ToolName = w.Session.Tool.Time.Std(), w.Session.Tool.Name
	}
	out := sessionSource{leftOut: set.Dropped}
	var list []session.Session
	for _, row := range set.Rows {
		s, err := session.FromConversation(int64(len(list)), said(row), pace)
		if err != nil {
			out.leftOut++ // such as one that begins with an answer
			continue
		}
		if row.OutputTokens > 0 {
			s.Steps[len(s.Steps)-1].OutputTokens = int32(row.OutputTokens)
		}
		out.longest = max(out.longest, len(s.Steps))
		list = append(list, s)
	}
	if len(list) == 0 {
		return out, fmt.Errorf("data set %s holds no conversation that begins with a user: want prompts, messages or ShareGPT's conversations", d.Path)
	}
	out.len = len(list)
	out.session = func(n int64) session.Session { return list[n%int64(len(list))] }
	return out, nil
}

// said is the whole conversation of a row.
func said(row dataset.Row) []record.Message {
	list := append([]record.Message(nil), row.Messages...)
	list = append(list, record.Message{Role: "user", Content: row.Prompt})
	if row.Answer != "" {
		list = append(list, record.Message{Role: "assistant", Content: row.Answer})
	}
	return list
}

func traceSessions(p plan.Plan, in *recordings, seed int64) (sessionSource, error) {
	r, err := in.of(p)
	if err != nil {
		return sessionSource{}, err
	}
	prompts, err := trace.NewSource(seed, r.records, in.counter)
	if err != nil {
		return sessionSource{}, err
	}
	replay, err := session.NewReplay(r.records, prompts)
	if err != nil {
		return sessionSource{}, err
	}
	return sessionSource{
		session: func(n int64) session.Session { return replay.Session(int(n % int64(replay.Len()))) },
		len:     replay.Len(), longest: replay.Longest(),
	}, nil
}

const (
	// sessionStride separates the request numbers of two sessions of a point. It
	// is prime, so that the first turns of sessions go round the target's URLs.
	sessionStride = 10_007

	// sessionPointStride separates those of two points, for a hundred million
	// sessions each.
	sessionPointStride = 1_000_700_000_000
)

// requestID numbers the request of a step.
func requestID(point plan.Point, n int64, step int) int64 {
	return int64(point.Index)*sessionPointStride + n*sessionStride + int64(step)
}

// sessionCall is the call of a step, given what the steps before it answered. A
// nil counter leaves the length of the whole conversation unknown.
func sessionCall(point plan.Point, n int64, s session.Session, step int, answers []string, counter *workload.Builder) record.Call {
	call := s.Call(step, answers)
	call.ID, call.Point = requestID(point, n, step), int32(point.Index)
	if s.Steps[step].Messages != nil {
		return call // the whole prompt is the step's, and so is its length
	}
	said := call.Payload.Messages
	if call.Prompt == "" && len(said) > 0 {
		call.Prompt = said[len(said)-1].Content // a tool's answer is handed on
	}
	call.InputTokens = 0
	for _, m := range said {
		if counter != nil {
			call.InputTokens += int32(counter.Count(m.Content))
		}
	}
	return call
}

// liveHistory reports whether turns of p repeat what the target really said.
func liveHistory(p plan.Plan) bool {
	s := p.Workload().Session
	return s != nil && s.History == spec.HistoryLive
}

// sessionsReadable makes sure that the sessions of p can be made and sent.
func sessionsReadable(p plan.Plan) error {
	api, asked := p.Target().API, "spec.workload.session"
	if p.Evaluation() != nil {
		asked = "the tasks have conversations"
	}
	if !target.Converses(api) {
		return fmt.Errorf("%s: spec.target.api %s takes one text, want a chat API", asked, api)
	}
	if p.Evaluation() != nil {
		return nil // the questions are read with the other inputs
	}
	source, err := newSessions(p, &recordings{}, 0)
	if err == nil && source.longest >= sessionStride {
		err = fmt.Errorf("spec.workload.session: the longest session has %d steps, want fewer than %d", source.longest, sessionStride)
	}
	return err
}
