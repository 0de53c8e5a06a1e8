package operator

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

var update = flag.Bool("update", false, "write what is generated")

// The manifests in the tree are those that the program prints, those of the webhook by
// themselves.
func TestManifestsAreCurrent(t *testing.T) {
	f := func(file string, want []byte, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		if *update {
			if err := os.WriteFile(file, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(file)
		if err != nil || string(got) != string(want) {
			t.Errorf("%s is not what the operator prints (%v): run go test ./operator -update", file, err)
		}
	}
	want, err := Manifests(Options{Claim: "bundles"})
	f("../deploy/kustomize/operator.yaml", want, err)
	want, err = documents(webhookObjects(systemNamespace))
	f("../deploy/kustomize/webhook/webhook.yaml", want, err)
}

// The webhook adds the right to its own certificate and configuration, by name, and no other.
func TestWebhookPermissionsAreFew(t *testing.T) {
	for _, o := range webhookObjects(systemNamespace) {
		list, _ := o["rules"].([]any)
		for _, one := range list {
			rule := one.(object)
			verbs := fmt.Sprint(rule["verbs"])
			if rule["resourceNames"] == nil && verbs != "[create]" || verbs != "[create]" && verbs != "[get update]" {
				t.Errorf("%s may %s %v named %v", o["kind"], verbs, rule["resources"], rule["resourceNames"])
			}
		}
	}
}

// The operator may do what it does and nothing else: never read Secrets, make pods or
// change roles.
func TestPermissionsAreFew(t *testing.T) {
	for _, p := range append(append([]permission{}, permissions...), leading...) {
		if p.why == "" || p.resource == "*" || p.group == "*" || p.group == "rbac.authorization.k8s.io" {
			t.Errorf("the operator may %v %s of %q: %s", p.verbs, p.resource, p.group, p.why)
		}
		for _, verb := range p.verbs {
			if verb == "*" || p.resource == "secrets" && verb != "create" || p.resource == "pods" && strings.Contains("create update patch delete", verb) {
				t.Errorf("the operator may %s %s", verb, p.resource)
			}
		}
	}
}

var yamlBlocks = regexp.MustCompile("(?ms)^```yaml\n(.*?)^```$")

// The runs in the guide are accepted.
func TestGuide(t *testing.T) {
	text, err := os.ReadFile("../docs/guides/kubernetes.md")
	if err != nil {
		t.Fatal(err)
	}
	runs := 0
	for _, block := range yamlBlocks.FindAllSubmatch(text, -1) {
		u := &unstructured.Unstructured{}
		if err := yaml.UnmarshalStrict(block[1], &u.Object); err != nil {
			t.Fatalf("%v in\n%s", err, block[1])
		}
		if u.GetKind() != runKind.Kind {
			continue
		}
		runs++
		if _, refused := accept(u, settings, true); refused != nil {
			t.Errorf("the guide's run %s is refused: %s", u.GetName(), refused.message)
		}
	}
	if runs == 0 {
		t.Error("the guide has no run")
	}
}
