package kubernetes

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// kustomize renders the folder of the tree as it is, and with an image of somebody's own and
// the webhook, and the API server would take both.
func kustomize(t *testing.T, c *Cluster) {
	rendered(t, c, "../../deploy/kustomize", []string{"--image=assay:latest", "--webhook="}, 9)
	// kustomize reads nothing outside of its folder.
	own := t.TempDir()
	if err := os.CopyFS(own, os.DirFS("../../deploy/kustomize")); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(own, "kustomization.yaml")
	text := read(t, file)
	for _, change := range [][2]string{{"newName: assay, newTag: latest", "newName: registry.example:5000/team/assay, newTag: v1"}, {"resources: [operator.yaml]", "resources: [operator.yaml]\ncomponents: [webhook]"}} {
		if !strings.Contains(string(text), change[0]) {
			t.Fatalf("the kustomization has no %q", change[0])
		}
		text = []byte(strings.Replace(string(text), change[0], change[1], 1))
	}
	if err := os.WriteFile(file, text, 0o644); err != nil {
		t.Fatal(err)
	}
	rendered(t, c, own, []string{"--image=registry.example:5000/team/assay:v1", "--webhook=:9443"}, 15)
}

// rendered wants objects that the API server takes, among them a Deployment with arguments.
func rendered(t *testing.T, c *Cluster, folder string, args []string, want int) {
	t.Helper()
	text, err := exec.Command(filepath.Join(c.bin, "kubectl"), "kustomize", folder).Output()
	if err != nil {
		t.Fatal(err)
	}
	all := objects(t, text)
	if len(all) != want {
		t.Errorf("rendered %d objects, want %d", len(all), want)
	}
	for _, o := range all {
		if err := c.Client.Apply(t.Context(), client.ApplyConfigurationFromUnstructured(o), client.FieldOwner("kustomize"), client.ForceOwnership, client.DryRunAll); err != nil {
			t.Errorf("%s %s: %v", o.GetKind(), o.GetName(), err)
		}
		if o.GetKind() != "Deployment" {
			continue
		}
		containers, _, _ := unstructured.NestedSlice(o.Object, "spec", "template", "spec", "containers")
		got, _, _ := unstructured.NestedStringSlice(containers[0].(map[string]any), "args")
		for _, arg := range append(args, "--claim=bundles") {
			if !slices.Contains(got, arg) {
				t.Errorf("the operator has the arguments %q, want %s", got, arg)
			}
		}
	}
}
