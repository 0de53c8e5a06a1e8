package trace

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"assay/intake"
)

// maxLine is the longest line that is read: a request with a block name for
// each 16 of a million tokens has about a megabyte.
const maxLine = 64 << 20

// eachJSON decodes every line of r into a T and passes it on. Faults carry the
// number of their line.
func eachJSON[T any](r io.Reader, each func(line int, v T) error) error {
	scanner := bufio.NewScanner(r)
	scanner.Buffer(make([]byte, 0, 64<<10), maxLine)
	line := 0
	for scanner.Scan() {
		line++
		text := bytes.TrimSpace(scanner.Bytes())
		if len(text) == 0 {
			continue
		}
		var v T
		err := json.Unmarshal(text, &v)
		if err == nil {
			err = each(line, v)
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", line, err)
		}
	}
	if err := scanner.Err(); err != nil {
		return fmt.Errorf("line %d: %w", line+1, err)
	}
	return nil
}

// A table is a row of comma-separated values that is read by name. The first
// fault is kept.
type table struct {
	names  map[string]int
	values []string
	err    error
}

// eachCSV passes every row of r on. The needed columns must be there.
func eachCSV(r io.Reader, needed []string, each func(line int, row *table) error) error {
	rows := intake.NewValues("the trace", r, maxLine)
	reader := csv.NewReader(rows)
	reader.ReuseRecord = true
	header, err := reader.Read()
	if err != nil {
		return fmt.Errorf("line 1: want column names: %w", err)
	}
	names := map[string]int{}
	for i, name := range header {
		names[strings.TrimSpace(strings.TrimPrefix(name, "\ufeff"))] = i
	}
	for _, name := range needed {
		if _, ok := names[name]; !ok {
			return fmt.Errorf("line 1: no column %q: want %s", name, strings.Join(needed, ", "))
		}
	}
	for {
		rows.Next()
		values, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err // it names the line
		}
		line, _ := reader.FieldPos(0)
		row := &table{names: names, values: values}
		if err := errors.Join(each(line, row), row.err); err != nil {
			return fmt.Errorf("line %d: %w", line, err)
		}
	}
}

// text is the value of a column, empty where the file has no such column.
func (t *table) text(column string) string {
	i, ok := t.names[column]
	if !ok {
		return ""
	}
	return strings.TrimSpace(t.values[i])
}

// number is the value of a column; an empty one is 0.
func (t *table) number(column string) float64 {
	text := t.text(column)
	if text == "" {
		return 0
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil && t.err == nil {
		t.err = fmt.Errorf("%s: got %q, want a number", column, text)
	}
	return n
}

// tokens is the value of a column that counts. Some files write 7 as 7.0.
func (t *table) tokens(column string) int32 {
	n := t.number(column)
	if (n != float64(int32(n)) || n < 0) && t.err == nil {
		t.err = fmt.Errorf("%s: got %v, want a whole number", column, n)
	}
	return int32(n)
}
