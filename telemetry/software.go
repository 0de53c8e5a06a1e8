package telemetry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"regexp"
	"strings"

	"assay/record"
)

var driverSection = section{
	names: []string{"software.nvidia_driver", "software.cuda_toolkit", "software.nccl_library"},
	read:  readDriver,
}

var versionPattern = regexp.MustCompile(`\b\d+(\.\d+)+\b`)

func readDriver(_ context.Context, h Host, env record.Environment) error {
	h.record(env, fileFact{"software.nvidia_driver", "proc/driver/nvidia/version", firstVersion})
	h.record(env, fileFact{"software.cuda_toolkit", "usr/local/cuda/version.json", cudaVersion})
	for _, pattern := range []string{
		"usr/lib/*/libnccl.so.*.*.*", "usr/lib64/libnccl.so.*.*.*", "usr/local/lib/libnccl.so.*.*.*",
		"usr/local/nccl*/lib/libnccl.so.*.*.*", "opt/nvidia/nccl/lib/libnccl.so.*.*.*",
	} {
		if found, err := h.glob(pattern); err == nil {
			env.Set("software.nccl_library", strings.TrimPrefix(path.Base(found[0]), "libnccl.so."))
			return nil
		}
	}
	return errors.New("no libnccl.so in the usual folders; frameworks bring their own, see python.nvidia-nccl")
}

func firstVersion(text string) (any, error) {
	v := versionPattern.FindString(text)
	if v == "" {
		return nil, fmt.Errorf("got %.40q, want a version", text)
	}
	return v, nil
}

func cudaVersion(text string) (any, error) {
	var doc struct {
		CUDA struct {
			Version string `json:"version"`
		} `json:"cuda"`
	}
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		return nil, err
	}
	return word(doc.CUDA.Version)
}

// frameworks are the Python packages whose version belongs to a result, by the
// beginning of their folder's name; NCCL's ends in the CUDA generation.
var frameworks = []struct{ name, folder string }{
	{"python.torch", "torch-"},
	{"python.vllm", "vllm-"},
	{"python.sglang", "sglang-"},
	{"python.transformers", "transformers-"},
	{"python.triton", "triton-"},
	{"python.tensorrt_llm", "tensorrt_llm-"},
	{"python.flash_attn", "flash_attn-"},
	{"python.numpy", "numpy-"},
	{"python.nvidia-nccl", "nvidia_nccl_cu*-"},
}

var pythonSection = section{names: pythonNames(), read: readPython}

func pythonNames() []string {
	out := []string{"python.version", "python.path"}
	for _, f := range frameworks {
		out = append(out, f.name)
	}
	return out
}

// askPython prints the version and the folders packages are found in. It
// imports nothing: starting torch to learn its version takes seconds and a
// gigabyte.
const askPython = `import sys; print(sys.version.split()[0]); print("\n".join(sys.path))`

func readPython(ctx context.Context, h Host, env record.Environment) error {
	if h.LookPath == nil {
		return errNotAsked
	}
	python, err := h.LookPath("python3")
	if err != nil {
		return err
	}
	env.Set("python.path", python)
	out, err := h.run(ctx, python, "-c", askPython)
	if err != nil {
		return err
	}
	answer := strings.Split(strings.TrimSpace(string(out)), "\n")
	env.Set("python.version", answer[0])
	for _, f := range frameworks {
		if v := installed(h, answer[1:], f.folder); v != "" {
			env.Set(f.name, v)
		} else {
			env.Miss(f.name, "not installed for "+python)
		}
	}
	return nil
}

// installed returns the version in the name of the first matching dist-info
// folder, searching as Python does.
func installed(h Host, folders []string, prefix string) string {
	for _, dir := range folders {
		if !path.IsAbs(dir) {
			continue
		}
		found, err := h.glob(path.Join(dir[1:], prefix+"*.dist-info"))
		if err != nil {
			continue
		}
		_, version, _ := strings.Cut(strings.TrimSuffix(path.Base(found[0]), ".dist-info"), "-")
		return version
	}
	return ""
}

var serverSection = section{
	names: []string{"server.engine", "server.version"},
	read: func(context.Context, Host, record.Environment) error {
		return errors.New("not asked yet: the server is asked when the run begins")
	},
}
