// Package exam makes the questions of an evaluation: it reads a task's file, puts each
// item as the task's style says, and writes a sheet on which every call and its right
// answer stand. It grades nothing: package accuracy reads the sheet and the answers from
// the bundle.
//
// A family is one kind of file, a style one way of asking what is in it. To add a family,
// write one file NAME.go with a Family, list it in All, and name it in package spec. What
// a style sends is part of what a score means: a change to it is a new style.
package exam

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"assay/intake"
	"assay/record"
	"assay/spec"
	"assay/workload/session"
)

// An Item is one question and its right answer, before it is put.
type Item struct {
	ID      string
	Group   string // the part of the task that it belongs to, such as a subject
	Cluster string // items that share a context
	Text    string // the question itself
	Context string // what it is about, such as a passage
	Answer  string // the worked answer, for examples
	Key     record.AnswerKey
	Turns   []Turn         // of a conversation, which has no question but these
	Fields  map[string]any // the whole row, for templates of one's own
	join    join           // of tasks whose file says what stands between the parts of a prompt
}

// A Family is one kind of task file.
type Family struct {
	Name string
	Doc  string

	// Styles are the ways of asking; the first is the default.
	Styles []Style

	// read returns the items of a file or folder.
	read func(path string, t spec.Task) ([]Item, error)

	// shots returns the worked examples that belong to the file itself; nil where they are in
	// a file of their own.
	shots func(path string, t spec.Task) ([]Item, error)

	// settle fills in what the file says about how it is asked; nil where it says nothing.
	settle func(t *spec.Task) error

	// tellingGroups says that the group of a question gives its answer away, so that worked
	// examples are not chosen by it.
	tellingGroups bool

	// files lists what a task consists of where its path is one of several files; nil
	// otherwise.
	files func(path string) ([]string, error)
}

// A Style is one way of putting an item. What grades the answers stands in package spec,
// which freezes it with the run.
type Style struct {
	Name   string
	Doc    string
	Tokens int // the longest answer
	Stop   []string
	Chat   bool // it suits an API of conversations; all styles suit completions

	// Logprobs asks for so many alternatives of each token, and Echo for those of the prompt.
	Logprobs int32
	Echo     bool

	// put writes what is sent for an item, after the worked examples in shots: one text, or
	// one for each choice where a likelihood is asked.
	put func(item Item, shots []Item, t spec.Task) []Put
}

// A Put is one text that is sent for an item.
type Put struct {
	Prompt string
	Said   string // the end of Prompt whose likelihood is asked
}

// All lists every family.
var All = []Family{gsm8k, mmlu, mmluRedux, humanEval, mbpp, squad, glue, superGLUE, translation, summarisation, perplexity, lmEval, own}

// Find returns a family and its style; an empty style is the first.
func Find(family, style string) (Family, Style, error) {
	i := slices.IndexFunc(All, func(f Family) bool { return f.Name == family })
	if i < 0 {
		return Family{}, Style{}, fmt.Errorf("family %q: want one of %s", family, strings.Join(Names(), ", "))
	}
	f := All[i]
	if style == "" {
		return f, f.Styles[0], nil
	}
	var names []string
	for _, s := range f.Styles {
		if s.Name == style {
			return f, s, nil
		}
		names = append(names, s.Name)
	}
	return Family{}, Style{}, fmt.Errorf("style %q of %s: want one of %s", style, family, strings.Join(names, ", "))
}

// Names lists the families.
func Names() []string {
	var names []string
	for _, f := range All {
		names = append(names, f.Name)
	}
	return names
}

// A Sheet is everything that an evaluation asks, in the order of its calls.
type Sheet struct {
	Asks  []record.Ask
	tasks []askedTask
	talks []talk // everything as sessions, where questions come in conversations
}

// An askedTask is how the questions of one task are sent.
type askedTask struct {
	task       string
	style      Style
	first, end int // of its asks
	sampling   []record.Sampling
	limit      int32
}

// Write puts the tasks of e on a sheet. Files must be those that the tasks name by digest.
// Seed is what the seeds of drawn answers come from.
func Write(e *spec.Evaluation, seed int64) (*Sheet, error) {
	sheet := &Sheet{}
	for _, t := range e.Tasks {
		if err := sheet.add(t, seed); err != nil {
			return nil, fmt.Errorf("task %s: %w", t.Name, err)
		}
	}
	if !sheet.Converses() {
		sheet.talks = nil
	}
	return sheet, nil
}

// add appends the questions of one task.
func (s *Sheet) add(t spec.Task, seed int64) error {
	if err := Settle(&t); err != nil {
		return err
	}
	family, style, err := Find(t.Family, t.Style)
	if err != nil {
		return err
	}
	items, shots, err := family.items(t)
	if err != nil {
		return err
	}
	a := askedTask{task: t.Name, style: style, first: len(s.Asks), limit: int32(style.Tokens)}
	if t.MaxTokens > 0 && !style.Echo { // what follows a prompt whose likelihood is asked is no answer
		a.limit = int32(t.MaxTokens)
	}
	stop := style.Stop
	if t.Stop != nil {
		stop = t.Stop
	}
	ends := ""
	if len(stop) > 0 {
		text, err := json.Marshal(stop)
		if err != nil {
			return err
		}
		ends = string(text)
	}
	for sample := range max(1, t.Samples) {
		drawn := seed + int64(sample)
		a.sampling = append(a.sampling, record.Sampling{Stop: stop, Temperature: &t.Temperature, Seed: &drawn, Logprobs: style.Logprobs, Echo: style.Echo})
		for _, item := range items {
			examples, err := shotsFor(item, shots, t)
			if err != nil {
				return err
			}
			if err := s.put(t, style, item, examples, sample, a.limit, ends); err != nil {
				return err
			}
		}
	}
	a.end = len(s.Asks)
	s.tasks = append(s.tasks, a)
	return nil
}

// put appends what is sent for one item.
func (s *Sheet) put(t spec.Task, style Style, item Item, shots []Item, sample int, limit int32, stop string) error {
	if item.Turns != nil {
		if t.Scenario != nil && t.Scenario.Instructions != "" {
			item.Context = strings.TrimSpace(t.Scenario.Instructions + "\n\n" + item.Context)
		}
		return s.converse(t, item, sample, limit, stop)
	}
	key, err := json.Marshal(item.Key)
	if err != nil {
		return fmt.Errorf("item %s: %w", item.ID, err)
	}
	for choice, put := range style.put(item, shots, t) {
		if t.Scenario != nil && t.Scenario.Instructions != "" {
			put.Prompt = t.Scenario.Instructions + "\n\n" + put.Prompt
		}
		row := record.Ask{
			ID: int32(len(s.Asks)), Task: t.Name, Item: item.ID, Group: item.Group, Cluster: item.Cluster,
			Sample: int32(sample), Choice: -1, Prompt: put.Prompt, Said: put.Said, Key: string(key), Limit: limit, Stop: stop,
		}
		if put.Said != "" {
			row.Choice = int32(choice)
		}
		s.Asks = append(s.Asks, row)
		s.talks = append(s.talks, talk{
			id: item.ID, task: len(s.tasks), sample: sample, asks: []int32{row.ID},
			steps: []session.Step{{Kind: session.Generate, Text: row.Prompt, Answer: item.Answer, OutputTokens: limit}},
		})
	}
	return nil
}

// items reads the questions of a task and its worked examples.
func (f Family) items(t spec.Task) (items, shots []Item, err error) {
	if items, err = f.pinned(t.Path, t.DatasetRef, t); err != nil {
		return nil, nil, err
	}
	if t.FewShot > 0 && f.shots != nil && t.FewShotPath == "" {
		if shots, err = f.shots(t.Path, t); err != nil {
			return nil, nil, fmt.Errorf("examples: %w", err)
		}
		return limited(items, t.Limit), shots, nil
	}
	if t.FewShot > 0 && t.FewShotPath == "" {
		return nil, nil, fmt.Errorf("fewShot is %d and no file has the examples: want fewShotPath, and not the questions themselves", t.FewShot)
	}
	if t.FewShot > 0 {
		if shots, err = f.pinned(t.FewShotPath, t.FewShotRef, t); err != nil {
			return nil, nil, err
		}
		for i := range shots {
			if f.tellingGroups {
				shots[i].Group = ""
			}
		}
	}
	return limited(items, t.Limit), shots, nil
}

// limited is at most the first so many; 0 means all.
func limited(items []Item, limit int) []Item {
	if limit > 0 && limit < len(items) {
		return items[:limit]
	}
	return items
}

// Settle fills in what a task leaves to its own file: style, graders, and how answers end.
func Settle(t *spec.Task) error {
	i := slices.IndexFunc(All, func(f Family) bool { return f.Name == t.Family })
	if i < 0 || All[i].settle == nil {
		return nil
	}
	return All[i].settle(t)
}

// shotsFor are the worked examples before item: the first ones, of its own group where the
// examples have groups.
func shotsFor(item Item, shots []Item, t spec.Task) ([]Item, error) {
	if t.FewShot == 0 {
		return nil, nil
	}
	var own []Item
	for _, shot := range shots {
		if shot.Group == "" || shot.Group == item.Group {
			own = append(own, shot)
		}
	}
	if len(own) < t.FewShot {
		return nil, fmt.Errorf("fewShot is %d and %s has %d for item %s: want as many", t.FewShot, t.FewShotPath, len(own), item.ID)
	}
	return own[:t.FewShot], nil
}

// pinned reads a file whose content must be what ref names.
func (f Family) pinned(path, ref string, t spec.Task) ([]Item, error) {
	digest, err := Digest(f.Name, path)
	if err != nil {
		return nil, err
	}
	if !strings.HasSuffix(ref, digest) {
		return nil, fmt.Errorf("%s has digest %s, the task names %s: want the same content", path, digest, ref)
	}
	items, err := f.read(path, t)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(items) == 0 {
		return nil, fmt.Errorf("%s holds no question", path)
	}
	seen := make(map[string]bool, len(items))
	for _, item := range items {
		if seen[item.ID] {
			return nil, fmt.Errorf("%s: two items are called %s: want each once, or systems could not be compared item by item", path, item.ID)
		}
		seen[item.ID] = true
	}
	return items, nil
}

// Digest names the content of a task's file, or of a folder's files and their names, as
// sha256:HEX. Where a file of the family names others, it is that of all of them.
func Digest(family, path string) (string, error) {
	if i := slices.IndexFunc(All, func(f Family) bool { return f.Name == family }); i >= 0 && All[i].files != nil {
		files, err := All[i].files(path)
		if err != nil {
			return "", err
		}
		h := sha256.New()
		for _, file := range files {
			digest, err := Digest("", file)
			if err != nil {
				return "", err
			}
			fmt.Fprintf(h, "%s  %s\n", digest, filepath.Base(file))
		}
		return "sha256:" + hex.EncodeToString(h.Sum(nil)), nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	if !info.IsDir() {
		data, err := intake.ReadFile(path, mostFile)
		if err != nil {
			return "", err
		}
		h.Write(data)
		return "sha256:" + hex.EncodeToString(h.Sum(nil)), nil
	}
	names, err := filesIn(path)
	if err != nil {
		return "", err
	}
	for _, name := range names {
		data, err := intake.ReadFile(filepath.Join(path, name), mostFile)
		if err != nil {
			return "", err
		}
		sum := sha256.Sum256(data)
		fmt.Fprintf(h, "%x  %s\n", sum, name)
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil)), nil
}

// mostFile is the largest file of questions that is read.
const mostFile = 1 << 30

// filesIn lists the plain files of a folder, in order.
func filesIn(folder string) ([]string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if e.Type()&fs.ModeType == 0 && !strings.HasPrefix(e.Name(), ".") {
			names = append(names, e.Name())
		}
	}
	if len(names) == 0 {
		return nil, errors.New("the folder holds no file")
	}
	return names, nil
}
