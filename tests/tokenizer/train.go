package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/dlclark/regexp2"
)

// regexLlama3 is how Llama 3 cuts text before it merges bytes.
const regexLlama3 = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`

// train learns a byte-level BPE vocabulary of size tokens from text and returns
// it as a tokenizer.json with the pattern of Llama 3. It keeps the whole count
// of pairs and is meant for small texts.
func train(text string, size int) ([]byte, error) {
	if size < 256 {
		return nil, fmt.Errorf("a vocabulary of %d tokens: want at least 256, one for each byte", size)
	}
	t, err := newTrainer(text)
	if err != nil {
		return nil, err
	}
	for len(t.tokens) < size && t.learn() {
	}
	return t.file()
}

type trainedWord struct {
	ids   []int32
	count int
}

type trainer struct {
	tokens []string   // raw bytes by id
	merges [][2]int32 // in order of learning
	words  []trainedWord
	counts map[[2]int32]int
	where  map[[2]int32]map[int]bool // words that may hold a pair
}

func newTrainer(text string) (*trainer, error) {
	t := &trainer{counts: map[[2]int32]int{}, where: map[[2]int32]map[int]bool{}}
	for b := range 256 {
		t.tokens = append(t.tokens, string([]byte{byte(b)}))
	}
	seen, err := words(text)
	if err != nil {
		return nil, err
	}
	for _, word := range slices.Sorted(maps.Keys(seen)) {
		w := trainedWord{count: seen[word]}
		for i := range len(word) {
			w.ids = append(w.ids, int32(word[i]))
		}
		t.words = append(t.words, w)
		t.count(len(t.words)-1, +1)
	}
	return t, nil
}

// words counts the pieces that the pattern cuts text into.
func words(text string) (map[string]int, error) {
	pattern := regexp2.MustCompile(regexLlama3, regexp2.None)
	seen := map[string]int{}
	match, err := pattern.FindStringMatch(text)
	for ; match != nil && err == nil; match, err = pattern.FindNextMatch(match) {
		seen[match.String()]++
	}
	return seen, err
}

// count adds the pairs of word i to the counts, or takes them out.
func (t *trainer) count(i, sign int) {
	w := t.words[i]
	for k := 0; k+1 < len(w.ids); k++ {
		pair := [2]int32{w.ids[k], w.ids[k+1]}
		t.counts[pair] += sign * w.count
		if t.where[pair] == nil {
			t.where[pair] = map[int]bool{}
		}
		t.where[pair][i] = true
	}
}

// learn joins the most frequent pair everywhere and reports whether there was
// one that came twice. Among equals the pair of older tokens wins.
func (t *trainer) learn() bool {
	var best [2]int32
	most := 1
	for pair, n := range t.counts {
		if n > most || n == most && n > 1 && (pair[0] < best[0] || pair[0] == best[0] && pair[1] < best[1]) {
			best, most = pair, n
		}
	}
	if most < 2 {
		return false
	}
	id := int32(len(t.tokens))
	t.tokens = append(t.tokens, t.tokens[best[0]]+t.tokens[best[1]])
	t.merges = append(t.merges, best)
	for i := range t.where[best] {
		t.count(i, -1)
		t.words[i].ids = joinPair(t.words[i].ids, best, id)
		t.count(i, +1)
	}
	delete(t.counts, best)
	delete(t.where, best)
	return true
}

func joinPair(ids []int32, pair [2]int32, id int32) []int32 {
	out := ids[:0]
	for i := 0; i < len(ids); i++ {
		if i+1 < len(ids) && ids[i] == pair[0] && ids[i+1] == pair[1] {
			out = append(out, id)
			i++
			continue
		}
		out = append(out, ids[i])
	}
	return out
}

// alphabet is the character that stands for each byte: itself where it can be seen,
// the next free one after the first 256 otherwise. It is GPT-2's.
var alphabet = func() (list [256]rune) {
	next := rune(256)
	for b := range list {
		if '!' <= b && b <= '~' || 0xa1 <= b && b <= 0xac || 0xae <= b {
			list[b] = rune(b)
			continue
		}
		list[b] = next
		next++
	}
	return list
}()

// spelled writes raw bytes in the byte-level alphabet.
func spelled(raw string) string {
	runes := make([]rune, len(raw))
	for i := range len(raw) {
		runes[i] = alphabet[raw[i]]
	}
	return string(runes)
}

// file writes the vocabulary with one entry to a line, so that a change shows
// as one.
func (t *trainer) file() ([]byte, error) {
	const head = `{"version":"1.0","truncation":null,"padding":null,"added_tokens":[],"normalizer":null,
"pre_tokenizer":{"type":"Sequence","pretokenizers":[
{"type":"Split","pattern":{"Regex":%s},"behavior":"Isolated","invert":false},
{"type":"ByteLevel","add_prefix_space":false,"trim_offsets":true,"use_regex":false}]},
"post_processor":null,
"decoder":{"type":"ByteLevel","add_prefix_space":true,"trim_offsets":true,"use_regex":true},
"model":{"type":"BPE","dropout":null,"unk_token":null,"continuing_subword_prefix":null,"end_of_word_suffix":null,
"fuse_unk":false,"byte_fallback":false,"ignore_merges":false,
"vocab":{`
	var b bytes.Buffer
	fmt.Fprintf(&b, head, quote(regexLlama3))
	for id, raw := range t.tokens {
		fmt.Fprintf(&b, "%s\n%s:%d", comma(id), quote(spelled(raw)), id)
	}
	b.WriteString("\n},\n\"merges\":[")
	for i, m := range t.merges {
		pair := spelled(t.tokens[m[0]]) + " " + spelled(t.tokens[m[1]])
		fmt.Fprintf(&b, "%s\n%s", comma(i), quote(pair))
	}
	b.WriteString("\n]}}\n")
	if !json.Valid(b.Bytes()) {
		return nil, fmt.Errorf("the trained file is not JSON")
	}
	return b.Bytes(), nil
}

func comma(i int) string {
	if i == 0 {
		return ""
	}
	return ","
}

func quote(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic(err) // a string always has a JSON form
	}
	return string(bytes.TrimSpace(b.Bytes()))
}
