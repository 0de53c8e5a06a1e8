package bundle

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"

	"github.com/parquet-go/parquet-go"
)

// A fieldSource fills rows of T column by column. The library's own reader puts
// together every row of boxed values first and takes several times as long; what it
// alone can read is left to it.
type fieldSource[T any] struct{ fields []*fieldReader }

// openFields reads the columns of T in a row group but for some. It is false when a
// column has another form than assay writes.
func openFields[T any](in *parquet.File, group parquet.RowGroup, without []string) (_ *fieldSource[T], ok bool, err error) {
	defer catch(&err)
	var s fieldSource[T]
	for field := range reflect.TypeFor[T]().Fields() {
		name := columnName(field.Tag.Get("parquet"))
		if name == "" || name == "-" || slices.Contains(without, name) {
			continue
		}
		leaf, found := in.Schema().Lookup(name)
		if !found {
			continue // an older file: the field stays zero
		}
		r := newFieldReader(field)
		if len(field.Index) != 1 || leaf.MaxRepetitionLevel != 0 || leaf.Node.Type().Kind() != r.stored {
			return nil, false, nil
		}
		r.column = leaf.ColumnIndex
		s.fields = append(s.fields, r)
	}
	for _, r := range s.fields {
		r.pages = group.ColumnChunks()[r.column].Pages()
	}
	return &s, true, nil
}

// fill reads the next rows, all of them.
func (s *fieldSource[T]) fill(rows []T) (err error) {
	defer catch(&err)
	clear(rows)
	list := reflect.ValueOf(rows)
	for _, f := range s.fields {
		if err := f.fill(list); err != nil {
			return fmt.Errorf("column %s: %w", f.name, err)
		}
	}
	return nil
}

func (s *fieldSource[T]) close() {
	for _, f := range s.fields {
		f.turn()
		f.pages.Close()
	}
}

// A fieldReader is where the reading of one column is.
type fieldReader struct {
	name    string
	index   int          // of the field in the row
	pointer bool         // to what may be null
	kind    reflect.Kind // of the value
	stored  parquet.Kind // of the value in the file

	column int
	pages  parquet.Pages
	page   parquet.Page        // nil before the first and between two
	values parquet.ValueReader // of the page
	some   [256]parquet.Value
	word   string // the text before: most say the same many times
}

// storedKinds is how assay writes the kinds of fields that rows have.
var storedKinds = map[reflect.Kind]parquet.Kind{
	reflect.Bool: parquet.Boolean, reflect.Int32: parquet.Int32, reflect.Int64: parquet.Int64,
	reflect.Float64: parquet.Double, reflect.String: parquet.ByteArray,
}

func newFieldReader(field reflect.StructField) *fieldReader {
	r := &fieldReader{name: columnName(field.Tag.Get("parquet")), index: field.Index[0], kind: field.Type.Kind()}
	if r.pointer = r.kind == reflect.Pointer; r.pointer {
		r.kind = field.Type.Elem().Kind()
	}
	stored, ok := storedKinds[r.kind]
	if r.stored = stored; !ok {
		r.stored = -1 // no column has it
	}
	return r
}

// turn ends the page.
func (f *fieldReader) turn() {
	if f.page != nil {
		parquet.Release(f.page)
	}
	f.page, f.values = nil, nil
}

func (f *fieldReader) fill(rows reflect.Value) (err error) {
	for at := 0; at < rows.Len(); {
		if f.page == nil {
			if f.page, err = f.pages.ReadPage(); errors.Is(err, io.EOF) {
				return io.ErrUnexpectedEOF // the footer promised more rows
			} else if err != nil {
				return err
			}
			f.values = f.page.Values()
		}
		n, err := f.values.ReadValues(f.some[:min(len(f.some), rows.Len()-at)])
		for i := range f.some[:n] {
			if v := &f.some[i]; !v.IsNull() {
				f.set(rows.Index(at+i).Field(f.index), v)
			}
		}
		at += n
		if errors.Is(err, io.EOF) || n == 0 && err == nil {
			f.turn()
		} else if err != nil {
			return err
		}
	}
	return nil
}

func (f *fieldReader) set(field reflect.Value, v *parquet.Value) {
	if f.pointer {
		field.Set(reflect.New(field.Type().Elem()))
		field = field.Elem()
	}
	switch f.kind {
	case reflect.Bool:
		field.SetBool(v.Boolean())
	case reflect.Int32:
		field.SetInt(int64(v.Int32()))
	case reflect.Int64:
		field.SetInt(v.Int64())
	case reflect.Float64:
		field.SetFloat(v.Double())
	default:
		if text := v.ByteArray(); string(text) != f.word {
			f.word = string(text)
		}
		field.SetString(f.word)
	}
}
