package report

import (
	"fmt"
	"strings"
)

// placed says where a launcher has put the run: the job, its nodes, and what it took to
// get and to start them. Nothing where everything was started on one host.
func (r Report) placed() string {
	e := r.Manifest.Environment
	kind, _ := e["launcher.kind"].Value.(string)
	if kind == "" {
		return ""
	}
	text := "by " + kind + " on " + names(e["launcher.hosts"].Value)
	if job, ok := e["scheduler.job"].Value.(string); ok {
		text = fmt.Sprintf("by %s, job %s, on %s", kind, job, names(e["launcher.hosts"].Value))
		if wait, ok := e["scheduler.queue_wait_seconds"].Value.(float64); ok {
			text += fmt.Sprintf(", %.1f s in the queue", wait)
		}
	}
	if start, ok := e["launcher.start_up_seconds"].Value.(float64); ok {
		text += fmt.Sprintf(", %.1f s to start", start)
	}
	return text
}

// mostNames is how many hosts a line names.
const mostNames = 8

// names are the hosts of a fact, as a bundle that was read back or written holds them.
func names(value any) string {
	var list []string
	switch v := value.(type) {
	case []string:
		list = v
	case []any:
		for _, one := range v {
			list = append(list, fmt.Sprint(one))
		}
	}
	if more := len(list) - mostNames; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(list[:mostNames], ", "), more)
	}
	return strings.Join(list, ", ")
}
