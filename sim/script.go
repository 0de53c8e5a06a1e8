package sim

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// A Scripted is an answer that was written beforehand, so that a server gives right and
// wrong answers whose number is known. It is one line of a script: a JSON object.
type Scripted struct {
	// Prompt is a text that occurs in the prompts which it answers; empty answers all.
	Prompt string `json:"prompt"`

	// Text is what is said. Empty ends the answer without a word.
	Text string `json:"text"`

	// FinishReason is why the answer ends. Empty means "stop", or "length" where the request
	// asked for less than the text.
	FinishReason string `json:"finish_reason,omitempty"`

	// Fault is a fault of the wire that takes the place of the answer or spoils it.
	Fault string `json:"fault,omitempty"`

	// Beside holds the answer back unless at least so many other requests are under way: an
	// engine that is only wrong under load.
	Beside int `json:"beside,omitempty"`
}

// ReadScript reads a script: a JSON object on each line, empty lines aside.
func ReadScript(r io.Reader) ([]Scripted, error) {
	var script []Scripted
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxBody)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" {
			continue
		}
		var row Scripted
		decoder := json.NewDecoder(strings.NewReader(line))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&row); err != nil {
			return nil, fmt.Errorf("line %d: %w; want {\"prompt\": …, \"text\": …}", n, err)
		}
		if err := row.validate(); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		script = append(script, row)
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if len(script) == 0 {
		return nil, errors.New("got no answers, want at least one")
	}
	return script, nil
}

func (a Scripted) validate() error {
	if a.Fault != "" && findFault(a.Fault) == nil {
		return fmt.Errorf("fault: got %q, want one of %s", a.Fault, faultNames())
	}
	if a.Beside < 0 {
		return fmt.Errorf("beside: got %d, want at least 0", a.Beside)
	}
	return nil
}

// scripted finds the answer to a prompt: the one whose text occurs last in it, since worked
// examples stand before the question. Of several, the one for the highest load that is
// reached counts, then the first. Nil means that the script has none.
func (s *Server) scripted(prompt []token) *Scripted {
	if len(s.cfg.Script) == 0 {
		return nil
	}
	text, _ := detokenize(prompt) // checked when it was read
	running := int(s.meter.running.Load())
	var best *Scripted
	place := -1
	for i := range s.cfg.Script {
		row := &s.cfg.Script[i]
		at := strings.LastIndex(text, row.Prompt)
		if row.Prompt == "" {
			at = 0
		}
		if at < 0 || running < row.Beside || at < place || at == place && row.Beside <= best.Beside {
			continue
		}
		best, place = row, at
	}
	return best
}

// speak makes a choice say what was written.
func (a *Scripted) speak(ch *choice, limit int) {
	for _, t := range tokenize(a.Text) {
		quoted, _ := json.Marshal(string(t.appendText(nil))) // a string always has a JSON form
		ch.script = append(ch.script, string(quoted[1:len(quoted)-1]))
	}
	ch.limit, ch.stops, ch.finish = len(ch.script), a.FinishReason != "length", a.FinishReason
	if limit > 0 && ch.limit > limit {
		ch.limit, ch.stops, ch.finish = limit, false, ""
	}
	if ch.script == nil { // an answer takes a token's time, also one without a word
		ch.script, ch.limit = []string{""}, 1
	}
}

// scriptedFaults are those that the script has for some prompts.
func (s *Server) scriptedFaults(prompts [][]token) (names []string) {
	for _, prompt := range prompts {
		if row := s.scripted(prompt); row != nil && row.Fault != "" {
			names = append(names, row.Fault)
		}
	}
	return names
}
