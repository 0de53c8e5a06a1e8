package run

import (
	"slices"
	"strings"
	"testing"

	"assay/spec"
	"assay/target"
)

// A cloud's credentials come from the environment, sign or head every request,
// and are known to the redactor.
func TestConnectFindsCloudCredentials(t *testing.T) {
	env := map[string]string{
		"AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "aws-secret", "AWS_REGION": "us-east-1",
		"AZURE_OPENAI_API_KEY": "azure-secret", "GOOGLE_API_KEY": "google-secret",
	}
	lookup := func(name string) (string, bool) { value, ok := env[name]; return value, ok }
	tests := []struct {
		kind, api, header, secret string
		signs                     bool
	}{
		{"aws", "aws-bedrock", "", "aws-secret", true},
		{"azure", "azure-openai", "Api-Key", "azure-secret", false},
		{"google", "gcp-gemini", "X-Goog-Api-Key", "google-secret", false},
	}
	for _, tt := range tests {
		t.Run(tt.kind, func(t *testing.T) {
			p := planOf(t, `workload: {model: m}, target: {url: "http://127.0.0.1:1", api: `+tt.api+`, auth: {kind: `+tt.kind+`}}, load: {concurrency: [1]}`)
			c, err := connect(p, lookup)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Contains(c.secrets, tt.secret) || (c.client.Sign != nil) != tt.signs {
				t.Errorf("%d secrets, signer %v; want the secret among them, a signer %v", len(c.secrets), c.client.Sign, tt.signs)
			}
			if tt.header != "" && c.client.Header.Get(tt.header) != tt.secret {
				t.Errorf("headers %v lack %s", c.client.Header, tt.header)
			}
		})
	}
	p := planOf(t, `workload: {model: m}, target: {url: "http://127.0.0.1:1", api: oci-genai, auth: {kind: oci}}, load: {concurrency: [1]}`)
	if _, err := connect(p, lookup); err == nil || !strings.Contains(err.Error(), "OCI") {
		t.Errorf("error %v without credentials, want one that says what OCI wants", err)
	}
}

// Every cloud can be named in a spec.
func TestCloudsAreInTheVocabulary(t *testing.T) {
	for _, cloud := range target.Clouds {
		if !slices.Contains(spec.Vocabularies["authKinds"], cloud.Name) {
			t.Errorf("cloud %s is no kind of target.auth", cloud.Name)
		}
	}
}
