// Command tokenizer makes the tokenizer that assay embeds: byte-level BPE learned
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
)

func main() {
	corpus := flag.String("corpus", "", "gzipped text to learn from")
	out := flag.String("out", "", "tokenizer.json to write")
	size := flag.Int("size", 4096, "tokens in the vocabulary")
	flag.Parse()
	if err := write(*corpus, *out, *size); err != nil {
		fmt.Fprintln(os.Stderr, "tokenizer:", err)
		os.Exit(1)
	}
}

func write(corpus, out string, size int) error {
	text, err := readGzip(corpus)
	if err != nil {
		return err
	}
	file, err := train(text, size)
	if err != nil {
		return err
	}
	return os.WriteFile(out, file, 0o644)
}

func readGzip(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(z)
	return string(text), err
}
