package overlap

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"strconv"
	"strings"

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
		// The manifest lists files only when a bundle is sealed; it is judged before.
		names, err := fs.Glob(os.DirFS(b.Dir), fmt.Sprintf("raw/launch-%02d/world-*-trace-rank-*", l.Index))
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			found := traceName.FindStringSubmatch(path.Base(name))
			if found == nil {
				continue
			}
			world, _ := strconv.Atoi(found[1])
			rank, _ := strconv.Atoi(found[2])
			if world >= len(worlds) || worlds[world].Points[0].Index != point {
				continue
			}
			data, err := b.ReadFile(name)
			if err != nil {
				return nil, err
			}
			t, err := trace.From(path.Base(name), bytes.NewReader(data))
			if err != nil {
				t = Trace{Notes: []string{fmt.Sprint(err)}}
			}
			t.File, t.Rank = strings.TrimPrefix(name, "raw/"), &rank
			list = append(list, t)
		}
	}
	return list, nil
}
