package overlap

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"strconv"

	"assay/analysis/trace"
	"assay/bundle"
	"assay/plan"
)

// traceName is how a launch keeps what the profiler of a rank made.
var traceName = regexp.MustCompile(`^world-(\d+)-trace-rank-(\d+)`)

// traces reads what the profiler recorded at a point. A trace that cannot be read
// says so in its place: the measurement does not rest on it.
func traces(b *bundle.Bundle, p plan.Plan, point int) (list []Trace, err error) {
	for _, l := range p.Launches {
		worlds := p.Worlds(l)
		for _, f := range b.Manifest.Files {
			found := traceName.FindStringSubmatch(path.Base(f.Path))
			if found == nil || f.Launch == nil || *f.Launch != l.Index {
				continue
			}
			world, _ := strconv.Atoi(found[1])
			rank, _ := strconv.Atoi(found[2])
			if world >= len(worlds) || worlds[world].Points[0].Index != point {
				continue
			}
			data, err := b.ReadFile(f.Path)
			if err != nil {
				return nil, err
			}
			t, err := trace.From(path.Base(f.Path), bytes.NewReader(data))
			if err != nil {
				t = Trace{File: path.Base(f.Path), Notes: []string{fmt.Sprint(err)}}
			}
			t.Rank = &rank
			list = append(list, t)
		}
	}
	return list, nil
}
