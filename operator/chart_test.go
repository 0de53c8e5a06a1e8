package operator

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"text/template"

	"sigs.k8s.io/yaml"
)

const chartFolder = "../deploy/helm/assay-operator"

// render renders the templates of a chart as helm template does: ours use values alone and
// one function of Helm's, so Go's own templates are the same.
func render(t *testing.T, dir string, changes map[string]any) (all []object) {
	t.Helper()
	all, err := tryRender(t, dir, changes)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func tryRender(t *testing.T, dir string, changes map[string]any) (all []object, err error) {
	t.Helper()
	held := map[string]any{}
	text, err := os.ReadFile(filepath.Join(dir, "values.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.UnmarshalStrict(text, &held); err != nil {
		t.Fatal(err)
	}
	for name, value := range changes {
		if _, ok := held[name]; !ok {
			t.Fatalf("values.yaml has no %s", name)
		}
		held[name] = value
	}
	files, err := filepath.Glob(filepath.Join(dir, "templates", "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatal("no templates", err)
	}
	for _, file := range files {
		fail := template.FuncMap{"fail": func(message string) (string, error) { return "", errors.New(message) }}
		parsed, err := template.New(filepath.Base(file)).Option("missingkey=error").Funcs(fail).ParseFiles(file)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := parsed.Execute(&out, map[string]any{"Values": held, "Release": map[string]any{"Namespace": systemNamespace}}); err != nil {
			return nil, err
		}
		for document := range bytes.SplitSeq(out.Bytes(), []byte("---\n")) {
			var one object
			if err := yaml.UnmarshalStrict(document, &one); err != nil {
				t.Fatalf("%v in\n%s", err, document)
			}
			if one != nil {
				all = append(all, one)
			}
		}
	}
	return all, nil
}

// A chart that names no image is not installed: there is none that it could name itself.
func TestChartWantsImage(t *testing.T) {
	if _, err := tryRender(t, chartFolder, nil); err == nil || !strings.Contains(err.Error(), "no image of assay is published: build one (make image)") {
		t.Errorf("without an image: %v", err)
	}
}

// key names an object.
func key(o object) string {
	return o["kind"].(string) + "/" + o["metadata"].(object)["name"].(string)
}

// The chart installs what kubectl apply of the manifests does, but for the namespace, which
// Helm makes.
func TestChartIsTheManifests(t *testing.T) {
	f := func(o Options, changes map[string]any) {
		t.Helper()
		text, err := Manifests(o)
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]object{}
		for _, document := range bytes.Split(text, []byte("\n---\n")) {
			var one object
			if err := yaml.Unmarshal(document, &one); err != nil {
				t.Fatal(err)
			}
			want[key(one)] = one
		}
		delete(want, "Namespace/"+systemNamespace)
		got := map[string]object{}
		for _, one := range render(t, chartFolder, changes) {
			got[key(one)] = one
		}
		crds, _ := filepath.Glob(filepath.Join(chartFolder, "crds", "*.yaml"))
		for _, file := range crds {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var one object
			if err := yaml.Unmarshal(text, &one); err != nil {
				t.Fatal(err)
			}
			got[key(one)] = one
		}
		for name := range want {
			if !reflect.DeepEqual(got[name], want[name]) {
				t.Errorf("%s: the chart has\n%v\nand the manifests\n%v", name, got[name], want[name])
			}
		}
		if len(got) != len(want) {
			t.Errorf("the chart has %d objects, the manifests %d", len(got), len(want))
		}
	}
	const image = "registry.example/assay:1"
	f(Options{Image: image, Claim: "bundles"}, map[string]any{"image": image})
	f(Options{Image: image, Claim: "bundles", Webhook: ":1"}, map[string]any{"image": image, "webhook": true})
	f(Options{Image: "registry.example/assay@sha256:0", Namespace: "bench"}, map[string]any{"image": "registry.example/assay@sha256:0", "claim": "", "watchNamespace": "bench"})
}

// The chart in the tree is the one that the program writes, with nothing beside it.
func TestChartIsCurrent(t *testing.T) {
	if *update {
		if err := WriteChart(chartFolder, Options{Claim: "bundles"}); err != nil {
			t.Fatal(err)
		}
	}
	dir := filepath.Join(t.TempDir(), "chart")
	for range 2 { // also over an older one
		if err := WriteChart(dir, Options{Claim: "bundles"}); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := tree(t, chartFolder), tree(t, dir); !reflect.DeepEqual(got, want) {
		t.Errorf("%s is not what the operator writes: run go test ./operator -update", chartFolder)
	}
	other := t.TempDir()
	if err := os.WriteFile(filepath.Join(other, "mine"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := WriteChart(other, Options{}); err == nil || !strings.Contains(err.Error(), "want a new folder") {
		t.Errorf("a folder of somebody else: %v", err)
	}
}

// tree is every file below a folder.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(filepath.Join(dir, path))
		files[path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
