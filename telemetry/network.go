package telemetry

import (
	"context"
	"errors"
	"path"
	"strings"

	"assay/record"
)

var networkSection = section{
	names: []string{"net.interfaces"},
	read:  readNetwork,
}

func readNetwork(_ context.Context, h Host, env record.Environment) error {
	folders, err := h.glob("sys/class/net/*")
	if err != nil {
		return err
	}
	names := []string{}
	for _, f := range folders {
		if !h.exists(f + "/mtu") {
			continue // bonding_masters is a file among the interfaces
		}
		name := path.Base(f)
		names = append(names, name)
		at := "net." + name
		h.record(env, fileFact{at + ".mtu", f + "/mtu", whole})
		h.record(env, fileFact{at + ".state", f + "/operstate", word})
		h.record(env, fileFact{at + ".speed_mbps", f + "/speed", speed})
		h.recordLink(env, at+".driver", f+"/device/driver")
	}
	env.Set("net.interfaces", names)
	return nil
}

// speed reads the rate of a link. Drivers without one say -1, and the kernel
// refuses the read while a link is down.
func speed(text string) (any, error) {
	v, err := whole(text)
	if err == nil && v.(int64) < 0 {
		return nil, errors.New("the driver does not say")
	}
	return v, err
}

// recordLink records the name a symbolic link points at.
func (h Host) recordLink(env record.Environment, name, file string) {
	target, err := h.linkName(file)
	if err != nil {
		env.Miss(name, err.Error())
		return
	}
	env.Set(name, target)
}

var rdmaSection = section{
	names: []string{"rdma.devices"},
	read:  readRDMA,
}

func readRDMA(_ context.Context, h Host, env record.Environment) error {
	folders, err := h.glob("sys/class/infiniband/*")
	if err != nil {
		return err
	}
	names := []string{}
	for _, f := range folders {
		name := path.Base(f)
		names = append(names, name)
		h.record(env, fileFact{"rdma." + name + ".firmware", f + "/fw_ver", word})
		ports, _ := h.glob(f + "/ports/*") // a device without ports has no port facts
		for _, p := range ports {
			at := "rdma." + name + ".port" + path.Base(p)
			h.record(env, fileFact{at + ".rate", p + "/rate", word})
			h.record(env, fileFact{at + ".state", p + "/state", word})
			h.record(env, fileFact{at + ".link_layer", p + "/link_layer", word})
			h.record(env, fileFact{at + ".physical_state", p + "/phys_state", word})
			h.record(env, fileFact{at + ".symbol_errors", p + "/counters/symbol_error", whole})
			h.record(env, fileFact{at + ".link_downed", p + "/counters/link_downed", whole})
			h.record(env, fileFact{at + ".receive_errors", p + "/counters/port_rcv_errors", whole})
			env.Set(at+".path", h.rdmaPath(p))
		}
	}
	env.Set("rdma.devices", names)
	return nil
}

// rdmaPath says whether a port can carry anything: it is up, its cable is, and it has an
// address. "ok", or what keeps it from it.
func (h Host) rdmaPath(port string) string {
	state, err := h.text(port + "/state") // such as "4: ACTIVE"
	if err != nil {
		return err.Error()
	}
	if !strings.HasSuffix(state, "ACTIVE") {
		return "the port is " + state
	}
	if physical, err := h.text(port + "/phys_state"); err == nil && !strings.HasSuffix(physical, "LinkUp") {
		return "the cable is " + physical
	}
	addresses, _ := h.glob(port + "/gids/*") // no address is the last answer below
	for _, file := range addresses {
		if gid, err := h.text(file); err == nil && strings.Trim(gid, "0:") != "" && !strings.HasPrefix(gid, "fe80:0000:0000:0000:0000:0000:0000:0000") {
			return "ok"
		}
	}
	return "the port has no address (GID)"
}
