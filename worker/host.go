package worker

import (
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
)

// bootID names the kernel's start: two processes with equal ones share a host.
func bootID() string {
	data, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return "" // not Linux: unknown equals nothing
	}
	return strings.TrimSpace(string(data))
}

// timeNamespace is the inode of this process's time namespace, such as
// time:[4026531834]: processes of one host share CLOCK_MONOTONIC only within it.
func timeNamespace() string {
	name, err := os.Readlink("/proc/self/ns/time")
	if err != nil {
		return ""
	}
	return name
}

// affinity lists the processors that this process may run on; nil where the system
// does not say.
func affinity() (list []int) {
	data, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(data)) {
		text, ok := strings.CutPrefix(line, "Cpus_allowed_list:")
		if !ok {
			continue
		}
		for part := range strings.SplitSeq(strings.TrimSpace(text), ",") {
			first, last, several := strings.Cut(part, "-")
			if !several {
				last = first
			}
			from, errFrom := strconv.Atoi(first)
			to, errTo := strconv.Atoi(last)
			for cpu := from; errFrom == nil && errTo == nil && cpu <= to; cpu++ {
				list = append(list, cpu)
			}
		}
	}
	return list
}

// Reach is the address at which the peers of this process reach it, without a port:
// that of the interface ASSAY_IFNAME, else ASSAY_ADDR, else the one from which it
// reaches the controller, else this host's own.
func Reach(env func(string) string) (string, error) {
	if name := env(EnvInterface); name != "" {
		return addressOf(name)
	}
	if address := env(EnvAddress); address != "" {
		return address, nil
	}
	controller := env(EnvController)
	if controller == "" || strings.HasPrefix(controller, "unix:") {
		return "127.0.0.1", nil
	}
	// Nothing is sent: connecting UDP only asks the kernel for the way.
	conn, err := net.Dial("udp", controller)
	if err != nil {
		return "", fmt.Errorf("find the own address towards %s; set %s: %w", controller, EnvAddress, err)
	}
	defer conn.Close()
	host, _, err := net.SplitHostPort(conn.LocalAddr().String())
	return host, err
}

func addressOf(name string) (string, error) {
	device, err := net.InterfaceByName(name)
	if err != nil {
		return "", fmt.Errorf("%s=%s: %w", EnvInterface, name, err)
	}
	addresses, err := device.Addrs()
	if err != nil {
		return "", fmt.Errorf("%s=%s: %w", EnvInterface, name, err)
	}
	var found string
	for _, address := range addresses {
		network, ok := address.(*net.IPNet)
		switch {
		case !ok || network.IP.IsLinkLocalUnicast():
		case network.IP.To4() != nil:
			return network.IP.String(), nil
		case found == "":
			found = network.IP.String()
		}
	}
	if found == "" {
		return "", fmt.Errorf("%s=%s: the interface has no address", EnvInterface, name)
	}
	return found, nil
}

// A state is what the kernel says of a process.
type state int

const (
	unknown state = iota
	gone
	running
	stopped
)

// stateOf looks at a process of this host.
func stateOf(pid int) state {
	if pid <= 0 {
		return unknown
	}
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if os.IsNotExist(err) {
		return gone
	}
	if err != nil {
		return unknown
	}
	// The name in parentheses may hold anything, parentheses too.
	text := string(data)
	fields := strings.Fields(text[strings.LastIndexByte(text, ')')+1:])
	if len(fields) == 0 {
		return unknown
	}
	switch fields[0] {
	case "T", "t":
		return stopped
	case "Z", "X":
		return gone
	}
	return running
}
