package main

import (
	"path/filepath"
	"strings"
	"testing"

	"assay/analysis/scene"
)

// What cannot be asked or filled is said in plain words, without the password.
func TestEnginesRefuse(t *testing.T) {
	place := filepath.Join(t.TempDir(), "warehouse")
	dir := filepath.Join(t.TempDir(), "night-1")
	_, err := scene.Run{Dir: dir, ID: "night-1", Launches: scene.Launches([]float64{1, 1.01, .99}), Document: `{apiVersion: assay.dev/v1alpha1, kind: BenchmarkRun, metadata: {name: nightly},
spec: {workload: {model: m}, target: {url: "http://127.0.0.1:1"}, load: {concurrency: [2]}, trials: {minReplicates: 3}}}`}.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", "")
	t.Setenv("PGCONNECT_TIMEOUT", "5")
	at := func(want int, args ...string) string {
		t.Helper()
		out, errs, code := call(t, append(args, "--warehouse", place)...)
		if code != want {
			t.Errorf("%v: exit %d, want %d\n%s\n%s", args, code, want, out, errs)
		}
		if strings.Contains(out+errs, "opensesame") {
			t.Errorf("%v tells the password:\n%s%s", args, out, errs)
		}
		return errs
	}
	at(exitOK, "keep", dir)
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"query", "--on", "mysql://u:opensesame@h/d", "SELECT 1"}, exitUsage, "want postgres://USER@HOST/DATABASE, clickhouse://"},
		{[]string{"query", "--on", "postgres://u:opensesame@127.0.0.1:1/%zz", "SELECT 1"}, exitUsage, "the URL cannot be read"},
		{[]string{"query", "--on", "postgres://u:opensesame@127.0.0.1:1/d?sslmode=disable", "SELECT 1"}, exitFailed, "connection refused"},
		{[]string{"query", "--on", "clickhouse://u:opensesame@127.0.0.1:1/d", "SELECT 1"}, exitFailed, "connection refused"},
		{[]string{"query", "--on", "clickhouse://u:opensesame@127.0.0.1:1/d;drop", "SELECT 1"}, exitUsage, "want letters, digits and underscores"},
		{[]string{"query", "--on", "duckdb", "SELECT 1"}, exitFailed, "make duckdb"},
		{[]string{"keep", "--into", "mysql://u:opensesame@h/d"}, exitUsage, "--into: no such engine"},
		{[]string{"keep", "--into", "postgres://u:opensesame@127.0.0.1:1/d?sslmode=disable"}, exitFailed, "connection refused"},
		{[]string{"keep", "--into", "duckdb:"}, exitUsage, "there is nothing to copy"},
		{[]string{"keep", dir, "--to", "s3://bucket/x", "--into", "postgres://h/d"}, exitUsage, "--to: want it without"},
	} {
		if got := at(c.code, c.args...); !strings.Contains(got, c.want) {
			t.Errorf("%v says %q, want %q in it", c.args, got, c.want)
		}
	}
}
