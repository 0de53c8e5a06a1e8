package workload

import (
	"errors"
	"fmt"
	"math/bits"
	"math/rand/v2"

	"assay/record"
	"assay/spec"
	"assay/workload/dataset"
)

// Rows makes calls from a data set: the rows in an order drawn from the seed,
// each once before any comes again.
type Rows struct {
	seed    uint64
	rows    []dataset.Row
	opts    Options
	lengths *Synthetic // nil for tasks whose answers have no length
	builder *Builder
}

var _ Source = (*Rows)(nil)

// NewRows returns a source of calls that asks rows for the task of opts. An
// answer of text is as long as its row says, else, where opts has a Counter, as
// the answer that the row gives, else as opts draws. Without a Counter the input
// length is as the row says; 0 is unknown.
func NewRows(seed int64, rows []dataset.Row, opts Options) (*Rows, error) {
	if len(rows) == 0 {
		return nil, errors.New("no rows: want at least one")
	}
	if opts.Task == "" {
		opts.Task = spec.TextToText
	}
	opts.PromptTokens = TaskOptions{PromptTokens: opts.PromptTokens}.withDefaults().PromptTokens
	s := &Rows{seed: uint64(seed), rows: rows, opts: opts, builder: NewBuilder(opts.Counter)}
	if opts.Task == spec.TextToText {
		var err error
		if s.lengths, err = New(seed, opts); err != nil {
			return nil, err
		}
	}
	for _, row := range rows {
		if lacks := missing(opts.Task, row); lacks != "" {
			return nil, fmt.Errorf("row at %d: no %s, want one for %s", row.Line, lacks, opts.Task)
		}
	}
	return s, nil
}

// missing names what row lacks to be asked as task; "" when it has all.
func missing(task string, row dataset.Row) string {
	switch task {
	case spec.TextToText, spec.TextToImage, spec.TextToSpeech:
		if row.Prompt == "" {
			return "prompt"
		}
	case spec.TextToEmbeddings:
		if row.Prompt == "" && len(row.Documents) == 0 {
			return "prompt or documents"
		}
	case spec.TextToRerank:
		if row.Query == "" || len(row.Documents) == 0 {
			return "query with documents"
		}
	case spec.ImageTextToText, spec.ImageToEmbeddings:
		if row.Image == nil {
			return "image"
		}
	case spec.SpeechToText:
		if row.Sound == nil {
			return "sound"
		}
	default:
		return "way to ask it"
	}
	return ""
}

// Call implements Source.
func (s *Rows) Call(point int32, id int64) record.Call {
	row := s.rows[s.place(uint64(id))]
	call := record.Call{ID: id, Point: point, Prompt: row.Prompt, InputTokens: int32(row.InputTokens)}
	s.carry(row, &call)
	if call.InputTokens == 0 && s.opts.Counter != nil {
		for _, text := range row.Texts() {
			call.InputTokens += int32(s.opts.Counter.Count(text))
		}
	}
	rng := rand.New(rand.NewPCG(s.seed, uint64(id)))
	switch s.opts.Task {
	case spec.TextToText:
		call.OutputTokens = s.output(row, rng)
	case spec.ImageTextToText:
		call.OutputTokens = int32(s.opts.OutputTokens)
		if call.Prompt == "" {
			text, count := s.builder.Text(rng, s.opts.PromptTokens)
			call.Prompt, call.InputTokens = text, int32(count)
		}
	}
	return call
}

// carry fills in what the task sends beside the prompt.
func (s *Rows) carry(row dataset.Row, call *record.Call) {
	if s.opts.Task == spec.TextToText {
		if len(row.Messages) > 0 {
			said := append(row.Messages[:len(row.Messages):len(row.Messages)], record.Message{Role: "user", Content: row.Prompt})
			call.Payload = &record.Payload{Messages: said}
		}
		return
	}
	p := &record.Payload{Task: s.opts.Task, Documents: row.Documents, Query: row.Query, Voice: s.opts.Voice, Sound: row.Sound}
	if row.Image != nil {
		p.Images = []record.Image{*row.Image}
	}
	if len(p.Documents) == 0 && s.opts.Task == spec.TextToEmbeddings {
		p.Documents = []string{row.Prompt}
	}
	if call.Prompt == "" {
		call.Prompt = row.Query
	}
	call.Payload = p
}

// output is how long the answer to row shall be.
func (s *Rows) output(row dataset.Row, rng *rand.Rand) int32 {
	if row.OutputTokens > 0 {
		return int32(row.OutputTokens)
	}
	if s.opts.Counter != nil && row.Answer != "" {
		return int32(s.opts.Counter.Count(row.Answer))
	}
	return s.lengths.draw(rng).OutputTokens
}

// place is the row of call id: pass after pass over the set, each in an order
// of its own. The order is computed and not stored, so that any call can be
// asked for at any time: a Feistel network permutes the next power of four, and
// numbers past the end are sent through again until they fall inside.
func (s *Rows) place(id uint64) uint64 {
	n := uint64(len(s.rows))
	pass, at := id/n, id%n
	half := (bits.Len64(n-1) + 1) / 2
	mask := uint64(1)<<half - 1
	for {
		left, right := at>>half, at&mask
		for round := range uint64(4) {
			left, right = right, left^(scramble(s.seed^scramble(pass)^scramble(right<<3|round))&mask)
		}
		if at = left<<half | right; at < n {
			return at
		}
	}
}

// scramble is the finaliser of SplitMix64.
func scramble(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
