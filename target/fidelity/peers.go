package fidelity

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"time"
)

// A Peer is another client, installed in a folder of its own, that is given the
// same known stream. To add one, write peer_NAME.go with its command and how its
// results are read, list it in Peers and record a small result in testdata.
type Peer struct {
	Name    string
	Package string // what make peers installs
	Program string // below the folder of its virtual environment
	PerGap  bool   // it reports every gap; otherwise the mean gap of each answer

	// Args is the command line for one trial.
	Args func(t PeerTrial) ([]string, error)

	// Read returns what it reported, in seconds.
	Read func(t PeerTrial) ([]Reported, error)
}

// A PeerTrial is what a peer is asked to do.
type PeerTrial struct {
	URL     string
	Dir     string // of the trial, for its results
	Streams int
	Rounds  int
	Tokens  int
}

// Requests is how many the trial makes.
func (t PeerTrial) Requests() int { return t.Streams * t.Rounds }

// Peers lists the clients to compare with.
var Peers = []Peer{GenAIBench, GuideLLM, AIPerf, VLLM}

// A Reported is one answer as a client reports it, in seconds.
type Reported struct {
	Start float64   `json:"start"` // on a clock of the client's own; 0 when it does not tell
	TTFT  float64   `json:"ttft"`
	ITL   []float64 `json:"itl"` // every gap, or their mean alone
}

// A Compared is one client at one number of streams. Quantiles of what it
// reported stand beside those of what the simulator did in the same trial.
type Compared struct {
	Client  string        `json:"client"`
	Streams int           `json:"streams"`
	Trial   int           `json:"trial"`
	Skipped string        `json:"skipped,omitempty"` // why there is nothing below
	Answers int           `json:"answers"`           // judged
	PerGap  bool          `json:"per_gap"`
	TTFT    Pair          `json:"ttft"`
	ITL     Pair          `json:"itl"`
	Took    time.Duration `json:"took_ns"` // from its start to its end
	Late    Spread        `json:"server_late"`
}

// A Pair is a quantity as a client reported it and as it was, in seconds.
type Pair struct {
	Reported Quantiles `json:"reported"`
	Truth    Quantiles `json:"truth"`
}

// Quantiles are of the sample, by rank.
type Quantiles struct {
	N   int     `json:"n"`
	P50 float64 `json:"p50"`
	P99 float64 `json:"p99"`
}

// P50 is the ratio of the medians, reported over true.
func (p Pair) P50() float64 { return p.Reported.P50 / p.Truth.P50 }

// P99 is the ratio of the 99th percentiles, reported over true.
func (p Pair) P99() float64 { return p.Reported.P99 / p.Truth.P99 }

// Self gives assay's own client the same trial. All streams begin at once, as
// those of the peers do.
func (b Bench) Self(ctx context.Context, reader string, streams, trial int) (Compared, error) {
	b.Burst = true
	c := Compared{Client: "assay", Streams: streams, Trial: trial, PerGap: true}
	return b.compare(ctx, c, func(url, _ string) ([]Reported, error) {
		seen, _, err := b.observe(ctx, url, reader, streams)
		if err != nil {
			return nil, err
		}
		if seen.Failed > 0 {
			return nil, fmt.Errorf("%d requests failed, the first with %s", seen.Failed, seen.Error)
		}
		return seen.reported(), nil
	})
}

// reported is what assay says about its answers.
func (o Observed) reported() []Reported {
	var list []Reported
	for _, a := range o.Requests {
		if len(a.At) == 0 {
			continue
		}
		r := Reported{Start: float64(a.Sent) / 1e9, TTFT: float64(a.At[0]-a.Sent) / 1e9}
		for i := 1; i < len(a.At); i++ {
			r.ITL = append(r.ITL, float64(a.At[i]-a.At[i-1])/1e9)
		}
		list = append(list, r)
	}
	return list
}

// Against gives a peer the trial. root is the folder of the peers' virtual
// environments. A peer that is not there, or fails, is skipped with the reason.
func (b Bench) Against(ctx context.Context, p Peer, root string, streams, trial int) (Compared, error) {
	c := Compared{Client: p.Name, Streams: streams, Trial: trial, PerGap: p.PerGap}
	program := filepath.Join(root, p.Name, p.Program)
	if _, err := os.Stat(program); err != nil {
		c.Skipped = fmt.Sprintf("not installed (make peers): %v", err)
		return c, nil
	}
	var failed *peerError
	c, err := b.compare(ctx, c, func(url, dir string) ([]Reported, error) {
		t := PeerTrial{URL: url, Dir: dir, Streams: streams, Rounds: b.Rounds, Tokens: b.Schedule.Tokens}
		if err := b.runPeer(ctx, p, program, t); err != nil {
			return nil, &peerError{err}
		}
		list, err := p.Read(t)
		if err != nil {
			return nil, &peerError{err}
		}
		return list, nil
	})
	if errors.As(err, &failed) && ctx.Err() == nil {
		c.Skipped, err = failed.Error(), nil
	}
	return c, err
}

// A peerError is another program's failure, which ends its trial alone.
type peerError struct{ err error }

func (e *peerError) Error() string { return e.err.Error() }

// peerPatience bounds one trial of one peer: some need a minute to start on a
// busy machine.
const peerPatience = 5 * time.Minute

func (b Bench) runPeer(ctx context.Context, p Peer, program string, t PeerTrial) error {
	if err := writeTokenizer(t.Dir); err != nil {
		return err
	}
	args, err := p.Args(t)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, peerPatience)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = t.Dir
	cmd.Env = append(os.Environ(), "HF_HOME="+tokenizerHome(t.Dir), "HF_HUB_OFFLINE=1", "TRANSFORMERS_OFFLINE=1")
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	// Some peers are many processes: all of them must end with the trial.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	if err := b.start(cmd, 0); err != nil {
		return err
	}
	err = cmd.Wait()
	// What it left behind goes too; there may be nothing.
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	if err != nil {
		return fmt.Errorf("%w: …%s", err, lastLines(output.String()))
	}
	return nil
}

func lastLines(text string) string {
	const most = 400
	return text[max(0, len(text)-most):]
}

// compare runs a client against a fresh simulator and sets what it reports
// beside the truth of the same trial. The first answer of each stream opens its
// connection and is judged for nobody.
func (b Bench) compare(ctx context.Context, c Compared, client func(url, dir string) ([]Reported, error)) (Compared, error) {
	dir, err := os.MkdirTemp("", "assay-peers-")
	if err != nil {
		return c, err
	}
	defer os.RemoveAll(dir)
	log := filepath.Join(dir, "truth.csv")
	url, stop, err := b.simulate(ctx, log)
	if err != nil {
		return c, err
	}
	begin := time.Now()
	list, clientErr := client(url, dir)
	c.Took = time.Since(begin)
	if err := errors.Join(clientErr, stop()); err != nil {
		return c, err
	}
	file, err := os.Open(log)
	if err != nil {
		return c, err
	}
	defer file.Close()
	t, err := readTruth(file)
	if err != nil {
		return c, err
	}
	return c.judge(list, t, b.Schedule.Tokens)
}

func (c Compared) judge(list []Reported, t truth, tokens int) (Compared, error) {
	slices.SortStableFunc(list, func(a, b Reported) int { return cmp.Compare(a.Start, b.Start) })
	real, late := t.answers(tokens)
	if len(list) <= c.Streams || len(real) <= c.Streams {
		return c, &peerError{fmt.Errorf("%d answers were reported and %d whole ones sent, want more than %d of each", len(list), len(real), c.Streams)}
	}
	list, real = list[c.Streams:], real[c.Streams:]
	c.Answers, c.Late = len(list), spread(late)
	c.TTFT = Pair{quantiles(list, Reported.first), quantiles(real, Reported.first)}
	gaps := Reported.mean
	if c.PerGap {
		gaps = func(r Reported) []float64 { return r.ITL }
	}
	c.ITL = Pair{quantiles(list, gaps), quantiles(real, gaps)}
	return c, nil
}

func (r Reported) first() []float64 { return []float64{r.TTFT} }

func (r Reported) mean() []float64 {
	total := 0.0
	for _, v := range r.ITL {
		total += v
	}
	if len(r.ITL) == 0 {
		return nil
	}
	return []float64{total / float64(len(r.ITL))}
}

// answers is what the simulator did, in the words of a client, by arrival. Peers
// ask for less or more beside their measurement, to see whether a server is
// there: only whole answers count.
func (t truth) answers(tokens int) (list []Reported, late []int64) {
	for _, sent := range t {
		if len(sent) != tokens {
			continue
		}
		r := Reported{Start: float64(sent[0].arrival) / 1e9, TTFT: float64(sent[0].sent-sent[0].arrival) / 1e9}
		for i := range sent {
			late = append(late, sent[i].sent-sent[i].due)
			if i > 0 {
				r.ITL = append(r.ITL, float64(sent[i].sent-sent[i-1].sent)/1e9)
			}
		}
		list = append(list, r)
	}
	slices.SortFunc(list, func(a, b Reported) int { return cmp.Compare(a.Start, b.Start) })
	return list, late
}

func quantiles(list []Reported, of func(Reported) []float64) Quantiles {
	var values []float64
	for _, r := range list {
		values = append(values, of(r)...)
	}
	if len(values) == 0 {
		return Quantiles{}
	}
	slices.Sort(values)
	at := func(q float64) float64 { return values[min(len(values)-1, int(q*float64(len(values))))] }
	return Quantiles{N: len(values), P50: at(.5), P99: at(.99)}
}

// readJSON decodes a file of a peer.
func readJSON(path string, to any) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, to); err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(path), err)
	}
	return nil
}
