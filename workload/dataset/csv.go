package dataset

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"

	"assay/intake"
)

var csvFormat = Format{
	Name: "csv", Doc: "comma-separated values with a line of column names",
	Extensions: []string{".csv"}, read: readCSV,
}

func readCSV(in *input, yield func(Row) error) (dropped int, err error) {
	values := intake.NewValues("the file", intake.Text("the file", in.file), MaxRow)
	buffered := bufio.NewReader(values)
	if mark, _ := buffered.Peek(3); string(mark) == "\ufeff" {
		buffered.Discard(3) // it was just peeked at
	}
	reader := csv.NewReader(buffered)
	reader.ReuseRecord = true
	header, err := reader.Read()
	if err != nil {
		return 0, fmt.Errorf("line 1: want column names: %w", err)
	}
	names := append([]string(nil), header...)
	for {
		values.Next()
		record, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return 0, nil
		}
		if err != nil {
			return 0, err // it names the line
		}
		line, _ := reader.FieldPos(0)
		columns := make(map[string]any, len(names))
		for i, name := range names {
			columns[name] = record[i]
		}
		row, err := in.rowOf(columns, line)
		if err != nil {
			return 0, fmt.Errorf("line %d: %w", line, err)
		}
		if err := yield(row); err != nil {
			return 0, err
		}
	}
}
