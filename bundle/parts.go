package bundle

import (
	"encoding/json"
	"fmt"

	"assay/record"
)

// A Part is a run on one set of hosts, made for this one alone: some launches of its plan,
// and what the host that made them knew of itself.
type Part struct {
	RunID    string `json:"runID"`
	Digest   string `json:"digest"` // of its manifest
	Status   Status `json:"status"` // as it was sealed
	Set      int    `json:"set"`    // which of the sets that the hosts were cut into, from 1
	Launches []int  `json:"launches"`

	TopologyDigest string             `json:"topologyDigest,omitempty"`
	Environment    record.Environment `json:"environment,omitempty"`
	Health         json.RawMessage    `json:"health,omitempty"`
}

// AddPart copies every launch of the sealed bundle of a part, those that were cut short
// too, and records where they come from. What is copied is what was sealed, or nothing is.
func (w *Writer) AddPart(from *Bundle) error {
	m := from.Manifest
	if !from.Sealed {
		return fmt.Errorf("part %s: it is not sealed", from.Dir)
	}
	p := Part{
		RunID: m.RunID, Digest: m.Digest, Status: m.Status, Launches: []int{},
		TopologyDigest: m.TopologyDigest, Environment: m.Environment, Health: m.Health,
	}
	for _, l := range m.Launches {
		p.Set = l.Set
		p.Launches = append(p.Launches, l.Index)
	}
	err := w.set(func(draft *Manifest) error {
		if m.PlanDigest != draft.PlanDigest {
			return fmt.Errorf("part %s has another plan (%s, want %s): its launches are of another measurement", m.RunID, m.PlanDigest, draft.PlanDigest)
		}
		draft.Parts = append(draft.Parts, p)
		return nil
	})
	if err != nil {
		return err
	}
	for _, l := range m.Launches {
		if err := w.carryLaunch(from, l); err != nil {
			return fmt.Errorf("launch %d of part %s: %w", l.Index+1, m.RunID, err)
		}
	}
	return nil
}
