package trace

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"assay/intake"
)

var weka = Format{
	Name: "weka", Doc: "WEKA's agent conversations, one JSON object after the other: requests with sub-agents, and names of blocks that hold for one agent of one conversation",
	read: readWEKA,
}

type wekaConversation struct {
	ID        string        `json:"id"`
	BlockSize int32         `json:"block_size"`
	Requests  []wekaRequest `json:"requests"`
}

type wekaRequest struct {
	T      float64  `json:"t"` // seconds
	Type   string   `json:"type"`
	Model  string   `json:"model"`
	In     int32    `json:"in"`
	Out    int32    `json:"out"`
	Blocks []uint64 `json:"hash_ids"`
	API    float64  `json:"api_time"`   // seconds
	Think  *float64 `json:"think_time"` // seconds

	Agent    string        `json:"agent_id"` // of a sub-agent
	Requests []wekaRequest `json:"requests"`
}

func readWEKA(r io.Reader) ([]Record, error) {
	values := intake.NewValues("the trace", r, maxLine)
	decoder := json.NewDecoder(values)
	var all []Record
	for number := 1; ; number++ {
		var c wekaConversation
		values.Next()
		err := decoder.Decode(&c)
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("conversation %d: %w", number, err)
		}
		if c.ID == "" || c.BlockSize < 1 {
			return nil, fmt.Errorf("conversation %d: got id %q and block_size %d, want both", number, c.ID, c.BlockSize)
		}
		w := wekaReader{conversation: c}
		if _, err := w.agent(c.ID, c.Requests, nil, 0); err != nil {
			return nil, fmt.Errorf("conversation %s: %w", c.ID, err)
		}
		all = append(all, w.records...)
	}
}

// A wekaReader gathers the requests of one conversation.
type wekaReader struct {
	conversation wekaConversation
	records      []Record
}

// maxAgents is how deep sub-agents may call sub-agents.
const maxAgents = 16

// agent reads the requests of one agent, the first of which follows those named
// by after. It returns what a request behind them follows.
func (w *wekaReader) agent(scope string, requests []wekaRequest, after []string, depth int) ([]string, error) {
	if depth > maxAgents {
		return nil, fmt.Errorf("sub-agents more than %d deep", maxAgents)
	}
	var ended time.Duration // of the request before
	var joins []string      // of sub-agents since then
	turn := int32(0)
	for i, q := range requests {
		if q.Type == "subagent" {
			// A sub-agent begins when the request before it has ended; what
			// comes next waits for all of them and for that request.
			joined, err := w.agent(fmt.Sprintf("%s/%s", scope, q.Agent), q.Requests, after, depth+1)
			if err != nil {
				return nil, err
			}
			if len(q.Requests) > 0 {
				joins = append(joins, joined...)
			}
			continue
		}
		at, err := span(q.T, time.Second)
		if err != nil {
			return nil, fmt.Errorf("request %d of %s: %w", i, scope, err)
		}
		took, err := span(q.API, time.Second)
		if err != nil {
			return nil, fmt.Errorf("request %d of %s: api_time %w", i, scope, err)
		}
		out := Record{
			ID: fmt.Sprintf("%s#%d", w.conversation.ID, len(w.records)), At: at, Input: q.In, Output: q.Out, Session: w.conversation.ID, Turn: turn,
			After: slices.Concat(after, joins), Model: q.Model, Kind: q.Type, Blocks: q.Blocks, BlockTokens: w.conversation.BlockSize, Scope: scope,
		}
		switch {
		case q.Think != nil:
			if out.Think, err = span(*q.Think, time.Second); err != nil {
				return nil, fmt.Errorf("request %d of %s: think_time %w", i, scope, err)
			}
		case ended > 0:
			out.Think = max(0, at-ended)
		}
		w.records = append(w.records, out)
		after, joins, ended = []string{out.ID}, nil, at+took
		turn++
	}
	return slices.Concat(after, joins), nil
}
