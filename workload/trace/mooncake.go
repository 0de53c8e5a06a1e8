package trace

import (
	"errors"
	"fmt"
	"io"
	"time"

	"assay/record"
)

var mooncake = Format{
	Name: "mooncake", Doc: "Mooncake's JSON lines: milliseconds, and names of 512-token blocks; AIPerf's additions for sessions and texts too",
	read: readMooncake,
}

type mooncakeLine struct {
	Timestamp *float64         `json:"timestamp"` // milliseconds
	Input     *int32           `json:"input_length"`
	Output    int32            `json:"output_length"`
	Blocks    []uint64         `json:"hash_ids"`
	Session   string           `json:"session_id"`
	Delay     *float64         `json:"delay"` // milliseconds after the turn before
	Text      string           `json:"text_input"`
	Messages  []record.Message `json:"messages"`
}

func readMooncake(r io.Reader) (records []Record, err error) {
	type turn struct {
		id     string
		number int32
		at     time.Duration
	}
	last := map[string]turn{}
	err = eachJSON(r, func(line int, m mooncakeLine) error {
		told := 0
		for _, is := range []bool{m.Input != nil, m.Text != "", len(m.Messages) > 0} {
			if is {
				told++
			}
		}
		if told != 1 {
			return errors.New("want exactly one of input_length, text_input and messages")
		}
		out := Record{
			ID: fmt.Sprint(line), Output: m.Output, Session: m.Session, Text: m.Text, Messages: m.Messages,
			Blocks: m.Blocks, BlockTokens: 512,
		}
		if m.Input != nil {
			out.Input = *m.Input
		}
		before, follows := last[m.Session]
		follows = follows && m.Session != ""
		switch {
		case m.Timestamp != nil:
			out.At, err = span(*m.Timestamp, time.Millisecond)
		case follows:
			out.At = before.at // no earlier than the turn before
		default:
			return errors.New("no timestamp: only later turns of a session may go without")
		}
		if err != nil {
			return err
		}
		if follows {
			out.Turn, out.After = before.number+1, []string{before.id}
			if m.Delay != nil {
				if out.Think, err = span(*m.Delay, time.Millisecond); err != nil {
					return err
				}
			}
		}
		last[m.Session] = turn{out.ID, out.Turn, out.At}
		records = append(records, out)
		return nil
	})
	return records, err
}
