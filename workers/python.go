package workers

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// A Python is an interpreter that has torch.
type Python struct {
	Path     string   `json:"path"`
	Version  string   `json:"version"`
	Torch    string   `json:"torch"`
	CUDA     bool     `json:"cuda"` // torch finds an accelerator
	GPUs     int      `json:"gpus"`
	Backends []string `json:"backends"`

	Multicast bool `json:"multicast"` // the accelerators' switch can add up what it carries: NCCL's NVLS
}

// usual are the interpreters that are looked at when none is named. Debian's has
// torch for itself: another python3 first in PATH does not see it.
var usual = []string{"python3", "/usr/bin/python3"}

// Importing torch from a cold disk takes a while.
const importTime = 2 * time.Minute

// FindPython is the wanted interpreter, or where none is wanted the first of the
// usual ones that can import torch.
func FindPython(ctx context.Context, wanted string) (Python, error) {
	candidates := usual
	if wanted != "" {
		candidates = []string{wanted}
	}
	var said []string
	for _, name := range candidates {
		path, err := exec.LookPath(name)
		if err != nil {
			said = append(said, name+": not found")
			continue
		}
		found, err := ask(ctx, path)
		if err == nil {
			return found, nil
		}
		said = append(said, fmt.Sprintf("%s: %v", name, err))
	}
	return Python{}, fmt.Errorf("no Python with torch (%s): on Debian apt-get install python3-torch, elsewhere pip install torch, then name that Python with --python",
		strings.Join(said, "; "))
}

// question makes an interpreter say what it has, on a line of its own: libraries
// print warnings beside it.
const question = `
import ctypes, json, platform
import torch, torch.distributed as dist
cuda = torch.cuda.is_available()
multicast = ctypes.c_int(0)
if cuda:
    try:
        driver, MULTICAST_SUPPORTED = ctypes.CDLL("libcuda.so.1"), 132
        driver.cuInit(0)
        driver.cuDeviceGetAttribute(ctypes.byref(multicast), MULTICAST_SUPPORTED, 0)
    except (OSError, AttributeError):
        pass
have = []
if dist.is_available():
    if getattr(dist, "is_gloo_available", lambda: True)(): have.append("gloo")
    if dist.is_nccl_available(): have.append("nccl")
    if dist.is_mpi_available(): have.append("mpi")
print("\n:::ASSAY " + json.dumps({"version": platform.python_version(), "torch": torch.__version__, "cuda": cuda,
    "gpus": torch.cuda.device_count() if cuda else 0, "backends": have, "multicast": multicast.value == 1}))
`

func ask(ctx context.Context, path string) (Python, error) {
	ctx, cancel := context.WithTimeout(ctx, importTime)
	defer cancel()
	var stderr bytes.Buffer
	command := exec.CommandContext(ctx, path, "-c", question)
	command.Stderr = &stderr
	command.WaitDelay = time.Second
	out, err := command.Output()
	if ctx.Err() != nil {
		return Python{}, ctx.Err()
	}
	if err != nil {
		return Python{}, errors.New(lastLine(stderr.String(), err))
	}
	for line := range strings.Lines(string(out)) {
		text, ok := strings.CutPrefix(line, ":::ASSAY ")
		if !ok {
			continue
		}
		found := Python{Path: path}
		if err := json.Unmarshal([]byte(text), &found); err != nil {
			return Python{}, err
		}
		return found, nil
	}
	return Python{}, errors.New("it said nothing of its torch")
}

// lastLine is the line of a Python traceback that says what went wrong.
func lastLine(text string, err error) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if last := strings.TrimSpace(lines[len(lines)-1]); last != "" {
		return last
	}
	return err.Error()
}
