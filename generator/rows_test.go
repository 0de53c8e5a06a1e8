package generator

import (
	"math/rand/v2"
	"reflect"
	"testing"
	"testing/quick"

	"assay/record"
)

// Whatever rows hold arrives as it was sent, nulls apart from zeros.
func TestRowsRoundTrip(t *testing.T) {
	f := func(r Rows) bool {
		got, err := decodeRows(r.encode())
		return err == nil && reflect.DeepEqual(normal(got), normal(r))
	}
	if err := quick.Check(f, &quick.Config{MaxCount: 200}); err != nil {
		t.Error(err)
	}
	zero := int32(0)
	r := Rows{Requests: []record.Request{{UsageOutput: &zero}, {}}}
	got, err := decodeRows(r.encode())
	if err != nil || got.Requests[0].UsageOutput == nil || got.Requests[1].UsageOutput != nil {
		t.Errorf("a zero and a null came back as %+v (%v)", got.Requests, err)
	}
}

// normal makes empty tables nil.
func normal(r Rows) Rows {
	if len(r.Requests) == 0 {
		r.Requests = nil
	}
	if len(r.Chunks) == 0 {
		r.Chunks = nil
	}
	if len(r.Sessions) == 0 {
		r.Sessions = nil
	}
	if len(r.Events) == 0 {
		r.Events = nil
	}
	return r
}

// Rows that were cut or altered are refused or read as other rows, with memory in
// proportion to their bytes; they never crash the leader.
func TestDamagedRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	whole := stream(100).encode()
	for range 2000 {
		data := append([]byte{}, whole[:rng.IntN(len(whole))]...)
		for range rng.IntN(4) {
			if len(data) > 0 {
				data[rng.IntN(len(data))] = byte(rng.IntN(256))
			}
		}
		if _, err := decodeRows(data); err == nil && len(data) < len(whole)/2 {
			t.Fatalf("%d of %d bytes were read as rows", len(data), len(whole))
		}
	}
}

// stream is one request with so many chunks.
func stream(tokens int) *Rows {
	r := &Rows{Requests: []record.Request{{ID: 7, Phase: record.Measure, Due: 1e9, Sent: 1e9 + 3000, Done: 3e9, Result: record.OK, Status: 200, Chunks: int32(tokens)}}}
	for i := range tokens {
		r.Chunks = append(r.Chunks, record.Chunk{Request: 7, Seq: int32(i), At: 1e9 + int64(i)*10_012_345, Kind: record.Content, Bytes: 180, TextBytes: 4})
	}
	return r
}

// The bytes and the time that a chunk costs on its way to the leader, which docs/design
// extrapolates from.
func BenchmarkRows(b *testing.B) {
	rows := &Rows{}
	for range 20 {
		one := stream(100)
		rows.Requests, rows.Chunks = append(rows.Requests, one.Requests...), append(rows.Chunks, one.Chunks...)
	}
	data := rows.encode()
	each := float64(len(rows.Chunks))
	b.Run("encode", func(b *testing.B) {
		for b.Loop() {
			rows.encode()
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/each, "ns/chunk")
		b.ReportMetric(float64(len(data))/each, "bytes/chunk")
	})
	b.Run("decode", func(b *testing.B) {
		for b.Loop() {
			if _, err := decodeRows(data); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/each, "ns/chunk")
	})
}
