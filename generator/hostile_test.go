package generator

import (
	"bytes"
	"encoding/binary"
	"reflect"
	"runtime"
	"testing"

	"assay/record"
)

// A generator that has its credentials and says what it likes, whenever it likes, neither
// stops the leader nor fills its memory.
func TestReportsAtAnyTime(t *testing.T) {
	t.Parallel()
	l := listening(t, 1)
	m := joined(t, credentialsOf(t, l, 0))
	if err := l.Gather(t.Context()); err != nil {
		t.Fatal(err)
	}
	say := func(r Report) {
		t.Helper()
		if err := m.Report(r); err != nil {
			t.Fatal(err)
		}
	}
	say(Report{Stage: Entered, Phase: record.Measure, At: 1}) // before the first point
	for i := range 100 {
		say(Report{Stage: Entered, Phase: record.Phase(string(rune('a' + i)))})
		if err := m.line.send(framePong, stamps(0, 1, 2)); err != nil { // nobody asked
			t.Fatal(err)
		}
	}
	say(Report{Stage: Prepared, Idle: true})
	if err := l.await(t.Context(), "wait", func(p *peer) bool { return p.stage == Prepared }); err != nil {
		t.Fatal(err)
	}
	if pings := l.Pings(); len(pings) > 0 {
		t.Errorf("%d exchanges of stamps that nobody asked for were kept", len(pings))
	}
	say(Report{Stage: Calibrated})
	if err := l.await(t.Context(), "wait", func(*peer) bool { return false }); err == nil {
		t.Error("a calibration without a result was taken")
	}
}

// Phases are kept in a point and by their names alone.
func TestPhasesOfPoint(t *testing.T) {
	p := &peer{entered: map[record.Phase]int64{}}
	p.report(Report{Stage: Entered, Phase: record.Measure, At: 5}, 1)
	p.report(Report{Stage: Entered, Phase: "made up", At: 5}, 1)
	if len(p.entered) != 1 || p.entered[record.Measure] != 5 {
		t.Errorf("entered %v, want measure alone", p.entered)
	}
}

// A leader may end its generators while the last of them is still joining.
func TestEndWhileJoining(t *testing.T) {
	t.Parallel()
	l := listening(t, 1)
	c := credentialsOf(t, l, 0)
	came := make(chan struct{})
	go func() {
		defer close(came)
		if m, err := Join(t.Context(), c, Hello{Program: "1", Host: "h"}); err == nil {
			defer m.Close()
			<-m.Orders()
		}
	}()
	for range 200 {
		l.End()
	}
	l.Close()
	<-came
}

// Rows take memory in proportion to the bytes that were received, whatever those bytes
// promise.
func TestHostileRows(t *testing.T) {
	promise := func(n uint64, rest ...byte) []byte { return append(binary.AppendUvarint(nil, n), rest...) }
	zeros := make([]byte, 1<<20)
	tests := []struct {
		name string
		data []byte
	}{
		{"more rows than could ever come", promise(1<<62, zeros...)},
		{"as many rows as bytes", promise(1<<20, zeros...)},
		{"rows of nothing, as many as fit", promise(1<<20/uint64(len(columnsOf(reflect.TypeFor[record.Request]()))), zeros...)},
		{"a word longer than all of it", promise(1, bytes.Repeat([]byte{0, 0xff, 0xff, 0xff, 0xff, 0x7f}, 1<<17)...)},
		{"every pointer set", promise(1<<20/uint64(2*len(columnsOf(reflect.TypeFor[record.Request]()))), bytes.Repeat([]byte{1, 0}, 1<<19)...)},
		{"four tables of chunks", append(promise(0), promise(1<<20/uint64(len(columnsOf(reflect.TypeFor[record.Chunk]()))), zeros...)...)},
	}
	for _, tt := range tests {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, _ = decodeRows(tt.data)
		runtime.ReadMemStats(&after)
		// A null takes a byte on the way and eight in memory, and a word of no length two and
		// sixteen, twice that while its list grows.
		const most = 40
		if took := after.TotalAlloc - before.TotalAlloc; took > most*uint64(len(tt.data)) {
			t.Errorf("%s: %d bytes took %d of memory, want no more than %d for each", tt.name, len(tt.data), took, most)
		}
	}
}
