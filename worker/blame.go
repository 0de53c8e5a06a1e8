package worker

import (
	"fmt"
	"strings"
	"time"
)

// The kinds of error that a rank tells of. All but communication are its own.
const (
	KindCommunication = "communication" // a peer did not answer: the rank is a likely victim
	KindOutOfMemory   = "out_of_memory"
	KindWrongAnswer   = "wrong_answer"
	KindSetup         = "setup"
	KindInternal      = "internal"
)

// A Failure is the end of a world by one of its ranks: the culprit, not the first
// that complained. A peer of a dead rank sees its connection closed within
// milliseconds and often is heard first.
type Failure struct {
	Rank    int
	Verdict string  // died, hung or unreachable
	Text    string  // what happened to it and what it was doing
	LastSeq *int64  // the last collective it had begun
	Seconds float64 // without a sign of life, or of progress, when it was named
	Victims []int   // ranks that failed because of it, so far
}

func (f *Failure) Error() string {
	text := fmt.Sprintf("rank %d %s: %s", f.Rank, f.Verdict, f.Text)
	if len(f.Victims) > 0 {
		text += fmt.Sprintf("; %s failed because of it", ranksOf(f.Victims))
	}
	return text
}

func ranksOf(list []int) string {
	if len(list) == 1 {
		return fmt.Sprintf("rank %d", list[0])
	}
	return "ranks " + strings.Trim(strings.ReplaceAll(fmt.Sprint(list), " ", ", "), "[]")
}

const (
	// settle is how long a death is held back for one that came before it and is
	// heard of later: peers complain 24 to 45 ms after a death.
	settle = 200 * time.Millisecond

	// deathWithin is how long after the end of a connection that of its process is
	// waited for, and the other way round.
	deathWithin = time.Second

	// aloneWithin is how long a rank may work while the others wait before or after
	// what is measured: it compiles, or trains the reference alone.
	aloneWithin = 10 * time.Minute

	// beatEvery is how often a rank gives a sign of life.
	beatEvery = time.Second
)

// How sure a sign is that its rank is the culprit, from the surest.
const (
	certain  = iota // a signal from outside
	own             // an error of its own
	likely          // an end without a word, or by its own abort: a watchdog ends victims like that
	complain        // a communication error: somebody else did it
)

// A sign is that one rank failed.
type sign struct {
	p       *peer
	weight  int
	at      int64
	verdict string
	text    string
}

// judge looks at the world and names the culprit when it can. The caller has locked
// the world.
func (c *Controller) judge(now int64) *Failure {
	if c.failure != nil || c.closed {
		return c.failure
	}
	if now-c.judged > int64(beatEvery) {
		// Nobody looked, perhaps because this process was stopped itself: what lies in
		// the connections is read first.
		c.patience = now + int64(beatEvery)
	}
	c.judged = now
	var signs []sign
	for _, p := range c.peers {
		if s, ok := p.failed(now, c.busy); ok {
			signs = append(signs, s)
		}
	}
	if len(signs) > 0 {
		c.name(worst(signs), signs, now)
		return c.failure
	}
	if now > c.patience {
		c.silence(now, c.o.Hang)
		c.standstill(now)
	}
	return c.failure
}

// failed says what speaks for a rank having ended or given up. Busy says that a
// point is under way, in which nobody leaves.
func (p *peer) failed(now int64, busy bool) (sign, bool) {
	is := func(weight int, at int64, verdict, text string) (sign, bool) {
		return sign{p, weight, at, verdict, text}, true
	}
	late := int64(deathWithin)
	switch e := p.exit; {
	case p.bye != nil && busy && !p.ended:
		return is(likely, p.life, VerdictDied, "it said goodbye before the point was over")
	case p.bye != nil || e != nil && e.asked:
		return sign{}, false
	case e != nil && e.signal != "" && e.signal != "aborted":
		// It may have said goodbye before: then its connection tells soon.
		if p.conn != nil && !p.closed && now-e.at < int64(settle) {
			return sign{}, false
		}
		return is(certain, e.at, VerdictDied, "its process was ended by signal: "+e.signal)
	case p.said != nil && p.said.Kind == KindCommunication:
		return is(complain, p.saidAt, VerdictDied, KindCommunication+": "+p.said.Text)
	case p.said != nil:
		return is(own, p.saidAt, VerdictDied, strings.TrimPrefix(p.said.Kind+": ", ": ")+p.said.Text)
	case e != nil:
		if p.conn != nil && !p.closed && now-e.at < late {
			return sign{}, false // its last words may still be on their way
		}
		text := fmt.Sprintf("its process ended with code %d without a word", e.code)
		if e.signal != "" {
			text = "its process ended by signal: " + e.signal
		}
		if p.hello == nil {
			text += " before it greeted; its log may say why"
		}
		return is(likely, e.at, VerdictDied, text)
	case p.closed && p.pid == 0:
		if p.broken != nil {
			return is(likely, p.closedAt, VerdictUnreachable, "its connection broke: "+p.broken.Error())
		}
		return is(likely, p.closedAt, VerdictDied, "its connection ended without a last line")
	case p.closed && now-p.closedAt > late:
		return is(likely, p.closedAt, VerdictUnreachable, fmt.Sprintf("its connection ended and its process %d lives", p.pid))
	}
	return sign{}, false
}

// worst is the sign of the culprit: the surest, and of those the earliest.
func worst(signs []sign) sign {
	first := signs[0]
	for _, s := range signs[1:] {
		if s.weight < first.weight || s.weight == first.weight && s.at < first.at {
			first = s
		}
	}
	return first
}

// name makes the failure of the sign, unless a surer one may still come.
func (c *Controller) name(s sign, signs []sign, now int64) {
	earliest := s.at
	for _, other := range signs {
		earliest = min(earliest, other.at)
	}
	age := time.Duration(now - earliest)
	switch {
	case s.weight == certain:
	case age < settle:
		return
	case s.weight == complain && len(signs) < len(c.peers):
		// Everybody who spoke is a victim; the culprit is among those who did not.
		if c.quiet(now); c.failure != nil || age < c.o.Hang {
			return
		}
	}
	c.fail(s.p, s.verdict, s.text, 0)
}

// quiet looks for the culprit among the ranks that do not complain: one that is
// stopped, or silent for longer than a beat that is late.
func (c *Controller) quiet(now int64) {
	for _, p := range c.peers {
		if p.said == nil && p.exit == nil && p.hello != nil && p.state() == stopped {
			c.hang(p, now)
			return
		}
	}
	c.silence(now, min(c.o.Hang, 3*beatEvery))
}

// silence names a rank that has given no sign of life: of several that which came
// least far.
func (c *Controller) silence(now int64, limit time.Duration) {
	var culprit *peer
	overdue := false
	for _, p := range c.peers {
		if p.hello == nil || p.bye != nil || p.exit != nil || p.said != nil || p.closed {
			continue
		}
		silent := time.Duration(now - p.life)
		if silent > limit/2 && silent > beatEvery*3/2 && p.probed == 0 {
			// What is not acknowledged until the limit tells a cut line from a rank that
			// hangs.
			p.probed = now
			_, _ = c.stamp(p)
		}
		// Whoever missed a beat is a candidate as soon as one of them is overdue.
		if silent < min(limit, beatEvery*3/2) {
			continue
		}
		overdue = overdue || silent > limit
		if culprit == nil || p.worse(culprit) {
			culprit = p
		}
	}
	if overdue {
		c.hang(culprit, now)
	}
}

// worse orders ranks that are silent: stopped before running, then by how far they
// came, then by how long they are silent.
func (p *peer) worse(q *peer) bool {
	if a, b := p.state() == stopped, q.state() == stopped; a != b {
		return a
	}
	if above(q.seq, p.seq) || above(p.seq, q.seq) {
		return above(q.seq, p.seq)
	}
	return p.life < q.life
}

// hang fails a rank that is silent.
func (c *Controller) hang(p *peer, now int64) {
	silent := time.Duration(now - p.life)
	quiet := fmt.Sprintf("no sign of life for %.1f s", silent.Seconds())
	switch s := p.state(); {
	case s == stopped:
		c.fail(p, VerdictHung, "its process is stopped; "+quiet, silent)
	case s == gone:
		c.fail(p, VerdictDied, "its process is gone; "+quiet, silent)
	case cut(p.conn):
		c.fail(p, VerdictUnreachable, quiet+" and what is sent to it is not acknowledged", silent)
	case s == running:
		c.fail(p, VerdictHung, "its process lives; "+quiet, silent)
	default:
		c.fail(p, VerdictHung, quiet, silent)
	}
}

// standstill names a rank that lives and keeps the others waiting: nobody has gone
// on for long, and it is behind.
func (c *Controller) standstill(now int64) {
	var last *peer
	var latest int64
	ahead, apart := false, false
	for _, p := range c.peers {
		if p.hello == nil || p.bye != nil {
			return
		}
		apart = apart || p.barrier != "" || p.ended || p.phase == warmingUp
		latest = max(latest, p.moved)
		switch {
		case last == nil:
			last = p
		case p.behind(last):
			last, ahead = p, true
		case last.behind(p):
			ahead = true
		}
	}
	limit := 2 * c.o.Hang
	if apart {
		limit = max(limit, aloneWithin)
	}
	if still := time.Duration(now - latest); ahead && still > limit {
		c.fail(last, VerdictHung, fmt.Sprintf("it lives and the others wait for it; nobody has gone on for %.1f s", still.Seconds()), still)
	}
}

// warmingUp is the phase of a sign of life in which libraries still compile.
const warmingUp = "warmup"

// behind says that p has yet to do what q waits for.
func (p *peer) behind(q *peer) bool {
	waits := func(p *peer) bool { return p.barrier != "" || p.ended }
	if waits(p) != waits(q) {
		return waits(q)
	}
	return above(q.seq, p.seq)
}

// fail makes the failure.
func (c *Controller) fail(p *peer, verdict, text string, seconds time.Duration) {
	var doing []string
	if p.phase != "" {
		doing = append(doing, "phase "+p.phase)
	}
	if p.step > 0 {
		doing = append(doing, fmt.Sprintf("step %d", p.step))
	}
	if p.seq != nil {
		doing = append(doing, fmt.Sprintf("collective %d begun", *p.seq))
	}
	if len(doing) > 0 {
		text += " (" + strings.Join(doing, ", ") + ")"
	}
	if c.turnedAway > 0 && p.hello == nil {
		text += "; a connection was turned away: " + c.refusal
	}
	c.failure = &Failure{Rank: p.rank, Verdict: verdict, Text: c.redact(text, maxError), LastSeq: p.seq, Seconds: seconds.Seconds()}
	for _, q := range c.peers {
		if q != p && (q.said != nil && q.said.Kind == KindCommunication) {
			c.failure.Victims = append(c.failure.Victims, q.rank)
		}
	}
}

// whereabouts says what every rank is at, for a wait that was given up.
func (c *Controller) whereabouts() string {
	groups := map[string][]int{}
	var order []string
	for _, p := range c.peers {
		at := "in phase " + p.phase
		switch {
		case p.hello == nil:
			at = "not greeted"
		case p.bye != nil:
			at = "done"
		case p.ended:
			at = "at the end of the point"
		case p.barrier != "":
			at = "waiting at " + p.barrier
		case p.phase == "":
			at = "greeted"
		}
		if groups[at] == nil {
			order = append(order, at)
		}
		groups[at] = append(groups[at], p.rank)
	}
	var list []string
	for _, at := range order {
		list = append(list, ranksOf(groups[at])+" "+at)
	}
	if c.turnedAway > 0 {
		list = append(list, fmt.Sprintf("%d connections were turned away (%s)", c.turnedAway, c.refusal))
	}
	return strings.Join(list, ", ")
}
