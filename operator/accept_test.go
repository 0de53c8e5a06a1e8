package operator

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"assay/spec"
)

// runObject is a BenchmarkRun with a section of its spec replaced.
func runObject(t *testing.T, changes map[string]any) *unstructured.Unstructured {
	t.Helper()
	text := `{"apiVersion": "assay.dev/v1alpha1", "kind": "BenchmarkRun", "metadata": {"name": "a", "namespace": "b", "uid": "u", "generation": 1},
	"spec": {"workload": {"model": "m", "sequenceLengthMix": [{"inputTokens": 8, "outputTokens": 8, "weight": 1}]},
	"target": {"url": "http://10.0.0.1:8000"}, "load": {"concurrency": [1], "duration": "5s"}, "kubernetes": {"queue": "q"}}}`
	var o map[string]any
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		t.Fatal(err)
	}
	for name, value := range changes {
		o["spec"].(map[string]any)[name] = value
	}
	return &unstructured.Unstructured{Object: o}
}

var settings = Options{Image: "assay:1", Claim: "bundles"}

func TestAccept(t *testing.T) {
	tests := []struct {
		name    string
		changes map[string]any
		options Options
		kueue   bool
		reason  string // empty: accepted
		says    string
	}{
		{"good", nil, settings, true, "", ""},
		{"invalid", map[string]any{"load": map[string]any{"duration": "soon"}}, settings, true, "SpecInvalid", "spec.load.duration: got \"soon\""},
		{"no image", nil, Options{Claim: "bundles"}, true, "CannotBePlaced", "spec.kubernetes.image: got nothing"},
		{"no claim", nil, Options{Image: "assay:1"}, true, "CannotBePlaced", "spec.kubernetes.claim: got nothing"},
		{"a store in place of a claim", map[string]any{"kubernetes": map[string]any{"store": "s3://team/runs", "secret": "keys"}}, Options{Image: "assay:1"}, true, "", ""},
		{"a store without keys", map[string]any{"kubernetes": map[string]any{"store": "s3://team/runs"}}, settings, true, "SpecInvalid", "want spec.kubernetes.secret beside it"},
		{"no store", map[string]any{"kubernetes": map[string]any{"store": "/mnt/runs", "secret": "keys"}}, settings, true, "SpecInvalid", "s3://BUCKET/PREFIX"},
		{"no Kueue", nil, settings, false, "CannotBePlaced", "Kueue was not installed"},
		{"secret written out", map[string]any{"target": map[string]any{"url": "http://10.0.0.1:8000", "headers": map[string]any{"Authorization": "Bearer abcdefgh12345678"}}},
			settings, true, "CannotBePlaced", "holds a secret as it is"},
		{"ranks by ssh", map[string]any{"load": map[string]any{"concurrency": []any{2}, "duration": "5s", "generators": 2, "launch": map[string]any{"kind": "ssh", "hosts": []any{"h1", "h2"}}}},
			settings, true, "CannotBePlaced", "by ssh or slurm from a pod"},
		{"sets of hosts", map[string]any{"trials": map[string]any{"sets": 2}}, settings, true, "CannotBePlaced", "are not cut into sets"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, refused := accept(runObject(t, tt.changes), tt.options, tt.kueue)
			switch {
			case tt.reason == "" && refused != nil:
				t.Errorf("refused: %+v", refused)
			case tt.reason == "" && (a.specDigest == "" || a.workloadDigest == "" || a.place.Time == 0):
				t.Errorf("accepted as %+v", a)
			case tt.reason != "" && (refused == nil || refused.reason != tt.reason || !strings.Contains(refused.message, tt.says)):
				t.Errorf("got %+v, want %s with %q", refused, tt.reason, tt.says)
			}
			if refused != nil && strings.Contains(refused.message, "abcdefgh12345678") {
				t.Error("the rejection shows the secret")
			}
		})
	}
}

// A run whose ranks or load generators join what another has placed gets a pod for each, and
// they know each other by a secret that no object but a Secret holds.
func TestSeveralPods(t *testing.T) {
	u := runObject(t, map[string]any{"load": map[string]any{"concurrency": []any{3}, "duration": "5s", "generators": 3, "launch": map[string]any{"kind": "environment"}}})
	a, refused := accept(u, settings, true)
	if refused != nil || a.pods != 3 {
		t.Fatalf("%d pods, %+v", a.pods, refused)
	}
	j, err := json.Marshal(jobSetFor(u, a).Object)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"completionMode":"Indexed"`, `"completions":3`, `"parallelism":3`, `"enableDNSHostnames":true`, `{"name":"PET_NNODES","value":"3"}`,
		`"secretKeyRef":{"key":"ASSAY_TOKEN","name":"a"}`, fmt.Sprintf(`"value":"a-run-0-0.a:%d"`, meetingPort(u)), fmt.Sprintf(`"value":"$(POD_IP):%d"`, meetingPort(u)),
	} {
		if !strings.Contains(string(j), want) {
			t.Errorf("the JobSet has no %s:\n%s", want, j)
		}
	}
	one, other := secretFor(u), secretFor(u)
	token, _, _ := unstructured.NestedString(one.Object, "stringData", "ASSAY_TOKEN")
	again, _, _ := unstructured.NestedString(other.Object, "stringData", "ASSAY_TOKEN")
	if len(token) < 40 || token == again || strings.Contains(string(j), token) || one.GetOwnerReferences()[0].UID != "u" {
		t.Errorf("the secret is %v", one.Object)
	}
	if alone, _ := accept(runObject(t, nil), settings, true); alone.pods != 1 {
		t.Errorf("a plain run has %d pods", alone.pods)
	}
}

// A rejection is assay validate's, word for word.
func TestRejectionSaysWhatValidateSays(t *testing.T) {
	u := runObject(t, map[string]any{"load": map[string]any{"duration": "soon", "rate": "fast"}})
	document, err := documentOf(u)
	if err != nil {
		t.Fatal(err)
	}
	_, faults := spec.Parse("run.yaml", document)
	_, refused := accept(u, settings, true)
	if refused == nil || len(faults) < 2 {
		t.Fatalf("refused %v for %v", refused, faults)
	}
	for i, line := range strings.Split(refused.message, "\n") {
		if !strings.HasSuffix(faults[i].Error(), line) {
			t.Errorf("says %q, and validate %q", line, faults[i].Error())
		}
	}
}

// What a spec asks of Kueue stands where Kueue looks for it, and the pod cannot begin
// without its placement.
func TestJobSet(t *testing.T) {
	u := runObject(t, map[string]any{"kubernetes": map[string]any{
		"queue": "q", "priorityClass": "high", "requiredTopology": "rack", "exclusive": true, "secret": "keys", "signingKey": "signer",
		"resources": map[string]any{"cpu": "4"}, "nodeSelector": map[string]any{"pool": "x"}, "time": "10m",
	}})
	a, refused := accept(u, settings, true)
	if refused != nil {
		t.Fatal(refused)
	}
	j := jobSetFor(u, a)
	if labels := j.GetLabels(); labels[kueueQueue] != "q" || labels[kueuePriority] != "high" {
		t.Errorf("labels are %v", labels)
	}
	if owner := j.GetOwnerReferences(); len(owner) != 1 || owner[0].UID != "u" || !*owner[0].Controller {
		t.Errorf("owners are %v", owner)
	}
	text, err := json.Marshal(j.Object)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"suspend":true`, `"maxRestarts":0`, `"backoffLimit":0`, `"activeDeadlineSeconds":600`, `"restartPolicy":"Never"`,
		`"kueue.x-k8s.io/podset-required-topology":"rack"`, `"nodeSelector":{"pool":"x"}`, `"secretRef":{"name":"keys"}`,
		`"secret":{"defaultMode":288,"secretName":"signer"}`, `"--key","/etc/assay-key/private.pem"`,
		`"configMapKeyRef":{"key":"placement.json","name":"a"}`, `"podAntiAffinity"`, `"claimName":"bundles"`,
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the JobSet has no %s:\n%s", want, text)
		}
	}
}

// What a spec asks of another scheduler stands where Slinky's looks for it: the scheduler's
// name in the pod, the rest on the JobSet, which is the root of what it schedules.
func TestJobSetForSlinky(t *testing.T) {
	u := runObject(t, map[string]any{"kubernetes": map[string]any{
		"scheduler": "slurm-bridge-scheduler", "annotations": map[string]any{"slurmjob.slinky.slurm.net/partition": "gpu"},
	}})
	a, refused := accept(u, settings, false)
	if refused != nil {
		t.Fatal(refused)
	}
	j := jobSetFor(u, a)
	if got := j.GetAnnotations(); got["slurmjob.slinky.slurm.net/partition"] != "gpu" || got[annotationRun] != "a" {
		t.Errorf("annotations are %v", got)
	}
	if text, err := json.Marshal(j.Object); err != nil || !strings.Contains(string(text), `"schedulerName":"slurm-bridge-scheduler"`) {
		t.Errorf("%v, and the JobSet names no scheduler:\n%s", err, text)
	}
}

func TestChildName(t *testing.T) {
	long := strings.Repeat("very-", 30) + "long"
	names := []string{childName("a-1"), childName("a.b"), childName("a-b"), childName("9a"), childName(long), childName(long + "er")}
	if names[0] != "a-1" || names[2] != "a-b" {
		t.Errorf("plain names became %q", names)
	}
	for _, name := range names {
		if len(name) > 40 || !plainName.MatchString(name) {
			t.Errorf("%q is no name of a JobSet", name)
		}
	}
	slices.Sort(names)
	if len(slices.Compact(names)) != 6 {
		t.Errorf("two runs share a name: %q", names)
	}
}
