package telemetry

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"assay/record"
)

// allowedPrefixes are the families of variables that change how collectives,
// kernels and engines behave.
var allowedPrefixes = []string{
	"NCCL_", "CUDA_", "CUBLAS_", "CUDNN_", "NVIDIA_", "GLOO_", "OMP_", "MKL_", "KMP_", "OPENBLAS_",
	"TORCH_", "TORCHINDUCTOR_", "PYTORCH_", "TRITON_", "UCX_", "FI_", "HSA_", "HIP_", "ROCR_", "RCCL_",
	"VLLM_", "SGLANG_", "TRTLLM_",
}

// allowedNames are single variables of interest. Go's are named one by one: the
// prefix GO would let GOOGLE_APPLICATION_CREDENTIALS, GOAUTH and the passwords
// inside GOPROXY through.
var allowedNames = []string{
	"GOMAXPROCS", "GOGC", "GOMEMLIMIT", "GODEBUG", "GOTRACEBACK", "GOFLAGS", "GOAMD64", "GOARM64", "GOEXPERIMENT",
	"SLURM_JOB_ID", "SLURM_JOB_NAME", "SLURM_JOB_NODELIST", "SLURM_JOB_NUM_NODES", "SLURM_JOB_PARTITION",
	"SLURM_JOB_QOS", "SLURM_LOCALID", "SLURM_NODEID", "SLURM_NTASKS", "SLURM_PROCID", "SLURM_CPU_BIND",
	"SLURM_CPUS_PER_TASK", "SLURM_GPUS", "SLURM_GPUS_ON_NODE", "SLURM_RESTART_COUNT", "SLURM_CLUSTER_NAME",
	"KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT", "POD_NAME", "POD_NAMESPACE", "POD_UID", "JOB_UID", "NODE_NAME", "SLURMD_NODENAME",
	"JOB_COMPLETION_INDEX", "RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT",
	"LD_PRELOAD", "LD_LIBRARY_PATH", "MALLOC_ARENA_MAX", "PYTHONHASHSEED", "TOKENIZERS_PARALLELISM",
	"HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "ACCELERATE_USE_FSDP", "GPU_DEVICE_ORDINAL",
	"LANG", "LC_ALL", "TZ",
}

// secretWords end a part of the name of a variable that must not be kept. They
// win over the allow-list: VLLM_API_KEY has an allowed prefix.
var secretWords = []string{
	"KEY", "KEYS", "TOKEN", "TOKENS", "SECRET", "SECRETS", "PASSWORD", "PASSWD", "PASS", "PASSPHRASE",
	"CREDENTIAL", "CREDENTIALS", "AUTH", "COOKIE", "PRIVATE", "CERT", "SIGNATURE", "DSN",
}

var environSection = section{
	names: []string{"env.count"},
	read:  readEnviron,
}

// readEnviron records the allowed variables as env.NAME. One that is allowed by
// family but looks secret is named without its value, so that a comparison
// still sees that it was set.
func readEnviron(_ context.Context, h Host, env record.Environment) error {
	environ, err := h.environ()
	if err != nil {
		return err
	}
	count := 0
	for _, kv := range environ {
		name, value, _ := strings.Cut(kv, "=")
		if !allowed(name) {
			continue
		}
		count++
		if secretName(name) {
			env.Miss("env."+name, "withheld: the name looks like a secret")
			continue
		}
		env.Set("env."+name, withoutUser(value))
	}
	env.Set("env.count", count)
	return nil
}

// userInfo is the user and password inside a URL.
var userInfo = regexp.MustCompile(`://[^/@\s]+@`)

func withoutUser(text string) string { return userInfo.ReplaceAllString(text, "://withheld@") }

// commandLine keeps the kernel's command line, on which machines are also
// handed passwords and tokens, without the values that look like them.
func commandLine(text string) (any, error) {
	parts := strings.Fields(text)
	for i, p := range parts {
		name, _, set := strings.Cut(p, "=")
		if set && secretName(strings.NewReplacer("-", "_", ".", "_").Replace(name)) {
			p = name + "=withheld"
		}
		parts[i] = withoutUser(p)
	}
	return word(strings.Join(parts, " "))
}

func allowed(name string) bool {
	return slices.Contains(allowedNames, name) ||
		slices.ContainsFunc(allowedPrefixes, func(p string) bool { return strings.HasPrefix(name, p) })
}

// secretName looks at the end of each part of a name, so that APIKEY is caught and
// TOKENIZERS_PARALLELISM is not.
func secretName(name string) bool {
	for part := range strings.SplitSeq(strings.ToUpper(name), "_") {
		if slices.ContainsFunc(secretWords, func(w string) bool { return strings.HasSuffix(part, w) }) {
			return true
		}
	}
	return false
}
