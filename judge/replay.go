package judge

import (
	"encoding/json"
	"fmt"

	"assay/bundle"
	"assay/plan"
)

// A Replay says which part of a trace a point replayed, as the bundle's
// trace-PP.json has it.
type Replay struct {
	Point        int     `json:"point"`
	Name         string  `json:"name"`
	Digest       string  `json:"digest"`
	Format       string  `json:"format"`
	Requests     int     `json:"requests"`
	Chosen       int     `json:"chosen"`
	Used         int     `json:"used"`
	Share        float64 `json:"share"`
	Scale        float64 `json:"scale"`
	RecordedRate float64 `json:"recordedRate"`
	OfferedRate  float64 `json:"offeredRate"`
	InputTokens  float64 `json:"inputTokens"`
	OutputTokens float64 `json:"outputTokens"`
	SharedInput  float64 `json:"sharedInput"`
}

// replays reads what the points of p replayed. It is the same in every launch;
// the first that got so far tells it.
func replays(b *bundle.Bundle, p plan.Plan) ([]Replay, error) {
	var list []Replay
	for _, point := range p.Points {
		if point.TraceRef == "" {
			continue
		}
		for _, launch := range b.Launches() {
			data, err := b.ReadFile(fmt.Sprintf("raw/launch-%02d/trace-%02d.json", launch.Index, point.Index))
			if err != nil {
				continue // the launch ended before it came to the point
			}
			r := Replay{Point: point.Index}
			if err := json.Unmarshal(data, &r); err != nil {
				return nil, fmt.Errorf("trace-%02d.json of launch %d: %w", point.Index, launch.Index+1, err)
			}
			list = append(list, r)
			break
		}
	}
	return list, nil
}
