package hostile

import (
	"encoding/binary"
	"io"
	"strings"

	"golang.org/x/net/http2"

	"assay/record"
)

// until writes until nobody listens any more.
func (f *frames) until(write func() error) {
	for sent := 0; sent < enough && write() == nil; sent += 1 << 10 {
	}
}

// whole is a good answer over HTTP/2.
func (f *frames) whole() {
	f.begin()
	_ = f.WriteData(f.stream, true, []byte(hello+finish+done))
}

// http2Answers break the rules of HTTP/2, or keep them in bad faith.
func http2Answers() []*answer {
	raw := func(name string, kind http2.FrameType, flags http2.Flags, payload string, onStream bool) *answer {
		return &answer{name: "frames: " + name, want: record.Protocol, frames: func(f *frames) {
			stream := uint32(0)
			if onStream {
				stream = f.stream
			}
			_ = f.WriteRawFrame(kind, flags, stream, []byte(payload))
			f.whole()
		}}
	}
	head := func(name string, want record.Outcome, pairs ...string) *answer {
		return &answer{name: "frames: " + name, want: want, frames: func(f *frames) {
			_ = f.headers(false, pairs...)
			_ = f.WriteData(f.stream, true, []byte(hello+finish+done))
		}}
	}
	number := func(n uint32) string { return string(binary.BigEndian.AppendUint32(nil, n)) }
	return []*answer{
		head("status below zero", record.Protocol, ":status", "-20"),
		head("status in words", record.Protocol, ":status", "fine"),
		head("no status", record.Protocol, "content-type", "text/event-stream"),
		head("capitals in a name", record.Protocol, ":status", "200", "X-Big", "a"),
		head("line end in a value", record.Protocol, ":status", "200", "x", "a\r\nb: c"),
		head("name of nothing", record.Protocol, ":status", "200", "", "a"),
		head("pseudo header at the end", record.Protocol, "content-type", "text/event-stream", ":status", "200"),
		head("value of a megabyte", record.Protocol, ":status", "200", "x", strings.Repeat("a", 1<<20)),
		raw("data before the head", http2.FrameData, 0, hello, true),
		raw("data on stream 0", http2.FrameData, 0, hello, false),
		raw("padding longer than the frame", http2.FrameData, http2.FlagDataPadded, "\xff", true),
		raw("head that cannot be unpacked", http2.FrameHeaders, http2.FlagHeadersEndHeaders, "\xff\xff\xff\xff\xff\xff", true),
		raw("continuation of nothing", http2.FrameContinuation, 0, "a", true),
		raw("promise of another answer", http2.FramePushPromise, http2.FlagPushPromiseEndHeaders, number(2), true),
		raw("window beyond its end", http2.FrameWindowUpdate, 0, number(1<<31-1), false),
		raw("window of nothing", http2.FrameWindowUpdate, 0, number(0), false),
		raw("settings of seven bytes", http2.FrameSettings, 0, "1234567", false),
		raw("settings with a frame size of one", http2.FrameSettings, 0, "\x00\x05"+number(1), false),
		raw("ping of three bytes", http2.FramePing, 0, "abc", false),
		raw("reset on stream 0", http2.FrameRSTStream, 0, number(2), false),
		raw("frame of a megabyte", http2.FrameData, 0, strings.Repeat("a", 1<<20), true),
		{name: "frames: head without an end", want: record.Protocol, frames: func(f *frames) {
			_ = f.WriteHeaders(http2.HeadersFrameParam{StreamID: f.stream, BlockFragment: f.block(":status", "200")})
			more := f.block("x", strings.Repeat("a", 8<<10))
			f.until(func() error { return f.WriteContinuation(f.stream, false, more) })
		}},
		{name: "frames: empty continuations without an end", want: record.IdleTime, change: impatient, frames: func(f *frames) {
			_ = f.WriteHeaders(http2.HeadersFrameParam{StreamID: f.stream, BlockFragment: f.block(":status", "200")})
			f.until(func() error { return f.WriteContinuation(f.stream, false, nil) })
		}},
		{name: "frames: a head that unpacks to a thousand times its size", want: record.TooLarge, frames: func(f *frames) {
			// The first one enters the table of both sides; the others are a byte each.
			_ = f.headers(true, append([]string{":status", "200"}, repeated(5000, "x", strings.Repeat("a", 3000))...)...)
		}},
		{name: "frames: interim answers without an end", want: record.TooLarge, frames: func(f *frames) {
			f.until(func() error { return f.headers(false, ":status", "103", "link", "</a>") })
		}},
		{name: "frames: pings without an end", want: record.IdleTime, change: impatient, frames: func(f *frames) {
			f.begin()
			f.until(func() error { return f.WritePing(false, [8]byte{}) })
		}},
		{name: "frames: settings without an end", want: record.IdleTime, change: impatient, frames: func(f *frames) {
			f.begin()
			f.until(func() error { return f.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 1 << 16}) })
		}},
		{name: "frames: empty data without an end", want: record.IdleTime, change: impatient, frames: func(f *frames) {
			f.begin()
			f.until(func() error { return f.WriteData(f.stream, false, nil) })
		}},
		{name: "frames: unknown ones, then the answer", want: record.OK, frames: func(f *frames) {
			for range 20 {
				_ = f.WriteRawFrame(0xee, 0xff, f.stream, []byte("anything"))
			}
			f.whole()
		}},
		{name: "frames: data without an end, whatever the window", want: record.TooLarge, frames: func(f *frames) {
			f.begin()
			f.until(func() error { return f.WriteData(f.stream, false, make([]byte, 16<<10)) })
		}},
		{name: "frames: reset with internal error", want: record.Reset, frames: func(f *frames) {
			f.begin()
			_ = f.WriteData(f.stream, false, []byte(hello))
			_ = f.WriteRSTStream(f.stream, http2.ErrCodeInternal)
		}},
		{name: "frames: refused", want: record.Reset, frames: func(f *frames) { _ = f.WriteRSTStream(f.stream, http2.ErrCodeRefusedStream) }},
		{name: "frames: reset before the head", want: record.Reset, frames: func(f *frames) { _ = f.WriteRSTStream(f.stream, http2.ErrCodeCancel) }},
		{name: "frames: told to go away, connection closed", want: record.Reset, frames: func(f *frames) {
			f.begin()
			_ = f.WriteGoAway(0, http2.ErrCodeEnhanceYourCalm, []byte("calm"))
			f.conn.Close()
		}},
		{name: "frames: connection closed", want: record.Reset, frames: func(f *frames) { f.conn.Close() }},
		{name: "frames: HTTP/1.1 in place of frames", want: record.Protocol, frames: func(f *frames) {
			_, _ = io.WriteString(f.conn, "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
		}},
		{name: "frames: silence", want: record.IdleTime, change: impatient, frames: func(f *frames) { <-f.gone }},
		{name: "frames: silence in the body", want: record.IdleTime, change: impatient, frames: func(f *frames) {
			f.begin()
			_ = f.WriteData(f.stream, false, []byte(hello))
			<-f.gone
		}},
		{name: "frames: trailers that unpack to a megabyte", want: record.OK, frames: func(f *frames) {
			f.begin()
			_ = f.WriteData(f.stream, false, []byte(hello+finish))
			_ = f.headers(true, repeated(400, "x", strings.Repeat("a", 3000))...)
		}},
		{name: "frames: no end of stream", want: record.Reset, frames: func(f *frames) {
			f.begin()
			_ = f.WriteData(f.stream, false, []byte(hello))
			f.conn.Close()
		}},
	}
}

func repeated(n int, pair ...string) []string {
	var list []string
	for range n {
		list = append(list, pair...)
	}
	return list
}
