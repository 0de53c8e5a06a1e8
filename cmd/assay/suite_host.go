package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"

	"assay/launch"
	"assay/suite"
	"assay/workers"
)

// host finds out what this machine has, and the Python that was found.
func (o suiteFlags) host(ctx context.Context) (suite.Host, workers.Python, error) {
	h := suite.Host{Has: map[suite.Need]bool{}, Device: "cpu", Ranks: o.ranks, Model: o.model, Simulated: o.url == ""}
	python, err := workers.FindPython(ctx, o.python)
	if ctx.Err() != nil {
		return h, python, context.Cause(ctx)
	}
	h.Has[suite.Torch], h.Has[suite.Accelerator] = err == nil, python.CUDA && o.device != "cpu"
	h.Python = python.Path
	if h.Has[suite.Accelerator] {
		h.Device, h.Accelerators, h.Multicast = "cuda", python.GPUs, python.Multicast
	}
	if o.device == "cuda" && !python.CUDA {
		return h, python, usageError(errors.New("--device cuda: no Python with torch sees an accelerator; --python names another"))
	}
	if h.Ranks == 0 {
		h.Ranks = min(4, max(2, runtime.NumCPU()))
		if h.Device == "cuda" {
			h.Ranks = h.Accelerators
		}
	}
	if !h.Simulated {
		h.Target = fmt.Sprintf("{url: %q, api: %s}", o.url, o.api)
		return h, python, nil
	}
	h.Target, err = simulatedTarget(o.model)
	return h, python, err
}

// over gives a suite the hosts of --hosts. A host file is written out, and one rank
// measures each host.
func (o suiteFlags) over(h *suite.Host) error {
	if len(o.fleet.Hosts) == 0 {
		return nil
	}
	hosts, err := launch.ReadHosts(o.fleet.Hosts)
	if err != nil {
		return usageError(fmt.Errorf("--hosts: %w", err))
	}
	if len(hosts) < 2 {
		return usageError(errors.New("--hosts: got one, want two or more: a suite of one host is started there"))
	}
	var lines []string
	for _, one := range hosts {
		if o.sshUser != "" && one.User == "" {
			one.User = o.sshUser
		}
		if o.sshKey != "" {
			one.Options = append(one.Options, "-i", o.sshKey)
		}
		one.Slots = 1
		lines = append(lines, strconv.Quote(one.String()))
	}
	bound := ""
	if o.fleet.Interface != "" {
		bound = fmt.Sprintf(", interface: %q", o.fleet.Interface)
	}
	h.Launch = fmt.Sprintf("{kind: ssh, hosts: [%s]%s}", strings.Join(lines, ", "), bound)
	h.Nodes, h.Has[suite.Hosts] = len(hosts), true
	return nil
}

// simulatedTarget is this program's simulator on a port that is free now.
func simulatedTarget(model string) (string, error) {
	binary, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find this program: %w", err)
	}
	addr, err := freeLoopback()
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("{url: \"http://%s\", server: {command: [%q, sim, --addr, %q, --model, %q], ready: {timeout: 10s, interval: 50ms}}}", addr, binary, addr, model), nil
}
