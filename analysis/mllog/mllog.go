// Package mllog reads and writes the logs of MLPerf Training, and scores results by
// its rules: of each set of runs the fastest and the slowest are dropped and the
// rest averaged, and what a file scaling.json says is multiplied.
//
// It checks what a log itself can show. It knows no reference convergence points
// and no hyperparameter rules, so that a score of its own is never a submission.
package mllog

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// The types of event.
const (
	IntervalStart = "INTERVAL_START"
	IntervalEnd   = "INTERVAL_END"
	PointInTime   = "POINT_IN_TIME"
)

// An Event is one line of a log.
type Event struct {
	Namespace string         `json:"namespace"`
	TimeMS    int64          `json:"time_ms"` // since 1970
	Type      string         `json:"event_type"`
	Key       string         `json:"key"`
	Value     any            `json:"value"`
	Metadata  map[string]any `json:"metadata"`
}

const mark = ":::MLLOG"

// Read yields the events of a log, whatever else its lines hold: launchers put
// prefixes before them and programs write between them.
func Read(r io.Reader) ([]Event, error) {
	var list []Event
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 4<<20) // hyperparameters of some are long
	number := 1
	for ; lines.Scan(); number++ {
		_, text, found := strings.Cut(latin(lines.Bytes()), mark)
		if !found {
			continue
		}
		var e Event
		d := json.NewDecoder(strings.NewReader(text))
		if err := d.Decode(&e); err != nil {
			return list, fmt.Errorf("line %d: %w", number, err)
		}
		list = append(list, e)
	}
	if err := lines.Err(); err != nil {
		return list, fmt.Errorf("line %d: %w", number, err)
	}
	return list, nil
}

// latin reads bytes as ISO 8859-1, as the rules' own checker does: every byte is
// then a character, and none spoils the line.
func latin(line []byte) string {
	var b strings.Builder
	for _, c := range line {
		b.WriteRune(rune(c))
	}
	return b.String()
}

// Write writes events as a log has them.
func Write(w io.Writer, events []Event) error {
	for _, e := range events {
		if e.Metadata == nil {
			e.Metadata = map[string]any{}
		}
		text, err := json.Marshal(e)
		if err != nil {
			return fmt.Errorf("%s: %w", e.Key, err)
		}
		if _, err := fmt.Fprintf(w, "%s %s\n", mark, text); err != nil {
			return err
		}
	}
	return nil
}
