package child

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// At is the place of some processors or, where node is not negative, of a NUMA node,
// whose processors list reads. It fails where this process may not use them.
func At(cpus []int, node int, list func(string) ([]int, error)) (Place, error) {
	p := Place{CPUs: cpus}
	if node >= 0 {
		text, err := os.ReadFile(fmt.Sprintf("/sys/devices/system/node/node%d/cpulist", node))
		if err != nil {
			return p, fmt.Errorf("this host has no NUMA node %d", node)
		}
		if p.CPUs, err = list(string(text)); err != nil {
			return p, fmt.Errorf("NUMA node %d: %w", node, err)
		}
		p.Bound, p.Node = true, node
	}
	var own unix.CPUSet
	if err := unix.SchedGetaffinity(0, &own); err != nil {
		return p, fmt.Errorf("sched_getaffinity: %w", err)
	}
	for _, cpu := range p.CPUs {
		if !own.IsSet(cpu) {
			return p, fmt.Errorf("processor %d is not one that assay may use here", cpu)
		}
	}
	return p, nil
}

// Start starts cmd at the place. A child inherits processors and memory policy of the
// thread that made it, so that even its first instruction runs there.
func (p Place) Start(cmd *exec.Cmd) error {
	if p.Anywhere() {
		return cmd.Start()
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var before, some unix.CPUSet
	if err := unix.SchedGetaffinity(0, &before); err != nil {
		return fmt.Errorf("sched_getaffinity: %w", err)
	}
	for _, cpu := range p.CPUs {
		some.Set(cpu)
	}
	if err := unix.SchedSetaffinity(0, &some); err != nil {
		return fmt.Errorf("place a process on %s: %w", p, err)
	}
	return errors.Join(p.startBound(cmd), unix.SchedSetaffinity(0, &before))
}

// startBound starts cmd with the memory policy of the place.
func (p Place) startBound(cmd *exec.Cmd) error {
	if !p.Bound {
		return cmd.Start()
	}
	if err := memoryPolicy(mpolBind, p.Node); err != nil {
		return fmt.Errorf("take memory of NUMA node %d alone: %w", p.Node, err)
	}
	return errors.Join(cmd.Start(), memoryPolicy(mpolDefault, 0))
}

// The policies of set_mempolicy(2), from linux/mempolicy.h.
const (
	mpolDefault = 0
	mpolBind    = 2
)

// memoryPolicy sets where this thread's memory comes from, and that of its children.
func memoryPolicy(mode, node int) error {
	var mask [16]uint64 // 1024 nodes, the most that a kernel has
	if mode != mpolDefault {
		mask[node/64] = 1 << (node % 64)
	}
	_, _, errno := unix.Syscall(unix.SYS_SET_MEMPOLICY, uintptr(mode), uintptr(unsafe.Pointer(&mask)), uintptr(len(mask)*64))
	if errno != 0 {
		return errno
	}
	return nil
}
