package main

import (
	"os"
	"testing"
)

// The embedded file is the one that the text gives.
func TestDefault(t *testing.T) {
	text, err := readGzip("corpus.txt.gz")
	if err != nil {
		t.Fatal(err)
	}
	got, err := train(text, 4096)
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("../../workload/token/default.tokenizer.json")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Error("training no longer gives default.tokenizer.json: run go generate ./workload/token")
	}
}

func TestTinyVocabulary(t *testing.T) {
	if _, err := train("text", 255); err == nil {
		t.Error("a vocabulary of 255 tokens was made, want at least 256")
	}
}
