package bundle

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"

	"github.com/parquet-go/parquet-go"
)

const (
	// mostFooter is the longest footer that is read. One of thirty row groups of
	// thirty columns has some hundred kilobytes.
	mostFooter = 16 << 20

	// mostGroupRows bounds a row group: rows of one request are held together as far
	// as they are in one group. The largest that assay writes is a segment.
	mostGroupRows = segmentRows + 1<<16

	// freeRows may be in any segment; beyond them every row must have cost bytes.
	// Times differ from row to row, so that no honest table packs better than this.
	freeRows       = 1 << 18
	bytesOfRow     = 1
	bytesOfRequest = 8
)

// openParquet opens a table file of a stranger. The library sets aside as much memory
// as the file asks for, whatever its own size: hence the file is looked through
// before.
func openParquet(f *os.File) (*parquet.File, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if err := checkFooter(f, info.Size()); err != nil {
		return nil, err
	}
	file, err := parquet.OpenFile(f, info.Size(), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, err
	}
	return file, checkRows(f.Name(), info.Size(), file)
}

// checkFooter looks at the last eight bytes of a Parquet file, the length of its
// footer and the mark, and at the lists that the footer holds.
func checkFooter(f *os.File, size int64) error {
	var tail [8]byte
	if size < int64(len(tail))+4 {
		return fmt.Errorf("has %d bytes: not a whole Parquet file", size)
	}
	if _, err := f.ReadAt(tail[:], size-int64(len(tail))); err != nil {
		return err
	}
	length := int64(binary.LittleEndian.Uint32(tail[:4]))
	if string(tail[4:]) != "PAR1" || length > size-int64(len(tail))-4 {
		return errors.New("does not end in a footer: not a whole Parquet file")
	}
	if length > mostFooter {
		return fmt.Errorf("has a footer of %d bytes, want at most %d", length, mostFooter)
	}
	footer := make([]byte, length)
	if _, err := f.ReadAt(footer, size-int64(len(tail))-length); err != nil {
		return err
	}
	s := thriftScanner{data: footer}
	if err := s.structure(0); err != nil {
		return fmt.Errorf("its footer cannot be read: %w", err)
	}
	return nil
}

// checkRows refuses more rows than the bytes of the file can be worth.
func checkRows(path string, size int64, file *parquet.File) error {
	s, _ := parseSegment(path)
	most := freeRows + size/bytesOfRow
	switch s.table {
	case Requests:
		most = freeRows + size/bytesOfRequest
	case Chunks: // nobody holds more than those of one request
		most += mostGroupRows
	}
	sum := int64(0)
	for i, g := range file.RowGroups() {
		rows := g.NumRows()
		if rows < 0 || rows > mostGroupRows {
			return fmt.Errorf("row group %d has %d rows, want at most %d", i, rows, mostGroupRows)
		}
		sum += rows
	}
	if rows := file.NumRows(); rows != sum || rows > most {
		return fmt.Errorf("states %d rows, and %d in its row groups: want the same, and at most %d in %d bytes", rows, sum, most, size)
	}
	return nil
}

// A thriftScanner walks over what Thrift's compact protocol wrote and refuses lists
// that claim more elements than there are bytes: the library makes room for them
// before it reads the first.
type thriftScanner struct{ data []byte }

var errThrift = errors.New("it is cut short or claims more than it holds")

// mostNested is how deep structures may nest; those of a footer do so to 7 levels.
const mostNested = 32

// The types of the compact protocol.
const (
	thriftStop   = 0
	thriftTrue   = 1
	thriftFalse  = 2
	thriftByte   = 3
	thriftInt64  = 6 // and two shorter ones
	thriftDouble = 7
	thriftBinary = 8
	thriftList   = 9
	thriftSet    = 10
	thriftMap    = 11
	thriftStruct = 12
)

func (s *thriftScanner) structure(depth int) error {
	for {
		head, err := s.take(1)
		if err != nil || head[0] == thriftStop {
			return err
		}
		if head[0]>>4 == 0 { // the number of the field does not follow from the last
			if _, err := s.varint(); err != nil {
				return err
			}
		}
		kind := head[0] & 0xf
		if kind == thriftTrue || kind == thriftFalse {
			continue // the type is the value
		}
		if err := s.value(kind, depth+1); err != nil {
			return err
		}
	}
}

func (s *thriftScanner) value(kind byte, depth int) error {
	if depth > mostNested {
		return fmt.Errorf("it nests more than %d deep", mostNested)
	}
	switch {
	case kind == thriftTrue, kind == thriftFalse, kind == thriftByte:
		_, err := s.take(1)
		return err
	case kind > thriftByte && kind <= thriftInt64:
		_, err := s.varint()
		return err
	case kind == thriftDouble:
		_, err := s.take(8)
		return err
	case kind == thriftBinary:
		n, err := s.varint()
		if err == nil {
			_, err = s.take(n)
		}
		return err
	case kind == thriftList, kind == thriftSet:
		return s.list(depth)
	case kind == thriftStruct:
		return s.structure(depth)
	}
	return fmt.Errorf("it holds a value of type %d, which footers do not have", kind)
}

func (s *thriftScanner) list(depth int) error {
	head, err := s.take(1)
	if err != nil {
		return err
	}
	n := uint64(head[0] >> 4)
	if n == 0xf {
		if n, err = s.varint(); err != nil {
			return err
		}
	}
	if n > uint64(len(s.data)) {
		return errThrift
	}
	for range n {
		if err := s.value(head[0]&0xf, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func (s *thriftScanner) varint() (uint64, error) {
	v, n := binary.Uvarint(s.data)
	if n <= 0 {
		return 0, errThrift
	}
	s.data = s.data[n:]
	return v, nil
}

func (s *thriftScanner) take(n uint64) ([]byte, error) {
	if n > uint64(len(s.data)) {
		return nil, errThrift
	}
	part := s.data[:n]
	s.data = s.data[n:]
	return part, nil
}
