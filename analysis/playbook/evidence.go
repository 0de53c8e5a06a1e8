package playbook

import (
	"fmt"
	"maps"
	"slices"

	"assay/bundle"
	"assay/record"
)

// Requests are what the measured requests say about connections.
type Requests struct {
	Measured int
	New      int   // on a connection opened for them
	DNSMax   int64 // longest look-up, ns

	// Senders are the same requests by the host that sent them, in the order of their
	// names; nil where the program sent all of them itself.
	Senders []Sender
}

type connectionRow struct {
	Phase   record.Phase   `parquet:"phase,dict"`
	NewConn bool           `parquet:"new_connection"`
	DNS     *int64         `parquet:"dns_ns"`
	Host    string         `parquet:"host,dict"`
	Due     int64          `parquet:"due_ns,delta"`
	Sent    int64          `parquet:"sent_ns,delta"`
	Done    int64          `parquet:"done_ns,delta"`
	Result  record.Outcome `parquet:"outcome,dict"`
}

// ReadRequests counts connections over the completed launches.
func ReadRequests(b *bundle.Bundle) (Requests, error) {
	var out Requests
	senders := map[string]*Sender{}
	for _, info := range b.Launches() {
		if info.Outcome != bundle.LaunchCompleted {
			continue
		}
		for r, err := range bundle.Rows[connectionRow](b, info.Index, bundle.Requests) {
			if err != nil {
				return out, fmt.Errorf("launch %d: %w", info.Index+1, err)
			}
			if r.Phase != record.Measure {
				continue
			}
			out.Measured++
			if r.NewConn {
				out.New++
			}
			if r.DNS != nil {
				out.DNSMax = max(out.DNSMax, *r.DNS)
			}
			if r.Host != "" {
				r.count(senders)
			}
		}
	}
	for _, host := range slices.Sorted(maps.Keys(senders)) {
		out.Senders = append(out.Senders, *senders[host])
	}
	return out, nil
}

// count enters the request among those of its host.
func (r connectionRow) count(senders map[string]*Sender) {
	s := senders[r.Host]
	if s == nil {
		s = &Sender{Host: r.Host, Time: Tally{}, Lag: Tally{}}
		senders[r.Host] = s
	}
	s.N++
	s.Lag.add(r.Sent - r.Due)
	if r.Result == record.OK {
		s.Time.add(r.Done - r.Due)
	} else {
		s.Failed++
	}
}
