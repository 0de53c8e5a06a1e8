package telemetry

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// The files of /proc are read by hand. prometheus/procfs was measured beside these
// readers, and its sample of /proc/stat takes four times as long, since it also reads
// every processor and interrupt; docs/dependencies.md has the figures.

// text returns the trimmed content of a file below the root. The error names
// the file as a person would, with its leading slash.
func (h Host) text(name string) (string, error) {
	if h.Files == nil {
		return "", errNotAsked
	}
	b, err := fs.ReadFile(h.Files, name)
	if err != nil {
		return "", plainError(name, err)
	}
	return strings.TrimSpace(strings.Trim(string(b), "\x00")), nil
}

func plainError(name string, err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return fmt.Errorf("/%s: %w", name, err)
}

func (h Host) integer(name string) (int64, error) {
	text, err := h.text(name)
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseInt(text, 0, 64)
	if err != nil {
		return 0, fmt.Errorf("/%s: got %q, want a whole number", name, text)
	}
	return n, nil
}

// exists reports whether a file or folder is there.
func (h Host) exists(name string) bool {
	if h.Files == nil {
		return false
	}
	_, err := fs.Stat(h.Files, name)
	return err == nil
}

// glob returns the matching paths in order. No match is an error that names the
// pattern, so that a fact over several files can say why it is missing.
func (h Host) glob(pattern string) ([]string, error) {
	if h.Files == nil {
		return nil, errNotAsked
	}
	found, err := fs.Glob(h.Files, pattern)
	if err != nil {
		return nil, fmt.Errorf("/%s: %w", pattern, err)
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("/%s: nothing there", pattern)
	}
	return found, nil
}

// linkName returns the last element of a symbolic link: sysfs names drivers and
// buses that way.
func (h Host) linkName(name string) (string, error) {
	target, err := h.link(name)
	return path.Base(target), err
}

func (h Host) link(name string) (string, error) {
	if h.Files == nil {
		return "", errNotAsked
	}
	target, err := fs.ReadLink(h.Files, name)
	if err != nil {
		return "", plainError(name, err)
	}
	return target, nil
}

// A parser turns the text of a file into a fact.
type parser func(text string) (any, error)

func word(text string) (any, error) {
	if text == "" {
		return nil, errors.New("empty")
	}
	return text, nil
}

func words(text string) (any, error) { return strings.Fields(text), nil }

func lines(text string) (any, error) { return strings.Split(text, "\n"), nil }

func whole(text string) (any, error) {
	n, err := strconv.ParseInt(text, 0, 64)
	if err != nil {
		return nil, fmt.Errorf("got %q, want a whole number", text)
	}
	return n, nil
}

// flag reads the kernel's 0 and 1, N and Y.
func flag(text string) (any, error) {
	switch text {
	case "1", "Y":
		return true, nil
	case "0", "N":
		return false, nil
	}
	return nil, fmt.Errorf("got %q, want 0 or 1", text)
}

// chosen reads the bracketed word of "always [madvise] never".
func chosen(text string) (any, error) {
	_, rest, found := strings.Cut(text, "[")
	word, _, closed := strings.Cut(rest, "]")
	if !found || !closed {
		return nil, fmt.Errorf("got %q, want a choice in brackets", text)
	}
	return word, nil
}

// field returns a parser of the n-th word, as a number.
func field(n int) parser {
	return func(text string) (any, error) {
		parts := strings.Fields(text)
		if n >= len(parts) {
			return nil, fmt.Errorf("got %q, want at least %d words", text, n+1)
		}
		v, err := strconv.ParseFloat(parts[n], 64)
		if err != nil {
			return nil, fmt.Errorf("got %q, want a number", parts[n])
		}
		return v, nil
	}
}

// keyValues reads lines of a key, a separator and a value. The first value of a
// repeated key wins: in cpuinfo that is the first processor's.
func keyValues(text, separator string) map[string]string {
	out := map[string]string{}
	for line := range strings.Lines(text) {
		key, value, ok := strings.Cut(line, separator)
		key = strings.TrimSpace(key)
		if _, seen := out[key]; ok && !seen {
			out[key] = strings.TrimSpace(value)
		}
	}
	return out
}

// valuesOf reads the lines of these keys alone. Samples use it: a file has up to two
// hundred lines, and a map of them all costs the client as much as reading the file.
func valuesOf(text, separator string, keys ...string) map[string]string {
	out := make(map[string]string, len(keys))
	for line := range strings.Lines(text) {
		key, value, ok := strings.Cut(line, separator)
		if ok && slices.Contains(keys, key) {
			out[key] = strings.TrimSpace(value)
		}
	}
	return out
}

// cpuList expands the kernel's "0-3,8" into numbers.
func cpuList(text string) ([]int, error) {
	var out []int
	for part := range strings.SplitSeq(strings.TrimSpace(text), ",") {
		if part == "" {
			continue
		}
		first, last, ranged := strings.Cut(part, "-")
		if !ranged {
			last = first
		}
		lo, err1 := strconv.Atoi(first)
		hi, err2 := strconv.Atoi(last)
		// A kernel has at most a few thousand CPUs; a larger range is not a list.
		if err1 != nil || err2 != nil || lo < 0 || hi < lo || hi > 1<<16 {
			return nil, fmt.Errorf("got %q, want CPUs such as 0-3,8", text)
		}
		for n := lo; n <= hi; n++ {
			out = append(out, n)
		}
	}
	return out, nil
}
