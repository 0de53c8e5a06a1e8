package plan

import (
	"testing"

	"assay/spec"
)

func TestApart(t *testing.T) {
	f := func(text string, want int64) {
		t.Helper()
		doc, faults := spec.Parse("test.yaml", []byte(`{apiVersion: assay.dev/v1alpha1, kind: BenchmarkRun, metadata: {name: t}, spec: {workload: {model: m}, `+text+`}}`))
		if !spec.Valid(faults) {
			t.Fatal(faults)
		}
		p, err := New(*doc.Run)
		if err != nil {
			t.Fatal(err)
		}
		if p.Expected.Apart != want {
			t.Errorf("%s: %d requests outside of points, want %d in %d launches", text, p.Expected.Apart, want, len(p.Launches))
		}
	}
	f(`target: {url: "http://h:1"}`, 0)
	f(`target: {url: "http://h:1"}, load: {cacheProbe: {pairs: 5}}`, 30)
	f(`target: {url: "http://h:1", server: {command: [x]}}`, 12)
	f(`target: {url: "http://h:1", server: {command: [x], restart: run}}`, 4)
	f(`target: {url: "http://h:1", server: {command: [x], cold: {requests: 0, warm: 0}}}, load: {cacheProbe: {}}`, 48)
}
