package sim

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write the transcripts of faults anew")

// TestFaults asks for each fault over a real connection and compares everything
// that came back, transfer chunk by transfer chunk, with a transcript in
// testdata/faults. A new fault fails here until its transcript is written with
// -update and read over.
func TestFaults(t *testing.T) {
	for _, fault := range append([]Fault{{Name: "plain"}}, Faults...) {
		t.Run(fault.Name, func(t *testing.T) {
			t.Parallel()
			_, addr := serve(t, Config{Fixed: &Fixed{TTFT: 5 * ms, ITL: 2 * ms}, FaultDelay: 2 * ms})
			path, body := chatPath, chatBody(6)
			if fault.Name == "empty-text-completions" {
				path, body = textPath, `{"prompt":"hello","max_tokens":3,"ignore_eos":true,"stream":true}`
			}
			var headers []string
			if fault.Name != "plain" {
				headers = []string{"X-Assay-Fault: " + fault.Name}
			}
			c, r := post(t, addr, path, body, headers...)
			if strings.HasPrefix(fault.Name, "hang") {
				if err := c.SetReadDeadline(time.Now().Add(silence)); err != nil {
					t.Fatal(err)
				}
			}
			got := transcript(t, c, r)
			file := filepath.Join("testdata", "faults", fault.Name+".txt")
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatalf("every fault needs a transcript (-update writes it): %v", err)
			}
			if got != string(want) {
				t.Errorf("got:\n%s\nwant:\n%s", got, want)
			}
		})
	}
}

// Transcripts of faults that no longer exist would prove nothing.
func TestFaultTranscriptsAreUsed(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "faults", "*.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txt")
		if name != "plain" && findFault(name) == nil {
			t.Errorf("%s belongs to no fault", file)
		}
	}
	seen := map[string]bool{}
	for _, f := range Faults {
		if seen[f.Name] || f.Case < 1 || f.Doc == "" || (f.spoil == nil) == (f.instead == nil) {
			t.Errorf("fault %+v: want a name of its own, a case, a text, and either spoil or instead", f)
		}
		seen[f.Name] = true
	}
}

// transcript reads one answer and writes down its head, its transfer chunks and
// what became of the connection.
func transcript(t *testing.T, c net.Conn, r *bufio.Reader) string {
	t.Helper()
	var out strings.Builder
	head := http.Header{}
	status := ""
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			fmt.Fprintf(&out, "%s\n", cutOff(line, err))
			return out.String()
		}
		if line = strings.TrimSuffix(line, "\r\n"); line == "" {
			break
		}
		if name, value, ok := strings.Cut(line, ": "); ok && status != "" {
			head.Add(name, value)
		} else {
			status = line
		}
		fmt.Fprintln(&out, dates.ReplaceAllString(line, "Retry-After: DATE"))
	}
	out.WriteString("\n")
	end := ""
	switch {
	case head.Get("Content-Encoding") != "":
		end = unpacked(t, &out, r, head.Get("Content-Encoding"))
	case head.Get("Transfer-Encoding") == "chunked":
		end = chunks(&out, r)
	default:
		end = plainBody(t, &out, r, head.Get("Content-Length"))
	}
	if end == "" {
		end = probe(t, c, r)
	}
	fmt.Fprintln(&out, end)
	return out.String()
}

// silence is how long the tests wait before they say that nothing comes.
const silence = 2 * time.Second

var (
	dates    = regexp.MustCompile(`Retry-After: \w{3}, .*`)
	envelope = regexp.MustCompile(`"id":"req-1","object":"([a-z._]+)","created":\d+,"model":"sim",`)
	created  = regexp.MustCompile(`"created":\d+,`)
	filler   = regexp.MustCompile(`x{1000,}`)
)

// brief shortens what is the same in every event.
func brief(b []byte) string {
	text := envelope.ReplaceAllString(string(b), "<$1>")
	text = created.ReplaceAllString(text, `"created":0,`)
	text = filler.ReplaceAllStringFunc(text, func(x string) string { return fmt.Sprintf("<%d x>", len(x)) })
	return strconv.Quote(text)
}

// chunks writes down transfer chunks until the last. Neighbours of one size of
// less than ten bytes share a line.
func chunks(out *strings.Builder, r *bufio.Reader) (end string) {
	var run []byte
	n, size := 0, 0
	flush := func() {
		if n > 0 {
			fmt.Fprintf(out, "%d chunks of %d: %s\n", n, size, brief(run))
		}
		run, n = nil, 0
	}
	defer flush()
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return cutOff(line, err)
		}
		length, err := strconv.ParseInt(strings.TrimSuffix(line, "\r\n"), 16, 64)
		if err != nil {
			return fmt.Sprintf("bad chunk size %q", line)
		}
		data := make([]byte, length+2)
		got, err := io.ReadFull(r, data)
		if err != nil {
			flush()
			return cutOff(brief(data[:got]), err)
		}
		if length >= 10 || int(length) != size {
			flush()
		}
		if length == 0 {
			fmt.Fprintln(out, "last chunk")
			return ""
		}
		if !bytes.HasSuffix(data, []byte("\r\n")) {
			return fmt.Sprintf("chunk %q without CRLF", data)
		}
		if size = int(length); size < 10 {
			run = append(run, data[:length]...)
			n++
			continue
		}
		fmt.Fprintf(out, "chunk %s\n", brief(data[:length]))
	}
}

func plainBody(t *testing.T, out *strings.Builder, r *bufio.Reader, length string) (end string) {
	t.Helper()
	if length == "" {
		body, err := io.ReadAll(r)
		if err == nil {
			err = io.EOF
		}
		fmt.Fprintf(out, "body %s\n", brief(body))
		return cutOff("", err)
	}
	n, err := strconv.Atoi(length)
	if err != nil {
		t.Fatal(err)
	}
	body := make([]byte, n)
	if _, err := io.ReadFull(r, body); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(out, "body %s\n", brief(body))
	return ""
}

// unpacked writes down what a compressed body holds, and checks that each
// transfer chunk can be unpacked as soon as it is there: that makes it a stream.
func unpacked(t *testing.T, out *strings.Builder, r *bufio.Reader, encoding string) (end string) {
	t.Helper()
	var sofar []byte
	shown := 0
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		length, err := strconv.ParseInt(strings.TrimSpace(line), 16, 64)
		if err != nil {
			t.Fatal(err)
		}
		data := make([]byte, length+2)
		if _, err := io.ReadFull(r, data); err != nil {
			t.Fatal(err)
		}
		if length == 0 {
			fmt.Fprintln(out, "last chunk")
			return ""
		}
		sofar = append(sofar, data[:length]...)
		var u io.Reader
		if encoding == "gzip" {
			u, err = gzip.NewReader(bytes.NewReader(sofar))
		} else {
			u, err = zlib.NewReader(bytes.NewReader(sofar))
		}
		if err != nil {
			t.Fatal(err)
		}
		plain, _ := io.ReadAll(u) // all but the last time the end is missing
		fmt.Fprintf(out, "unpacked %s\n", brief(plain[shown:]))
		shown = len(plain)
	}
}

// cutOff names how a connection ended in the middle of an answer.
func cutOff(partial string, err error) string {
	text := ""
	if partial != "" {
		text = "partial " + partial + ", then "
	}
	switch {
	case errors.Is(err, syscall.ECONNRESET):
		return text + "reset"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return text + "closed"
	case errors.Is(err, os.ErrDeadlineExceeded):
		return text + "silent"
	}
	return text + err.Error()
}

// probe tells whether the connection carries another request.
func probe(t *testing.T, c net.Conn, r *bufio.Reader) string {
	t.Helper()
	if _, err := io.WriteString(c, "GET /health HTTP/1.1\r\nHost: sim\r\n\r\n"); err != nil {
		return "connection closed"
	}
	line, err := r.ReadString('\n')
	switch {
	case err != nil:
		return "connection closed"
	case line == "HTTP/1.1 200 OK\r\n":
		return "connection kept"
	}
	return fmt.Sprintf("connection went on with %q", line)
}
