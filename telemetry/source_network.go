package telemetry

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

// Network reads traffic by interface and what TCP had to send again.
var Network = Source{
	ID: "network", Name: "host", Doc: "traffic from /proc/net/dev, retransmissions from /proc/net/snmp, sockets from /proc/net/sockstat",
	Gauges: []Gauge{
		{"net.received.total", "B", "bytes received by an interface"},
		{"net.sent.total", "B", "bytes sent by an interface"},
		{"net.received_packets.total", "1", "packets received by an interface"},
		{"net.sent_packets.total", "1", "packets sent by an interface"},
		{"net.dropped.total", "1", "packets an interface dropped, both ways"},
		{"net.errors.total", "1", "packets an interface found faulty, both ways"},
		{"tcp.retransmits.total", "1", "segments sent again"},
		{"tcp.in_use", "1", "TCP sockets in use"},
		{"tcp.time_wait", "1", "TCP sockets that hold a port after their end"},
	},
	Open: func(h Host, _ Options) Reader {
		return func(context.Context) ([]Reading, error) { return readTraffic(h) }
	},
}

func readTraffic(h Host) ([]Reading, error) {
	text, err := h.text("proc/net/dev")
	if err != nil {
		return nil, err
	}
	out := []Reading{readRetransmits(h)}
	out = append(out, readTCPSockets(h)...)
	for i, line := range strings.Split(text, "\n") {
		name, rest, _ := strings.Cut(line, ":")
		if i < 2 { // two lines of headings
			continue
		}
		// bytes packets errs drop fifo frame compressed multicast, then the same for sending
		n, err := numbers(rest, 16)
		if err != nil {
			return nil, fmt.Errorf("/proc/net/dev: %s: %w", strings.TrimSpace(name), err)
		}
		scope := strings.TrimSpace(name)
		out = append(out,
			Reading{Name: "net.received.total", Scope: scope, Value: n[0]},
			Reading{Name: "net.sent.total", Scope: scope, Value: n[8]},
			Reading{Name: "net.received_packets.total", Scope: scope, Value: n[1]},
			Reading{Name: "net.sent_packets.total", Scope: scope, Value: n[9]},
			Reading{Name: "net.dropped.total", Scope: scope, Value: n[3] + n[11]},
			Reading{Name: "net.errors.total", Scope: scope, Value: n[2] + n[10]})
	}
	return out, nil
}

func numbers(text string, want int) ([]float64, error) {
	parts := strings.Fields(text)
	if len(parts) < want {
		return nil, fmt.Errorf("got %d numbers, want %d", len(parts), want)
	}
	out := make([]float64, want)
	for i := range out {
		v, err := strconv.ParseFloat(parts[i], 64)
		if err != nil {
			return nil, fmt.Errorf("got %q, want a number", parts[i])
		}
		out[i] = v
	}
	return out, nil
}

// readRetransmits finds the column by its heading: kernels add columns.
func readRetransmits(h Host) Reading {
	r := Reading{Name: "tcp.retransmits.total"}
	text, err := h.text("proc/net/snmp")
	if err != nil {
		r.Missing = err.Error()
		return r
	}
	var heading []string
	for line := range strings.Lines(text) {
		rest, ok := strings.CutPrefix(line, "Tcp:")
		if !ok {
			continue
		}
		values := strings.Fields(rest)
		if heading == nil {
			heading = values
			continue
		}
		for i, title := range heading {
			if title != "RetransSegs" || i >= len(values) {
				continue
			}
			if v, err := strconv.ParseFloat(values[i], 64); err == nil {
				r.Value = v
				return r
			}
		}
	}
	r.Missing = "/proc/net/snmp: no RetransSegs"
	return r
}

// readTCPSockets reads "TCP: inuse 4 orphan 0 tw 2 alloc 5 mem 1".
func readTCPSockets(h Host) []Reading {
	inUse, waiting := Reading{Name: "tcp.in_use"}, Reading{Name: "tcp.time_wait"}
	text, err := h.text("proc/net/sockstat")
	if err != nil {
		inUse.Missing, waiting.Missing = err.Error(), err.Error()
		return []Reading{inUse, waiting}
	}
	values := map[string]string{}
	for line := range strings.Lines(text) {
		rest, ok := strings.CutPrefix(line, "TCP:")
		parts := strings.Fields(rest)
		for i := 0; ok && i+1 < len(parts); i += 2 {
			values[parts[i]] = parts[i+1]
		}
	}
	return []Reading{
		numbered("tcp.in_use", "/proc/net/sockstat", values, "inuse", 1),
		numbered("tcp.time_wait", "/proc/net/sockstat", values, "tw", 1),
	}
}
