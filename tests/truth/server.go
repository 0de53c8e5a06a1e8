package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// An answer is what the server did with one request. Times are CLOCK_MONOTONIC.
type answer struct {
	received   int64
	connection uint32
	events     []event
	tokens     int // that it counted; 0 where each event is one
}

// An event is when the server wanted to write it, and when it did.
type event struct{ due, written int64 }

// ttft is the truth of a time to first token.
func (a answer) ttft() int64 { return a.events[0].written - a.received }

// answers are those of a server by their number.
type answers map[string]answer

// A truthServer is the server while it runs.
type truthServer struct {
	target   target
	url, log string
	cmd      *exec.Cmd
	stdin    io.Closer
	others   []*truthServer // behind the same port; their answers are not read
}

// shm is where the log lies if it is there: the server must not wait for a disk.
const shm = "/dev/shm"

// startServer starts the truth server, and as many more behind its port as are asked for.
// They end with this program at the latest.
func startServer(ctx context.Context, o options, p place) (*truthServer, error) {
	s, err := startOne(ctx, o, p)
	if err != nil {
		return nil, err
	}
	for range o.servers - 1 {
		if p.server >= 0 {
			p.server--
		}
		other, err := startOne(ctx, o, p, "--port", s.url[strings.LastIndexByte(s.url, ':')+1:])
		if err != nil {
			return nil, errors.Join(err, s.stop(), s.remove())
		}
		s.others = append(s.others, other)
	}
	return s, nil
}

func startOne(ctx context.Context, o options, p place, more ...string) (*truthServer, error) {
	folder := shm
	if _, err := os.Stat(shm); err != nil {
		folder = ""
	}
	dir, err := os.MkdirTemp(folder, "assay-truth-")
	if err != nil {
		return nil, err
	}
	s := &truthServer{target: o.target, log: filepath.Join(dir, "truth.log")}
	if s.target.command == nil {
		s.target = inC
	}
	args := s.target.command(o, s.log)
	if p.server >= 0 {
		args = append(args, "--core", strconv.Itoa(p.server))
	}
	s.cmd = p.beside(ctx, append(args, more...))
	if !s.target.quiet {
		s.cmd.Stderr = os.Stderr
	}
	stdin, inErr := s.cmd.StdinPipe()
	stdout, outErr := s.cmd.StdoutPipe()
	if err := errors.Join(inErr, outErr); err != nil {
		return nil, errors.Join(err, s.remove())
	}
	s.stdin = stdin
	if err := s.cmd.Start(); err != nil {
		return nil, errors.Join(fmt.Errorf("start the truth server: %w", err), s.remove())
	}
	if s.url, err = s.target.url(bufio.NewReader(stdout)); err != nil {
		return nil, errors.Join(fmt.Errorf("the truth server did not say where it is: %w", err), s.stop(), s.remove())
	}
	return s, nil
}

func nanoseconds(d time.Duration) string { return strconv.FormatInt(d.Nanoseconds(), 10) }

func (s *truthServer) remove() error { return os.RemoveAll(filepath.Dir(s.log)) }

// stop ends the server, whose log is then whole.
func (s *truthServer) stop() error {
	err := errors.Join(s.stdin.Close(), s.cmd.Wait())
	for _, other := range s.others {
		err = errors.Join(err, other.stop(), other.remove())
	}
	return err
}

// answers ends the server, unless it stays, and reads its log.
func (s *truthServer) answers() (answers, error) {
	if s.target.stays {
		data, err := sinceStart(s.log)
		if err != nil {
			return nil, err
		}
		return s.target.read(data)
	}
	if err := s.stop(); err != nil {
		return nil, errors.Join(fmt.Errorf("the truth server: %w", err), s.remove())
	}
	data, err := os.ReadFile(s.log)
	if err := errors.Join(err, s.remove()); err != nil {
		return nil, err
	}
	return s.target.read(data)
}

// readAnswers reads a log: see native/server.c.
func readAnswers(data []byte) (answers, error) {
	all := answers{}
	r := bytes.NewReader(data)
	for r.Len() > 0 {
		var row struct {
			ID                 uint64
			Received           int64
			Connection, Events uint32
		}
		if err := binary.Read(r, binary.NativeEndian, &row); err != nil {
			return nil, fmt.Errorf("truth log: %w", err)
		}
		if int64(row.Events)*16 > int64(r.Len()) {
			return nil, fmt.Errorf("truth log: answer %d is not whole", row.ID)
		}
		stamps := make([]int64, 2*row.Events) // read as plain numbers, which is ten times as fast
		if err := binary.Read(r, binary.NativeEndian, stamps); err != nil {
			return nil, fmt.Errorf("truth log: %w", err)
		}
		a := answer{received: row.Received, connection: row.Connection, events: make([]event, row.Events)}
		for i := range a.events {
			a.events[i] = event{stamps[2*i], stamps[2*i+1]}
		}
		all[strconv.FormatUint(row.ID, 10)] = a
	}
	return all, nil
}
