package foreign

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"assay/bundle"
	"assay/record"
	"assay/spec"
)

const lmEvalSamplesWants = "a samples_*.jsonl of lm_eval --log_samples (0.4.3 or later), with doc_id, arguments, resps and metrics"

// lmEvalScorer is the name under which lm-eval's own marks are kept: those of a scorer,
// beside which the graders of assay stand.
const lmEvalScorer = "lm-eval"

// lmEvalLines reports whether a file that begins so holds single answers.
func lmEvalLines(head []byte) bool {
	return bytes.Contains(head, []byte(`"doc_id"`)) && bytes.Contains(head, []byte(`"resps"`)) && bytes.Contains(head, []byte(`"filter"`))
}

// An lmEvalSample is one line: a question with its answers, after one filter. Its metrics
// are fields that Metrics names.
type lmEvalSample struct {
	Doc       *int                  `json:"doc_id"`
	Target    json.RawMessage       `json:"target"`
	Arguments map[string]lmEvalArgs `json:"arguments"`
	Responses [][]json.RawMessage   `json:"resps"`
	Filter    string                `json:"filter"`
	Metrics   []string              `json:"metrics"`
	DocHash   string                `json:"doc_hash"`
	Prompt    string                `json:"prompt_hash"`

	marks map[string]float64
}

// lmEvalArgs are what one request was made of: the prompt, and how it goes on or is
// generated from.
type lmEvalArgs struct {
	Prompt json.RawMessage `json:"arg_0"`
	Rest   json.RawMessage `json:"arg_1"`
}

// An lmEvalTask is what one file says.
type lmEvalTask struct {
	spec.Task
	asks     []record.Ask
	requests []record.Request
	marks    map[lmEvalPlace]map[string]float64
	names    []string // of the marks, in the order of the file
	grading  lmEvalGrading
	skipped  []string // metrics that are no number of a single answer
}

// An lmEvalPlace is one answer of a file.
type lmEvalPlace struct {
	item   string
	sample int32
}

// readLMEvalSamples reads answers: files of several tasks are one launch, and files of one
// task several. Configs are how a results file beside them grades the tasks.
func readLMEvalSamples(files []File, configs map[string]lmEvalConfig) (m Import, err error) {
	m.Source.Tool, m.Environment, m.Files = "lm-eval", record.Environment{}, files
	m.Points = []Point{{Name: "all"}}
	scores := lmEvalScores{Scorer: lmEvalScorer}
	var tasks []spec.Task
	for i, file := range files {
		for _, other := range files[:i] {
			if bytes.Equal(other.Data, file.Data) {
				return m, fmt.Errorf("%s and %s are the same: one result was given twice, which is no repetition", other.Name, file.Name)
			}
		}
		read, err := readLMEvalTask(file, configs)
		if err != nil {
			return m, err
		}
		launch := 0
		for launch < len(m.Launches) && slices.ContainsFunc(m.Launches[launch].Asks, func(a record.Ask) bool { return a.Task == read.Name }) {
			launch++
		}
		if launch == len(m.Launches) {
			m.Launches = append(m.Launches, Launch{Points: []Measured{{}}})
		}
		switch known := slices.IndexFunc(tasks, func(t spec.Task) bool { return t.Name == read.Name }); {
		case known < 0:
			tasks = append(tasks, read.Task)
		case tasks[known].DatasetRef != read.DatasetRef:
			return m, fmt.Errorf("%s: the questions of %s are not those of the file before it: import them one by one", file.Name, read.Name)
		}
		m.Launches[launch].add(read)
		scores.add(read, launch)
		if read.grading.note != "" {
			m.Source.Notes = append(m.Source.Notes, file.Name+": "+read.grading.note)
		}
		for _, name := range read.skipped {
			m.Source.Notes = append(m.Source.Notes, fmt.Sprintf("%s: %s is no number of a single answer and is left out", file.Name, name))
		}
	}
	if m.Scores, err = scores.encode(); err != nil {
		return m, err
	}
	m.Run = summaryRun("lm-eval-"+tasks[0].Name, "", m.Points)
	m.Run.Spec.Evaluation = &spec.Evaluation{Tasks: tasks, Scorers: []spec.Scorer{{Name: lmEvalScorer, Command: []string{"lm_eval"}, Scores: scores.names()}}}
	m.Source.Notes = append(m.Source.Notes, "the scores of scorer:lm-eval are lm-eval's own marks, after its filters; the others are assay's, of the answers as they came")
	m.Source.Unknown = []bundle.Gap{
		{ID: bundle.GapTimes, Detail: "samples have no times"},
		{ID: bundle.GapSendTimes, Detail: "samples have no times"},
		{ID: bundle.GapDueTimes, Detail: "samples have no times"},
		{ID: bundle.GapErrors, Detail: "an answer that is empty or was refused counts as a wrong one, or ends the run"},
		{ID: bundle.GapRetries, Detail: "requests to an API are sent again in silence"},
		{ID: bundle.GapClient, Detail: "nothing was timed"},
		{ID: bundle.GapServer, Detail: "the server's own counters are not read"},
	}
	if len(m.Launches) == 1 {
		m.Source.Unknown = append(m.Source.Unknown, bundle.Gap{ID: bundle.GapReplicates, Detail: "each task was asked once; pass several files to make them launches"})
	}
	return m, nil
}

// add puts the answers of a task behind those that are there.
func (l *Launch) add(t lmEvalTask) {
	first, at := int32(len(l.Asks)), &l.Points[0]
	for _, ask := range t.asks {
		ask.ID += first
		l.Asks = append(l.Asks, ask)
	}
	for _, r := range t.requests {
		number := *r.Ask + first
		r.Ask, r.ID = &number, int64(number)
		at.Requests = append(at.Requests, r)
	}
}

// lmEvalFile is how the harness names files of samples.
var lmEvalFile = regexp.MustCompile(`^samples_(.+?)_\d{4}-\d{2}-\d{2}T[0-9.-]+\.jsonl$`)

// readLMEvalTask reads one file.
func readLMEvalTask(file File, configs map[string]lmEvalConfig) (t lmEvalTask, err error) {
	t.marks = map[lmEvalPlace]map[string]float64{}
	t.Family, t.Path = spec.FamilyOwn, file.Name
	t.Name = plainName(strings.TrimSuffix(file.Name, ".jsonl"))
	if named := lmEvalFile.FindStringSubmatch(file.Name); named != nil {
		t.Name = plainName(named[1])
	}
	t.grading = configs[t.Name].grading()
	content := sha256.New()
	lines := bytes.Split(bytes.TrimSpace(file.Data), []byte("\n"))
	for n, line := range lines {
		sample, err := readLMEvalSample(line)
		if err == nil {
			err = t.add(sample)
		}
		if err != nil {
			return t, fmt.Errorf("%s: line %d: %w: want %s", file.Name, n+1, err, lmEvalSamplesWants)
		}
		fmt.Fprintf(content, "%d %s %s %s\n", *sample.Doc, sample.DocHash, sample.Prompt, sample.Target)
	}
	t.DatasetRef = t.Name + "@sha256:" + hex.EncodeToString(content.Sum(nil))
	own := []string{"exact_match", "quasi_exact_match", "contains"}
	if t.Style == "likelihood" {
		own = []string{"loglikelihood", "loglikelihood_norm"}
	}
	for _, name := range t.names {
		t.Graders = append(t.Graders, "scorer:"+lmEvalScorer+"/"+name)
	}
	if t.Style == "generate" {
		t.Graders = append(t.Graders, t.grading.graders...)
	}
	t.Graders = append(t.Graders, own...)
	return t, nil
}

func readLMEvalSample(line []byte) (s lmEvalSample, err error) {
	if err := json.Unmarshal(line, &s); err != nil {
		return s, err
	}
	if s.Doc == nil || len(s.Responses) == 0 || len(s.Arguments) != len(s.Responses) {
		return s, fmt.Errorf("it has %d answers to %d requests", len(s.Responses), len(s.Arguments))
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(line, &fields); err != nil {
		return s, err
	}
	s.marks = map[string]float64{}
	for _, name := range s.Metrics {
		var mark any
		if err := json.Unmarshal(fields[name], &mark); err != nil {
			return s, fmt.Errorf("%s: %w", name, err)
		}
		switch v := mark.(type) {
		case float64:
			s.marks[name] = v
		case bool:
			s.marks[name] = map[bool]float64{true: 1}[v]
		}
	}
	return s, nil
}

// oddScore is what the name of a score may not hold.
var oddScore = regexp.MustCompile(`[ /:]+`)

// add takes the marks of a line, and its answers where no line before it had them: each
// filter has a line of its own.
func (t *lmEvalTask) add(s lmEvalSample) error {
	item := strconv.Itoa(*s.Doc)
	if _, known := t.marks[lmEvalPlace{item, 0}]; !known {
		if err := t.ask(item, s); err != nil {
			return err
		}
	}
	for _, metric := range s.Metrics {
		name := oddScore.ReplaceAllString(metric, "-")
		if s.Filter != "" && s.Filter != "none" {
			name += "," + oddScore.ReplaceAllString(s.Filter, "-")
		}
		value, ok := s.marks[metric]
		if !ok {
			if !slices.Contains(t.skipped, name) {
				t.skipped = append(t.skipped, name)
			}
			continue
		}
		if !slices.Contains(t.names, name) {
			t.names = append(t.names, name)
		}
		t.marks[lmEvalPlace{item, 0}][name] = value
	}
	return nil
}

// ask adds a question with its answers: texts, or the likelihoods of choices.
func (t *lmEvalTask) ask(item string, s lmEvalSample) error {
	t.marks[lmEvalPlace{item, 0}] = map[string]float64{}
	var text string
	if len(s.Responses) == 1 && len(s.Responses[0]) > 0 && json.Unmarshal(s.Responses[0][0], &text) == nil {
		return t.generated(item, s)
	}
	return t.chosen(item, s)
}

// generated adds answers in words; the marks are of the first of several.
func (t *lmEvalTask) generated(item string, s lmEvalSample) error {
	t.Style = "generate"
	key, err := json.Marshal(record.AnswerKey{References: texts(s.Target), Filters: t.grading.filters, Exact: t.grading.exact})
	if err != nil {
		return err
	}
	for i, response := range s.Responses[0] {
		var text string
		if err := json.Unmarshal(response, &text); err != nil {
			return fmt.Errorf("answer %d: %w", i+1, err)
		}
		t.row(record.Ask{Item: item, Sample: int32(i), Choice: -1, Prompt: promptText(s.Arguments["gen_args_0"].Prompt), Key: string(key)}, record.Request{Text: text})
	}
	t.Samples = max(t.Samples, len(s.Responses[0]))
	return nil
}

// chosen adds the likelihood of each choice. The file has the sum over the tokens of a
// choice, which is kept as that of one.
func (t *lmEvalTask) chosen(item string, s lmEvalSample) error {
	t.Style = "likelihood"
	target, err := strconv.Atoi(strings.Trim(string(s.Target), `"`))
	if err != nil || target < 0 || target >= len(s.Responses) || len(s.Responses) < 2 {
		return fmt.Errorf("the answer is neither a text nor the likelihoods of choices of which target %s is one", s.Target)
	}
	key := record.AnswerKey{Target: &target}
	for i := range s.Responses {
		key.Choices = append(key.Choices, strings.TrimSpace(plainText(s.Arguments["gen_args_"+strconv.Itoa(i)].Rest)))
	}
	written, err := json.Marshal(key)
	if err != nil {
		return err
	}
	for i, response := range s.Responses {
		args := s.Arguments["gen_args_"+strconv.Itoa(i)]
		context, said := plainText(args.Prompt), plainText(args.Rest)
		var pair []json.RawMessage
		if len(response) != 1 || json.Unmarshal(response[0], &pair) != nil || len(pair) != 2 {
			return fmt.Errorf("choice %d has no likelihood", i)
		}
		sum, err := strconv.ParseFloat(plainText(pair[0]), 64)
		if err != nil {
			return fmt.Errorf("choice %d: %w", i, err)
		}
		probabilities, err := json.Marshal(record.Logprobs{Tokens: []string{context, said, ""}, Values: []*float64{nil, &sum, nil}})
		if err != nil {
			return fmt.Errorf("choice %d: %w", i, err)
		}
		t.row(record.Ask{Item: item, Choice: int32(i), Prompt: context + said, Said: said, Key: string(written)}, record.Request{Logprobs: string(probabilities)})
	}
	return nil
}

// row adds one request and what it asked.
func (t *lmEvalTask) row(ask record.Ask, r record.Request) {
	number := int32(len(t.asks))
	ask.ID, ask.Task = number, t.Name
	r.Ask, r.Result = &number, record.OK
	t.asks, t.requests = append(t.asks, ask), append(t.requests, r)
}

// plainText is a text, or the JSON of what is none, such as the messages of a chat.
func plainText(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return string(raw)
	}
	return text
}

// promptText is what was asked: of a chat of one message that message, as assay keeps it.
func promptText(raw json.RawMessage) string {
	text := plainText(raw)
	var chat []struct{ Role, Content string }
	if json.Unmarshal([]byte(text), &chat) == nil && len(chat) == 1 && chat[0].Role == "user" {
		return chat[0].Content
	}
	return text
}

// texts are those of a list, or the only one.
func texts(raw json.RawMessage) []string {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil || len(list) == 0 {
		return []string{plainText(raw)}
	}
	var out []string
	for _, one := range list {
		out = append(out, plainText(one))
	}
	return out
}

// lmEvalScores are lm-eval's marks as the scores of a bundle keep those of a scorer.
type lmEvalScores struct {
	Scorer string        `json:"scorer"`
	Rows   []lmEvalScore `json:"rows"`
}

type lmEvalScore struct {
	Task   string             `json:"task"`
	Item   string             `json:"item"`
	Launch int                `json:"launch"`
	Point  int32              `json:"point"`
	Sample int32              `json:"sample,omitempty"`
	Scores map[string]float64 `json:"scores,omitempty"`
}

func (s *lmEvalScores) add(t lmEvalTask, launch int) {
	for _, ask := range t.asks {
		if marks := t.marks[lmEvalPlace{ask.Item, ask.Sample}]; ask.Choice <= 0 && len(marks) > 0 {
			s.Rows = append(s.Rows, lmEvalScore{t.Name, ask.Item, launch, 0, ask.Sample, marks})
		}
	}
}

// names are all scores, each once.
func (s *lmEvalScores) names() []string {
	all := map[string]bool{}
	for _, row := range s.Rows {
		for name := range row.Scores {
			all[name] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

func (s *lmEvalScores) encode() (map[string][]byte, error) {
	data, err := json.Marshal(s)
	return map[string][]byte{s.Scorer: data}, err
}
