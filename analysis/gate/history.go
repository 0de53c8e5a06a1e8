package gate

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"assay/intake"
)

// HistoryVersion is the version of the lines of a history file.
const HistoryVersion = "1.1"

// An Entry is one verdict of a gate as its history remembers it: a line of a
// JSONL file that only grows. A gate that moves its baseline after a failure, or
// that alarms at random, or is asked until it passes, shows there.
type Entry struct {
	Version      string    `json:"version"`
	Time         time.Time `json:"time"`
	Rule         string    `json:"rule"`   // such as gate.v2
	Policy       string    `json:"policy"` // digest of the policy
	Alpha        float64   `json:"alpha"`  // its error budget
	Baseline     string    `json:"baseline"`
	Candidate    string    `json:"candidate"` // digests of the bundles, with @SIDE where there are several
	Confirmation string    `json:"confirmation,omitempty"`
	Passed       bool      `json:"passed"`

	// Advisory says that the verdict gated no release; Void names the checks that
	// stopped the candidate.
	Advisory bool     `json:"advisory,omitempty"`
	Void     []string `json:"void,omitempty"`

	// System names what the candidate was rather than its measurement: two runs of
	// one system have it in common. Empty in histories of version 1.0.
	System string `json:"system,omitempty"`

	// Same says that nothing differs between the sides: the gate was asked about
	// a system and itself, and every alert is a false one.
	Same bool `json:"same,omitempty"`

	// Verdicts are those of every gated metric, by its key.
	Verdicts map[string]Verdict `json:"verdicts"`

	// Alerts are the keys of the metrics that regressed, before confirmation.
	Alerts []string `json:"alerts"`

	// Reason is what a person gave for what is unusual, such as a new baseline.
	Reason string `json:"reason,omitempty"`
}

// mostHistory is the largest history that is read: the verdicts of a gate with ten
// metrics, every hour for ten years.
const mostHistory = 256 << 20

// ReadHistory reads every entry of the file at path, the oldest first. A file
// that is not there is a history that has not begun. A line that cannot be read
// is an error that names it: a history with holes proves nothing.
func ReadHistory(path string) ([]Entry, error) {
	f, err := intake.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return parseHistory(path, intake.Bounded(path, f, mostHistory))
}

func parseHistory(name string, r io.Reader) ([]Entry, error) {
	var list []Entry
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 16<<20) // hundreds of gated metrics make long lines
	for number := 1; lines.Scan(); number++ {
		if strings.TrimSpace(lines.Text()) == "" {
			continue
		}
		var e Entry
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, number, err)
		}
		if e.Version == "" || e.Baseline == "" || e.Candidate == "" {
			return nil, fmt.Errorf("%s:%d: want an entry of a gate's history, with version, baseline and candidate", name, number)
		}
		list = append(list, e)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return list, nil
}

// AppendHistory adds e to the end of the file at path.
func AppendHistory(path string, e Entry) error {
	e.Version = HistoryVersion
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	// One write: two gates that end at once must not mix their lines.
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Close())
}
