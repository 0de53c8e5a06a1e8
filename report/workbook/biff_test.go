package workbook

import (
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"testing"

	"github.com/richardlehane/mscfb"
)

// A biffCell is a place in an old Excel file, from 0.
type biffCell struct{ sheet, row, column int }

// A biffBook is the numbers of an old Excel file.
type biffBook struct {
	cells    map[biffCell]float64
	formulas int
}

// The records of the format that hold numbers ([MS-XLS] 2.4).
const (
	biffFormula = 0x0006
	biffMulRK   = 0x00BD
	biffNumber  = 0x0203
	biffRK      = 0x027E
	biffBOF     = 0x0809
)

// readBIFF reads the numbers of a workbook of Excel 97. One record with a beginning
// opens the workbook and one each of its sheets, in order; a chart begins inside its
// sheet, so depth is counted.
func readBIFF(t *testing.T, data []byte) biffBook {
	t.Helper()
	book := biffBook{cells: map[biffCell]float64{}}
	stream := workbookStream(t, data)
	sheet, depth := -1, 0
	put := func(row, column int, v float64) {
		if depth == 1 && sheet >= 0 {
			book.cells[biffCell{sheet, row, column}] = v
		}
	}
	u16 := binary.LittleEndian.Uint16
	u32 := binary.LittleEndian.Uint32
	for len(stream) >= 4 {
		kind, size := u16(stream), int(u16(stream[2:]))
		body := stream[4 : 4+size]
		stream = stream[4+size:]
		switch kind {
		case biffBOF:
			if u16(body[2:]) == 0x0010 { // a sheet, not the workbook nor a chart
				sheet++
			}
			depth++
		case 0x000A: // the end of what began last
			depth--
		case biffFormula:
			book.formulas++
		case biffNumber:
			put(int(u16(body)), int(u16(body[2:])), math.Float64frombits(binary.LittleEndian.Uint64(body[6:])))
		case biffRK:
			put(int(u16(body)), int(u16(body[2:])), rkNumber(u32(body[6:])))
		case biffMulRK:
			for i, first := 0, int(u16(body[2:])); 4+6*i+6 <= size-2; i++ {
				put(int(u16(body)), first+i, rkNumber(u32(body[4+6*i+2:])))
			}
		}
	}
	return book
}

// rkNumber is a number in four bytes: the upper half of one, or a whole one, and
// whether it is a hundred times too large.
func rkNumber(rk uint32) float64 {
	var v float64
	if rk&2 != 0 {
		v = float64(int32(rk) >> 2)
	} else {
		v = math.Float64frombits(uint64(rk&^3) << 32)
	}
	if rk&1 != 0 {
		v /= 100
	}
	return v
}

// workbookStream is the part of the compound file that holds the cells.
func workbookStream(t *testing.T, data []byte) []byte {
	t.Helper()
	doc, err := mscfb.New(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	for entry, err := doc.Next(); err == nil; entry, err = doc.Next() {
		if entry.Name == "Workbook" {
			stream, err := io.ReadAll(doc)
			if err != nil {
				t.Fatal(err)
			}
			return stream
		}
	}
	t.Fatal("the file has no workbook")
	return nil
}
