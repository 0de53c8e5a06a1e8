//go:build linux && (amd64 || arm64)

package sandbox

import (
	"io"
	"os"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// wires are the pipes of one program. Ours never block, theirs do.
type wires struct {
	source, checks  *os.File // to write
	output, verdict *os.File // to read

	theirs [jobFiles]int // as a job hands them over; -1 once they are closed
}

func newWires() (*wires, error) {
	w := &wires{}
	for i := range w.theirs {
		w.theirs[i] = -1
	}
	var err error
	for _, pipe := range []struct {
		ours   **os.File
		theirs int
		write  bool
	}{
		{&w.source, fileSource, true}, {&w.checks, fileChecks, true}, {&w.output, fileOutput, false}, {&w.verdict, fileVerdict, false},
	} {
		if *pipe.ours, w.theirs[pipe.theirs], err = newPipe(pipe.write); err != nil {
			w.close()
			return nil, err
		}
	}
	w.theirs[fileErrors] = w.theirs[fileOutput]
	return w, nil
}

// newPipe returns our end of a pipe, which we write or read, and the other one.
func newPipe(write bool) (ours *os.File, theirs int, err error) {
	var ends [2]int
	if err := unix.Pipe2(ends[:], unix.O_CLOEXEC); err != nil {
		return nil, -1, err
	}
	mine, theirs := ends[0], ends[1]
	if write {
		mine, theirs = theirs, mine
	}
	if err := unix.SetNonblock(mine, true); err != nil {
		unix.Close(mine)
		unix.Close(theirs)
		return nil, -1, err
	}
	return os.NewFile(uintptr(mine), "pipe"), theirs, nil
}

// handOver closes the ends that a cell now has.
func (w *wires) handOver() {
	w.theirs[fileErrors] = -1 // is that of fileOutput
	for i, fd := range w.theirs {
		if fd >= 0 {
			unix.Close(fd)
		}
		w.theirs[i] = -1
	}
}

func (w *wires) close() {
	w.handOver()
	for _, f := range []*os.File{w.source, w.checks, w.output, w.verdict} {
		if f != nil {
			f.Close()
		}
	}
}

// said is what came out of a program and its referee.
type said struct {
	verdict string
	output  *tail
}

// mostVerdict is far above the longest reason that a referee gives.
const mostVerdict = 64 << 10

// talk gives the program and its checks away and reads what comes back; flood is
// called when that is too much. The function it returns waits for the end of it all.
func (w *wires) talk(p Program, nonce string, flood func()) func() said {
	s := said{output: newTail(tailBytes)}
	var all sync.WaitGroup
	all.Go(func() { give(w.source, p.Source) })
	all.Go(func() { give(w.checks, p.sealed(nonce)) })
	all.Go(func() {
		text, _ := io.ReadAll(io.LimitReader(w.verdict, mostVerdict)) // a cut one has no nonce
		s.verdict = string(text)
	})
	all.Go(func() { s.output.drain(w.output, p.Limits.Output, flood) })
	return func() said {
		all.Wait()
		return s
	}
}

// give writes text and closes the pipe. A reader that has gone shows elsewhere.
func give(to *os.File, text string) {
	io.WriteString(to, text)
	to.Close()
}

// sealed is what only the referee reads, in the referee's own format.
func (p Program) sealed(nonce string) string {
	parts := append([]string{nonce, p.Prepare, p.Check}, p.Calls...)
	var b strings.Builder
	b.WriteString("t" + strconv.Itoa(len(parts)) + ":")
	for _, part := range parts {
		part = strings.ToValidUTF8(part, "\uFFFD")
		b.WriteString("s" + strconv.Itoa(len(part)) + ":" + part)
	}
	return b.String()
}
