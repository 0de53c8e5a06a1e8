package run

import (
	"assay/bundle"
	"assay/record"
)

// An output takes what a point records: the tables of a launch, or, in a load generator,
// the line to its leader.
type output interface {
	request(r record.Request, chunks []record.Chunk) error
	step(row record.SessionStep) error
	event(row record.Event) error
	attach(name string, data []byte) error
}

// tables writes into a bundle.
type tables struct{ *bundle.Launch }

var _ output = tables{}

func (t tables) request(r record.Request, chunks []record.Chunk) error {
	if err := t.Chunks.Append(chunks...); err != nil {
		return err
	}
	return t.Requests.Append(r)
}

func (t tables) step(row record.SessionStep) error { return t.Sessions.Append(row) }

func (t tables) event(row record.Event) error { return t.Events.Append(row) }

func (t tables) attach(name string, data []byte) error { return t.Attach(name, data) }
