// Command train makes the tokenizer that assay embeds: byte-level BPE learned
// from a fixed text, written as a tokenizer.json that Hugging Face's tokenizers
// read as well. The same text always gives the same file.
//
//	go generate ./workload/token
package main

import (
	"compress/gzip"
	"flag"
	"fmt"
	"io"
	"os"

	"assay/workload/token"
)

func main() {
	corpus := flag.String("corpus", "", "gzipped text to learn from")
	out := flag.String("out", "", "tokenizer.json to write")
	size := flag.Int("size", 4096, "tokens in the vocabulary")
	flag.Parse()
	if err := train(*corpus, *out, *size); err != nil {
		fmt.Fprintln(os.Stderr, "train:", err)
		os.Exit(1)
	}
}

func train(corpus, out string, size int) error {
	f, err := os.Open(corpus)
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	text, err := io.ReadAll(z)
	if err != nil {
		return err
	}
	file, err := token.Train(string(text), size)
	if err != nil {
		return err
	}
	return os.WriteFile(out, file, 0o644)
}
