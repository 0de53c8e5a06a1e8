package bundle

import (
	"fmt"

	"assay/record"
)

// A Piece is neighbouring rows of the table chunks that belong to one request.
// The chunks of a request are mostly one piece; they are more where a row group
// ends between them, or where two programs wrote at once.
type Piece struct {
	Place int64          // of its first row in the table of the launch
	Rows  []record.Chunk // good until the visit is over
}

// Pieces passes the whole table chunks of a launch to visit, piece by piece. Row
// groups are read by so many workers at once, in no order: a visitor puts what it
// keeps in order by Place. Visit is called with the number of the worker, from 0,
// by one goroutine for each number. The first error ends the reading.
//
// Rows would be as right and takes eight times as long: it builds every row from
// boxed values, where here whole pages of one column are copied.
func (b *Bundle) Pieces(launch, workers int, visit func(worker int, p Piece) error) error {
	groups, err := b.rowGroups(launch, Chunks)
	if err != nil {
		return err
	}
	return eachGroup(groups, workers, func(worker int) (func(rowGroup) error, func()) {
		r := &pieceReader{visit: func(p Piece) error { return visit(worker, p) }}
		return r.read, r.close
	})
}

// A pieceReader cuts row groups into pieces.
type pieceReader struct {
	groupFile
	visit func(Piece) error
	rows  []record.Chunk
}

// piecesAtOnce is how many rows are decoded before they are passed on: few enough
// to stay in a core's cache.
const piecesAtOnce = 4096

func (r *pieceReader) read(g rowGroup) error {
	group, err := r.open(g)
	if err != nil {
		return err
	}
	source, err := openGroup(r.in, group)
	if err != nil {
		return fmt.Errorf("read %s: %w", g.path, err)
	}
	defer source.close()
	if r.rows == nil {
		r.rows = make([]record.Chunk, piecesAtOnce)
	}
	place, held := g.first, 0 // rows[:held] is the beginning of a piece
	for left := g.rows; left > 0; {
		if held > len(r.rows)/2 { // a request of very many chunks
			r.rows = append(r.rows, make([]record.Chunk, len(r.rows))...)
		}
		n := int(min(left, int64(len(r.rows)-held)))
		if err := fillRows(source, r.rows[held:held+n]); err != nil {
			return fmt.Errorf("read %s: row group %d: %w", g.path, g.index, err)
		}
		left -= int64(n)
		passed, err := r.pass(r.rows[:held+n], place, left == 0)
		if err != nil {
			return err
		}
		place += int64(passed)
		held = copy(r.rows, r.rows[passed:held+n])
	}
	return nil
}

// pass visits the pieces of rows and says how many rows that were. The last piece
// may go on in the next rows, unless these are the last.
func (r *pieceReader) pass(rows []record.Chunk, place int64, last bool) (passed int, err error) {
	from := 0
	for i := 1; i <= len(rows); i++ {
		if i < len(rows) && rows[i].Request == rows[from].Request || i == len(rows) && !last {
			continue
		}
		if err := r.visit(Piece{place + int64(from), rows[from:i]}); err != nil {
			return from, err
		}
		from = i
	}
	return from, nil
}
