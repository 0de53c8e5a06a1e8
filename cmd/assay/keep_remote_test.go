package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/tests/versity"
	"assay/tests/whole"
)

// storeEnviron is the environment in which the object store at an endpoint is found.
func storeEnviron(endpoint string) []string {
	return append(os.Environ(), "AWS_ENDPOINT_URL="+endpoint, "AWS_ACCESS_KEY_ID="+versity.User, "AWS_SECRET_ACCESS_KEY="+versity.Secret, "AWS_REGION=us-east-1")
}

// What pods put into an object store, another machine fetches, verifies and keeps; what
// was changed there is refused, and the rest is kept all the same.
func TestKeepRemote(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	environment := storeEnviron(versity.Serve(t))
	at := func(want int, args ...string) string {
		t.Helper()
		cmd := program(t.Context(), args...)
		cmd.Env = environment
		out, err := cmd.CombinedOutput()
		if got := cmd.ProcessState.ExitCode(); got != want {
			t.Fatalf("%v: exit %d, want %d (%v)\n%s", args, got, want, err, out)
		}
		return string(out)
	}
	const store = "s3://" + versity.Bucket + "/nights"
	folder, place := t.TempDir(), filepath.Join(t.TempDir(), "warehouse")
	first, second := nightly(t, folder, "night-1"), nightly(t, folder, "night-2")
	if out := at(exitOK, "keep", first, second, "--to", store); strings.Count(out, "kept  ") != 2 {
		t.Errorf("put: %s", out)
	}
	if out := at(exitOK, "keep", first, "--to", store); !strings.Contains(out, "kept before") {
		t.Errorf("put again: %s", out)
	}
	if out := at(exitOK, "keep", "--from", store, "--warehouse", place); strings.Count(out, "kept  ") != 2 {
		t.Errorf("fetch: %s", out)
	}
	if out := at(exitOK, "keep", "--from", store, "--warehouse", place); out != "" {
		t.Errorf("fetched again: %s", out)
	}
	if out := at(exitOK, "query", "SELECT count(*) FROM current_run", "--warehouse", place); !strings.Contains(out, "2") {
		t.Errorf("query: %s", out)
	}
	if left, _ := filepath.Glob(filepath.Join(place, ".fetched-*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}

	third := nightly(t, folder, "night-3")
	if err := os.WriteFile(filepath.Join(third, "spec.yaml"), []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	if out := at(exitUnverified, "keep", third, nightly(t, folder, "night-4"), "--to", store); !strings.Contains(out, "does not verify") || !strings.Contains(out, "night-4") {
		t.Errorf("put of a changed one: %s", out)
	}
	at(exitUsage, "keep", first, "--to", "s3://"+versity.Bucket+"/../x")
	at(exitUsage, "keep", first, "--to", store, "--from", store)
	at(exitUsage, "keep", "--from", "team-bucket")
	if out := at(exitFailed, "keep", first, "--to", "s3://no-such-bucket"); !strings.Contains(out, "NoSuchBucket") {
		t.Errorf("no bucket: %s", out)
	}
}
