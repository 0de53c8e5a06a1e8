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

// kustomize refuses the folder of the tree as it is, which names no image, and renders it
// with an image of somebody's own, and with that and the webhook. The API server would take
// both.
func kustomize(t *testing.T, c *Cluster) {
	out, err := exec.Command(filepath.Join(c.bin, "kubectl"), "kustomize", "../../deploy/kustomize").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "data.image") || !strings.Contains(string(out), "image-of-assay-is-to-be-named") {
		t.Errorf("without an image: %v, %s", err, out)
	}
	const image = "registry.example:5000/team/assay:v1"
	named := [2]string{"literals: []", "literals: [image=" + image + "]"}
	rendered(t, c, changed(t, named), image, []string{"--image=" + image, "--webhook="}, 9)
	rendered(t, c, changed(t, named, [2]string{"resources: [operator.yaml]", "resources: [operator.yaml]\ncomponents: [webhook]"}), image, []string{"--image=" + image, "--webhook=:9443"}, 15)
}

// changed is a copy of the folder with changes to the kustomization, which reads nothing
// outside of its folder.
func changed(t *testing.T, changes ...[2]string) string {
	t.Helper()
	own := t.TempDir()
	if err := os.CopyFS(own, os.DirFS("../../deploy/kustomize")); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(own, "kustomization.yaml")
	text := string(read(t, file))
	for _, change := range changes {
		if !strings.Contains(text, "\n"+change[0]) && !strings.Contains(text, "    "+change[0]) {
			t.Fatalf("the kustomization has no %q", change[0])
		}
		text = strings.Replace(text, change[0]+"\n", change[1]+"\n", 1)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return own
}

// rendered wants objects that the API server takes, among them a Deployment of an image with
// arguments.
func rendered(t *testing.T, c *Cluster, folder, image string, args []string, want int) {
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
		if got := containers[0].(map[string]any)["image"]; got != image {
			t.Errorf("the operator is %v, want %s", got, image)
		}
		got, _, _ := unstructured.NestedStringSlice(containers[0].(map[string]any), "args")
		for _, arg := range append(args, "--claim=bundles") {
			if !slices.Contains(got, arg) {
				t.Errorf("the operator has the arguments %q, want %s", got, arg)
			}
		}
	}
}
