package lexical

import (
	"fmt"
	"io/fs"
	"iter"
	"strconv"
	"strings"
)

// A WordNet knows which words share a meaning. It holds the files of a WordNet 3.0
// database as Princeton writes them (Debian: wordnet-base, in /usr/share/wordnet).
type WordNet struct {
	parts []wordClass
}

// A wordClass is the part of the database about nouns, verbs, adjectives or adverbs.
type wordClass struct {
	data       string              // a line for each meaning, with its words
	meanings   map[string][]int    // by word: where in data
	exceptions map[string][]string // by inflected form: base forms
	endings    [][2]string         // of inflected forms, and of their base forms
}

// The endings that Morphy, WordNet's own lemmatiser, takes off.
var wordClasses = []struct {
	name    string
	endings [][2]string
}{
	{"noun", [][2]string{
		{"s", ""}, {"ses", "s"}, {"ves", "f"}, {"xes", "x"}, {"zes", "z"}, {"ches", "ch"}, {"shes", "sh"}, {"men", "man"}, {"ies", "y"},
	}},
	{"verb", [][2]string{
		{"s", ""}, {"ies", "y"}, {"es", "e"}, {"es", ""}, {"ed", "e"}, {"ed", ""}, {"ing", "e"}, {"ing", ""},
	}},
	{"adj", [][2]string{{"er", ""}, {"est", ""}, {"er", "e"}, {"est", "e"}}},
	{"adv", nil},
}

// OpenWordNet reads the index, data and exc files of a database.
func OpenWordNet(folder fs.FS) (*WordNet, error) {
	wordnet := new(WordNet)
	for _, class := range wordClasses {
		part := wordClass{endings: class.endings}
		var err error
		if part.meanings, err = readIndex(folder, "index."+class.name); err != nil {
			return nil, err
		}
		if part.exceptions, err = readExceptions(folder, class.name+".exc"); err != nil {
			return nil, err
		}
		data, err := fs.ReadFile(folder, "data."+class.name)
		if err != nil {
			return nil, fmt.Errorf("WordNet: %w", err)
		}
		part.data = string(data)
		wordnet.parts = append(wordnet.parts, part)
	}
	return wordnet, nil
}

// readIndex reads lines such as "dog n 7 5 @ ~ #m … 7 1 02084071 …", which end with as
// many offsets as the third field says. The licence before them is indented.
func readIndex(folder fs.FS, name string) (map[string][]int, error) {
	text, err := fs.ReadFile(folder, name)
	if err != nil {
		return nil, fmt.Errorf("WordNet: %w", err)
	}
	index := make(map[string][]int)
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, " ") {
			continue
		}
		entry := strings.Fields(line)
		if len(entry) < 3 {
			return nil, fmt.Errorf("WordNet: %s: %q is no entry of an index", name, line)
		}
		count, err := strconv.Atoi(entry[2])
		if err != nil || count < 0 || count > len(entry)-3 {
			return nil, fmt.Errorf("WordNet: %s: %q is no entry of an index", name, line)
		}
		for _, field := range entry[len(entry)-count:] {
			offset, err := strconv.Atoi(field)
			if err != nil {
				return nil, fmt.Errorf("WordNet: %s: entry of %s: %w", name, entry[0], err)
			}
			index[entry[0]] = append(index[entry[0]], offset)
		}
	}
	return index, nil
}

// readExceptions reads lines such as "geese goose".
func readExceptions(folder fs.FS, name string) (map[string][]string, error) {
	text, err := fs.ReadFile(folder, name)
	if err != nil {
		return nil, fmt.Errorf("WordNet: %w", err)
	}
	exceptions := make(map[string][]string)
	for line := range strings.Lines(string(text)) {
		if forms := strings.Fields(line); len(forms) > 0 {
			exceptions[forms[0]] = forms[1:]
		}
	}
	return exceptions, nil
}

// synonyms yields the words, not the phrases, that share a meaning with a word or with
// a base form of it, and the word itself. Some come more than once.
func (w *WordNet) synonyms(word string) iter.Seq[string] {
	return func(yield func(string) bool) {
		if !yield(word) {
			return
		}
		for i := range w.parts {
			part := &w.parts[i]
			for _, form := range part.baseForms(Lower(word)) {
				for _, offset := range part.meanings[form] {
					for synonym := range part.words(offset) {
						if !strings.Contains(synonym, "_") && !yield(synonym) {
							return
						}
					}
				}
			}
		}
	}
}

// baseForms is Morphy as NLTK has it since 3.9: the word itself, and what the list of
// exceptions, or else one ending, makes of it, where the index has that.
func (p *wordClass) baseForms(word string) []string {
	forms := append([]string{word}, p.exceptions[word]...)
	if len(forms) == 1 {
		for _, ending := range p.endings {
			if rest, ok := strings.CutSuffix(word, ending[0]); ok {
				forms = append(forms, rest+ending[1])
			}
		}
	}
	known := forms[:0]
	for _, form := range forms {
		if _, ok := p.meanings[form]; ok {
			known = append(known, form)
		}
	}
	return known
}

// words yields those of a meaning, whose line begins "02084071 05 n 03 dog 0
// domestic_dog 0 Canis_familiaris 0 …" with their number in hexadecimal. Adjectives may
// end with a note on their place, such as (p).
func (p *wordClass) words(offset int) iter.Seq[string] {
	return func(yield func(string) bool) {
		if offset >= len(p.data) {
			return
		}
		line, _, _ := strings.Cut(p.data[offset:], " | ")
		entry := strings.Fields(line)
		if len(entry) < 4 {
			return
		}
		count, err := strconv.ParseInt(entry[3], 16, 0)
		if err != nil || len(entry) < 4+2*int(count) {
			return
		}
		for i := range int(count) {
			word, _, _ := strings.Cut(entry[4+2*i], "(")
			if !yield(word) {
				return
			}
		}
	}
}
