package generator

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"reflect"

	"assay/record"
)

// Rows are what a generator recorded since it last sent any.
type Rows struct {
	Requests []record.Request
	Chunks   []record.Chunk
	Sessions []record.SessionStep
	Events   []record.Event
}

// Rows are packed column by column of each row: whole numbers as the difference from the
// row before, in as few bytes as that takes, words that came before by their place, and
// nulls apart from zeros. JSON takes ten times the room and twenty times the processor,
// and gob makes a null of a pointer to zero.

// encode packs the rows.
func (r *Rows) encode() []byte {
	p := packer{words: map[string]uint64{}}
	packTable(&p, r.Requests)
	packTable(&p, r.Chunks)
	packTable(&p, r.Sessions)
	packTable(&p, r.Events)
	return p.out
}

// decodeRows unpacks what encode packed. Whatever data is, it takes memory in proportion
// to it.
func decodeRows(data []byte) (r Rows, err error) {
	p := unpacker{in: data}
	r.Requests = unpackTable[record.Request](&p)
	r.Chunks = unpackTable[record.Chunk](&p)
	r.Sessions = unpackTable[record.SessionStep](&p)
	r.Events = unpackTable[record.Event](&p)
	if p.err == nil && len(p.in) > 0 {
		p.err = fmt.Errorf("%d bytes after the last row", len(p.in))
	}
	return r, p.err
}

// A column is one way in which values are packed.
type column int

const (
	number  column = iota // int32 and int64: the difference from the row before
	pointer               // the same, or null
	real                  // *float64
	word                  // a string of any type
	flag                  // bool
)

// columnsOf lists the columns of a row type. A type that cannot be packed is a bug in our
// own tables.
func columnsOf(t reflect.Type) []column {
	list := make([]column, t.NumField())
	for i := range list {
		field := t.Field(i).Type
		switch {
		case field.Kind() == reflect.Int64 || field.Kind() == reflect.Int32:
			list[i] = number
		case field.Kind() == reflect.String:
			list[i] = word
		case field.Kind() == reflect.Bool:
			list[i] = flag
		case field.Kind() == reflect.Pointer && (field.Elem().Kind() == reflect.Int64 || field.Elem().Kind() == reflect.Int32):
			list[i] = pointer
		case field.Kind() == reflect.Pointer && field.Elem().Kind() == reflect.Float64:
			list[i] = real
		default:
			panic(fmt.Sprintf("column %s of %s cannot be packed", t.Field(i).Name, t))
		}
	}
	return list
}

type packer struct {
	out   []byte
	words map[string]uint64
}

// mostWord is the longest text that is looked for among those before it.
const mostWord = 64

func packTable[T any](p *packer, rows []T) {
	p.out = binary.AppendUvarint(p.out, uint64(len(rows)))
	if len(rows) == 0 {
		return
	}
	columns := columnsOf(reflect.TypeFor[T]())
	before := make([]int64, len(columns))
	for i := range rows {
		row := reflect.ValueOf(&rows[i]).Elem()
		for c, column := range columns {
			p.pack(row.Field(c), column, &before[c])
		}
	}
}

func (p *packer) pack(v reflect.Value, column column, before *int64) {
	switch column {
	case number:
		p.difference(v.Int(), before)
	case pointer:
		if v.IsNil() {
			p.out = append(p.out, 0)
			return
		}
		p.out = append(p.out, 1)
		p.difference(v.Elem().Int(), before)
	case real:
		if v.IsNil() {
			p.out = append(p.out, 0)
			return
		}
		p.out = binary.BigEndian.AppendUint64(append(p.out, 1), math.Float64bits(v.Elem().Float()))
	case word:
		p.word(v.String())
	case flag:
		b := byte(0)
		if v.Bool() {
			b = 1
		}
		p.out = append(p.out, b)
	}
}

func (p *packer) difference(v int64, before *int64) {
	p.out = binary.AppendVarint(p.out, v-*before) // wraps round, and back
	*before = v
}

// word is the place of a text among those before it, from 1; or 0, its length and itself.
func (p *packer) word(text string) {
	if place, known := p.words[text]; known {
		p.out = binary.AppendUvarint(p.out, place)
		return
	}
	if len(text) <= mostWord {
		p.words[text] = uint64(len(p.words) + 1)
	}
	p.out = append(binary.AppendUvarint(append(p.out, 0), uint64(len(text))), text...)
}

type unpacker struct {
	in    []byte
	words []string
	err   error
}

var errCutRows = errors.New("rows that end too soon")

func unpackTable[T any](p *unpacker) []T {
	n := p.uvarint()
	if p.err != nil || n == 0 {
		return nil
	}
	columns := columnsOf(reflect.TypeFor[T]())
	if n > uint64(len(p.in)/len(columns)) { // a column takes a byte at least
		p.err = errCutRows
		return nil
	}
	rows := make([]T, n)
	before := make([]int64, len(columns))
	for i := range rows {
		row := reflect.ValueOf(&rows[i]).Elem()
		for c, column := range columns {
			p.unpack(row.Field(c), column, &before[c])
		}
		if p.err != nil {
			return nil
		}
	}
	return rows
}

func (p *unpacker) unpack(v reflect.Value, column column, before *int64) {
	switch column {
	case number:
		p.difference(v, before)
	case pointer:
		if p.byte() == 1 {
			v.Set(reflect.New(v.Type().Elem()))
			p.difference(v.Elem(), before)
		}
	case real:
		if p.byte() == 1 {
			v.Set(reflect.New(v.Type().Elem()))
			if bits := p.bytes(8); p.err == nil {
				v.Elem().SetFloat(math.Float64frombits(binary.BigEndian.Uint64(bits)))
			}
		}
	case word:
		v.SetString(p.word())
	case flag:
		v.SetBool(p.byte() == 1)
	}
}

func (p *unpacker) difference(v reflect.Value, before *int64) {
	d, n := binary.Varint(p.in)
	if n <= 0 {
		p.err = errCutRows
		return
	}
	p.in = p.in[n:]
	*before += d
	if v.OverflowInt(*before) {
		p.err = fmt.Errorf("%d does not fit its column", *before)
		return
	}
	v.SetInt(*before)
}

func (p *unpacker) word() string {
	place := p.uvarint()
	switch {
	case p.err != nil:
		return ""
	case place > uint64(len(p.words)):
		p.err = fmt.Errorf("word %d of %d", place, len(p.words))
		return ""
	case place > 0:
		return p.words[place-1]
	}
	text := string(p.bytes(p.uvarint()))
	if len(text) <= mostWord {
		p.words = append(p.words, text)
	}
	return text
}

func (p *unpacker) uvarint() uint64 {
	v, n := binary.Uvarint(p.in)
	if n <= 0 {
		p.err = errCutRows
		return 0
	}
	p.in = p.in[n:]
	return v
}

func (p *unpacker) byte() byte {
	b := p.bytes(1)
	if p.err != nil {
		return 0
	}
	return b[0]
}

func (p *unpacker) bytes(n uint64) []byte {
	if p.err != nil || n > uint64(len(p.in)) {
		p.err = errors.Join(p.err, errCutRows)
		return nil
	}
	b := p.in[:n]
	p.in = p.in[n:]
	return b
}
