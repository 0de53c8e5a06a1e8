package bundle

import (
	"fmt"
	"io"
	"os"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// mostPages bounds what a reader holds at once: of every column of a row group the
// dictionary and the largest page, unpacked. Pages of thirty columns as assay writes
// them take some ten megabytes. A few bytes can stand for a page of any size, by
// packing, by repetition or through a dictionary.
const mostPages = 64 << 20

// openPages opens a table file whose rows are to be read.
func openPages(f *os.File) (*parquet.File, error) {
	file, err := openParquet(f)
	if err != nil {
		return nil, err
	}
	return file, checkPages(f, file.Size(), file)
}

// checkPages reads the headers of all pages and skips what is between them.
func checkPages(r io.ReaderAt, size int64, file *parquet.File) error {
	for i, group := range file.Metadata().RowGroups {
		held := int64(0)
		for _, chunk := range group.Columns {
			n, err := largestPage(r, size, &chunk.MetaData)
			if err != nil {
				return fmt.Errorf("row group %d, column %v: %w", i, chunk.MetaData.PathInSchema, err)
			}
			held += n
		}
		if held > mostPages {
			return fmt.Errorf("row group %d unpacks to %d bytes at once, want at most %d: its pages are too large", i, held, int64(mostPages))
		}
	}
	return nil
}

// largestPage is what a column of a row group takes in memory, page by page.
func largestPage(r io.ReaderAt, size int64, m *format.ColumnMetaData) (int64, error) {
	at := m.DataPageOffset
	if m.DictionaryPageOffset != 0 {
		at = min(at, m.DictionaryPageOffset)
	}
	end := at + m.TotalCompressedSize
	if at < 0 || end < at || end > size {
		return 0, fmt.Errorf("lies at bytes %d to %d of %d", at, end, size)
	}
	var dictionary, largest int64
	for at < end {
		page, length, err := pageHeader(r, at, end)
		if err != nil {
			return 0, fmt.Errorf("page at byte %d: %w", at, err)
		}
		taken := max(int64(page.UncompressedPageSize), valuesOf(&page)*width(m.Type))
		if page.Type == format.DictionaryPage {
			dictionary = max(dictionary, taken)
		} else {
			largest = max(largest, taken)
		}
		at += length + int64(page.CompressedPageSize)
	}
	return dictionary + largest, nil
}

// pageHeader reads the header at a byte of the file and says how long it is. Most
// have less than a hundred bytes; those with statistics of long texts have more.
func pageHeader(r io.ReaderAt, at, end int64) (page format.PageHeader, length int64, err error) {
	for _, most := range []int64{1 << 10, 1 << 20} {
		data := make([]byte, min(most, end-at))
		if _, err := r.ReadAt(data, at); err != nil {
			return page, 0, err
		}
		s := thriftScanner{data: data}
		if err = s.structure(0); err != nil {
			continue
		}
		data = data[:len(data)-len(s.data)]
		if err = thrift.Unmarshal(new(thrift.CompactProtocol), data, &page); err != nil {
			return page, 0, err
		}
		if page.CompressedPageSize < 0 || page.UncompressedPageSize < 0 {
			return page, 0, fmt.Errorf("it states %d bytes", min(page.CompressedPageSize, page.UncompressedPageSize))
		}
		return page, int64(len(data)), nil
	}
	return page, 0, fmt.Errorf("its header cannot be read: %w", err)
}

// valuesOf is how many values a page states.
func valuesOf(page *format.PageHeader) int64 {
	n := int32(0)
	switch {
	case page.DataPageHeader.Valid:
		n = page.DataPageHeader.V.NumValues
	case page.DataPageHeaderV2.Valid:
		n = page.DataPageHeaderV2.V.NumValues
	case page.DictionaryPageHeader.Valid:
		n = page.DictionaryPageHeader.V.NumValues
	}
	return max(0, int64(n))
}

// width is how many bytes a value takes at least when it is unpacked; that of texts
// is where they are.
func width(t format.Type) int64 {
	switch t {
	case format.Boolean:
		return 1
	case format.Int32, format.Float:
		return 4
	}
	return 8
}
