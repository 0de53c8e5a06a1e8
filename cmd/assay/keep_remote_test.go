package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"assay/report"
	"assay/tests/versity"
	"assay/tests/whole"
)

// storeEnviron is the environment in which the object store at an endpoint is found.
func storeEnviron(endpoint string) []string {
	return append(os.Environ(), "AWS_ENDPOINT_URL="+endpoint, "AWS_ACCESS_KEY_ID="+versity.User, "AWS_SECRET_ACCESS_KEY="+versity.Secret, "AWS_REGION=us-east-1")
}

// A run that was sent here with a store puts its bundle there and says where; its note says
// nothing of a store that refused it.
func TestHandToStore(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	environment, dir := storeEnviron(versity.Serve(t)), nightly(t, t.TempDir(), "night-1")
	f := func(environment []string, want bool) {
		t.Helper()
		p := &placement{Note: filepath.Join(t.TempDir(), "note"), Store: "s3://" + versity.Bucket + "/pods"}
		err := p.hand(t.Context(), Env{Environ: func() []string { return environment }}, dir, report.Report{})
		text, readErr := os.ReadFile(p.Note)
		var said placedNote
		if err := errors.Join(readErr, json.Unmarshal(text, &said)); err != nil {
			t.Fatal(err)
		}
		if (err == nil) != want || strings.HasPrefix(said.Stored, p.Store+"/bundles/") != want || said.Digest == "" {
			t.Errorf("handed over with %v, and the note says %s", err, text)
		}
	}
	f(environment, true)
	refused := slices.Clone(environment)
	for i, variable := range refused {
		if strings.HasPrefix(variable, "AWS_SECRET_ACCESS_KEY=") {
			refused[i] += "wrong"
		}
	}
	f(refused, false)
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
