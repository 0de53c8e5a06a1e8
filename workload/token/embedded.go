package token

import (
	_ "embed"
	"sync"
)

//go:generate go run ../../tests/tokenizer -corpus ../../tests/tokenizer/corpus.txt.gz -out default.tokenizer.json

//go:embed default.tokenizer.json
var defaultFile []byte

// Default is assay's own tokenizer: byte-level BPE with Llama 3's pattern, of
// 4,096 tokens, trained by tests/tokenizer on text of this repository. It is no model's
// tokenizer. It serves where none is named, and says so by its name.
var Default = sync.OnceValue(func() *Model {
	m, err := Parse(defaultFile, Options{Name: "assay-default"})
	if err != nil {
		panic(err) // our own file
	}
	return m
})
