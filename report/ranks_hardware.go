package report

import (
	"fmt"
	"strings"

	"assay/analysis/hardware"
	"assay/unit"
)

// HardwareBlocks are what the parts of the machine can do.
func (r Report) HardwareBlocks() []Block {
	h := r.Hardware
	if h == nil {
		return nil
	}
	head := Block{Title: "hardware"}
	if len(h.Rows) == 0 {
		head.Lines = []string{"no completed launch measured any probe"}
	}
	return []Block{head, probesBlock(h.Rows), levelsBlock(h.Levels), roofBlock(h.Roofline), devicesBlock(h.Devices), interfacesBlock(h.Network)}
}

// probeName is a variant of a probe in one text.
func probeName(row hardware.Row) string {
	name := strings.TrimSpace(row.Host + " " + row.Probe + " " + row.Variant)
	if row.Threads > 0 {
		name += fmt.Sprintf(", %d %s", row.Threads, numbered(row.Threads, "thread", "threads"))
	}
	if row.Scope != "" {
		name += ", " + row.Scope
	}
	return strings.TrimSpace(name)
}

func probesBlock(rows []hardware.Row) Block {
	b := Block{Title: "what the parts can do", Head: []string{"probe", "variant", "of", "threads", "size", "what", "value", "p99", "n", "wrong"}}
	for _, row := range rows {
		threads, bytes, wrong := "–", "–", "–"
		if row.Threads > 0 {
			threads = fmt.Sprint(row.Threads)
		}
		if row.Size > 0 {
			bytes = unit.Format(float64(row.Size), unit.Byte)
		}
		if row.Wrong > 0 {
			wrong = fmt.Sprint(row.Wrong)
		}
		b.Rows = append(b.Rows, []string{
			row.Probe, row.Variant, Dash(row.Scope), threads, bytes, row.What, estimated(row.Estimate, row.Unit), Quantity(row.P99, row.Unit), fmt.Sprint(row.Samples), wrong,
		})
	}
	return withoutEmpty(b)
}

func levelsBlock(levels []hardware.Level) Block {
	b := Block{Title: "levels of memory, found from the ladder of latency", Head: []string{"level", "size found", "as the kernel says", "latency"}}
	for _, l := range levels {
		b.Rows = append(b.Rows, []string{l.Name, unit.Format(float64(l.Size), unit.Byte), size(l.Stated), unit.Format(l.Latency, unit.Second)})
	}
	return withoutEmpty(b)
}

func roofBlock(r *hardware.Roofline) Block {
	if r == nil {
		return Block{}
	}
	b := Block{Title: "roofline of " + r.Device, Head: []string{"kernel", "intensity", "reached", "roof", "of the roof"}}
	b.Lines = []string{fmt.Sprintf("measured roofs: %s and %s; they meet at %.3g FLOP a byte", flops(r.Peak), unit.Format(r.Memory, unit.BytePerSecond), r.Ridge)}
	for _, p := range r.Points {
		b.Rows = append(b.Rows, []string{p.Name, fmt.Sprintf("%.3g FLOP/B", p.Intensity), flops(p.Reached), flops(p.Roof), Share(FiniteOr(p.Reached/p.Roof, 0))})
	}
	return b
}

func devicesBlock(list []hardware.Devices) Block {
	b := Block{Title: "accelerators side by side", Head: []string{"probe", "variant", "device", "value", "below the median", "spread"}}
	for _, d := range list {
		for _, one := range d.Each {
			b.Rows = append(b.Rows, []string{d.Probe, d.Variant, one.Device, unit.Format(one.Value, d.Unit), Share(one.Behind), Share(d.Spread)})
		}
	}
	return withoutEmpty(b)
}

func interfacesBlock(list []hardware.Interface) Block {
	b := Block{Title: "network interfaces over the run", Head: []string{"interface", "speed", "MTU", "received", "sent", "most in", "most out", "packets in", "packets out", "dropped", "errors", "retransmits"}}
	for _, n := range list {
		mtu := "–"
		if n.MTU > 0 {
			mtu = fmt.Sprint(n.MTU)
		}
		b.Rows = append(b.Rows, []string{
			n.Name, Quantity(n.Speed, unit.BytePerSecond), mtu, unit.Format(n.Received, unit.Byte), unit.Format(n.Sent, unit.Byte),
			unit.Format(n.PeakIn, unit.BytePerSecond), unit.Format(n.PeakOut, unit.BytePerSecond), fmt.Sprintf("%.0f", n.PacketsIn), fmt.Sprintf("%.0f", n.PacketsOut),
			fmt.Sprintf("%.0f", n.Dropped), fmt.Sprintf("%.0f", n.Errors), Count(n.Retransmits),
		})
	}
	return withoutEmpty(b)
}
