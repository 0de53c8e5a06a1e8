package dataset

import (
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
)

var parquetFormat = Format{
	Name: "parquet", Doc: "Apache Parquet with columns of texts and numbers, or lists of texts",
	Extensions: []string{".parquet"}, read: readParquet,
}

// A column is one leaf of a Parquet file that a row may need.
type column struct {
	name string
	list bool
}

func readParquet(in *input, yield func(Row) error) (dropped int, err error) {
	// Damaged files make the library panic; to us they are faults of the set.
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("parquet: %v", p)
		}
	}()
	file, err := parquet.OpenFile(in.file, in.size)
	if err != nil {
		return 0, err
	}
	leaves := map[int]column{}
	for _, path := range file.Schema().Columns() {
		leaf, ok := file.Schema().Lookup(path...)
		if !ok {
			continue
		}
		list := leaf.MaxRepetitionLevel == 1
		// Deeper columns are structures: a row of a table has none.
		if len(path) == 1 || list && len(path) == 3 {
			leaves[leaf.ColumnIndex] = column{path[0], list}
		}
	}
	number := 0
	for _, group := range file.RowGroups() {
		if err := in.readGroup(group, leaves, &number, yield); err != nil {
			return 0, err
		}
	}
	return 0, nil
}

func (in *input) readGroup(group parquet.RowGroup, leaves map[int]column, number *int, yield func(Row) error) (err error) {
	rows := group.Rows()
	defer func() { err = errors.Join(err, rows.Close()) }()
	buffer := make([]parquet.Row, 128)
	for {
		n, readErr := rows.ReadRows(buffer)
		for _, values := range buffer[:n] {
			*number++
			row, err := in.rowOf(parquetColumns(values, leaves), *number)
			if err != nil {
				return fmt.Errorf("row %d: %w", *number, err)
			}
			if err := yield(row); err != nil {
				return err
			}
		}
		if errors.Is(readErr, io.EOF) {
			return nil
		}
		if readErr != nil {
			return fmt.Errorf("after row %d: %w", *number, readErr)
		}
	}
}

func parquetColumns(values parquet.Row, leaves map[int]column) map[string]any {
	columns := map[string]any{}
	for _, value := range values {
		leaf, ok := leaves[value.Column()]
		if !ok {
			continue
		}
		got := parquetValue(value)
		if !leaf.list {
			columns[leaf.name] = got
			continue
		}
		items, _ := columns[leaf.name].([]any)
		if got != nil {
			items = append(items, got)
		}
		columns[leaf.name] = items
	}
	return columns
}

// parquetValue copies a value: the buffer it lies in is used again.
func parquetValue(value parquet.Value) any {
	switch value.Kind() {
	case parquet.ByteArray, parquet.FixedLenByteArray:
		return string(value.ByteArray())
	case parquet.Int32:
		return float64(value.Int32())
	case parquet.Int64:
		return float64(value.Int64())
	case parquet.Float:
		return float64(value.Float())
	case parquet.Double:
		return value.Double()
	}
	return nil // null, and kinds that no field has
}
