package train

import (
	"encoding/json"
	"errors"
	"sync"

	"assay/plan"
	"assay/record"
	"assay/worker"
)

// A sink writes what the ranks of a world say into the tables of their launch, and
// the measured window of each point that follows from it.
type sink struct {
	launch Launch
	world  int
	dir    string // of the ranks' own files

	mu           sync.Mutex
	point        int32
	began, until int64 // of the measured rows; began is negative before the first
	files        []string
	err          error
}

// begin notes that a point is handed out.
func (s *sink) begin(p plan.Point) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.point, s.began, s.until = int32(p.Index), -1, -1
	s.event(s.launch.Clock.Now(), record.PointBegin, p.Name)
}

// end notes that the point is over. A window that something broke off has a begin
// and no end.
func (s *sink) end(whole bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.began >= 0 {
		s.event(s.began, record.WindowBegin, "")
		if whole {
			s.event(s.until, record.WindowEnd, "")
		}
	}
	s.event(s.launch.Clock.Now(), record.PointEnd, "")
	return s.err
}

func (s *sink) event(at int64, name, detail string) {
	s.note(s.launch.Out.Events.Append(record.Event{At: at, Name: name, Point: s.point, Detail: detail}))
}

func (s *sink) note(err error) {
	if err != nil {
		s.err = errors.Join(s.err, err)
	}
}

// window widens the measured window to hold [begin, end].
func (s *sink) window(phase record.Phase, begin, end int64) {
	if phase != record.Measure {
		return
	}
	if s.began < 0 || begin < s.began {
		s.began = max(begin, 0)
	}
	s.until = max(s.until, end)
}

func (s *sink) Step(r record.Step) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.window(r.Phase, r.Start, r.End)
	s.note(s.launch.Out.Steps.Append(r))
}

func (s *sink) Bucket(r record.Bucket) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.note(s.launch.Out.Buckets.Append(r))
}

func (s *sink) Collective(r record.Collective) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.window(r.Phase, r.Start, r.End)
	s.note(s.launch.Out.Collectives.Append(r))
}

func (s *sink) Memory(r record.Memory) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.note(s.launch.Out.Memory.Append(r))
}

func (s *sink) Trial(r record.Trial) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.window(r.Phase, r.Start, r.End)
	s.note(s.launch.Out.Trials.Append(r))
}

func (s *sink) Sample(_ int, line worker.SysLine) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.note(s.launch.Out.Samples.Append(record.Sample{
		At: line.At, Source: line.Source, Name: line.Name, Scope: line.Scope, Value: line.Value, Unit: line.Unit,
	}))
}

func (s *sink) Check(rank int, line worker.CheckLine) {
	detail, err := json.Marshal(record.Check{
		Rank: rank, Point: line.Point, Name: line.Name, Value: line.Value, Expected: line.Expected,
		Error: line.Error, Noise: line.Noise, Passed: line.Passed, Text: line.Text,
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	s.note(err)
	s.event(s.launch.Clock.Now(), record.RankCheck, string(detail))
}

// File notes that a rank made a file. Those of other hosts are here when their ranks
// have ended.
func (s *sink) File(_ int, line worker.FileLine) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files = append(s.files, line.Name)
}

// keepFiles attaches the files that ranks made.
func (s *sink) keepFiles() (err error) {
	for _, name := range s.files {
		err = errors.Join(err, s.launch.keep(s.dir, name, s.world))
	}
	return err
}

func (s *sink) Note(_ int, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.event(s.launch.Clock.Now(), record.RankNote, text)
}
