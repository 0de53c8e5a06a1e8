package run

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"

	"assay/load"
	"assay/plan"
	"assay/record"
	"assay/secret"
	"assay/spec"
	"assay/target"
	"assay/visible"
	"assay/workload"
	"assay/workload/session"
)

// measureSessions runs one point whose calls come in sessions and records it.
func (l *activeLaunch) measureSessions(ctx context.Context, point plan.Point) error {
	if point.Idle {
		return nil // other parts of the plan are at work
	}
	source, err := l.sessions(point)
	if err != nil {
		return err
	}
	if err := l.attachSessions(point, source); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	events := l.eventLog(point, cancel)
	if err := l.warm(ctx, point); err != nil {
		events(record.ConnectionsCold, l.clock.Now(), err.Error())
	}
	defer holdCollector(l.collectorBudget)()
	collector := windowCollector{budget: l.collectorBudget}
	l.at.begin()
	tally := &load.Tally{}
	part := l.plan.Share()
	play := load.Sessions{
		Users: point.Concurrency, Warmup: point.Warmup.Std(), Measure: point.Duration.Std(), Cooldown: point.Cooldown.Std(), Most: point.Requests, End: l.lastSession(),
		MaxInFlight: point.MaxInFlight, Shard: part.Index, Shards: part.Count, Tally: tally,
		Entered: func(phase record.Phase, at int64) {
			events.window(phase, at)
			collector.entered(phase, at, events)
			l.live.EnterPhase(phase)
		},
		Script: l.script(point, source, cancel),
	}
	if point.Open() {
		if play.Schedule, err = l.attachSchedule(point); err != nil {
			return err
		}
		play.Pacer = load.Exact{Clock: l.clock}
	}
	if play.Together, err = l.meet(ctx, tally); err != nil {
		return err
	}
	events(record.PointBegin, l.clock.Now(), point.Name)
	l.live.EnterPoint(point, tally)
	runErr := play.Run(ctx, l.clock, l.client)
	balance := balance(tally, l.at.outcomes)
	l.balance = l.balance.add(balance)
	events(record.PointBalance, l.clock.Now(), balance.detail())
	events(record.PointEnd, l.clock.Now(), "")
	err = errors.Join(runErr, balance.check())
	if err == nil && !point.Open() && l.at.measured == 0 && l.leader == nil {
		err = errNothingMeasured
	}
	return err
}

// script says what the sessions of a point do and where their records go.
func (l *activeLaunch) script(point plan.Point, source sessionSource, cancel context.CancelCauseFunc) load.Script {
	live := liveHistory(l.plan)
	counter := workload.NewBuilder(l.recordings.counter)
	if live {
		counter = nil // what the target will say cannot be counted beforehand
	}
	var mu sync.Mutex // sessions end their steps side by side
	s := load.Script{
		Live:    live,
		Session: func(n int64) (session.Session, error) { return source.session(n), nil },
		Prepare: func(n int64, s session.Session, step int, answers []string) (target.Prepared, error) {
			call := sessionCall(point, n, s, step, answers, counter)
			if source.address != nil {
				source.address(&call, n, step)
			}
			return l.client.Prepare(call)
		},
		Read: func(raw *target.Raw) (string, record.Outcome) {
			request, chunks, text := l.decode(raw)
			mu.Lock()
			err := l.keep(request, chunks)
			mu.Unlock()
			if err != nil {
				cancel(err)
			}
			return content(text, chunks), request.Result
		},
		Keep: func(row record.SessionStep) {
			row.Point = int32(point.Index)
			if err := l.to.step(row); err != nil {
				cancel(fmt.Errorf("record step: %w", err))
			}
		},
	}
	programs := map[string]load.Tool{}
	for _, t := range l.plan.Workload().Session.AllTools() {
		if len(t.Command) > 0 {
			programs[t.Name] = realTool(t)
		}
	}
	s.Tool = func(name string) load.Tool { return programs[name] }
	return s
}

// content is what an answer adds to a conversation: the words of its first
// choice without the reasoning, which chat templates drop.
func content(text string, chunks []record.Chunk) string {
	if len(chunks) == 0 {
		return text // it was not streamed
	}
	var b strings.Builder
	for _, c := range chunks {
		if !c.Kind.Output() {
			continue
		}
		size := min(int(c.TextBytes), len(text))
		if c.Kind == record.Content && c.Choice == 0 {
			b.WriteString(text[:size])
		}
		text = text[size:]
	}
	return b.String()
}

// toolAnswer caps what is kept of a tool's answer.
const toolAnswer = 64 << 10

// realTool runs the program of t for each call of the tool.
func realTool(t spec.SessionTool) load.Tool {
	return func(ctx context.Context, s session.Session, step int, said string) (string, error) {
		ctx, cancel := context.WithTimeoutCause(ctx, t.Timeout.Std(), fmt.Errorf("took longer than %v", t.Timeout))
		defer cancel()
		cmd := exec.CommandContext(ctx, t.Command[0], t.Command[1:]...)
		cmd.Env = append(cmd.Environ(), "ASSAY_SESSION="+strconv.FormatInt(s.ID, 10), "ASSAY_STEP="+strconv.Itoa(step))
		cmd.Stdin = strings.NewReader(said)
		cmd.WaitDelay = time.Second // for children that keep its output open
		var out, trouble bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &trouble
		err := cmd.Run()
		if err != nil && ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		if err != nil {
			return "", fmt.Errorf("tool %s: %w: %s", t.Command[0], err, visible.Line(secret.Head(trouble.String(), 200)))
		}
		return string(out.Bytes()[:min(out.Len(), toolAnswer)]), nil
	}
}

// Played says where the sessions of a point come from: its file sessions-PP.json
// in a bundle.
type Played struct {
	Version  string `json:"version"`
	From     string `json:"from"`
	History  string `json:"history"`
	Sessions int    `json:"sessions"` // how many there are before they come again; 0 means no end
	LeftOut  int    `json:"leftOut"`  // conversations that cannot be played
}

func (l *activeLaunch) attachSessions(point plan.Point, source sessionSource) error {
	s := l.plan.Workload().Session
	data, err := json.MarshalIndent(Played{replayedVersion, s.From, s.History, source.len, source.leftOut}, "", "  ")
	if err != nil {
		return err
	}
	if err := l.to.attach(fmt.Sprintf("sessions-%02d.json", point.Index), data); err != nil {
		return &bundleError{err}
	}
	return nil
}
