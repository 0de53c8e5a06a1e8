package hardware

import (
	"cmp"
	"maps"
	"slices"

	"assay/bundle"
	"assay/record"
)

// A traffic is what interfaces carried over the launches, from counters that were
// read again and again beside them.
type traffic struct {
	faces  map[string]*Interface
	resent *float64
}

// read adds the counters of one launch.
func (t *traffic) read(b *bundle.Bundle, launch int) error {
	type counter struct{ name, scope string }
	last := map[counter]record.Sample{}
	for row, err := range bundle.Rows[record.Sample](b, launch, bundle.Samples) {
		if err != nil {
			return err
		}
		to, _ := t.place(row)
		if to == nil || row.Value == nil {
			continue
		}
		at := counter{row.Name, row.Scope}
		before, seen := last[at]
		last[at] = row
		if !seen {
			continue
		}
		grown := *row.Value - *before.Value
		if grown < 0 {
			continue // an interface that came anew counts from zero
		}
		*to += grown
		t.peak(row, grown, float64(row.At-before.At)/1e9)
	}
	return nil
}

// place is where the growth of a counter is summed up; nil for other samples.
func (t *traffic) place(row record.Sample) (*float64, bool) {
	if row.Name == "tcp.retransmits.total" {
		if t.resent == nil {
			t.resent = new(float64)
		}
		return t.resent, true
	}
	fields := map[string]func(f *Interface) *float64{
		"net.received.total":         func(f *Interface) *float64 { return &f.Received },
		"net.sent.total":             func(f *Interface) *float64 { return &f.Sent },
		"net.received_packets.total": func(f *Interface) *float64 { return &f.PacketsIn },
		"net.sent_packets.total":     func(f *Interface) *float64 { return &f.PacketsOut },
		"net.dropped.total":          func(f *Interface) *float64 { return &f.Dropped },
		"net.errors.total":           func(f *Interface) *float64 { return &f.Errors },
	}
	field, ok := fields[row.Name]
	if !ok {
		return nil, false
	}
	if t.faces[row.Scope] == nil {
		t.faces[row.Scope] = &Interface{Name: row.Scope}
	}
	return field(t.faces[row.Scope]), true
}

// peak keeps the highest rate between two readings.
func (t *traffic) peak(row record.Sample, grown, seconds float64) {
	if seconds <= 0 {
		return
	}
	face := t.faces[row.Scope]
	switch row.Name {
	case "net.received.total":
		face.PeakIn = max(face.PeakIn, grown/seconds)
	case "net.sent.total":
		face.PeakOut = max(face.PeakOut, grown/seconds)
	}
}

// list are the interfaces that carried anything, the busiest first.
func (t *traffic) list(env record.Environment) (list []Interface) {
	for _, name := range slices.Sorted(maps.Keys(t.faces)) {
		face := *t.faces[name]
		if face.Received+face.Sent == 0 {
			continue
		}
		if mbps, ok := number(env, "net."+name+".speed_mbps"); ok && mbps > 0 {
			speed := mbps * 1e6 / 8
			face.Speed = &speed
		}
		mtu, _ := number(env, "net."+name+".mtu")
		face.MTU, face.Retransmits = int(mtu), t.resent
		list = append(list, face)
	}
	slices.SortStableFunc(list, func(a, b Interface) int { return cmp.Compare(b.Received+b.Sent, a.Received+a.Sent) })
	return list
}
