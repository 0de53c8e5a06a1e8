package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/bundle"
	"assay/finding"
	"assay/record"
	"assay/report"
)

// joined runs a document in a job of Slurm and returns its bundle and report.
func joined(t *testing.T, traced bool) (*bundle.Bundle, report.Report) {
	t.Helper()
	out := t.TempDir()
	document := filepath.Join(t.TempDir(), "spec.yaml")
	text := fmt.Sprintf(`{apiVersion: assay.dev/v1alpha1, kind: BenchmarkRun, metadata: {name: t},
  spec: {workload: {model: sim}, target: {url: %q, traceparent: %v}, load: {concurrency: [2], requests: 6, warmup: {}, calibrate: false}, trials: {quick: true}, intent: {schedulerPath: slinky},
  observability: {correlation: {stableJoinKeys: [run_id, benchmark_case_id, scheduler_run_id, job_uid, pod_uid, node_name, gpu_uuid, request_id, trace_id]}}}}`, quickServer(t), traced)
	if err := os.WriteFile(document, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	code := Main(t.Context(), Env{
		Args: []string{"run", "--json", "--out", out, document}, Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr,
		Environ: func() []string { return append(environ(), "SLURM_JOB_ID=42", "POD_UID=", "NODE_NAME=node-7") },
	})
	if code != exitOK {
		t.Fatalf("exit %d\n%s", code, stderr.String())
	}
	var r report.Report
	if err := json.Unmarshal(stdout.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	dirs, err := filepath.Glob(filepath.Join(out, "*"))
	if err != nil || len(dirs) != 1 {
		t.Fatal(dirs, err)
	}
	b, err := bundle.OpenVerified(dirs[0], bundle.Trust{})
	if err != nil {
		t.Fatal(err)
	}
	return b, r
}

// traces are the ids of the traces that were recorded, and how many requests were.
func traces(t *testing.T, b *bundle.Bundle) (seen map[string]bool, requests int) {
	t.Helper()
	seen = map[string]bool{}
	for r, err := range bundle.Rows[record.Request](b, 0, bundle.Requests) {
		if err != nil {
			t.Fatal(err)
		}
		seen[r.TraceID] = true
		requests++
	}
	return seen, requests
}

// The bundle holds the ids of the job, the node and the requests; a declared key that
// it cannot fill is a finding.
func TestJoinKeys(t *testing.T) {
	t.Parallel()
	b, r := joined(t, true)
	for key, want := range map[string]string{
		"run_id": b.Manifest.RunID, "benchmark_case_id": b.Manifest.WorkloadDigest, "scheduler_run_id": "42", "job_uid": "42",
		"node_name": "node-7", "request_id": "column requests.request", "trace_id": "column requests.trace_id",
	} {
		if got := fmt.Sprint(b.Manifest.Environment["join."+key].Value); got != want {
			t.Errorf("join.%s is %q, want %q", key, got, want)
		}
	}
	if got := b.Manifest.Environment["join.pod_uid"].Unavailable; got != "the environment has none of POD_UID" {
		t.Errorf("join.pod_uid is missing because %q", got)
	}
	seen, requests := traces(t, b)
	for id := range seen {
		if len(id) != 32 {
			t.Errorf("trace id %q, want 32 digits", id)
		}
	}
	if len(seen) != requests || requests < 6 {
		t.Errorf("%d requests have %d traces", requests, len(seen))
	}
	if text := unfilled(r); !strings.Contains(text, "pod_uid: ") || strings.Contains(text, "job_uid") {
		t.Errorf("the finding says %q, want pod_uid and not job_uid", text)
	}
}

// Without the header there is no trace to join by, and the bundle says so.
func TestNoTraceparent(t *testing.T) {
	t.Parallel()
	b, r := joined(t, false)
	if seen, _ := traces(t, b); len(seen) != 1 || !seen[""] {
		t.Errorf("traces %v are recorded, want none", seen)
	}
	if text := unfilled(r); !strings.Contains(text, "trace_id: no traceparent is sent to the target") {
		t.Errorf("the finding says %q, want trace_id named", text)
	}
}

func unfilled(r report.Report) string {
	for _, f := range r.Findings {
		if f.Check == "unfilled-join-keys" && f.Severity == finding.Caution {
			return f.Message
		}
	}
	return ""
}
