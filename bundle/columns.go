package bundle

import (
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding"

	"assay/record"
)

// A chunkSource fills rows with the next ones of a row group of chunks.
type chunkSource interface {
	fill(rows []record.Chunk) error
	close()
}

// openGroup reads the columns as assay writes them. A file that others wrote may
// have them in another form, which the library's own reader knows.
func openGroup(in *parquet.File, group parquet.RowGroup) (source chunkSource, err error) {
	defer catch(&err)
	columns := make([]column, len(chunkFields))
	for i, f := range chunkFields {
		leaf, ok := in.Schema().Lookup(f.name)
		if !ok || !leaf.Node.Required() || leaf.MaxRepetitionLevel != 0 || leaf.Node.Type().Kind() != f.kind {
			return &rowSource{parquet.NewGenericRowGroupReader[record.Chunk](group)}, nil
		}
		columns[i] = column{pages: group.ColumnChunks()[leaf.ColumnIndex].Pages()}
	}
	return &columnSource{columns}, nil
}

// fillRows keeps the panics of the library over a damaged file from its callers.
func fillRows(source chunkSource, rows []record.Chunk) (err error) {
	defer catch(&err)
	return source.fill(rows)
}

// A chunkField is a column of the table chunks and how to copy the next values of
// a page into rows.
type chunkField struct {
	name string
	kind parquet.Kind
	copy func(rows []record.Chunk, c *column)
}

var chunkFields = []chunkField{
	{"request", parquet.Int64, func(rows []record.Chunk, c *column) {
		for i, v := range c.int64[:len(rows)] {
			rows[i].Request = v
		}
	}},
	{"seq", parquet.Int32, func(rows []record.Chunk, c *column) {
		for i, v := range c.int32[:len(rows)] {
			rows[i].Seq = v
		}
	}},
	{"choice", parquet.Int32, func(rows []record.Chunk, c *column) {
		for i, v := range c.int32[:len(rows)] {
			rows[i].Choice = v
		}
	}},
	{"at_ns", parquet.Int64, func(rows []record.Chunk, c *column) {
		for i, v := range c.int64[:len(rows)] {
			rows[i].At = v
		}
	}},
	{"kind", parquet.ByteArray, func(rows []record.Chunk, c *column) {
		if c.words == nil {
			for i := range rows {
				rows[i].Kind = c.kindAt(c.used + i)
			}
			return
		}
		for i, v := range c.int32[:len(rows)] {
			rows[i].Kind = c.words[v]
		}
	}},
	{"bytes", parquet.Int32, func(rows []record.Chunk, c *column) {
		for i, v := range c.int32[:len(rows)] {
			rows[i].Bytes = v
		}
	}},
	{"text_bytes", parquet.Int32, func(rows []record.Chunk, c *column) {
		for i, v := range c.int32[:len(rows)] {
			rows[i].TextBytes = v
		}
	}},
	{"shared_read", parquet.Boolean, func(rows []record.Chunk, c *column) {
		for i := range rows {
			at := c.used + i
			rows[i].Shared = c.bits[at/8]>>(at%8)&1 != 0
		}
	}},
}

// A column is where the reading of one column of a row group is.
type column struct {
	pages parquet.Pages
	page  parquet.Page // nil before the first
	used  int          // values of the page that were copied
	size  int          // values of the page

	// What of the page is left, in the slice of its type.
	int64 []int64
	int32 []int32 // also the places in words of a dictionary
	bits  []byte  // all of the page, a bit for each value
	text  []byte  // all of the page, cut by offsets
	ends  []uint32
	words []record.ChunkKind // the dictionary; nil for a page without one
}

// kindAt reads a kind of a page that has no dictionary.
func (c *column) kindAt(i int) record.ChunkKind {
	return record.ChunkKind(c.text[c.ends[i]:c.ends[i+1]])
}

// turn goes to the next page.
func (c *column) turn(kind parquet.Kind) error {
	c.release()
	page, err := c.pages.ReadPage()
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF // the footer promised more rows
	}
	if err != nil {
		return err
	}
	c.page, c.used, c.size = page, 0, int(page.NumValues())
	values := page.Data()
	switch dictionary := page.Dictionary(); {
	case kind == parquet.ByteArray && dictionary != nil:
		c.int32 = values.Int32()
		if c.words == nil { // a row group has one dictionary for each column
			for i := range dictionary.Len() {
				c.words = append(c.words, record.ChunkKind(dictionary.Index(int32(i)).String()))
			}
		}
	case dictionary != nil:
		c.look(kind, dictionary.Page().Data(), values.Int32())
	case kind == parquet.ByteArray:
		c.words = nil
		c.text, c.ends = values.ByteArray()
	case kind == parquet.Int64:
		c.int64 = values.Int64()
	case kind == parquet.Int32:
		c.int32 = values.Int32()
	default:
		c.bits = values.Boolean()
	}
	return nil
}

// look puts the numbers of a dictionary in their places.
func (c *column) look(kind parquet.Kind, words encoding.Values, places []int32) {
	if kind == parquet.Int64 {
		numbers := words.Int64()
		for _, at := range places {
			c.int64 = append(c.int64, numbers[at])
		}
		return
	}
	numbers := words.Int32()
	for _, at := range places {
		c.int32 = append(c.int32, numbers[at])
	}
}

// use marks n values as copied.
func (c *column) use(n int) {
	c.used += n
	if c.int64 != nil {
		c.int64 = c.int64[n:]
	}
	if c.int32 != nil {
		c.int32 = c.int32[n:]
	}
}

func (c *column) release() {
	if c.page != nil {
		parquet.Release(c.page)
	}
	c.page, c.used, c.size, c.int64, c.int32, c.bits, c.text, c.ends = nil, 0, 0, nil, nil, nil, nil, nil
}

// A columnSource copies pages column by column.
type columnSource struct{ columns []column }

func (s *columnSource) fill(rows []record.Chunk) error {
	for i, f := range chunkFields {
		c := &s.columns[i]
		for at := 0; at < len(rows); {
			for c.used == c.size {
				if err := c.turn(f.kind); err != nil {
					return fmt.Errorf("column %s: %w", f.name, err)
				}
			}
			n := min(len(rows)-at, c.size-c.used)
			f.copy(rows[at:at+n], c)
			c.use(n)
			at += n
		}
	}
	return nil
}

func (s *columnSource) close() {
	for i := range s.columns {
		s.columns[i].release()
		s.columns[i].pages.Close()
	}
}

// A rowSource reads whole rows with the library's reader.
type rowSource struct {
	in *parquet.GenericReader[record.Chunk]
}

func (s *rowSource) fill(rows []record.Chunk) error {
	clear(rows) // a null column leaves the row before it in place otherwise
	for len(rows) > 0 {
		n, err := s.in.Read(rows)
		rows = rows[n:]
		if errors.Is(err, io.EOF) && len(rows) > 0 {
			return io.ErrUnexpectedEOF
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
	}
	return nil
}

func (s *rowSource) close() { s.in.Close() }
