package foreign

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
)

// A fields takes the value of one field of an object from the decoder, or leaves
// it there by returning false.
type fields func(key string, from *json.Decoder) (bool, error)

// walk reads the objects that a file holds one after the other, field by field:
// the lists of a long run must not be held twice. It calls begin before each
// object and end after it. Want says what the file should be, for the error.
func (f File) walk(want string, begin func(), take fields, end func() error) error {
	if !text(f.Data) {
		return fmt.Errorf("%s is a binary file, want %s", f.Name, want)
	}
	from := json.NewDecoder(&pythonReader{data: f.Data})
	for n := 0; ; n++ {
		token, err := from.Token()
		if errors.Is(err, io.EOF) && n > 0 {
			return f.unique(want)
		}
		if err != nil || token != json.Delim('{') {
			return f.bad("", from, fmt.Errorf("begins with %v", token), err, want)
		}
		begin()
		if err := f.object(from, want, take); err != nil {
			return err
		}
		if err := end(); err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
	}
}

// inside is the file for the parts of it: its errors leave its name to those of
// the whole.
func (f File) inside() File { return File{Data: f.Data} }

// object reads the fields of an object whose brace has been read.
func (f File) object(from *json.Decoder, want string, take fields) error {
	for from.More() {
		token, err := from.Token()
		key, _ := token.(string)
		if err != nil {
			return f.bad("", from, nil, err, want)
		}
		taken, err := take(key, from)
		if err == nil && !taken {
			err = skip(from)
		}
		if err != nil {
			return f.bad(key, from, nil, err, want)
		}
	}
	if _, err := from.Token(); err != nil {
		return f.bad("", from, nil, err, want)
	}
	return nil
}

// bad says what is wrong with a file, and at which field.
func (f File) bad(key string, from *json.Decoder, fault, err error, want string) error {
	where := strings.Trim(f.Name+": "+key, ": ")
	var syntax *json.SyntaxError
	var mismatch *json.UnmarshalTypeError
	switch {
	case err == nil:
		return fmt.Errorf("%s %w, want %s", where, fault, want)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.As(err, &syntax) && from.InputOffset() >= int64(len(f.Data)):
		return fmt.Errorf("%s ends in the middle, after %d bytes: the file is cut short; want %s", where, len(f.Data), want)
	case errors.As(err, &syntax):
		return fmt.Errorf("%s is not JSON near byte %d (%v), want %s", where, from.InputOffset(), err, want)
	case errors.As(err, &mismatch):
		return fmt.Errorf("%s is a %s where a %s belongs, want %s", where, mismatch.Value, kindOf(mismatch.Type), want)
	}
	return fmt.Errorf("%s: %w", where, err)
}

// A loose is a value that has another shape in other versions of a tool, where it
// is its zero: what was asked for is good to know and no reason to refuse a result.
type loose[T any] struct{ value T }

// UnmarshalJSON implements json.Unmarshaler.
func (l *loose[T]) UnmarshalJSON(data []byte) error {
	var value T
	if json.Unmarshal(data, &value) == nil {
		l.value = value
	}
	return nil
}

// kindOf is how JSON calls a type.
func kindOf(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Float64, reflect.Int32, reflect.Int64, reflect.Int:
		return "number"
	case reflect.Slice:
		return "list"
	case reflect.Struct, reflect.Map:
		return "object"
	}
	return t.Kind().String()
}

// each reads a list element by element.
func each(from *json.Decoder, one func(i int) error) error {
	token, err := from.Token()
	switch {
	case err != nil:
		return err
	case token == nil:
		return nil // null: there is none
	case token != json.Delim('['):
		return fmt.Errorf("is %v, want a list", token)
	}
	for i := 0; from.More(); i++ {
		if err := one(i); err != nil {
			return err
		}
	}
	_, err = from.Token()
	return err
}

// values reads a list of values of one kind.
func values[T any](from *json.Decoder, into *[]T) error {
	*into = (*into)[:0]
	return each(from, func(i int) error {
		var one T
		err := from.Decode(&one)
		*into = append(*into, one)
		if err != nil {
			return fmt.Errorf("entry %d: %w", i, err)
		}
		return nil
	})
}

// skip passes over a value.
func skip(from *json.Decoder) error {
	_, err := scalar(from)
	return err
}

// mostDepth is how deep values may nest, as encoding/json has it for values that it
// decodes by itself.
const mostDepth = 10_000

// scalar reads a string, number or boolean, and passes over a list or an object,
// which gives nil.
func scalar(from *json.Decoder) (any, error) {
	value, err := from.Token()
	if value != json.Delim('[') && value != json.Delim('{') {
		return value, err
	}
	for depth := 1; depth > 0; {
		token, err := from.Token()
		if err != nil {
			return nil, err
		}
		if depth > mostDepth {
			return nil, fmt.Errorf("nests more than %d deep", mostDepth)
		}
		switch token {
		case json.Delim('['), json.Delim('{'):
			depth++
		case json.Delim(']'), json.Delim('}'):
			depth--
		}
	}
	return nil, nil
}
