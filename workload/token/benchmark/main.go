// Command benchmark measures how many tokens a second of one core yields, beside
// the reference implementations on the same text and the same vocabulary.
//
//	make bench-token
//	go run ./workload/token/benchmark -tokenizer path/to/tokenizer.json
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"assay/workload/token"
)

func main() {
	file := flag.String("tokenizer", "workload/token/default.tokenizer.json", "tokenizer.json to measure")
	root := flag.String("text", ".", "folder whose .go, .md and .py files are the text")
	python := flag.String("python", ".venv/bin/python", "interpreter with tokenizers and tiktoken; empty for none")
	flag.Parse()
	if err := run(*file, *root, *python); err != nil {
		fmt.Fprintln(os.Stderr, "benchmark:", err)
		os.Exit(1)
	}
}

func run(file, root, python string) error {
	runtime.GOMAXPROCS(1)
	texts, err := collect(root)
	if err != nil {
		return err
	}
	size := 0
	for _, t := range texts {
		size += len(t)
	}
	start := cpuTime()
	tok, err := token.Load(file, token.Options{})
	if err != nil {
		return err
	}
	fmt.Printf("%s, %d tokens in the vocabulary, read in %v\n", file, tok.Size(), (cpuTime() - start).Round(time.Millisecond))
	fmt.Printf("text: %d pieces, %.1f MB; %s; load %s\n\n", len(texts), float64(size)/1e6, runtime.Version(), loadAverage())
	fmt.Printf("%-42s %12s %10s %14s\n", "", "tokens", "CPU s", "M tok/core-s")
	first, err := measure(tok, texts)
	if err != nil {
		return err
	}
	print("assay, words not seen before", first)
	again, err := best(5, func() (result, error) { return measure(tok, texts) })
	if err != nil {
		return err
	}
	print("assay, best of 5 more", again)
	if python == "" {
		return nil
	}
	return reference(python, file, texts, first.Tokens)
}

// A result is the tokens of one pass over the text and the CPU time it took.
type result struct {
	Name    string
	Tokens  int
	Seconds float64
}

func print(name string, r result) {
	fmt.Printf("%-42s %12d %10.3f %14.2f\n", name, r.Tokens, r.Seconds, float64(r.Tokens)/r.Seconds/1e6)
}

func measure(tok token.Tokenizer, texts []string) (result, error) {
	var r result
	start := cpuTime()
	for _, t := range texts {
		ids, err := tok.Encode(t)
		if err != nil {
			return r, err
		}
		r.Tokens += len(ids)
	}
	r.Seconds = (cpuTime() - start).Seconds()
	return r, nil
}

func best(n int, once func() (result, error)) (result, error) {
	var all []result
	for range n {
		r, err := once()
		if err != nil {
			return r, err
		}
		all = append(all, r)
	}
	return slices.MinFunc(all, func(a, b result) int { return int((a.Seconds - b.Seconds) * 1e9) }), nil
}

// reference runs the others. They must find as many tokens, or the figures do
// not compare.
func reference(python, file string, texts []string, tokens int) error {
	dir, err := os.MkdirTemp("", "bench-token")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	data, err := json.Marshal(texts)
	if err != nil {
		return err
	}
	path := filepath.Join(dir, "texts.json")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		return err
	}
	cmd := exec.Command(python, "tests/token_bench.py", file, path)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("tests/token_bench.py: %w", err)
	}
	var results []result
	if err := json.Unmarshal(out, &results); err != nil {
		return err
	}
	for _, r := range results {
		print(r.Name+", best of 3", r)
		if r.Tokens != tokens {
			return fmt.Errorf("%s finds %d tokens, assay %d: the figures do not compare", r.Name, r.Tokens, tokens)
		}
	}
	return nil
}

// collect cuts files into texts of about the size of a prompt.
func collect(root string) (texts []string, err error) {
	const piece = 4000
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != root && strings.HasPrefix(d.Name(), ".") {
			return filepath.SkipDir
		}
		if !slices.Contains([]string{".go", ".md", ".py"}, filepath.Ext(path)) {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		text := ""
		for line := range strings.Lines(strings.ToValidUTF8(string(data), "")) {
			if text += line; len(text) >= piece {
				texts, text = append(texts, text), ""
			}
		}
		if text != "" {
			texts = append(texts, text)
		}
		return nil
	})
	return texts, err
}

// cpuTime is the user and system time of this process.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func loadAverage() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	return strings.Join(strings.Fields(string(text))[:3], " ")
}
