package suite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"assay/bundle"
)

// Options say how a suite is carried out.
type Options struct {
	Dir     string // folder of the suite; made, and must not exist
	RunID   string
	Now     func() time.Time
	Measure Measure
	Tell    func(format string, args ...any) // the story; nil tells nothing

	// Smoke measures nothing and writes what would be.
	Smoke bool

	// Timeout ends a step that takes longer; zero means never.
	Timeout time.Duration

	// Profile repeats the spec in a file of the suite under the host's profilers, which
	// leave what they found in a folder. Nil profiles nothing.
	Profile func(ctx context.Context, spec, dir string) ([]Profile, error)
}

// Run carries out the steps of p on h, one after the other, and writes the folder of
// the suite. A step that cannot be done here is skipped; one that fails is reported, and
// ends the suite only when it is required. The returned card is complete in either
// case; the error says that the suite itself could not go on.
func Run(ctx context.Context, p Preset, h Host, o Options) (Card, error) {
	if o.Tell == nil {
		o.Tell = func(string, ...any) {}
	}
	if err := os.MkdirAll(filepath.Dir(o.Dir), 0o755); err != nil {
		return Card{}, err
	}
	if err := os.Mkdir(o.Dir, 0o755); err != nil {
		return Card{}, fmt.Errorf("folder of the suite: %w; a run id is used once", err)
	}
	var rows []Row
	var stop string
	begin := o.Now()
	whole, can := p.Takes(h)
	if !o.Smoke {
		by := ""
		if p.Size.Counts != (Counts{}) {
			by = ", by the preset's own counts"
		}
		o.Tell("%s: %d of %d steps can be measured here, in about %s%s", p.Name, can, len(p.Resolve()), minutes(whole), by)
	}
	at := 0
	for _, s := range p.Resolve() {
		row := Row{Name: s.Name, Layer: s.Layer, Role: s.Role, Required: s.Required, Question: s.Question, Start: o.Now()}
		switch reason := h.Cannot(s); {
		case reason != "":
			row.Outcome, row.Reason = Skipped, reason
		case stop != "":
			row.Outcome, row.Reason = Skipped, stop
		case ctx.Err() != nil:
			row.Outcome, row.Reason = Skipped, "the suite was interrupted"
		case o.Smoke:
			row.Outcome, row.Reason = Skipped, "smoke: nothing is measured"
			if err := row.keepSpec(s.Spec(p.Size, h), o.Dir); err != nil {
				return Card{}, err
			}
		default:
			at++
			o.Tell("step %d of %d, %s of about %s: %s: %s?", at, can, minutes(o.Now().Sub(begin)), minutes(whole), s.Name, s.Question)
			if err := row.measure(ctx, s, p, h, o); err != nil {
				return Card{}, err
			}
			o.Tell("  %s in %s: %s%s", row.Outcome, minutes(o.Now().Sub(row.Start)), row.Answer, row.Reason)
			if row.Outcome == Failed && s.Required {
				stop = fmt.Sprintf("%s failed, and the rest needs it", s.Name)
			}
		}
		row.End = o.Now()
		rows = append(rows, row)
	}
	card := score(p, h, rows)
	card.Nodes = compareNodes(rows)
	profiles, err := o.profile(ctx, p, rows)
	if err != nil {
		return card, err
	}
	card.Profiles = profiles
	card.RunID, card.Start, card.End, card.Smoke = o.RunID, begin, o.Now(), o.Smoke
	if err := card.write(o.Dir); err != nil {
		return card, err
	}
	if ctx.Err() != nil {
		return card, context.Cause(ctx)
	}
	if stop != "" {
		return card, errors.New(stop)
	}
	return card, nil
}

// Cannot says why a step cannot be done on h; empty when it can.
func (h Host) Cannot(s Step) string {
	var missing []string
	for _, need := range s.Needs {
		if !h.Has[need] {
			missing = append(missing, lacks[need])
		}
	}
	switch {
	case len(missing) > 0:
		return strings.Join(missing, "; ")
	case s.Absent != "":
		return s.Absent
	case s.Fragment == "":
		return "nothing to measure"
	}
	return ""
}

var (
	lacks = map[Need]string{
		Accelerator: "no accelerator that torch can use",
		Torch:       "no Python with torch was found",
		Hosts:       "one host only",
	}
	wanted = map[Need]string{
		Accelerator: "an accelerator that torch can use",
		Torch:       "a Python with torch (--python)",
		Hosts:       "a second host",
	}
)

// keepSpec writes the spec of a step beside its bundle.
func (r *Row) keepSpec(source []byte, dir string) error {
	file := filepath.Join("specs", r.Name+".yaml")
	r.Command = "assay run " + file
	if err := os.MkdirAll(filepath.Join(dir, "specs"), 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, file), source, 0o644)
}

// measure carries out one step. Only what keeps the suite itself from going on is an
// error.
func (r *Row) measure(ctx context.Context, s Step, p Preset, h Host, o Options) error {
	source := s.Spec(p.Size, h)
	if err := r.keepSpec(source, o.Dir); err != nil {
		return err
	}
	if o.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, o.Timeout, fmt.Errorf("the step took longer than %v", o.Timeout))
		defer cancel()
	}
	got, err := o.Measure(ctx, s.Name, source, filepath.Join(o.Dir, "bundles"))
	code := 0
	r.ExitCode = &code
	if got.Bundle != "" {
		if r.Bundle, _ = filepath.Rel(o.Dir, got.Bundle); r.Bundle == "" {
			r.Bundle = got.Bundle
		}
		r.LogPath = filepath.Join(r.Bundle, "report", "report.txt")
	}
	r.StandIn = h.standIn(s)
	switch {
	case err != nil:
		code, r.Outcome, r.Reason = 1, Failed, firstLine(err.Error())
	case got.Report.Status != bundle.Completed:
		code, r.Outcome, r.Reason = 1, Failed, fmt.Sprintf("its bundle is %s", got.Report.Status)
	default:
		r.Outcome = Ran
		r.facts = factsOf(got.Report)
		r.nodes = got.Report.Nodes
		r.Answer = answer(got.Report)
	}
	return nil
}

// standIn says what a step was measured on in place of what it is about.
func (h Host) standIn(s Step) string {
	switch {
	case s.Stand == server && h.Simulated:
		return "the simulator"
	case s.Stand == accelerator && (h.Device != "cuda" || s.Exchange && !h.nccl(s)):
		return "the host's processors"
	case s.Stand == accelerator && s.Exchange && h.Accelerators < 2:
		return "one accelerator, which exchanges nothing"
	}
	return ""
}

// Lacks says what a host must have besides to answer a step by what it is about; empty
// when it has everything.
func (h Host) Lacks(s Step) string {
	var list []string
	lack := func(missing bool, what string) {
		if missing && !slices.Contains(list, what) {
			list = append(list, what)
		}
	}
	for _, need := range s.Needs {
		lack(!h.Has[need], wanted[need])
	}
	lack(s.Stand == server && h.Simulated, "a server under test (--url)")
	if s.Stand == accelerator {
		lack(s.Exchange && (h.Device != "cuda" || h.Accelerators < 2), "two accelerators")
		lack(!s.Exchange && h.Device != "cuda", wanted[Accelerator])
		lack(!h.Has[Torch], wanted[Torch])
	}
	return strings.Join(list, " and ")
}

// minutes is a time as people say it: 95 s is 1:35.
func minutes(d time.Duration) string {
	seconds := int(d.Round(time.Second).Seconds())
	return fmt.Sprintf("%d:%02d", seconds/60, seconds%60)
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// ran is the row of a role that was measured; false where there is none.
func ran(rows []Row, role string) (Row, bool) {
	i := slices.IndexFunc(rows, func(r Row) bool { return r.Role == role && r.Outcome == Ran })
	if i < 0 {
		return Row{}, false
	}
	return rows[i], true
}
