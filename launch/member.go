package launch

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"assay/child"
)

// A member is one host of a crew and the line to it.
type member struct {
	host  Host
	hello Hello
	facts HostFacts
	cmd   *exec.Cmd
	in    io.WriteCloser
	said  *tail // on standard error
	ready chan reply
	left  chan struct{} // closed when the line is gone

	sending sync.Mutex

	mu   sync.Mutex
	part *part // of the world under way; nil between worlds
}

// connect starts the attendant on a host and waits for its hello.
func connect(ctx context.Context, t transport, h Host, there installed) (*member, error) {
	m := &member{host: h, facts: there.facts, said: &tail{}, ready: make(chan reply, 1), left: make(chan struct{})}
	m.cmd = t.command(h, there.attend()...)
	m.cmd.Stderr = m.said
	m.cmd.WaitDelay = pipeWithin
	m.cmd.SysProcAttr = child.Apart()
	var err error
	if m.in, err = m.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := m.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := m.cmd.Start(); err != nil {
		return nil, fmt.Errorf("host %s: %w", h.Name, err)
	}
	greeted := make(chan error, 1)
	go m.listen(out, greeted)
	select {
	case err = <-greeted:
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	if err != nil {
		m.drop()
		return nil, t.explain(h, m.said.last(), err)
	}
	return m, nil
}

// mostNoise is how much a host's shell may print before the attendant speaks: greetings
// of login scripts.
const mostNoise = 64 << 10

// listen reads what the attendant says until the line is gone.
func (m *member) listen(out io.Reader, greeted chan<- error) {
	reader := bufio.NewReader(out)
	err := m.skipNoise(reader)
	greeted <- err
	decoder := json.NewDecoder(reader)
	for err == nil {
		var r reply
		if err = decoder.Decode(&r); err == nil {
			m.hear(r)
		}
	}
	m.in.Close()
	_ = m.cmd.Wait() // what it said is in said
	m.mu.Lock()
	part := m.part
	m.part = nil
	close(m.left)
	m.mu.Unlock()
	if part != nil {
		part.lose(m.lost())
	}
}

// skipNoise reads up to the hello.
func (m *member) skipNoise(reader *bufio.Reader) error {
	for noise := 0; noise < mostNoise; {
		line, err := reader.ReadString('\n')
		if err != nil {
			return errors.New("it ended before it said anything")
		}
		noise += len(line)
		var first reply
		if strings.HasPrefix(line, `{"assay":`) && json.Unmarshal([]byte(line), &first) == nil && first.Hello != nil {
			m.hello = *first.Hello
			return nil
		}
	}
	return fmt.Errorf("its login shell printed %d KiB, and assay never answered", mostNoise>>10)
}

func (m *member) hear(r reply) {
	m.mu.Lock()
	part := m.part
	if part != nil && r.Over {
		m.part = nil
	}
	m.mu.Unlock()
	switch {
	case part != nil:
		part.hear(r)
	case r.Ready || r.Error != "":
		select {
		case m.ready <- r:
		default: // nobody asked
		}
	}
}

// brief has the host make ready.
func (m *member) brief(ctx context.Context, document []byte) error {
	if err := m.send(order{Brief: &brief{document}}); err != nil {
		return err
	}
	select {
	case r := <-m.ready:
		if r.Error != "" {
			return errors.New(r.Error)
		}
		m.facts.Captured = r.Facts
		return nil
	case <-m.left:
		return errors.New(m.lost())
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// sendWithin is how long an order may wait to be taken: the line to a host that is gone
// fills up and takes nothing.
const sendWithin = 10 * time.Second

func (m *member) send(o order) error {
	m.sending.Lock()
	defer m.sending.Unlock()
	if file, ok := m.in.(*os.File); ok {
		_ = file.SetWriteDeadline(time.Now().Add(sendWithin)) // where pipes have none, an order waits
	}
	err := json.NewEncoder(m.in).Encode(o)
	if err != nil {
		_ = m.cmd.Process.Kill() // half an order must not be followed by another
	}
	return err
}

// gone says whether the line to the host is gone.
func (m *member) gone() bool {
	select {
	case <-m.left:
		return true
	default:
		return false
	}
}

// lost says how the line ended.
func (m *member) lost() string {
	text := "the connection to it was lost"
	if said := m.said.last(); said != "" && m.gone() {
		text += ": " + said
	}
	return text
}

// dismissWithin is how long an attendant that was let go may take to end its ranks and
// to remove what was copied.
const dismissWithin = 15 * time.Second

// dismiss lets the host go.
func (m *member) dismiss() {
	m.in.Close()
	select {
	case <-m.left:
	case <-time.After(dismissWithin):
		m.drop()
	}
}

// drop ends the line without a word.
func (m *member) drop() {
	_ = m.cmd.Process.Kill()
	m.in.Close()
	<-m.left
}

// start starts the ranks of a world that sit on this host.
func (m *member) start(job Job, at []seat, w *spread) (*part, error) {
	p := &part{member: m, world: w, log: job.Log, out: job.Out, open: map[int]bool{}, over: make(chan struct{})}
	inputs := map[int][]byte{}
	for _, s := range at {
		p.open[s.Rank] = true
		if job.Input != nil {
			inputs[s.Rank] = job.Input(s.Rank)
		}
	}
	m.mu.Lock()
	if gone := m.gone(); gone || m.part != nil {
		m.mu.Unlock()
		return nil, fmt.Errorf("host %s: it cannot start ranks: %s", m.host.Name, m.lost())
	}
	m.part = p
	m.mu.Unlock()
	err := m.send(order{Start: &farWorld{
		Seats: at, Worker: job.Worker, Command: job.Command, Env: job.Env, Master: job.Master, Out: job.Out, Leave: job.Leave, Files: job.Files,
		Inputs: inputs,
	}})
	if err != nil {
		return nil, fmt.Errorf("host %s: %w", m.host.Name, err)
	}
	return p, nil
}

// A part is the ranks of a world on one host.
type part struct {
	member *member
	world  *spread
	log    func(rank int) io.Writer
	out    string
	logs   map[int]io.Writer
	over   chan struct{}

	mu   sync.Mutex
	open map[int]bool // ranks that have not ended
	done bool
}

// hear takes what the host says of the world. One goroutine calls it.
func (p *part) hear(r reply) {
	switch {
	case r.Exit != nil:
		p.end(*r.Exit)
	case r.Log != nil:
		p.print(*r.Log)
	case r.File != nil:
		if err := p.keep(*r.File); err != nil {
			p.print(farLog{Rank: 0, Text: fmt.Appendf(nil, "a file of host %s is lost: %v\n", p.member.host.Name, err)})
		}
	case r.Over:
		p.finish("it ended without saying why")
	case r.Error != "":
		p.member.mu.Lock()
		p.member.part = nil
		p.member.mu.Unlock()
		p.finish(r.Error)
	}
}

// print writes what a rank has printed.
func (p *part) print(l farLog) {
	if p.log == nil {
		return
	}
	if p.logs == nil {
		p.logs = map[int]io.Writer{}
	}
	if p.logs[l.Rank] == nil {
		p.logs[l.Rank] = p.log(l.Rank)
	}
	_, _ = p.logs[l.Rank].Write(l.Text)
}

// keep writes a piece of a file to where the world wants it.
func (p *part) keep(f filePart) error {
	if p.out == "" || !filepath.IsLocal(filepath.FromSlash(f.Name)) {
		return fmt.Errorf("file %q: nobody wants it", f.Name)
	}
	path := filepath.Join(p.out, filepath.FromSlash(f.Name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(f.Data)
	return errors.Join(err, file.Close())
}

func (p *part) end(exit Exit) {
	p.mu.Lock()
	open := p.open[exit.Rank]
	delete(p.open, exit.Rank)
	p.mu.Unlock()
	if open {
		p.world.end(exit)
	}
}

// lose ends the part because its host is gone.
func (p *part) lose(why string) {
	p.finish(fmt.Sprintf("lost with host %s: %s", p.member.host.Name, why))
}

// finish ends the ranks whose end nobody has reported.
func (p *part) finish(why string) {
	p.mu.Lock()
	open := p.open
	p.open = map[int]bool{}
	done := p.done
	p.done = true
	p.mu.Unlock()
	for rank := range open {
		p.world.end(Exit{Rank: rank, Code: -1, Signal: why})
	}
	if !done {
		close(p.over)
	}
}

// stop ends the ranks here, and gives the host up when it does not answer.
func (p *part) stop(grace time.Duration) {
	select {
	case <-p.over:
		return
	default:
	}
	_ = p.member.send(order{Stop: &stopCall{grace}})
	select {
	case <-p.over:
	case <-time.After(grace + answerWithin):
		p.member.drop()
		<-p.over
	}
}
