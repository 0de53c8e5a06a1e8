package load

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"

	"assay/record"
	"assay/target"
	"assay/workload/session"
)

// An endedStep is a step that has ended.
type endedStep struct {
	row    record.SessionStep
	answer string
}

// play carries one session out and returns when it ended. A step that does not
// end well ends the session: what runs beside it is waited for, and nothing
// more begins.
func (p *sessionRun) play(ctx context.Context, r readySession, user int32, phase record.Phase, begin int64) int64 {
	progress, err := session.NewProgress(r.plan, begin)
	if err != nil {
		p.fail(err)
		return begin
	}
	ended := make(chan endedStep)
	running, stopped, last := 0, false, begin
	recorded, handed := r.plan.Recorded(), make([]bool, len(r.plan.Steps))
	for {
		if !stopped && ctx.Err() == nil {
			for _, due := range progress.Next() {
				running, handed[due.Step] = running+1, true
				s := step{readySession: r, Due: due, row: p.row(r, due.Step, user, phase, begin, due.At), answers: slices.Clone(progress.Answers())}
				s.call, s.encoded = r.first[due.Step]
				delete(r.first, due.Step)                   // a long session need not hold what it has said
				go func() { ended <- p.carryOut(ctx, s) }() // received below
			}
			p.encodeNext(r, handed, recorded)
		}
		if running == 0 {
			return last
		}
		end := <-ended
		running--
		if end.row.Result == "" {
			stopped = true // it never began
			continue
		}
		p.Script.Keep(end.row)
		last = max(last, end.row.End)
		if end.row.Result != record.OK {
			stopped = true
			continue
		}
		if !p.Script.Live {
			end.answer = recorded[end.row.Step]
		}
		if err := progress.End(int(end.row.Step), max(end.row.End, end.row.Due), end.answer); err != nil {
			p.fail(err)
			stopped = true
		}
	}
}

// A step is one step of a session whose turn has come.
type step struct {
	readySession
	session.Due
	row     record.SessionStep
	answers []string
	call    target.Prepared
	encoded bool // call holds it
}

// encodeNext encodes, while steps are under way, the calls that follow them. With
// live history nobody knows them yet.
func (p *sessionRun) encodeNext(r readySession, handed []bool, recorded []string) {
	if p.Script.Live {
		return
	}
	for i, next := range r.plan.Steps {
		_, encoded := r.first[i]
		follows := !slices.ContainsFunc(next.After, func(before int) bool { return !handed[before] })
		if handed[i] || encoded || !follows || next.Kind != session.Generate {
			continue
		}
		call, err := p.Script.Prepare(r.number, r.plan, i, recorded)
		if err != nil {
			p.fail(err)
			return
		}
		r.first[i] = call
	}
}

// carryOut waits until a step is due and carries it out. A row without a result
// says that the point ended first.
func (p *sessionRun) carryOut(ctx context.Context, s step) endedStep {
	row := s.row
	if s.plan.Steps[s.Step].Kind == session.Tool {
		return p.tool(ctx, s.plan, row, s.answers)
	}
	call := s.call
	if !s.encoded {
		var err error
		if call, err = p.Script.Prepare(s.number, s.plan, s.Step, s.answers); err != nil {
			p.fail(err)
			return endedStep{row: row}
		}
	}
	if (Timers{p.clock}).Wait(ctx, s.At) != nil {
		return endedStep{row: row}
	}
	row.Phase = p.phase(s.At)
	defer p.phases.answered(row.Phase)
	p.address(&call, row.User, row.Phase)
	p.Tally.Begun.Add(1)
	p.Tally.under(p.underway.Add(1))
	row.Request, row.Begun = &call.Call.ID, p.clock.Now()
	raw := p.do.Do(ctx, call, s.At)
	p.underway.Add(-1)
	row.End = raw.Done
	answer, result := p.Script.Read(raw)
	row.Result = result
	return endedStep{row, answer}
}

// tool lets a tool run, or its time pass.
func (p *sessionRun) tool(ctx context.Context, plan session.Session, row record.SessionStep, answers []string) endedStep {
	if (Timers{p.clock}).Wait(ctx, row.Due) != nil {
		return endedStep{row: row}
	}
	step := plan.Steps[row.Step]
	row.Phase = p.phase(row.Due)
	defer p.phases.answered(row.Phase)
	row.Begun, row.Result = p.clock.Now(), record.OK
	answer := step.Text
	var err error
	if run := p.Script.tool(step.Name); run != nil {
		row.Real = true
		said := ""
		if len(step.After) > 0 {
			said = answers[step.After[0]]
		}
		answer, err = run(ctx, plan, int(row.Step), said)
		row.End = p.clock.Now()
	} else {
		// Injected time ends on paper: a late wake-up is the lag of what follows.
		row.End = row.Due + int64(step.Takes)
		err = (Timers{p.clock}).Wait(ctx, row.End)
	}
	switch {
	case ctx.Err() != nil:
		row.Result, row.End = record.Cut, p.clock.Now()
	case err != nil:
		row.Result, row.Error = record.ToolFailed, err.Error()
	}
	return endedStep{row, answer}
}

// phase is the phase of a step that begins now and was due at due. What it
// returns is given to answered when the step has ended.
func (p *sessionRun) phase(due int64) record.Phase {
	switch {
	case p.Schedule == nil:
		return p.phases.ask()
	case due < p.begin:
		return record.Warmup
	case due >= p.end:
		return record.Cooldown
	}
	p.phases.pending(1)
	return record.Measure
}

// row is what is known of a step's record before it begins.
func (p *sessionRun) row(r readySession, step int, user int32, phase record.Phase, begin, due int64) record.SessionStep {
	s := r.plan.Steps[step]
	var parents []string
	for _, before := range s.After {
		parents = append(parents, strconv.Itoa(before))
	}
	return record.SessionStep{
		Session: r.number, Name: r.plan.Name, Step: int32(step), Steps: int32(len(r.plan.Steps)), Began: phase,
		Shard: int32(p.Shard), User: user, Kind: string(s.Kind), Turn: int32(r.plan.Turn(step)), Parents: strings.Join(parents, " "),
		Start: begin, Due: due, Think: int64(s.Think), Tool: s.Name, Live: p.Script.Live,
	}
}

// phases counts the sessions and steps of each phase of a point.
type phases struct {
	full    chan struct{} // closed when the measurement has had its sessions
	drained chan struct{} // closed when the last measured session and step have ended

	mu       sync.Mutex
	phase    record.Phase // of a closed loop
	begun    int          // measured sessions
	most     int
	measured int  // measured sessions that have not ended
	steps    int  // measured steps that have not ended
	over     bool // nothing measured will begin any more
}

func newPhases(s Sessions) *phases {
	f := &phases{full: make(chan struct{}), drained: make(chan struct{}), phase: record.Warmup, most: s.Most}
	if s.Schedule != nil {
		f.measured = s.Schedule.Measured(s.Shard, s.Shards)
		f.most = 0 // the schedule has seen to it
	} else if s.Warmup == 0 {
		f.phase = record.Measure
	}
	return f
}

// begin is the phase of a session that begins now in a closed loop. One beyond
// the limit keeps up the load and is not measured.
func (f *phases) begin() record.Phase {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.phase != record.Measure {
		return f.phase
	}
	if f.most > 0 && f.begun == f.most {
		return record.Cooldown
	}
	f.begun++
	f.measured++
	return record.Measure
}

// end counts a session of phase as over.
func (f *phases) end(phase record.Phase) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if phase != record.Measure {
		return
	}
	f.measured--
	if f.most > 0 && f.begun == f.most && f.measured == 0 {
		close(f.full)
	}
	f.drain()
}

// ask is the phase of a step that begins now in a closed loop.
func (f *phases) ask() record.Phase {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.phase == record.Measure {
		f.steps++
	}
	return f.phase
}

// pending counts n more measured steps under way.
func (f *phases) pending(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.steps += n
	f.drain()
}

// answered counts a step of phase as over.
func (f *phases) answered(phase record.Phase) {
	if phase == record.Measure {
		f.pending(-1)
	}
}

func (f *phases) enter(phase record.Phase) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.phase = phase
	if phase == record.Cooldown {
		f.over = true
		f.drain()
	}
}

// drain reports that nothing measured is under way any more. In an open loop a
// step that was due in the window may begin after it, late; its session holds
// the end off if that is measured too.
func (f *phases) drain() {
	if !f.over || f.measured > 0 || f.steps > 0 {
		return
	}
	select {
	case <-f.drained: // it was closed already
	default:
		close(f.drained)
	}
}
