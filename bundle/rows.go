package bundle

import (
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"reflect"
)

// Rows streams one table of one launch in the order it was written. It stops
// after the first error. T is the table's row type in package record, or a
// struct with some of its columns.
func Rows[T any](b *Bundle, launch int, table string) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var zero T
		segments, err := b.segments(launch, table)
		if err == nil {
			err = checkRow(table, reflect.TypeFor[T]())
		}
		if err != nil {
			yield(zero, err)
			return
		}
		for _, s := range segments {
			err := eachBatch(s.path, func(rows []T) error {
				for i := range rows {
					if !yield(rows[i], nil) {
						return errStop
					}
				}
				return nil
			})
			if errors.Is(err, errStop) {
				return
			}
			if err != nil {
				yield(zero, err)
				return
			}
		}
	}
}

// segments lists the files of a table. A sealed bundle says in its manifest
// which they are.
func (b *Bundle) segments(launch int, table string) ([]segment, error) {
	if !b.Sealed {
		live, _, err := segmentsIn(filepath.Join(b.Dir, rawDir, launchDir(launch)), table)
		return live, err
	}
	var all []segment
	for _, f := range b.Manifest.Files {
		s, ok := parseSegment(filepath.Join(b.Dir, filepath.FromSlash(f.Path)))
		if ok && f.Role == RoleRaw && f.Table == table && s.table == table && f.Launch != nil && *f.Launch == launch {
			all = append(all, s)
		}
	}
	live, _ := standing(all)
	return live, nil
}

// checkRow refuses a row type with a column the table does not have: Parquet
// would fill it with zeroes, and a mistake would read as a measurement.
func checkRow(table string, row reflect.Type) error {
	info, ok := tableInfo(table)
	if !ok {
		return fmt.Errorf("no table %q: want one of %v", table, tableNames())
	}
	has := map[string]bool{}
	for _, c := range info.Columns() {
		has[c.Name] = true
	}
	if row.Kind() != reflect.Struct {
		return fmt.Errorf("rows of %s cannot be read as %s: want a struct", table, row)
	}
	for _, c := range columnsOf(row) {
		if !has[c.Name] {
			return fmt.Errorf("rows of %s cannot be read as %s: the table has no column %q", table, row, c.Name)
		}
	}
	return nil
}

// A Column is one column of a raw table.
type Column struct {
	Name     string
	Type     string // the Go kind: int64, int32, float64, bool, string
	Nullable bool
	Field    string // the field of the row type
}

// Columns lists the columns of a table in order.
func (t TableInfo) Columns() []Column { return columnsOf(reflect.TypeOf(t.Row)) }

func columnsOf(row reflect.Type) []Column {
	var columns []Column
	for field := range row.Fields() {
		name := columnName(field.Tag.Get("parquet"))
		if name == "" || name == "-" {
			continue
		}
		c := Column{Name: name, Field: field.Name, Type: field.Type.Kind().String()}
		if field.Type.Kind() == reflect.Pointer {
			c.Nullable, c.Type = true, field.Type.Elem().Kind().String()
		}
		columns = append(columns, c)
	}
	return columns
}

func columnName(tag string) string {
	for i := range len(tag) {
		if tag[i] == ',' {
			return tag[:i]
		}
	}
	return tag
}

func tableInfo(name string) (TableInfo, bool) {
	for _, t := range Tables {
		if t.Name == name {
			return t, true
		}
	}
	return TableInfo{}, false
}

func tableNames() []string {
	var names []string
	for _, t := range Tables {
		names = append(names, t.Name)
	}
	return names
}
