package foreign

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"time"

	"assay/bundle"
	"assay/record"
)

const (
	mlperfSummary  = "mlperf_log_summary.txt"
	mlperfDetail   = "mlperf_log_detail.txt"
	mlperfAccuracy = "mlperf_log_accuracy.json"
	mlperfWants    = "lines of LoadGen's detail log, :::MLLOG and a JSON object each"
)

// MLPerf reads what MLPerf's LoadGen logged.
var MLPerf = Tool{
	Name: "mlperf",
	Doc:  "folders with mlperf_log_detail.txt, mlperf_log_summary.txt and mlperf_log_accuracy.json; folders of one scenario and rate become launches",
	Claims: func(path string) bool {
		_, err := os.Stat(filepath.Join(path, mlperfDetail))
		return err == nil
	},
	Read: readMLPerf,
}

func readMLPerf(paths []string) (m Import, err error) {
	if len(paths) == 0 {
		return m, fmt.Errorf("nothing to read: want a folder with %s", mlperfDetail)
	}
	m.Source.Tool, m.Environment = "mlperf", record.Environment{}
	var all []summary
	model := ""
	for i, path := range paths {
		log, files, err := readMLPerfFolder(path)
		if err != nil {
			return m, err
		}
		m.Files = append(m.Files, files...)
		all = append(all, log.summary())
		m.Source.Notes = append(m.Source.Notes, log.notes...)
		if i == 0 {
			m.Source.Version, model, m.Started = log.text("loadgen_version"), log.text("sut_name"), log.began
			log.facts(m.Environment)
		}
	}
	m.Points, m.Launches = summaries(all)
	m.Run = summaryRun("mlperf-"+m.Points[0].Name, model, m.Points)
	m.Source.Notes = append(m.Source.Notes,
		"percentiles are taken at index ⌊n·p⌋ of the sorted list, assay's at rank ⌈qn⌉; sample rates of the Server scenario are (n − 1) / time of the last query",
		"the model is named after the system under test: LoadGen does not know it")
	m.Source.Unknown = []bundle.Gap{
		{ID: bundle.GapRequests, Detail: "the logs hold summaries; single samples are in them only when accuracy is logged, without times"},
		{ID: bundle.GapErrors, Detail: "a sample that is never completed hangs the run; one completed with a wrong answer counts as done"},
		{ID: bundle.GapTokens, Detail: "tokens are as many as the harness says"},
		{ID: bundle.GapClient, Detail: "LoadGen shares a process with the harness and does not say whether it was the limit"},
		{ID: bundle.GapHost, Detail: "the machine is described in the submission's system file, not in the logs"},
		{ID: bundle.GapServer, Detail: "the server's own counters are not read"},
	}
	if len(m.Launches) == 1 {
		m.Source.Unknown = append(m.Source.Unknown, bundle.Gap{ID: bundle.GapReplicates, Detail: "each scenario was run once; pass several folders of one to make them launches"})
	}
	return m, nil
}

// An mlperfLog is one folder.
type mlperfLog struct {
	folder     string
	values     map[string]any
	order      []string // of the keys
	began, end time.Time
	notes      []string
	samples    *int // with an accuracy log
	tokens     float64
}

func readMLPerfFolder(path string) (log mlperfLog, files []File, err error) {
	log = mlperfLog{folder: filepath.Base(path), values: map[string]any{}}
	detail, err := Load(filepath.Join(path, mlperfDetail))
	if err != nil {
		return log, nil, fmt.Errorf("%w; want a folder with %s", err, mlperfDetail)
	}
	detail.Name = filepath.Join(log.folder, mlperfDetail)
	if err := log.detail(detail); err != nil {
		return log, nil, err
	}
	files = append(files, detail)
	switch accuracy, err := Load(filepath.Join(path, mlperfAccuracy)); {
	case err == nil:
		accuracy.Name = filepath.Join(log.folder, mlperfAccuracy)
		if err := log.accuracy(accuracy); err != nil {
			return log, nil, err
		}
		files = append(files, accuracy)
	case !errors.Is(err, fs.ErrNotExist) && !strings.Contains(err.Error(), "is empty"):
		return log, nil, err
	}
	if text, err := Load(filepath.Join(path, mlperfSummary)); err == nil {
		text.Name = filepath.Join(log.folder, mlperfSummary)
		if err := log.agrees(text); err != nil {
			return log, nil, err
		}
		files = append(files, text)
	}
	return log, files, nil
}

// mlperfOnce are the keys that LoadGen writes once: settings and results.
var mlperfOnce = regexp.MustCompile(`^(effective|result)_`)

// detail reads the log of facts.
func (l *mlperfLog) detail(f File) error {
	if !text(f.Data) {
		return fmt.Errorf("%s is a binary file, want %s", f.Name, mlperfWants)
	}
	for i, line := range bytes.Split(f.Data, []byte("\n")) {
		rest, ours := bytes.CutPrefix(bytes.TrimSpace(line), []byte(":::MLLOG"))
		if !ours {
			if len(bytes.TrimSpace(line)) > 0 {
				return fmt.Errorf("%s, line %d does not begin with :::MLLOG, want %s", f.Name, i+1, mlperfWants)
			}
			continue
		}
		var entry struct {
			Key   string
			Value any
		}
		if err := decodeJSON(fmt.Sprintf("%s, line %d", f.Name, i+1), rest, &entry, mlperfWants); err != nil {
			return err
		}
		switch before, again := l.values[entry.Key]; {
		case !again:
			l.order = append(l.order, entry.Key)
		case mlperfOnce.MatchString(entry.Key) && !reflect.DeepEqual(before, entry.Value):
			return fmt.Errorf("%s, line %d: %s stands twice, as %v and as %v: want %s", f.Name, i+1, entry.Key, before, entry.Value, mlperfWants)
		}
		l.values[entry.Key] = entry.Value
	}
	if l.text("effective_scenario") == "" || l.text("power_end") == "" {
		return fmt.Errorf("%s has no effective_scenario or no power_end: it is cut short, or the run never ended; want %s", f.Name, mlperfWants)
	}
	if mode := l.text("effective_test_mode"); mode != "AccuracyOnly" && l.text("result_validity") == "" {
		return fmt.Errorf("%s: a run in mode %q without result_validity is cut short; want %s", f.Name, mode, mlperfWants)
	}
	l.began, l.end = mlperfTime(l.text("power_begin")), mlperfTime(l.text("power_end"))
	return nil
}

// mlperfTime is a time of the log, which is in UTC; zero when it cannot be read.
func mlperfTime(text string) time.Time {
	t, err := time.Parse("01-02-2006 15:04:05", text)
	if err != nil || t.Year() > 9000 {
		return time.Time{}
	}
	return t
}

// accuracy counts what the harness answered.
func (l *mlperfLog) accuracy(f File) error {
	var rows []struct {
		Tokens *float64 `json:"token_count"`
	}
	if err := f.JSON(&rows, "LoadGen's accuracy log, a JSON list of samples"); err != nil {
		return err
	}
	if len(rows) == 0 {
		return nil
	}
	n := len(rows)
	l.samples = &n
	for _, row := range rows {
		if row.Tokens != nil {
			l.tokens += *row.Tokens
		}
	}
	return nil
}

// agrees wants the summary to be of the same run: it repeats the verdict.
func (l *mlperfLog) agrees(f File) error {
	for line := range strings.Lines(string(f.Data)) {
		name, value, found := strings.Cut(line, ":")
		if found && strings.TrimSpace(name) == "Result is" && strings.TrimSpace(value) != l.text("result_validity") {
			return fmt.Errorf("%s calls the run %s and %s calls it %q: they are of different runs", f.Name, strings.TrimSpace(value), mlperfDetail, l.text("result_validity"))
		}
	}
	return nil
}

func (l *mlperfLog) text(key string) string {
	s, _ := l.values[key].(string)
	return s
}

func (l *mlperfLog) number(key string) (float64, bool) {
	v, ok := l.values[key].(float64)
	return v, ok && !math.IsInf(v, 0) && !math.IsNaN(v)
}

// facts are the settings, as facts of the environment.
func (l *mlperfLog) facts(to record.Environment) {
	for _, key := range l.order {
		if name, ok := strings.CutPrefix(key, "effective_"); ok {
			switch v := l.values[key].(type) {
			case string, bool, float64:
				to.Set("mlperf."+name, v)
			case json.Number:
				to.Set("mlperf."+name, v.String())
			}
		}
	}
}
