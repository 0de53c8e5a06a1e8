package suite

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A Profile is what a profiler found in a step, or why it found nothing.
type Profile struct {
	Tool   string   `json:"tool"`
	Step   string   `json:"step"`
	Report string   `json:"report,omitempty"` // files of the suite's folder
	Tables []string `json:"tables,omitempty"`
	Absent string   `json:"absent,omitempty"` // why there is none
	Error  string   `json:"error,omitempty"`  // how the profiler ended, where that was badly
}

func (p Profile) text() string {
	switch {
	case p.Absent != "":
		return fmt.Sprintf("profile of %s: %s: %s", p.Step, p.Tool, p.Absent)
	case p.Report == "":
		return fmt.Sprintf("profile of %s: %s left no report: %s", p.Step, p.Tool, p.Error)
	}
	return fmt.Sprintf("profile of %s: %s", p.Step, strings.Join(append([]string{p.Report}, p.Tables...), ", "))
}

// profiled are the steps that are worth a profiler's look, the first of which is taken:
// their work is the library's and not ours.
var profiled = []string{"train_step", "attention", "gemm_sanity"}

// profile looks into one step that was measured. The profiler slows what it looks into, so
// that the step is done again for it, and none of its figures count.
func (o Options) profile(ctx context.Context, p Preset, rows []Row) ([]Profile, error) {
	if o.Profile == nil || o.Smoke || ctx.Err() != nil {
		return nil, nil
	}
	for _, name := range profiled {
		at := slices.IndexFunc(rows, func(r Row) bool { return r.Name == name && r.Outcome == Ran })
		if at < 0 {
			continue
		}
		if p.Size.Once { // a first answer must come soon
			return []Profile{{Tool: "nsys, ncu", Step: name, Absent: "not at this size; --size full asks them"}}, nil
		}
		dir := filepath.Join(o.Dir, "profiles")
		if err := os.Mkdir(dir, 0o755); err != nil {
			return nil, err
		}
		list, err := o.Profile(ctx, filepath.Join(o.Dir, "specs", name+".yaml"), dir)
		for i := range list {
			p := &list[i]
			p.Step = name
			if p.Report != "" {
				p.Report = filepath.Join("profiles", p.Report)
			}
			for j, table := range p.Tables {
				p.Tables[j] = filepath.Join("profiles", table)
			}
			if p.Absent == "" {
				o.Tell("%s", p.text())
			}
		}
		return list, err
	}
	return nil, nil
}
