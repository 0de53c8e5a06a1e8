package bundle

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"sync"
)

// A logWriter writes lines without secrets. It holds an unfinished line back, so
// that a secret split over two writes is still seen whole.
type logWriter struct {
	redactor *Redactor

	mu    sync.Mutex
	file  *os.File // nil once closed
	held  []byte   // the unfinished line
	inKey int      // lines since the BEGIN of a private key; 0 outside of one
}

// maxHeld bounds the memory of a line that never ends, such as a progress bar
// without newlines.
const maxHeld = 256 << 10

// maxKeyLines is more than the longest private key has (RSA 16384: 198 lines). A
// BEGIN without its END must not swallow the rest of the log.
const maxKeyLines = 400

// errLogClosed is returned by writes to a log after its launch was closed.
var errLogClosed = errors.New("log is closed")

// Log makes a file of lines without secrets.
func (r *Redactor) Log(path string) (io.WriteCloser, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return nil, diskError(path, err)
	}
	return &logWriter{redactor: r, file: f}, nil
}

func (w *logWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.file == nil {
		return 0, errLogClosed
	}
	w.held = append(w.held, p...)
	end := bytes.LastIndexByte(w.held, '\n') + 1
	if len(w.held)-end > maxHeld {
		end += w.redactor.safeCut(w.held[end:])
	}
	if end == 0 {
		return len(p), nil
	}
	if err := w.emit(string(w.held[:end])); err != nil {
		return 0, err
	}
	w.held = append(w.held[:0], w.held[end:]...)
	return len(p), nil
}

// emit writes complete lines.
func (w *logWriter) emit(text string) error {
	var out strings.Builder
	for line := range strings.Lines(text) {
		out.WriteString(w.line(line))
	}
	_, err := w.file.WriteString(out.String())
	return diskError(w.file.Name(), err)
}

// line redacts one line; the lines inside a private key become empty.
func (w *logWriter) line(s string) string {
	if w.inKey > 0 && w.inKey < maxKeyLines {
		w.inKey++
		if strings.Contains(s, "-----END ") {
			w.inKey = 0
		}
		return ""
	}
	w.inKey = 0
	if strings.Contains(s, "-----BEGIN ") && strings.Contains(s, "PRIVATE KEY-----") && !strings.Contains(s, "-----END ") {
		w.inKey = 1
	}
	clean := w.redactor.String(s)
	if strings.HasSuffix(s, "\n") && !strings.HasSuffix(clean, "\n") {
		clean += "\n"
	}
	return clean
}

// Close writes the unfinished line and closes the file.
func (w *logWriter) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.file == nil {
		return nil
	}
	err := w.emit(string(w.held))
	err = errors.Join(err, w.file.Close())
	w.file, w.held = nil, nil
	return err
}

// safeCut returns a place to cut text where no secret is cut in two: redacting
// both halves gives the same as redacting the whole. The last part is kept back,
// long enough to hold any known secret and the common shapes.
func (r *Redactor) safeCut(text []byte) int {
	keep := 8 << 10
	if r != nil {
		keep = max(keep, 2*r.values.Longest())
	}
	whole := r.String(string(text))
	for cut := len(text) - keep; cut > len(text)/2; cut -= keep / 8 {
		if r.String(string(text[:cut]))+r.String(string(text[cut:])) == whole {
			return cut
		}
	}
	return len(text) // one long secret, or nothing like it: nothing sensible to keep back
}
