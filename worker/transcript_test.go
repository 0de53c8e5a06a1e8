package worker_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"assay/plan"
	"assay/record"
	"assay/worker"
)

func transcript(t *testing.T, name string) (list []worker.Line) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	must(t, err)
	for text := range bytes.Lines(data) {
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.DisallowUnknownFields()
		var line worker.Line
		if err := decoder.Decode(&line); err != nil {
			t.Fatalf("%s: %v in %s", name, err, text)
		}
		again, err := json.Marshal(line)
		must(t, err)
		var was, is any
		must(t, json.Unmarshal(text, &was))
		must(t, json.Unmarshal(again, &is))
		if !reflect.DeepEqual(was, is) {
			t.Errorf("%s: a line is not what it was:\n%s\n%s", name, text, again)
		}
		list = append(list, line)
	}
	return list
}

// fromController says which side sends a type of line.
func fromController(kind string) bool {
	return kind == worker.Challenge || kind == worker.Welcome || kind == worker.PingT || kind == worker.PlanT || kind == worker.Go || kind == worker.Quit
}

// everything is a sink that keeps all.
type everything struct {
	steps   []record.Step
	buckets []record.Bucket
	colls   []record.Collective
	memory  []record.Memory
	trials  []record.Trial
	samples []worker.SysLine
	checks  []worker.CheckLine
	files   []worker.FileLine
	notes   []string
}

func (e *everything) Step(row record.Step)             { e.steps = append(e.steps, row) }
func (e *everything) Bucket(row record.Bucket)         { e.buckets = append(e.buckets, row) }
func (e *everything) Collective(row record.Collective) { e.colls = append(e.colls, row) }
func (e *everything) Memory(row record.Memory)         { e.memory = append(e.memory, row) }
func (e *everything) Trial(row record.Trial)           { e.trials = append(e.trials, row) }
func (e *everything) Sample(_ int, s worker.SysLine)   { e.samples = append(e.samples, s) }
func (e *everything) Check(_ int, c worker.CheckLine)  { e.checks = append(e.checks, c) }
func (e *everything) File(_ int, f worker.FileLine)    { e.files = append(e.files, f) }
func (e *everything) Note(_ int, text string)          { e.notes = append(e.notes, text) }

var _ worker.Sink = &everything{}

// replay has the ranks of a transcript talk to a real controller, which does what
// the transcript's did: pings, points in their order, quit.
func replay(t *testing.T, name string) (*worker.Controller, *everything, error) {
	t.Helper()
	lines := transcript(t, name)
	ranks := lines[slices.IndexFunc(lines, func(l worker.Line) bool { return l.Hello != nil })].Hello.World
	c := listen(t, ranks)
	played := make(chan struct{}, ranks)
	for rank := range ranks {
		d := knock(t, c)
		go func() {
			defer func() { played <- struct{}{} }()
			var asked int64
			var challenge string
			for _, line := range lines {
				switch {
				case line.Rank != rank:
				case fromController(line.T):
					if got := d.receive(t); got.T != line.T || got.Phase != line.Phase || line.World != nil && !reflect.DeepEqual(got.World, line.World) {
						t.Errorf("%s: rank %d hears %s %s, want %s %s", name, rank, got.T, got.Phase, line.T, line.Phase)
					} else if got.T == worker.PingT {
						asked = got.T1
					} else if got.T == worker.Challenge {
						challenge = got.Nonce
					}
				default:
					if line.Hello != nil {
						line.Proof = proof(variable(c, worker.EnvToken), "worker", rank, challenge, line.Nonce)
					}
					if line.T == worker.PongT {
						line.T1 = asked
					}
					d.send(t, line)
				}
			}
		}()
	}
	must(t, c.Gather(t.Context()))
	var s everything
	err := follow(t, c, lines, &s)
	if err != nil {
		c.Close() // whoever waits for another line waits no more
	}
	for range ranks {
		<-played
	}
	return c, &s, err
}

func follow(t *testing.T, c *worker.Controller, lines []worker.Line, s *everything) error {
	when := worker.Before
	for _, line := range lines {
		var err error
		switch {
		case line.Rank != 0:
		case line.T == worker.PingT:
			err = c.Sync(t.Context(), when, 1)
		case line.T == worker.PlanT:
			when = worker.After
			err = c.Run(t.Context(), *line.Point, *line.World, s)
		case line.T == worker.Quit:
			err = c.Quit(t.Context())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// TestTranscriptsProve holds the proofs that are written down against those made
// here: they are of the token TOKEN.
func TestTranscriptsProve(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.jsonl")
	for _, path := range files {
		challenges, nonces := map[int]string{}, map[int]string{}
		for _, line := range transcript(t, filepath.Base(path)) {
			side := "worker"
			switch line.T {
			case worker.Challenge:
				challenges[line.Rank] = line.Nonce
				continue
			case worker.Hello:
				nonces[line.Rank] = line.Nonce
			case worker.Welcome:
				side = "controller"
			default:
				continue
			}
			if want := proof("TOKEN", side, line.Rank, challenges[line.Rank], nonces[line.Rank]); line.Proof != want {
				t.Errorf("%s: %s of rank %d proves %s, want %s", path, line.T, line.Rank, line.Proof, want)
			}
		}
	}
}

func TestTranscripts(t *testing.T) {
	t.Run("collective", func(t *testing.T) {
		c, s, err := replay(t, "collective.jsonl")
		must(t, err)
		if len(s.colls) != 6 {
			t.Fatalf("%d collectives, want 6", len(s.colls))
		}
		for _, row := range s.colls {
			if row.End-row.Start != 90_000 || row.Op != "all_reduce" || row.Ranks != 2 || !row.Checked {
				t.Errorf("row %+v", row)
			}
		}
		verdicts(t, c, worker.VerdictOK, worker.VerdictOK)
	})
	t.Run("train", func(t *testing.T) {
		c, s, err := replay(t, "train.jsonl")
		must(t, err)
		verdicts(t, c, worker.VerdictOK)
		if len(s.steps) != 3 || len(s.buckets) != 7 || len(s.memory) != 1 || len(s.checks) != 1 || len(s.files) != 1 || len(s.samples) != 1 || len(s.notes) != 1 {
			t.Fatalf("got %+v", s)
		}
		step := s.steps[1]
		for name, got := range map[string]int64{
			"data": *step.Data - 1e6, "forward": *step.Forward - 2e6, "backward": *step.Backward - 6e6, "optimizer": *step.Optimizer - 1e6,
			"comm":        *step.Comm - 4e6, // two buckets that overlap
			"end":         step.End - step.Start - 10e6,
			"forward at":  *step.ForwardStart - step.Start - 1e6,
			"backward at": *step.BackwardStart - step.Start - 3e6,
			"backward to": *step.BackwardEnd - step.Start - 9e6,
			"ready":       s.buckets[2].Ready - step.Start - 4e6,
			"alone":       s.buckets[6].End - s.buckets[6].Ready - 1.5e6,
		} {
			if got != 0 {
				t.Errorf("%s is %d ns off", name, got)
			}
		}
		if step.H2D != nil || *step.Loss != 2.25 || s.steps[2].Loss != nil || s.buckets[2].Step != 1 || s.buckets[2].Point != 3 || !s.buckets[6].Alone {
			t.Errorf("step %+v, buckets %+v", step, s.buckets)
		}
	})
	t.Run("out of memory", func(t *testing.T) {
		c, s, err := replay(t, "out_of_memory.jsonl")
		must(t, err)
		verdicts(t, c, worker.VerdictOK)
		if len(s.memory) != 1 || s.memory[0].Outcome != "out_of_memory" || len(s.steps) != 1 || s.steps[0].Point != 1 {
			t.Errorf("got %+v", s)
		}
	})
	t.Run("error", func(t *testing.T) {
		c, _, err := replay(t, "error.jsonl")
		var failure *worker.Failure
		if !errors.As(err, &failure) || failure.Rank != 1 || *failure.LastSeq != 1 || !reflect.DeepEqual(failure.Victims, []int{0}) {
			t.Errorf("Run = %v, want rank 1 with its victim 0", err)
		}
		want := "rank 1 died: wrong_answer: collective 1: 3 elements of 256 are wrong (phase ready, collective 1 begun); rank 0 failed because of it"
		if err == nil || err.Error() != want {
			t.Errorf("Run = %v, want %s", err, want)
		}
		verdicts(t, c, worker.VerdictVictim, worker.VerdictDied)
	})
}

func verdicts(t *testing.T, c *worker.Controller, want ...string) {
	t.Helper()
	for i, row := range c.Ranks(0) {
		if row.Verdict != want[i] || row.Dropped != 0 || row.Offset == nil {
			t.Errorf("rank %d: %s, %d dropped, error %q; want %s", i, row.Verdict, row.Dropped, row.Error, want[i])
		}
	}
}

func FuzzLines(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.jsonl")
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for line := range bytes.Lines(data) {
			f.Add(line)
		}
	}
	f.Add([]byte(`{"t":"step","step":{}}`))
	f.Add([]byte(`{"t":"coll","seq":-5}`))
	f.Add([]byte(`{"t":"end","phase":"point","seq":9223372036854775807}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		// Whatever a rank says after its hello, the controller lives and notices its end.
		c := listen(t, 1)
		d := enter(t, c, 0)
		must(t, c.Gather(t.Context()))
		done := make(chan error, 1)
		go func() {
			err := c.Sync(t.Context(), worker.Before, 1)
			done <- errors.Join(err, c.Run(t.Context(), plan.Point{}, worker.WorldLine{}, &everything{}))
		}()
		ping := d.receive(t)
		d.send(t, worker.Line{T: worker.PongT, Seq: 1, T1: ping.T1})
		d.receive(t)
		_, _ = d.Write(append(data, '\n'))
		d.Close()
		c.Exited(0, -1, "killed", false)
		select {
		case <-done:
		case <-time.After(10 * time.Second):
			t.Errorf("%q keeps the point from ending", data)
		}
		_ = c.Ranks(0)
	})
}
