package metric

import (
	"cmp"
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"assay/bundle"
	"assay/record"
)

// errScattered says that a request had more chunks than it reported: some came after
// it had been passed on.
var errScattered = errors.New("chunks of a request that was complete")

// each passes every request of the launch, once and with its events, to what start
// returns: those with chunks in no order while the table is read, then those
// without. Several workers see at once, and each has a number. What they leave in
// t.Events must be their own: the events are written over.
//
// A request is passed on as soon as the number of chunks that it tells of is
// together. As long as they stand together in the table, as one goroutine writes
// them, that takes no more memory than one request for each worker. Where they do
// not, those of the request are kept until the last has come; and where a request
// tells a wrong number, all is read again, from start on, and kept to the end.
func (r *launchReader) each(start func() (see func(worker int, t *Timeline))) error {
	err := r.join(start(), false)
	if errors.Is(err, errScattered) {
		for _, t := range r.requests {
			t.Events, t.kept, t.judged, t.missed = nil, output{}, false, 0
		}
		err = r.join(start(), true)
	}
	return err
}

// A streamJoiner brings pieces of streams together.
type streamJoiner struct {
	see    func(worker int, t *Timeline)
	toEnd  bool // keep everything to the end
	passed []atomic.Bool

	mu     sync.Mutex
	pieces map[*Timeline][]bundle.Piece
}

func (r *launchReader) join(see func(worker int, t *Timeline), toEnd bool) error {
	j := &streamJoiner{see: see, toEnd: toEnd, passed: make([]atomic.Bool, len(r.requests)), pieces: map[*Timeline][]bundle.Piece{}}
	err := r.from.Pieces(r.launch.Index, r.workers, func(worker int, p bundle.Piece) error {
		t := r.byID[p.Rows[0].Request]
		if t == nil {
			return nil // its request was not recorded: the run died before it ended
		}
		if len(p.Rows) == int(t.Chunks) && !j.toEnd {
			return j.pass(worker, t, p.Rows)
		}
		return j.keep(worker, t, p)
	})
	if err != nil {
		return err
	}
	return j.rest(r.requests, r.workers)
}

// pass shows a request with all of its events.
func (j *streamJoiner) pass(worker int, t *Timeline, events []record.Chunk) error {
	if !j.passed[t.order].CompareAndSwap(false, true) {
		return errScattered
	}
	t.Events = events
	j.see(worker, t)
	return nil
}

// keep holds a piece until the others have come.
func (j *streamJoiner) keep(worker int, t *Timeline, p bundle.Piece) error {
	if j.passed[t.order].Load() {
		return errScattered
	}
	p.Rows = slices.Clone(p.Rows)
	j.mu.Lock()
	all := append(j.pieces[t], p)
	have := 0
	for _, one := range all {
		have += len(one.Rows)
	}
	whole := have == int(t.Chunks) && !j.toEnd
	if whole {
		delete(j.pieces, t)
	} else {
		j.pieces[t] = all
	}
	j.mu.Unlock()
	if whole {
		return j.pass(worker, t, events(all))
	}
	return nil
}

// events joins pieces in the order of the table.
func events(pieces []bundle.Piece) []record.Chunk {
	slices.SortFunc(pieces, func(a, b bundle.Piece) int { return cmp.Compare(a.Place, b.Place) })
	var all []record.Chunk
	for _, p := range pieces {
		all = append(all, p.Rows...)
	}
	return all
}

// restAtOnce is how many requests a worker takes at a time.
const restAtOnce = 4096

// rest passes on what is left when the table is read: requests without chunks, and
// those that reported a wrong number of them.
func (j *streamJoiner) rest(requests []*Timeline, workers int) error {
	for t := range j.pieces {
		if j.passed[t.order].Load() {
			return errScattered
		}
	}
	var next atomic.Int64
	var work sync.WaitGroup
	for worker := range max(1, workers) {
		work.Go(func() { // ends with the requests
			for {
				from := int(next.Add(restAtOnce)) - restAtOnce
				if from >= len(requests) {
					return
				}
				for _, t := range requests[from:min(from+restAtOnce, len(requests))] {
					if !j.passed[t.order].Load() {
						t.Events = events(j.pieces[t])
						j.see(worker, t)
					}
				}
			}
		})
	}
	work.Wait()
	return nil
}
