package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"

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

// simulatedTarget is this program's simulator on a port that is free now.
func simulatedTarget(model string) (string, error) {
	binary, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find this program: %w", err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("find a free port: %w", err)
	}
	addr := listener.Addr().String()
	return fmt.Sprintf("{url: \"http://%s\", server: {command: [%q, sim, --addr, %q, --model, %q], ready: {timeout: 10s, interval: 50ms}}}", addr, binary, addr, model), listener.Close()
}
