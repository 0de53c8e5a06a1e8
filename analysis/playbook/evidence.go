package playbook

import (
	"fmt"

	"assay/bundle"
	"assay/record"
)

// Requests are what the measured requests say about connections.
type Requests struct {
	Measured int
	New      int   // on a connection opened for them
	DNSMax   int64 // longest look-up, ns
}

type connectionRow struct {
	Phase   record.Phase `parquet:"phase,dict"`
	NewConn bool         `parquet:"new_connection"`
	DNS     *int64       `parquet:"dns_ns"`
}

// ReadRequests counts connections over the completed launches.
func ReadRequests(b *bundle.Bundle) (Requests, error) {
	var out Requests
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
		}
	}
	return out, nil
}
