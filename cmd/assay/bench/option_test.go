package bench

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// genaiOptions are the options that genai-bench 0.0.5 lists for benchmark.
const genaiOptions = `additional-request-params api-backend api-base api-key api-model-name auth aws-access-key-id aws-profile
aws-region aws-secret-access-key aws-session-token azure-ad-token azure-api-version azure-deployment azure-endpoint batch-size
config-file cooldown-ratio dataset-config dataset-image-column dataset-path dataset-prompt-column experiment-base-dir
experiment-folder-name gcp-credentials-path gcp-location gcp-project-id github-owner github-repo github-token iteration-type
log-dir master-port max-requests-per-run max-time-per-run metrics-refresh-interval metrics-time-unit model model-api-key
model-auth-type model-tokenizer namespace num-concurrency num-workers prefix-len prefix-ratio profile region security-token
server-engine server-gpu-count server-gpu-type server-version spawn-rate storage-auth-type storage-aws-access-key-id
storage-aws-profile storage-aws-region storage-aws-secret-access-key storage-aws-session-token storage-azure-account-key
storage-azure-account-name storage-azure-connection-string storage-azure-sas-token storage-bucket storage-gcp-credentials-path
storage-gcp-project-id storage-prefix storage-provider task traffic-scenario upload-results warmup-ratio`

func TestEveryOptionOfGenaiBench(t *testing.T) {
	for name := range strings.FieldsSeq(genaiOptions) {
		if o, ok := Find(name); !ok || o.Group == groupOurs {
			t.Errorf("--%s is missing", name)
		}
	}
	seen := map[string]bool{}
	for _, o := range Options {
		if seen[o.Name] || o.Doc == "" || o.Becomes == "" || o.Group == "" {
			t.Errorf("--%s is there twice, or does not say what it is and becomes", o.Name)
		}
		seen[o.Name] = true
		if o.Group != groupOurs && !slices.Contains(strings.Fields(genaiOptions), o.Name) {
			t.Errorf("--%s is none of genai-bench's", o.Name)
		}
	}
}

// Each option does something: it changes what is asked, is noted, or is refused.
// A value stands for every option, beside others without which it means nothing.
func TestEveryOptionCounts(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	table := write("table.csv", "prompt,question\none,two\n")
	config := write("config.json", `{"source": {"type": "file", "path": "`+table+`"}, "prompt_column": "question"}`)
	tokenizer, err := filepath.Abs("../../../examples/tokenizer.json")
	if err != nil {
		t.Fatal(err)
	}
	samples := map[string]string{
		"api-backend": "vllm", "api-base": shut, "api-key": "k", "task": "text-to-rerank", "api-model-name": "other",
		"additional-request-params": `{"top_p": 1}`, "model-api-key": "k", "aws-access-key-id": "a", "aws-secret-access-key": "a",
		"aws-session-token": "a", "aws-profile": "a", "aws-region": "eu-west-1", "azure-endpoint": "http://127.0.0.1:2", "azure-deployment": "d",
		"azure-api-version": "2024-02-01", "azure-ad-token": "a", "gcp-project-id": "q", "gcp-location": "here", "gcp-credentials-path": "a.json",
		"auth": "nobody", "config-file": "c", "profile": "p", "server-engine": "e", "server-gpu-type": "g", "server-version": "v", "server-gpu-count": "2", "server-deployment": "custom",
		"max-requests-per-run": "9", "max-time-per-run": "1", "num-concurrency": "3", "batch-size": "3", "traffic-scenario": "D(1,1)",
		"warmup-ratio": "0.1", "cooldown-ratio": "0.1", "model-tokenizer": tokenizer, "model": "label", "experiment-folder-name": "n",
		"experiment-base-dir": "b", "metrics-time-unit": "ms", "dataset-path": table, "dataset-config": config, "dataset-prompt-column": "question",
		"prefix-len": "9", "prefix-ratio": "0.1", "url": shut, "rate": "1", "arrival": "constant", "burstiness": "2", "slo": "ttft<1s", "headline": "latency", "cost-per-gpu-hour": "2.5", "price-input": "0.1", "price-output": "0.4",
		"duration": "2s", "warmup": "1s", "launches": "4", "seed": "7", "upload-results": "true",
		"genai-bench-sweep": "true", "quick": "true", "input-tokens": "9", "output-tokens": "9", "concurrency": "3", "request-rate": "1", "num-prompts": "9",
	}
	beside := map[string][]string{
		"url": {"--model", "m"}, "api-base": {"--model", "m"}, "model": {"--url", shut, "--api-model-name", "m"}, "duration": {"--url", shut, "--model", "m"}, "max-time-per-run": {"--url", shut, "--model", "m"},
		"dataset-prompt-column": with("--dataset-path", table), "arrival": with("--rate", "1"), "burstiness": with("--rate", "1", "--arrival", "gamma"),
		"batch-size": with("--task", "text-to-rerank"), "auth": with("--api-backend", "oci-genai"), "aws-region": with("--api-backend", "aws-bedrock"),
	}
	clouds := map[string]string{"aws": "aws-bedrock", "azure": "azure-openai", "gcp": "gcp-vertex", "config": "oci-genai", "profile": "oci-genai"}
	for _, o := range Options {
		others, ok := beside[o.Name]
		if cloud, known := clouds[strings.Split(o.Name, "-")[0]]; known && !ok {
			others, ok = with("--api-backend", cloud), true
		}
		if !ok {
			others = least
		}
		variables := map[string]string{"GCP_PROJECT_ID": "p"}
		value := samples[o.Name]
		if value == "" && o.Fate == Used {
			t.Errorf("--%s has no sample", o.Name)
			continue
		}
		before, errBefore := made(t, variables, others...)
		after, errAfter := made(t, variables, append(slices.Clone(others), "--"+o.Name, or(value, "x"))...)
		changed := !reflect.DeepEqual(before.Run, after.Run) || !slices.Equal(before.Environ, after.Environ) || before.Out != after.Out
		noted := slices.ContainsFunc(after.Notes, func(n string) bool { return strings.Contains(n, "--"+o.Name+" does nothing here") })
		refused := errAfter != nil && strings.Contains(errAfter.Error(), "--"+o.Name)
		switch {
		case o.Fate == Used && o.Name == "auth" && refused: // those that are taken change nothing
		case o.Fate == Used && !changed:
			t.Errorf("--%s %s changes nothing (%v, %v)", o.Name, value, errBefore, errAfter)
		case o.Fate == Noted && (!noted || changed):
			t.Errorf("--%s is not noted, or changes something (%v)", o.Name, after.Notes)
		case o.Fate == Refused && !refused:
			t.Errorf("--%s is not refused (%v)", o.Name, errAfter)
		}
	}
}
