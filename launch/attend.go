package launch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"assay/record"
)

// On each host that ssh or a scheduler reaches, this program attends: it reads orders
// from its standard input and answers on its standard output. The connection is that of
// ssh or of srun, which have made sure who is at its ends; nothing listens. When it
// breaks, whoever attends ends what it has started.

// An order is one message from the leader to an attendant.
type order struct {
	Brief *brief    `json:"brief,omitempty"` // the first one
	Start *farWorld `json:"start,omitempty"`
	Stop  *stopCall `json:"stop,omitempty"`
	Beat  bool      `json:"beat,omitempty"` // a sign of life
}

// A brief is what an attendant makes ready for before anything starts.
type brief struct {
	Document []byte `json:"document"` // understood by whoever makes ready
}

// A farWorld is the ranks of a world that have their seats on one host.
type farWorld struct {
	Seats   []seat            `json:"seats"`
	Worker  string            `json:"worker,omitempty"`  // one of the host's own
	Command []string          `json:"command,omitempty"` // where no worker is named; the word self stands for this program
	Env     []string          `json:"env"`
	Master  string            `json:"master"`
	Out     string            `json:"out,omitempty"`    // the folder whose files come back, as variables name it
	Leave   string            `json:"leave,omitempty"`  // pattern of the names of files that stay
	Files   map[string][]byte `json:"files,omitempty"`  // that lie in it when the ranks start
	Inputs  map[int][]byte    `json:"inputs,omitempty"` // what each rank reads, and nobody else does
}

// A reply is what an attendant says.
type reply struct {
	Hello *Hello             `json:"assay,omitempty"` // the first one
	Ready bool               `json:"ready,omitempty"` // it has what the brief needs
	Facts record.Environment `json:"facts,omitempty"` // of the host, when it is ready
	Error string             `json:"error,omitempty"` // it has not, or cannot start a world
	Exit  *Exit              `json:"exit,omitempty"`
	Log   *farLog            `json:"log,omitempty"`
	File  *filePart          `json:"file,omitempty"`
	Over  bool               `json:"over,omitempty"` // every rank of the world has ended here, and its files are sent
}

// A Hello is what a host says of itself.
type Hello struct {
	Host   string `json:"host"`
	PID    int    `json:"pid"`
	Leader string `json:"leader,omitempty"` // the address that it sees the leader's host under
}

type farLog struct {
	Rank int    `json:"rank"`
	Text []byte `json:"text"`
}

// A filePart is a piece of a file; an empty one makes it.
type filePart struct {
	Name string `json:"name"`
	Data []byte `json:"data"`
}

// filePiece is how much of a file goes at a time, so that exits and logs get between.
const filePiece = 64 << 10

// leaderSilence is how long an attendant goes on without a sign of life: a cut cable
// closes no connection.
const leaderSilence = 30 * time.Second

// Self stands for this program in the command of a world: it lies elsewhere on
// every host.
const Self = "self"

// An Attendant is this program on a host that is not the leader's.
type Attendant struct {
	// Prepare makes ready what a brief needs and says which workers there are.
	Prepare func(ctx context.Context, brief []byte) (Workers, error)

	// Capture reads the facts of this host; nil means that nobody does.
	Capture func(ctx context.Context) record.Environment

	Getenv func(string) string
	Self   string // the path of this program
}

// Attend serves a leader until it lets go, is silent or ctx ends.
func (a Attendant) Attend(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	s := &attendance{Attendant: a, out: json.NewEncoder(out)}
	defer s.end()
	host, _ := os.Hostname()
	if err := s.say(reply{Hello: &Hello{Host: host, PID: os.Getpid(), Leader: leaderSeen(a.Getenv)}}); err != nil {
		return err
	}
	orders := make(chan order)
	go func() { // ends with the input, which nobody can take from a reader that waits
		decoder := json.NewDecoder(in)
		for {
			var o order
			if err := decoder.Decode(&o); err != nil {
				cancel(errLetGo)
				return
			}
			select {
			case orders <- o:
			case <-ctx.Done():
				return
			}
		}
	}()
	for {
		silence := time.NewTimer(leaderSilence)
		select {
		case <-ctx.Done():
			silence.Stop()
			if err := context.Cause(ctx); !errors.Is(err, errLetGo) {
				return err
			}
			return nil
		case <-silence.C:
			return fmt.Errorf("%v without a sign of life from whoever started this: its ranks are ended", leaderSilence)
		case o := <-orders:
			silence.Stop()
			s.obey(ctx, o)
		}
	}
}

var errLetGo = errors.New("the leader let go")

// leaderSeen is the address of the leader's host as sshd and slurmd tell it.
func leaderSeen(env func(string) string) string {
	if client, _, ok := strings.Cut(env("SSH_CONNECTION"), " "); ok {
		return client
	}
	return env("SLURM_LAUNCH_NODE_IPADDR")
}

// An attendance is an Attendant at work.
type attendance struct {
	Attendant
	workers Workers

	mu  sync.Mutex
	out *json.Encoder

	worlds []World // one for each rank of the world under way
	told   sync.WaitGroup
}

func (s *attendance) say(r reply) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.out.Encode(r)
}

func (s *attendance) obey(ctx context.Context, o order) {
	switch {
	case o.Brief != nil:
		var facts record.Environment
		if s.Capture != nil {
			facts = s.Capture(ctx)
		}
		workers, err := s.Prepare(ctx, o.Brief.Document)
		if err != nil {
			_ = s.say(reply{Error: err.Error()})
			return
		}
		s.workers = workers
		_ = s.say(reply{Ready: true, Facts: facts})
	case o.Start != nil:
		s.told.Wait() // the world before is over
		if err := s.start(ctx, *o.Start); err != nil {
			_ = s.say(reply{Error: err.Error()})
		}
	case o.Stop != nil:
		s.stop(o.Stop.Grace)
	}
}

// start starts the ranks that sit here, each as a world of its own.
func (s *attendance) start(ctx context.Context, w farWorld) error {
	command := w.Command
	if w.Worker != "" {
		command = s.workers[w.Worker]
	}
	if len(command) == 0 {
		return fmt.Errorf("it knows no worker %q", w.Worker)
	}
	if command[0] == Self {
		command = append([]string{s.Self}, command[1:]...)
	}
	dir, err := scratch(w.Files)
	if err != nil {
		return err
	}
	s.worlds = nil
	for _, at := range w.Seats {
		started, err := Local{}.Start(ctx, Job{
			Ranks: 1, Command: command, Env: moved(w.Env, w.Out, dir), Master: w.Master, Dir: dir,
			Log: func(int) io.Writer { return &rankLog{s, at.Rank} }, seat: &at,
			Input: func(int) []byte { return w.Inputs[at.Rank] },
		})
		if err != nil {
			s.stop(0)
			return errors.Join(fmt.Errorf("rank %d: %w", at.Rank, err), os.RemoveAll(dir))
		}
		s.worlds = append(s.worlds, started)
	}
	var ranks sync.WaitGroup
	for i, started := range s.worlds {
		ranks.Go(func() {
			exit := <-started.Ended()
			exit.Rank = w.Seats[i].Rank
			_ = s.say(reply{Exit: &exit})
		})
	}
	s.told.Go(func() {
		ranks.Wait()
		err := s.sendFiles(dir, w)
		over := reply{Over: true}
		if err = errors.Join(err, os.RemoveAll(dir)); err != nil {
			over.Error = err.Error()
		}
		_ = s.say(over)
	})
	return nil
}

// stop ends the ranks, all at once.
func (s *attendance) stop(grace time.Duration) {
	var stopping sync.WaitGroup
	for _, w := range s.worlds {
		stopping.Go(func() { w.Stop(grace) })
	}
	stopping.Wait()
}

// end leaves nothing behind.
func (s *attendance) end() {
	s.stop(time.Second)
	s.told.Wait()
}

// scratch is a folder of this world's own, with the files that it starts with.
func scratch(files map[string][]byte) (string, error) {
	dir, err := os.MkdirTemp("", "assay-world-")
	if err != nil {
		return "", err
	}
	for name, data := range files {
		if !filepath.IsLocal(name) {
			return "", errors.Join(fmt.Errorf("file %q: want a name inside the folder of the world", name), os.RemoveAll(dir))
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			return "", errors.Join(err, os.RemoveAll(dir))
		}
	}
	return dir, nil
}

// moved is env with the folder that the leader names replaced by the one here.
func moved(env []string, from, to string) []string {
	out := make([]string, len(env))
	for i, pair := range env {
		name, value, _ := strings.Cut(pair, "=")
		if from != "" && value == from {
			pair = name + "=" + to
		}
		out[i] = pair
	}
	return out
}

// A rankLog sends what a rank prints.
type rankLog struct {
	to   *attendance
	rank int
}

func (l *rankLog) Write(p []byte) (int, error) {
	return len(p), l.to.say(reply{Log: &farLog{l.rank, p}})
}

// sendFiles sends every file of a folder but those that came from the leader or that it
// does not want.
func (s *attendance) sendFiles(dir string, w farWorld) error {
	if w.Out == "" {
		return nil
	}
	return filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		if _, ours := w.Files[name]; ours {
			return nil
		}
		if left, err := filepath.Match(w.Leave, name); left || err != nil {
			return err
		}
		return s.sendFile(path, filepath.ToSlash(name))
	})
}

func (s *attendance) sendFile(path, name string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	piece := make([]byte, filePiece)
	for first := true; ; first = false {
		n, err := io.ReadFull(file, piece)
		if n > 0 || first {
			if err := s.say(reply{File: &filePart{name, piece[:n]}}); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
