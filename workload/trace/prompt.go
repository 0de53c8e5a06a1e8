package trace

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"strings"

	"assay/record"
	"assay/workload"
)

// A Source asks the requests of a trace, with prompts rebuilt from a seed: equal
// block names of one scope give equal text, whatever process rebuilds them.
type Source struct {
	seed    int64
	records []Record
	builder *workload.Builder
}

var _ workload.Source = (*Source)(nil)

// NewSource returns a source that asks records. A nil counter counts words.
func NewSource(seed int64, records []Record, counter workload.Counter) (*Source, error) {
	if len(records) == 0 {
		return nil, errors.New("no records: want at least one")
	}
	return &Source{seed, records, workload.NewBuilder(counter)}, nil
}

// Call implements workload.Source: call id asks record id, from the first again
// after the last.
func (s *Source) Call(point int32, id int64) record.Call {
	r := s.records[id%int64(len(s.records))]
	prompt, count := s.Prompt(r)
	call := record.Call{ID: id, Point: point, Prompt: prompt, InputTokens: int32(count), OutputTokens: r.Asked()}
	if len(r.Messages) > 0 {
		call.Payload = &record.Payload{Messages: r.Messages}
	}
	return call
}

// Asked is how many tokens a replay asks for: those of the recorded answer, and 1
// where there was none, for no API can be asked for nothing. Zero, which leaves
// the end to the server, is asked only of a request whose text is known and
// whose length is not.
func (r Record) Asked() int32 {
	if r.Output == 0 && r.Text == "" && r.Messages == nil {
		return 1
	}
	return r.Output
}

// Prompt rebuilds the prompt of r and counts its tokens. Only what the last
// block leaves open is cut or filled to reach the recorded length, so that
// sharing is kept before the length is.
func (s *Source) Prompt(r Record) (string, int) {
	if len(r.Messages) > 0 {
		last := r.Messages[len(r.Messages)-1].Content
		return last, s.builder.Count(last)
	}
	if r.Text != "" {
		return r.Text, s.builder.Count(r.Text)
	}
	want := max(1, int(r.Input))
	var head strings.Builder
	left := want
	tail := s.random("request", r.ID, 0) // what no block covers is this request's own
	for _, id := range r.Blocks {
		block := s.random("block", r.Scope, id)
		if left < int(r.BlockTokens) {
			tail = block // the last block is cut
			break
		}
		text, _ := s.builder.Text(block, int(r.BlockTokens))
		if head.Len() > 0 {
			head.WriteByte(' ')
		}
		head.WriteString(text)
		left -= int(r.BlockTokens)
	}
	return s.builder.Extend(head.String(), tail, want)
}

// random is the randomness of one named thing. It hashes with SHA-256 because
// the hashes of many run times differ from process to process.
func (s *Source) random(what, scope string, id uint64) *rand.Rand {
	h := sha256.New()
	h.Write(binary.BigEndian.AppendUint64(nil, uint64(s.seed)))
	h.Write([]byte(what + "\x00" + scope + "\x00"))
	h.Write(binary.BigEndian.AppendUint64(nil, id))
	sum := h.Sum(nil)
	return rand.New(rand.NewPCG(binary.BigEndian.Uint64(sum), binary.BigEndian.Uint64(sum[8:])))
}
