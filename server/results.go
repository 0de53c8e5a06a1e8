package server

import (
	"bytes"
	"html/template"
	"sync"

	"assay/warehouse"
)

// results are the tables that pages of runs showed, by digest. What a run measured never
// changes, and to write it out is most of what its page costs.
type results struct {
	mu    sync.Mutex
	shown map[string]template.HTML
	bytes int
}

// mostResults is how many bytes of tables are held. Beyond that all are forgotten: those that
// people look at are soon there again.
const mostResults = 16 << 20

// of is the table of a run.
func (r *results) of(d warehouse.RunDetail) (template.HTML, error) {
	r.mu.Lock()
	table, known := r.shown[d.Digest]
	r.mu.Unlock()
	if known {
		return table, nil
	}
	var b bytes.Buffer
	if err := templates()["run"].ExecuteTemplate(&b, "results", d); err != nil {
		return "", err
	}
	table = template.HTML(b.String()) // made by a template, which escapes
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.shown == nil || r.bytes+len(table) > mostResults {
		r.shown, r.bytes = map[string]template.HTML{}, 0
	}
	if _, meanwhile := r.shown[d.Digest]; !meanwhile {
		r.shown[d.Digest] = table
		r.bytes += len(table)
	}
	return table, nil
}
