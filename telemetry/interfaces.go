package telemetry

import (
	"context"
	"path"
	"regexp"
	"slices"
)

// An Interface is one network interface: how it is attached and what it has carried
// since the machine was started.
type Interface struct {
	Name       string   `json:"name"`
	State      string   `json:"state"`
	MTU        int64    `json:"mtu"`
	Speed      *float64 `json:"speed,omitempty"`     // bytes per second, as its driver says
	Driver     string   `json:"driver,omitempty"`    // empty for one without a device
	PCI        string   `json:"pci,omitempty"`       // address of its card
	Lanes      *int64   `json:"lanes,omitempty"`     // of PCIe, in use
	LanesMost  *int64   `json:"lanesMost,omitempty"` // that the card has
	Node       *int64   `json:"numaNode,omitempty"`  // nearest to it
	Received   float64  `json:"received"`            // bytes
	Sent       float64  `json:"sent"`                // bytes
	PacketsIn  float64  `json:"packetsIn"`
	PacketsOut float64  `json:"packetsOut"`
	Dropped    float64  `json:"dropped"` // packets, both ways
	Errors     float64  `json:"errors"`  // packets, both ways
}

// Interfaces reads every network interface of h.
func Interfaces(ctx context.Context, h Host) ([]Interface, error) {
	readings, err := Network.Open(h, Options{})(ctx)
	if err != nil {
		return nil, err
	}
	var list []Interface
	for _, r := range readings {
		if r.Scope == "" || r.Missing != "" {
			continue
		}
		at := slices.IndexFunc(list, func(f Interface) bool { return f.Name == r.Scope })
		if at < 0 {
			at = len(list)
			list = append(list, h.attached(r.Scope))
		}
		f := &list[at]
		switch r.Name {
		case "net.received.total":
			f.Received = r.Value
		case "net.sent.total":
			f.Sent = r.Value
		case "net.received_packets.total":
			f.PacketsIn = r.Value
		case "net.sent_packets.total":
			f.PacketsOut = r.Value
		case "net.dropped.total":
			f.Dropped = r.Value
		case "net.errors.total":
			f.Errors = r.Value
		}
	}
	return list, nil
}

var busAddress = regexp.MustCompile(`[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-9a-f]`)

// attached reads how an interface is attached. What cannot be read is left out: most
// interfaces of a container have no device.
func (h Host) attached(name string) Interface {
	folder := "sys/class/net/" + name
	f := Interface{Name: name}
	f.State, _ = h.text(folder + "/operstate")
	f.MTU, _ = h.integer(folder + "/mtu")
	if mbps, err := h.integer(folder + "/speed"); err == nil && mbps > 0 {
		speed := float64(mbps) * 1e6 / 8
		f.Speed = &speed
	}
	f.Driver, _ = h.linkName(folder + "/device/driver")
	// "../../devices/pci0000:00/0000:00:03.0/virtio0/net/eth0": the last address is the
	// card's own.
	link, _ := h.link(folder)
	found := busAddress.FindAllString(link, -1)
	if len(found) == 0 {
		return f
	}
	f.PCI = found[len(found)-1]
	card := path.Join("sys/bus/pci/devices", f.PCI)
	f.Lanes, f.LanesMost = h.lanes(card+"/current_link_width"), h.lanes(card+"/max_link_width")
	if node, err := h.integer(card + "/numa_node"); err == nil && node >= 0 {
		f.Node = &node
	}
	return f
}

// lanes is a width; nil where there is none, as in most virtual machines.
func (h Host) lanes(file string) *int64 {
	if n, err := h.integer(file); err == nil && n > 0 && n < 255 {
		return &n
	}
	return nil
}

// networkFacts are those that say how accelerators and network cards hang together.
var networkFacts = regexp.MustCompile(`^(rdma\..+|topology\..+|gpu\.\d+\.nvlinks|pci\.(gpus|nics))$`)

// NetworkFacts lists the facts of h about RDMA devices, NVLink and the way between
// GPUs and network cards, by name; those that could not be read are left out.
func NetworkFacts(ctx context.Context, h Host) map[string]any {
	facts := map[string]any{}
	for name, fact := range Capture(ctx, h) {
		if networkFacts.MatchString(name) && fact.Unavailable == "" {
			facts[name] = fact.Value
		}
	}
	return facts
}
