package warehouse

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"math"
	"sync"

	"assay/accuracy/parity"
	"assay/analysis/diff"
)

// mostRemembered is how much a memo holds at most, and half of it how much at least once it
// has been full: changes, or differences between runs, and one for each key. Some MB.
const mostRemembered = 20_000

// A memo remembers answers that follow from their keys alone, so that it can be forgotten and
// never be out of date. The zero value is empty.
type memo[V any] struct {
	mu         sync.Mutex
	young, old map[memoKey]remembered[V]
	weight     int // of young
}

type memoKey = [sha256.Size]byte

type remembered[V any] struct {
	answer V
	weight int
}

func (m *memo[V]) recall(key memoKey) (V, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, known := m.young[key]
	if !known {
		if r, known = m.old[key]; known {
			m.add(key, r)
		}
	}
	return r.answer, known
}

// keep remembers an answer that holds so many things. Nobody may write to it any more.
func (m *memo[V]) keep(key memoKey, answer V, things int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.add(key, remembered[V]{answer, 1 + things})
}

// add forgets what nobody asked for since the last time that it was full.
func (m *memo[V]) add(key memoKey, r remembered[V]) {
	if m.young == nil || m.weight+r.weight > mostRemembered/2 {
		m.old, m.young, m.weight = m.young, map[memoKey]remembered[V]{}, 0
	}
	m.young[key] = r
	m.weight += r.weight
}

// changes are those of values. What only hindsight shows takes long, and is found now or was
// found before, by this process or another. All of the values are the key, and whatever else the search follows from: what was kept, retracted or
// accepted since is read from the catalogue anew.
func (w *Warehouse) changes(ctx context.Context, d Detection, xs []float64) ([]Change, error) {
	key := d.of(xs)
	list, known := w.found.recall(key)
	if !known {
		if list, known = w.foundBefore(ctx, key, len(xs)); known {
			w.found.keep(key, list, len(list))
		}
	}
	if !known {
		var err error
		if list, err = w.search(d.until(ctx), key, xs); err != nil {
			return nil, err
		}
	}
	return withHindsight(d.Steps(xs), list), nil
}

// search finds changes that nobody has found. Many may come for the same at once: those who
// had to wait look once more whether it was found meanwhile.
func (w *Warehouse) search(d Detection, key memoKey, xs []float64) ([]Change, error) {
	if err := d.Between(); err != nil {
		return nil, err
	}
	list, known := w.found.recall(key)
	if !known {
		var err error
		if list, err = d.hindsight(xs); err != nil {
			return nil, err
		}
		w.fresh.add(key, list)
		w.found.keep(key, list, len(list))
	}
	return list, nil
}

// until has the search end with ctx.
func (d Detection) until(ctx context.Context) Detection {
	between := d.withDefaults().Between
	d.Between = func() error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return between()
	}
	return d
}

// of names a search: what hindsight gives follows from these alone.
func (d Detection) of(xs []float64) memoKey {
	d = d.withDefaults()
	data := append([]byte(method), 0)
	data = binary.LittleEndian.AppendUint64(data, math.Float64bits(d.each()))
	data = binary.LittleEndian.AppendUint64(data, uint64(d.Seed))
	for _, x := range xs {
		data = binary.LittleEndian.AppendUint64(data, math.Float64bits(x))
	}
	return sha256.Sum256(data)
}

// An explanation is what differs between two runs, besides the result.
type explanation struct {
	differences []diff.Change
	paired      []parity.Row
}
