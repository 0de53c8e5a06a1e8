// Package token turns text into token ids and back exactly as the tokenizer
// files of models say, so that a prompt of n tokens has n tokens and a rate in
// tokens per second has a meaning.
//
// It reads Hugging Face tokenizer.json files (byte-level and plain BPE,
// WordPiece, Unigram), .tiktoken files and SentencePiece models, asks a server
// that offers /tokenize, and carries a small tokenizer of its own for when no
// other is named. A file that uses a component this package does not know is
// refused: a component passed over in silence would give counts that are
// slightly wrong, which is worse than none.
//
// It does not render chat templates and it never runs on the measured path.
//
// To add a component, write it beside its kind (normalize.go, split.go,
// decode.go, or a file for a model) and name it in the switch that builds the
// kind. TestOracles compares every kind with the reference implementations.
package token

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"assay/intake"
)

// A Tokenizer counts as one named vocabulary counts. It is safe for concurrent
// use.
type Tokenizer interface {
	// Name is how reports call the tokenizer.
	Name() string
	// Digest identifies the vocabulary: "sha256:…" of its file.
	Digest() string
	// Encode returns the ids of text, without tokens a template would add.
	// Bytes that are not UTF-8 are read as U+FFFD.
	Encode(text string) ([]int32, error)
	// Count is the number of ids Encode would return.
	Count(text string) (int, error)
	// Decode returns the text of ids, special tokens included.
	Decode(ids []int32) (string, error)
}

// Options says what a file does not say about itself. The zero value is ready
// to use.
type Options struct {
	// Name is how reports call the tokenizer. Empty means the file's name.
	Name string

	// Pattern is how text is cut into words before a .tiktoken vocabulary is
	// applied: one of the names in Patterns. Empty means that it follows from
	// the file's name, as for cl100k_base.tiktoken.
	Pattern string
}

// mostBytes is the largest tokenizer that is read; those in use have up to 40 MB.
const mostBytes = 128 << 20

// Load reads the tokenizer in the file at path. A folder stands for the
// tokenizer.json, or else the tokenizer.model, inside it.
func Load(path string, opts Options) (*Model, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		folder := path
		path = filepath.Join(folder, "tokenizer.json")
		if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
			path = filepath.Join(folder, "tokenizer.model")
		}
	}
	data, err := intake.ReadFile(path, mostBytes)
	if err != nil {
		return nil, fmt.Errorf("tokenizer: %w", err)
	}
	if opts.Pattern == "" {
		opts.Pattern = patternOf(filepath.Base(path))
	}
	if opts.Name == "" {
		opts.Name = filepath.Base(path)
	}
	return Parse(data, opts)
}

// Parse reads a tokenizer from the bytes of its file and tells the format from
// them.
func Parse(data []byte, opts Options) (*Model, error) {
	m, err := parse(data, opts)
	if err != nil {
		return nil, fmt.Errorf("tokenizer %s: %w", opts.Name, err)
	}
	sum := sha256.Sum256(data)
	m.name, m.digest = opts.Name, "sha256:"+hex.EncodeToString(sum[:])
	return m, nil
}

func parse(data []byte, opts Options) (*Model, error) {
	switch {
	case bytes.HasPrefix(bytes.TrimLeft(data, " \t\r\n\ufeff"), []byte("{")):
		return parseHuggingFace(data)
	case looksLikeTiktoken(data):
		return parseTiktoken(data, opts.Pattern)
	case looksLikeSentencePiece(data):
		return parseSentencePiece(data)
	}
	return nil, errors.New("unknown format: want a tokenizer.json, a .tiktoken file or a SentencePiece .model")
}

// patternOf guesses the pattern from the names under which .tiktoken files are
// published; "" when there is nothing to guess from.
func patternOf(file string) string {
	file = strings.ToLower(file)
	for _, known := range []struct{ part, pattern string }{
		{"cl100k", "cl100k"}, {"o200k", "o200k"}, {"p50k", "p50k"},
		{"r50k", "gpt2"}, {"gpt2", "gpt2"}, {"llama3", "llama3"}, {"llama-3", "llama3"}, {"qwen", "qwen2"},
	} {
		if strings.Contains(file, known.part) {
			return known.pattern
		}
	}
	return ""
}
