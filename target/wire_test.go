package target

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// The body that a framer finds must not depend on where the reads end.
func FuzzFramer(f *testing.F) {
	f.Add("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"+chunkedBody("abc", whole), uint64(1))
	f.Add("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcdef", uint64(2))
	f.Add("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.0 200 OK\r\n\r\n"+whole, uint64(3))
	f.Add("HTTP/1.1 204 No Content\r\n\r\n", uint64(4))
	f.Add("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x\r\nabc\r\n0\r\nT: 1\r\n\r\n", uint64(5))
	f.Fuzz(func(t *testing.T, text string, seed uint64) {
		once, onceErr, onceDone := frame([]string{text})
		rng := rand.New(rand.NewPCG(seed, 0))
		var pieces []string
		for rest := text; rest != ""; {
			n := 1 + rng.IntN(min(len(rest), 30))
			pieces, rest = append(pieces, rest[:n]), rest[n:]
		}
		many, manyErr, manyDone := frame(pieces)
		if once != many || (onceErr == nil) != (manyErr == nil) || onceDone != manyDone {
			t.Errorf("%q\nin one read: %q, %v, done %v\nin %d: %q, %v, done %v", text, once, onceErr, onceDone, len(pieces), many, manyErr, manyDone)
		}
	})
}

// frame feeds the pieces to a framer and returns the body that comes out of its
// packed form, and whether it holds the [DONE] line.
func frame(pieces []string) (body string, err error, done bool) {
	var f framer
	var p deltaBody
	for i, piece := range pieces {
		b, feedErr := f.feed([]byte(piece))
		if len(b) > 0 {
			p.add(b, int64(i), nil)
			done = f.done.saw(b) || done
		}
		if err = feedErr; err != nil {
			break
		}
	}
	var r stampedBody
	p.unpack(&r)
	if err == nil {
		err = f.eof()
	}
	return string(r.body), err, done || err != nil && sawDone(r.body, 0)
}

func TestDoneScanner(t *testing.T) {
	f := func(body string, want bool) {
		t.Helper()
		for size := 1; size <= len(body); size++ {
			var d doneScanner
			got := false
			for rest := body; rest != ""; {
				n := min(size, len(rest))
				got = d.saw([]byte(rest[:n])) || got
				rest = rest[n:]
			}
			if got != want {
				t.Errorf("%q in pieces of %d: done %v, want %v", body, size, got, want)
			}
		}
	}
	f("data: [DONE]\n\n", true)
	f("data:[DONE]", true)
	f(helloEvent+doneEvent, true)
	f(helloEvent+"data:[DONE]\n\n", true)
	f("\rdata: [DONE]", true)
	f(`data: {"content":"data: [DONE]"}`+"\n\n", false)
	f(`data: {"content":"[DONE]"}`+"\n\n"+doneEvent, true)
	f("xdata: [DONE]\n\n", false)
	f("metadata:[DONE] and more text behind it", false)
	f("[DONE]", false)
	f(helloEvent, false)
}

// What is packed comes back as it was, read by read.
func TestPacked(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for range 200 {
		var p deltaBody
		var want stampedBody
		at := int64(0)
		for range rng.IntN(40) {
			read := fmt.Sprintf("data: {\"id\":%d,\"content\":%q}\n\n", rng.IntN(3), strings.Repeat("w", rng.IntN(12)))
			if rng.IntN(10) == 0 {
				read = strings.Repeat(read, rng.IntN(300)+1)
			}
			at += rng.Int64N(1e9)
			p.add([]byte(read), at, nil)
			for _, piece := range strings.SplitAfter(read, "\n\n") {
				if piece != "" || read == "" {
					want.body = append(want.body, piece...)
					want.marks = append(want.marks, mark{end: len(want.body), at: at})
				}
			}
		}
		var got stampedBody
		p.unpack(&got)
		if !bytes.Equal(got.body, want.body) || fmt.Sprint(got.marks) != fmt.Sprint(want.marks) {
			t.Fatalf("packed %q %v, got %q %v", want.body, want.marks, got.body, got.marks)
		}
	}
}

// Many events in one read take hardly more room than one by one.
func TestPackedTogether(t *testing.T) {
	var one, all deltaBody
	for range 50 {
		one.add([]byte(helloEvent), 1, nil)
	}
	all.add([]byte(strings.Repeat(helloEvent, 50)), 1, nil)
	if len(all.data) > 2*len(one.data) {
		t.Errorf("%d bytes for 50 events in one read, %d one by one", len(all.data), len(one.data))
	}
}

// The measured path must not allocate per event.
func TestTakeDoesNotAllocate(t *testing.T) {
	x := &exchange{}
	x.reset(context.Background(), &Raw{}, nil)
	x.lines, x.limit = true, 1<<40
	head := []byte("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
	if err := x.take(head, 2, true); err != nil {
		t.Fatal(err)
	}
	at := int64(3)
	event := []byte(fmt.Sprintf("%x\r\n%s\r\n", len(helloEvent), helloEvent))
	scratch := make([]byte, len(event))
	take := func() {
		copy(scratch, event) // feed moves bytes inside it
		at += 1e7
		if err := x.take(scratch, at, true); err != nil {
			t.Fatal(err)
		}
	}
	for range 2000 {
		take() // grow the buffers
	}
	x.packed.reset()
	if n := testing.AllocsPerRun(1000, take); n != 0 {
		t.Errorf("%v allocations per event, want none", n)
	}
}

func BenchmarkTake(b *testing.B) {
	x := &exchange{}
	x.reset(context.Background(), &Raw{}, nil)
	x.lines, x.limit = true, 1<<40
	_ = x.take([]byte("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"), 2, true)
	text := `data: {"id":"chatcmpl-0123456789abcdef","object":"chat.completion.chunk","created":1700000000,"model":"sim","choices":[{"index":0,"delta":{"content":" word"},"logprobs":null,"finish_reason":null}]}` + "\n\n"
	event := []byte(fmt.Sprintf("%x\r\n%s\r\n", len(text), text))
	scratch := make([]byte, len(event))
	for i := range b.N {
		if i%1000 == 0 {
			x.packed.reset()
		}
		copy(scratch, event)
		if x.take(scratch, int64(i)*1e7, true) != nil {
			b.Fatal("bad event")
		}
	}
}
