package telemetry

import (
	"context"
	"path"
	"slices"
	"strings"

	"assay/record"
)

var pciSection = section{
	names: []string{"pci.gpus", "pci.nics", "topology.gpu_nic"},
	read:  readPCI,
}

// A pciDevice is a GPU or network card as the bus sees it.
type pciDevice struct {
	address string
	node    string   // NUMA node, "-1" when the firmware does not say
	bridges []string // from the host bridge down to the device's own port
}

// PCI classes: display controllers, processing accelerators and network cards.
var (
	gpuClasses = []string{"0x03", "0x12"}
	nicClasses = []string{"0x02"}
)

func readPCI(_ context.Context, h Host, env record.Environment) error {
	folders, err := h.glob("sys/bus/pci/devices/*")
	if err != nil {
		return err
	}
	var gpus, nics []pciDevice
	for _, f := range folders {
		class, _ := h.text(f + "/class") // a device without class is neither
		switch {
		case hasPrefix(class, gpuClasses):
			gpus = append(gpus, h.pciDevice(env, f))
		case hasPrefix(class, nicClasses):
			nics = append(nics, h.pciDevice(env, f))
		}
	}
	env.Set("pci.gpus", addresses(gpus))
	env.Set("pci.nics", addresses(nics))
	matrix := []string{}
	for _, g := range gpus {
		for _, n := range nics {
			matrix = append(matrix, g.address+" "+n.address+" "+relation(g, n))
		}
	}
	env.Set("topology.gpu_nic", matrix)
	return nil
}

func hasPrefix(class string, prefixes []string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(class, p) })
}

func addresses(ds []pciDevice) []string {
	out := []string{}
	for _, d := range ds {
		out = append(out, d.address)
	}
	return out
}

// pciDevice records one device and returns its place. The sizes of the link are
// current and maximal: a card in a slot half as wide shows only here.
func (h Host) pciDevice(env record.Environment, folder string) pciDevice {
	d := pciDevice{address: path.Base(folder), node: "-1"}
	at := "pci." + d.address
	for _, f := range []fileFact{
		{at + ".vendor", folder + "/vendor", word},
		{at + ".device", folder + "/device", word},
		{at + ".numa_node", folder + "/numa_node", whole},
		{at + ".link_speed", folder + "/current_link_speed", word},
		{at + ".link_width", folder + "/current_link_width", whole},
		{at + ".link_speed_max", folder + "/max_link_speed", word},
		{at + ".link_width_max", folder + "/max_link_width", whole},
	} {
		h.record(env, f)
	}
	h.recordLink(env, at+".driver", folder+"/driver")
	if node, err := h.text(folder + "/numa_node"); err == nil {
		d.node = node
	}
	if target, err := h.link(folder); err == nil {
		d.bridges = bridges(target)
	}
	return d
}

// bridges cuts "../../../devices/pci0000:00/0000:00:01.0/0000:01:00.0" into the
// parts between devices and the device itself.
func bridges(link string) []string {
	_, below, found := strings.Cut(link, "devices/")
	parts := strings.Split(below, "/")
	if !found || len(parts) < 2 {
		return nil
	}
	return parts[:len(parts)-1]
}

// relation names the way between two devices in nvidia-smi's words: PIX one
// bridge at most, PXB several, PHB through the host bridge, NODE within one
// NUMA node, SYS across nodes.
func relation(a, b pciDevice) string {
	shared := 0
	for shared < len(a.bridges) && shared < len(b.bridges) && a.bridges[shared] == b.bridges[shared] {
		shared++
	}
	beyond := max(len(a.bridges), len(b.bridges)) - shared
	switch {
	case len(a.bridges) == 0 || len(b.bridges) == 0:
		return "unknown"
	case shared == 0 && a.node == b.node && a.node != "-1":
		return "NODE"
	case shared == 0:
		return "SYS"
	case shared == 1:
		return "PHB"
	case beyond <= 1:
		return "PIX"
	default:
		return "PXB"
	}
}
