package bench

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// A secret given as a flag is in a variable of this process and nowhere else.
func TestSecretsStayOut(t *testing.T) {
	const secret = "canary-5f1e22"
	clouds := map[string]string{"aws": "aws-bedrock", "azure": "azure-openai"}
	for _, o := range Options {
		if !o.Secret || o.Fate == Refused {
			continue
		}
		backend := or(clouds[strings.Split(o.Name, "-")[0]], "vllm")
		asked, err := made(t, nil, with("--api-backend", backend, "--"+o.Name, secret)...)
		if err != nil {
			t.Errorf("--%s: %v", o.Name, err)
			continue
		}
		if text := fmt.Sprintf("%s %v %+v", asked.Source, asked.Notes, asked.Run); strings.Contains(text, secret) {
			t.Errorf("--%s shows its value: %s", o.Name, text)
		}
		held := slices.ContainsFunc(asked.Environ, func(entry string) bool { return strings.HasSuffix(entry, "="+secret) })
		if held != (o.Fate == Used) || held != (len(asked.Needs()) == 1) {
			t.Errorf("--%s: held in %d variables, needs %v", o.Name, len(asked.Environ), asked.Needs())
		}
	}
}

// The key for the model goes before the general one, flags before variables of the
// same name, and OpenAI's key goes to nobody else.
func TestWhichKey(t *testing.T) {
	f := func(want string, variables map[string]string, args ...string) {
		t.Helper()
		asked := wantMade(t, variables, with(args...)...)
		got := asked.Run.Spec.Target.Auth.Env
		for _, entry := range asked.Environ {
			if value, ok := strings.CutPrefix(entry, got+"="); ok && got != "" {
				got += "=" + value
			}
		}
		if got != want {
			t.Errorf("%v with %v: key from %q, want %q", args, variables, got, want)
		}
	}
	f("", nil)
	f("ASSAY_API_KEY=a", nil, "--api-key", "a")
	f("ASSAY_API_KEY=b", nil, "--api-key", "a", "--model-api-key", "b")
	f("MODEL_API_KEY", map[string]string{"MODEL_API_KEY": "c"}, "--api-key", "a")
	f("ASSAY_API_KEY=b", map[string]string{"MODEL_API_KEY": "c"}, "--model-api-key", "b")
	f("OPENAI_API_KEY", map[string]string{"OPENAI_API_KEY": "d"}, "--api-backend", "openai")
	f("", map[string]string{"OPENAI_API_KEY": "d"}, "--api-backend", "vllm")
	f("TOGETHER_API_KEY", map[string]string{"TOGETHER_API_KEY": "d"}, "--api-backend", "together")
}

// The addresses that options of clouds name.
func TestAddresses(t *testing.T) {
	f := func(want string, args ...string) {
		t.Helper()
		if got := wantMade(t, nil, append([]string{"--model", "m", "--duration", "1s"}, args...)...).Run.Spec.Target.URL; got != want {
			t.Errorf("%v: %s, want %s", args, got, want)
		}
	}
	f("https://bedrock-runtime.us-east-1.amazonaws.com", "--api-backend", "aws-bedrock")
	f("https://bedrock-runtime.eu-west-1.amazonaws.com", "--api-backend", "aws-bedrock", "--aws-region", "eu-west-1")
	f("https://us-central1-aiplatform.googleapis.com/v1/projects/p/locations/us-central1", "--api-backend", "gcp-vertex", "--gcp-project-id", "p")
	f(shut+"/v1/projects/p/locations/x", "--api-backend", "gcp-vertex", "--gcp-project-id", "p", "--gcp-location", "x", "--api-base", shut+"/v1")
	f("https://me.openai.azure.com", "--api-backend", "azure-openai", "--azure-endpoint", "https://me.openai.azure.com")
}
