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
func (c *counters) write(w io.Writer, gauges []gauge, lines []*line) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var b strings.Builder
	family := func(name, kind, help string, values []string) {
		slices.Sort(values)
		fmt.Fprintf(&b, "# HELP %s %s\n# TYPE %s %s\n%s", name, help, name, kind, strings.Join(values, ""))
	}
	var answers, seconds, away, waiting []string
	for key, n := range c.answers {
		answers = append(answers, fmt.Sprintf("assay_http_requests_total{route=%q,status=%q} %d\n", key[0], key[1], n))
	}
	for route, s := range c.seconds {
		seconds = append(seconds, fmt.Sprintf("assay_http_request_seconds_total{route=%q} %g\n", route, s))
	}
	for _, l := range lines {
		turned, wait := l.counts()
		away = append(away, fmt.Sprintf("assay_http_turned_away_total{line=%q} %d\n", l.name, turned))
		waiting = append(waiting, fmt.Sprintf("assay_http_waiting{line=%q} %d\n", l.name, wait))
	}
	family("assay_http_requests_total", "counter", "Requests that were answered.", answers)
	family("assay_http_request_seconds_total", "counter", "Time spent on them.", seconds)
	family("assay_http_turned_away_total", "counter", "Requests for which there was no place, by what they would have waited for.", away)
	family("assay_http_waiting", "gauge", "Requests that wait for their turn.", waiting)
	gauges = append(gauges, gauge{"assay_http_requests_in_flight", "Requests that are being answered.", float64(c.waiting)})
	for _, g := range gauges {
		fmt.Fprintf(&b, "# HELP %s %s\n# TYPE %s gauge\n%s %g\n", g.name, g.help, g.name, g.name, g.value)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
