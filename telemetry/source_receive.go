package telemetry

import (
	"context"
	"strconv"
	"strings"
)

// Receive reads how often the host had no room for what arrived. A client that
// reads too slowly fills its sockets, and then the kernel squeezes or drops.
var Receive = Source{
	ID: "receive", Name: "host", Doc: "received TCP data without room, from /proc/net/netstat",
	Gauges: []Gauge{
		{"tcp.receive_pruned.total", "1", "times that received data was squeezed together or dropped for want of room"},
		{"tcp.listen_overflows.total", "1", "connections that a full queue of a listening socket turned away"},
	},
	Open: func(h Host, _ Options) Reader {
		return func(context.Context) ([]Reading, error) { return readReceive(h) }
	},
}

func readReceive(h Host) ([]Reading, error) {
	text, err := h.text("proc/net/netstat")
	if err != nil {
		return nil, err
	}
	values := headedNumbers(text, "TcpExt:")
	sum := func(name string, columns ...string) Reading {
		r := Reading{Name: name}
		for _, c := range columns {
			v, ok := values[c]
			if !ok {
				return Reading{Name: name, Missing: "/proc/net/netstat: no " + c}
			}
			r.Value += v
		}
		return r
	}
	return []Reading{
		sum("tcp.receive_pruned.total", "PruneCalled", "RcvPruned", "TCPBacklogDrop"),
		sum("tcp.listen_overflows.total", "ListenOverflows"),
	}, nil
}

// headedNumbers reads the pair of lines that begin with prefix: headings, then
// numbers. Kernels add columns, so they are found by name.
func headedNumbers(text, prefix string) map[string]float64 {
	out := map[string]float64{}
	var heading []string
	for line := range strings.Lines(text) {
		rest, ok := strings.CutPrefix(line, prefix)
		if !ok {
			continue
		}
		fields := strings.Fields(rest)
		if heading == nil {
			heading = fields
			continue
		}
		for i := range min(len(heading), len(fields)) {
			if v, err := strconv.ParseFloat(fields[i], 64); err == nil {
				out[heading[i]] = v
			}
		}
	}
	return out
}
