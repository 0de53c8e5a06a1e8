package hostile

import (
	"fmt"
	"io"
	"net"
	"strings"
	"time"

	"assay/record"
	"assay/target"
)

// bytesOf sends parts as they are.
func bytesOf(parts ...any) func(net.Conn, io.Writer) {
	return func(_ net.Conn, w io.Writer) { say(parts...)(w) }
}

// afterHead sends a head with a line of its own and then parts.
func afterHead(line string, parts ...any) func(net.Conn, io.Writer) {
	return bytesOf(append([]any{"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n" + line + "\r\n\r\n"}, parts...)...)
}

func chunk(text string) string { return fmt.Sprintf("%x\r\n%s\r\n", len(text), text) }

const (
	chunked = "Transfer-Encoding: chunked"
	closing = "Connection: close"
)

// reset ends a connection as if its host had died.
func reset(conn net.Conn) {
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	conn.Close()
}

// dribble sends text over and over, a byte at a time, until nobody listens.
func dribble(text string) func(io.Writer) {
	return func(w io.Writer) {
		for i := 0; i < 4000; i++ {
			if _, err := io.WriteString(w, text[i%len(text):i%len(text)+1]); err != nil {
				return
			}
			time.Sleep(5 * time.Millisecond)
		}
	}
}

// silence sends nothing until the client hangs up.
func silence(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) }

func impatient(c *target.Config) { c.Idle = 200 * time.Millisecond }
func brief(c *target.Config)     { c.Timeout = 300 * time.Millisecond }

// others is what net/http makes of an answer, where assay's own reader knows better or
// asks for more.
func others(want record.Outcome) map[string]record.Outcome {
	return map[string]record.Outcome{"nethttp": want}
}

// heads are wrong before the body begins.
func heads() []*answer {
	ok := "HTTP/1.1 200 OK\r\n"
	body := closing + "\r\n\r\n" + hello + finish + done
	f := func(name, head string) *answer {
		return &answer{name: "head: " + name, wire: bytesOf(head + body), want: record.Protocol}
	}
	return []*answer{
		f("control character in a value", ok+"X: a\x1bb\r\n"),
		f("zero byte in a value", ok+"X: a\x00b\r\n"),
		f("byte beyond ASCII in a name", ok+"X\xff: a\r\n"),
		f("line without a colon", ok+"GarbageLine\r\n"),
		f("name of nothing", ok+": a\r\n"),
		f("two lengths that differ", ok+"Content-Length: 9\r\nContent-Length: 10\r\n"),
		f("length below zero", ok+"Content-Length: -1\r\n"),
		f("length of twenty digits", ok+"Content-Length: 99999999999999999999\r\n"),
		f("length in words", ok+"Content-Length: many\r\n"),
		f("length with a sign", ok+"Content-Length: +5\r\n"),
		f("two transfer codings", ok+"Transfer-Encoding: gzip, chunked\r\n"),
		f("transfer coding twice", ok+"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"),
		f("transfer coding that nobody knows", ok+"Transfer-Encoding: rot13\r\n"),
		f("no status line", "hello there\r\n"),
		f("status of two digits", "HTTP/1.1 99 Low\r\n"),
		f("status in words", "HTTP/1.1 abc Odd\r\n"),
		f("status below zero", "HTTP/1.1 -20 Odd\r\n"),
		f("another protocol", "SSH-2.0-OpenSSH_9.6\r\n"),
		{name: "head: HTTP of tomorrow", wire: bytesOf("HTTP/9.9 200 OK\r\n" + body), want: record.Protocol, but: others(record.OK)},
		f("line that begins with a space", "HTTP/1.1 200 OK\r\n X: a\r\n"),
		{name: "head: endless lines", wire: bytesOf(ok, forever("X: a\r\n")), want: record.TooLarge},
		{name: "head: endless value", wire: bytesOf(ok+"X: ", forever("a")), want: record.TooLarge},
		{name: "head: endless name", wire: bytesOf(ok, forever("X")), want: record.TooLarge},
		{name: "head: endless status line", wire: bytesOf("HTTP/1.1 200 ", forever("OK")), want: record.TooLarge},
		{name: "head: endless folded line", wire: bytesOf(ok+"X: a\r\n", forever(" a\r\n")), want: record.TooLarge},
		{name: "head: endless 100 Continue", wire: bytesOf(forever("HTTP/1.1 100 Continue\r\n\r\n")), want: record.TooLarge},
		{name: "head: endless 103 Early Hints", wire: bytesOf(forever("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")), want: record.TooLarge},
		{name: "head: endless 199", wire: bytesOf(forever("HTTP/1.1 199 Odd\r\n\r\n")), want: record.TooLarge},
		{name: "head: five interim answers", wire: bytesOf(strings.Repeat("HTTP/1.1 103 Early Hints\r\n\r\n", 5), ok+body), want: record.OK},
		{name: "head: 101 and an endless body", wire: bytesOf("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n", forever("a")), want: record.TooLarge},
		{name: "head: bare line feeds", wire: bytesOf(strings.ReplaceAll(ok+body, "\r", "")), want: record.OK},
		{name: "head: nothing", wire: bytesOf(""), want: record.Reset},
		{name: "head: half a line", wire: bytesOf("HTTP/1.1 20"), want: record.Reset, but: others(record.Protocol)},
		{name: "head: half of it", wire: bytesOf(ok + "Content-Ty"), want: record.Reset, but: others(record.Protocol)},
		{name: "head: connection lost", wire: func(conn net.Conn, _ io.Writer) { reset(conn) }, want: record.Reset},
		{name: "head: silence", wire: func(conn net.Conn, _ io.Writer) { silence(conn) }, change: impatient, want: record.IdleTime},
		{name: "head: a byte now and then", wire: bytesOf(ok, dribble("X: a\r\n")), change: brief, want: record.Timeout},
	}
}

// framings are wrong in how the body is cut.
func framings() []*answer {
	good := hello + finish + done
	return []*answer{
		{name: "chunks: size below zero", wire: afterHead(chunked, "-5\r\n"+hello), want: record.Protocol},
		{name: "chunks: size of 17 digits", wire: afterHead(chunked, "fffffffffffffffff\r\n"+hello), want: record.Protocol},
		{name: "chunks: size of zeros without an end", wire: afterHead(chunked, forever("0")), want: record.Protocol},
		{name: "chunks: size in words", wire: afterHead(chunked, "many\r\n"+hello), want: record.Protocol},
		{name: "chunks: no size", wire: afterHead(chunked, "\r\n"+hello), want: record.Protocol},
		{name: "chunks: extension without an end", wire: afterHead(chunked, "5;", forever("a")), want: record.Protocol},
		{name: "chunks: long extensions without an end", wire: afterHead(chunked, forever("1;"+strings.Repeat("a", 3000)+"\r\n:\r\n")), want: record.Protocol},
		{name: "chunks: longer than they say", wire: afterHead(chunked, "3\r\n"+hello), want: record.Protocol},
		{name: "chunks: one of a gigabyte", wire: afterHead(chunked, "40000000\r\n", forever(":\n")), want: record.TooLarge},
		{name: "chunks: endless ones of a byte", wire: afterHead(chunked, forever("1\r\n:\r\n")), want: record.TooLarge},
		{name: "chunks: endless ones", wire: afterHead(chunked, forever(chunk(hello))), want: record.TooLarge},
		{name: "chunks: gzip bomb", wire: afterHead(chunked+"\r\nContent-Encoding: gzip", chunkedBomb()), want: record.TooLarge},
		{name: "chunks: end in the middle of one", wire: afterHead(chunked, "fff\r\n"+hello), want: record.Reset},
		{name: "chunks: no last one", wire: afterHead(chunked, chunk(hello)), want: record.Reset},
		{name: "chunks: trailers without an end", wire: afterHead(chunked, chunk(hello+finish), "0\r\n", forever("X: a\r\n")), want: record.TooLarge},
		{name: "chunks: trailer line without an end", wire: afterHead(chunked, chunk(hello+finish), "0\r\nX: ", forever("a")), want: record.TooLarge},
		{name: "chunks: trailers without an end after [DONE]", wire: afterHead(chunked, chunk(good), "0\r\n", forever("X: a\r\n")), want: record.OK},
		{name: "chunks: silence in one", wire: func(conn net.Conn, w io.Writer) {
			afterHead(chunked, "fff\r\n"+hello)(conn, w)
			silence(conn)
		}, change: impatient, want: record.IdleTime},
		{name: "chunks: silence before the trailer", wire: func(conn net.Conn, w io.Writer) {
			afterHead(chunked, chunk(hello), "0\r\n")(conn, w)
			silence(conn)
		}, change: impatient, want: record.IdleTime},
		{name: "chunks: a byte now and then", wire: afterHead(chunked, dribble("1\r\n:\r\n")), change: brief, want: record.Timeout},
		{name: "length: more than comes", wire: afterHead("Content-Length: 1000000000000000000", hello), want: record.Reset},
		{name: "length: a terabyte that does come", wire: afterHead("Content-Length: 1099511627776", forever(":\n")), want: record.TooLarge},
		{name: "length: less than comes", wire: afterHead(fmt.Sprintf("Content-Length: %d", len(good)), good, forever("x")), want: record.OK},
		{name: "length: nothing, and more comes", wire: afterHead("Content-Length: 0", good), want: record.Empty},
		{name: "length: a second answer behind the first", wire: afterHead(fmt.Sprintf("Content-Length: %d", len(good)), good, "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx"), want: record.OK},
		{name: "length and chunks", wire: afterHead("Content-Length: 3\r\n"+chunked, chunk(good), "0\r\n\r\n"), want: record.OK},
		{name: "body: lost", wire: func(conn net.Conn, w io.Writer) {
			afterHead("Content-Length: 1000", hello)(conn, w)
			reset(conn)
		}, want: record.Reset},
		{name: "body: silence", wire: func(conn net.Conn, w io.Writer) {
			afterHead(closing, hello)(conn, w)
			silence(conn)
		}, change: impatient, want: record.IdleTime},
		{name: "body: silence after [DONE]", wire: func(conn net.Conn, w io.Writer) {
			afterHead(closing, good)(conn, w)
			silence(conn)
		}, want: record.OK},
		{name: "body: a byte now and then", wire: afterHead(closing, dribble(":\n")), change: brief, want: record.Timeout},
		{name: "body: none for 204", wire: bytesOf("HTTP/1.1 204 No Content\r\n\r\n" + good), want: record.Empty},
		{name: "body: of HTTP/1.0, endless", wire: bytesOf("HTTP/1.0 200 OK\r\nContent-Type: text/event-stream\r\n\r\n", forever(": a\n")), want: record.TooLarge},
	}
}

// chunkedBomb is a gzip bomb cut into chunks.
func chunkedBomb() func(io.Writer) {
	var packed strings.Builder
	bomb("gzip", "a", 64<<20)(&packed)
	return say(chunk(packed.String()), "0\r\n\r\n")
}
