package operator

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"sigs.k8s.io/yaml"

	"assay/spec"
)

// chartVersion is that of the chart, which changes when what it makes does.
const chartVersion = "0.1.0"

// A chartValue is something that whoever installs the chart decides. Templates use values
// as they are, or ask whether they are set. The only function of Helm is fail.
type chartValue struct {
	name  string
	why   string
	value func(Options) any
}

// chartValues are those of values.yaml.
var chartValues = []chartValue{
	{"image", "Where you pushed the image that make image builds, for the operator and for runs that name none. None is published: the chart is not installed without.", func(o Options) any { return o.Image }},
	{"claim", "The PersistentVolumeClaim of bundles, for runs that name none; empty has every run name its own.", func(o Options) any { return o.Claim }},
	{"watchNamespace", "The only namespace whose runs are carried out; empty means all.", func(o Options) any { return o.Namespace }},
	{"webhook", "Whether the API server asks the operator before it takes an object, so that kubectl apply says what is wrong with it.", func(o Options) any { return o.Webhook != "" }},
	{"replicas", "Operators that are there; one of them acts.", func(Options) any { return 2 }},
}

// chartWord is a value in a template.
func chartWord(name string) string { return "{{ .Values." + name + " }}" }

// noImage ends an installation that would wait for an image that nobody has.
const noImage = `{{ if not .Values.image }}{{ fail "image: got nothing, and no image of assay is published: build one (make image), push it where your cluster finds it, and name it: --set image=registry.example/assay:0.1.0" }}{{ end }}
`

// Words of templates: where the chart is installed, and what only a webhook needs, up to its
// end.
const (
	releaseNamespace = "{{ .Release.Namespace }}"
	whereWebhook     = "{{ if .Values.webhook }}"
)

// chart are the files of a Helm chart that installs what Manifests does, by their paths. Its
// namespace is the release's, which Helm makes.
func chart(o Options) (map[string]string, error) {
	files := map[string]string{"values.yaml": values(o), "templates/NOTES.txt": "kubectl get benchmarkruns,benchmarkschedules --all-namespaces\n", "templates/image.yaml": noImage}
	about, err := yaml.Marshal(object{
		"apiVersion": "v2", "name": leaseName, "version": chartVersion, "type": "application",
		"description": "Carries BenchmarkRun and BenchmarkSchedule objects out. Needs JobSet, and Kueue for queues.",
	})
	if err != nil {
		return nil, err
	}
	files["Chart.yaml"] = string(about)
	for _, kind := range spec.CRDKinds() {
		crd, err := spec.CRD(kind)
		if err != nil {
			return nil, err
		}
		files["crds/"+strings.ToLower(kind)+".yaml"] = string(crd)
	}
	hook, err := documents(webhookObjects(releaseNamespace))
	if err != nil {
		return nil, err
	}
	files["templates/webhook.yaml"] = whereWebhook + "\n" + string(hook) + "{{ end }}\n"
	words := Options{
		Image: chartWord("image"), Claim: chartWord("claim"), Namespace: chartWord("watchNamespace"),
		Webhook: whereWebhook + podWebhook + "{{ end }}",
	}
	for _, one := range installation(words, releaseNamespace, chartWord("replicas")) {
		text, err := yaml.Marshal(one)
		if err != nil {
			return nil, fmt.Errorf("write a template: %w", err)
		}
		// A number has no quotes.
		files["templates/"+strings.ToLower(one["kind"].(string))+".yaml"] = strings.Replace(string(text), "'"+chartWord("replicas")+"'", chartWord("replicas"), 1)
	}
	return files, nil
}

func values(o Options) string {
	var b strings.Builder
	for _, v := range chartValues {
		fmt.Fprintf(&b, "# %s\n%s: %s\n", v.why, v.name, quoted(v.value(o)))
	}
	return b.String()
}

func quoted(v any) string {
	if text, ok := v.(string); ok {
		return fmt.Sprintf("%q", text)
	}
	return fmt.Sprint(v)
}

// WriteChart writes the chart into a folder that has none, or an older one of ours.
func WriteChart(dir string, o Options) error {
	files, err := chart(o)
	if err != nil {
		return err
	}
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		about, err := os.ReadFile(filepath.Join(dir, "Chart.yaml"))
		if err != nil || !strings.Contains(string(about), "name: "+leaseName) {
			return fmt.Errorf("--write-chart %s: it holds something else: want a new folder, or one of an older chart of assay", dir)
		}
	}
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}
