package server

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"
)

// counters are what the server counts about itself. A series is a route and a status, so
// their number is known: what strangers write never becomes a label.
type counters struct {
	mu      sync.Mutex
	answers map[[2]string]int64 // by route and status
	seconds map[string]float64  // by route
	waiting int64
}

func (c *counters) begin() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting++
}

func (c *counters) end(route string, status int, took time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.answers == nil {
		c.answers, c.seconds = map[[2]string]int64{}, map[string]float64{}
	}
	c.waiting--
	c.answers[[2]string{route, fmt.Sprint(status)}]++
	c.seconds[route] += took.Seconds()
}

// A gauge is a value that is asked for when somebody looks.
type gauge struct {
	name, help string
	value      float64
}

// write prints everything in the exposition format of Prometheus.
func (c *counters) write(w io.Writer, gauges []gauge) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var b strings.Builder
	var lines []string
	for key, n := range c.answers {
		lines = append(lines, fmt.Sprintf("assay_http_requests_total{route=%q,status=%q} %d\n", key[0], key[1], n))
	}
	slices.Sort(lines)
	b.WriteString("# HELP assay_http_requests_total Requests that were answered.\n# TYPE assay_http_requests_total counter\n" + strings.Join(lines, ""))
	lines = nil
	for route, s := range c.seconds {
		lines = append(lines, fmt.Sprintf("assay_http_request_seconds_total{route=%q} %g\n", route, s))
	}
	slices.Sort(lines)
	b.WriteString("# HELP assay_http_request_seconds_total Time spent on them.\n# TYPE assay_http_request_seconds_total counter\n" + strings.Join(lines, ""))
	gauges = append(gauges, gauge{"assay_http_requests_in_flight", "Requests that are being answered.", float64(c.waiting)})
	for _, g := range gauges {
		fmt.Fprintf(&b, "# HELP %s %s\n# TYPE %s gauge\n%s %g\n", g.name, g.help, g.name, g.name, g.value)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
