package launch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"time"

	"assay/spec"
)

// A transport runs programs on hosts, as ssh and srun do.
type transport interface {
	// command runs args on a host; not started yet. Its standard input and output are
	// those of the program there.
	command(h Host, args ...string) *exec.Cmd

	// explain says what kept a command from running, by what the transport has printed.
	explain(h Host, said string, err error) error
}

// A Crew is this program on hosts, ready to start ranks. It is the launcher of ssh and
// of slurm, which differ in how a host is reached and in who gives it.
type Crew struct {
	members []*member
	watch   func() error // what befell the hosts, as their scheduler says; nil where nobody watches
	release func() error // gives the hosts back; nil where nobody lent them

	beats sync.WaitGroup
	quit  chan struct{}
	once  sync.Once
}

var _ Launcher = (*Crew)(nil)

// CrewOptions say what hosts are made ready for.
type CrewOptions struct {
	Program string                           // path of this program
	Brief   []byte                           // what each host makes ready for (see Attendant.Prepare)
	Tell    func(format string, args ...any) // what people who wait may want to know; nil means nobody waits
}

func (o CrewOptions) tell(format string, args ...any) {
	if o.Tell != nil {
		o.Tell(format, args...)
	}
}

// readyWithin is how long a host may take to make ready: to start a Python that imports
// torch from a slow disk.
const readyWithin = 5 * time.Minute

// beatEvery is how often a crew hears from its leader.
const beatEvery = 5 * time.Second

// gather has every host attend. Whatever keeps one from it is an error before anything
// starts, and every host that has a fault is named.
func gather(ctx context.Context, t transport, hosts []Host, o CrewOptions) (*Crew, error) {
	program, err := readProgram(o.Program)
	if err != nil {
		return nil, err
	}
	c := &Crew{members: make([]*member, len(hosts)), quit: make(chan struct{})}
	errs := make([]error, len(hosts))
	var coming sync.WaitGroup
	for i, h := range hosts {
		coming.Go(func() {
			c.members[i], errs[i] = summon(ctx, t, h, program, o)
		})
	}
	coming.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	c.beats.Go(c.beat)
	return c, nil
}

// summon has one host attend.
func summon(ctx context.Context, t transport, h Host, program program, o CrewOptions) (*member, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, readyWithin, fmt.Errorf("host %s was not ready within %v", h.Name, readyWithin))
	defer cancel()
	began := time.Now()
	there, err := install(ctx, t, h, program)
	if err != nil {
		return nil, err
	}
	m, err := connect(ctx, t, h, there)
	if err != nil {
		return nil, err
	}
	if err := m.brief(ctx, o.Brief); err != nil {
		m.drop()
		return nil, fmt.Errorf("host %s: %w", h.Name, err)
	}
	m.facts.StartUp = time.Since(began)
	o.tell("host %s is ready after %.1f s (%s)", h.Name, m.facts.StartUp.Seconds(), m.facts.how())
	return m, nil
}

// beat gives signs of life until the crew is dismissed.
func (c *Crew) beat() {
	ticker := time.NewTicker(beatEvery)
	defer ticker.Stop()
	for {
		select {
		case <-c.quit:
			return
		case <-ticker.C:
			for _, m := range c.members {
				_ = m.send(order{Beat: true}) // if it is gone, Ended reports it
			}
		}
	}
}

// Address is where hosts see this one, as far as they agree; empty where nobody says.
func (c *Crew) Address() string {
	for _, m := range c.members {
		if m.hello.Leader != "" {
			return m.hello.Leader
		}
	}
	return ""
}

// Facts are what was found out of each host.
func (c *Crew) Facts() []HostFacts {
	var list []HostFacts
	for _, m := range c.members {
		list = append(list, m.facts)
	}
	return list
}

// Trouble is what befell the hosts of the crew since they were gathered: nil where all
// of them are there.
func (c *Crew) Trouble() error { return c.trouble(c.members) }

// setOf are the hosts that a job may use.
func (c *Crew) setOf(job Job) ([]*member, error) {
	if job.Sets > 1 && len(c.members)%job.Sets != 0 {
		return nil, fmt.Errorf("%d hosts in %d sets: want a number of hosts that can be cut into sets of one size", len(c.members), job.Sets)
	}
	return spec.SetOf(c.members, job.Set, job.Sets), nil
}

// trouble is what befell some of the hosts.
func (c *Crew) trouble(members []*member) error {
	var errs []error
	if c.watch != nil {
		errs = append(errs, c.watch())
	}
	for _, m := range members {
		if m.gone() {
			errs = append(errs, &Interference{Host: m.host.Name, What: m.lost()})
		}
	}
	return errors.Join(errs...)
}

// An Interference is that a launch did not fail by itself: its host or its scheduler
// took something away. What it measured must not be judged.
type Interference struct {
	Host string // empty where it is not about one
	What string
}

func (i *Interference) Error() string {
	if i.Host == "" {
		return i.What
	}
	return fmt.Sprintf("host %s: %s", i.Host, i.What)
}

// Start starts the ranks of a world on their hosts.
func (c *Crew) Start(ctx context.Context, job Job) (World, error) {
	if job.Ranks < 1 || len(job.Command) == 0 && job.Worker == "" {
		return nil, fmt.Errorf("launch %d ranks of %q: want at least one of a command", job.Ranks, job.Command)
	}
	members, err := c.setOf(job)
	if err != nil {
		return nil, err
	}
	hosts := make([]Host, len(members))
	for i, m := range members {
		hosts[i] = m.host
		if job.OnePerHost {
			hosts[i].Slots = 1
		}
	}
	placed, err := seats(hosts, job.Ranks)
	if err != nil {
		return nil, err
	}
	if err := c.trouble(members); err != nil {
		return nil, err
	}
	w := &spread{ended: make(chan Exit, job.Ranks), over: make(chan struct{}), hosts: make([]string, job.Ranks)}
	for i, m := range members {
		if len(placed[i]) == 0 {
			continue
		}
		for _, at := range placed[i] {
			w.hosts[at.Rank] = m.host.Name
		}
		part, err := m.start(job, placed[i], w)
		if err != nil {
			w.Stop(0)
			return nil, err
		}
		w.parts = append(w.parts, part)
		w.waiting.Go(func() { <-part.over })
	}
	go func() {
		w.waiting.Wait()
		close(w.ended)
		close(w.over)
	}()
	unhook := context.AfterFunc(ctx, func() { w.Stop(cancelGrace) })
	go func() {
		<-w.over
		unhook()
	}()
	return w, nil
}

// Close dismisses the crew: attendants end what they have started, and what was copied
// to their hosts is removed.
func (c *Crew) Close() (err error) {
	c.once.Do(func() {
		close(c.quit)
		c.beats.Wait()
		var leaving sync.WaitGroup
		for _, m := range c.members {
			if m != nil {
				leaving.Go(m.dismiss)
			}
		}
		leaving.Wait()
		if c.release != nil {
			err = c.release()
		}
	})
	return err
}

// A spread is a world whose ranks are on several hosts.
type spread struct {
	ended   chan Exit
	over    chan struct{} // closed when every part has ended
	hosts   []string      // of each rank
	parts   []*part
	waiting sync.WaitGroup

	mu    sync.Mutex
	asked bool
}

// end reports that one rank has ended.
func (w *spread) end(exit Exit) {
	w.mu.Lock()
	exit.Asked = w.asked
	w.mu.Unlock()
	exit.At = time.Now()
	w.ended <- exit // each rank ends once, so there is room
}

// Ended reports every rank that ends.
func (w *spread) Ended() <-chan Exit { return w.ended }

// PID is not of this host.
func (w *spread) PID(int) (int, bool) { return 0, false }

// Host is where a rank runs.
func (w *spread) Host(rank int) string {
	if rank < 0 || rank >= len(w.hosts) {
		return ""
	}
	return w.hosts[rank]
}

// answerWithin is how long after the grace of its ranks a host may take to say that
// they have ended, and to send their files. One that does not answer is given up.
const answerWithin = 20 * time.Second

// Stop ends every rank, on all hosts at once.
func (w *spread) Stop(grace time.Duration) {
	w.mu.Lock()
	w.asked = true
	w.mu.Unlock()
	var stopping sync.WaitGroup
	for _, p := range w.parts {
		stopping.Go(func() { p.stop(grace) })
	}
	stopping.Wait()
}

// A program is this program's own file.
type program struct {
	path   string
	bytes  int64
	digest string // SHA-256
}

func readProgram(path string) (program, error) {
	file, err := os.Open(path)
	if err != nil {
		return program{}, fmt.Errorf("this program, which hosts get a copy of: %w", err)
	}
	defer file.Close()
	p := program{path: path}
	p.digest, p.bytes, err = sum(file)
	return p, err
}
