package kubernetes

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/tests/program"
	"assay/tests/versity"
)

// keys is a Secret with the keys of an object store.
func keys(name, endpoint, secret string) []byte {
	return fmt.Appendf(nil, `{apiVersion: v1, kind: Secret, metadata: {name: %s, namespace: default},
stringData: {AWS_ENDPOINT_URL: %q, AWS_ACCESS_KEY_ID: %s, AWS_SECRET_ACCESS_KEY: %s, AWS_REGION: us-east-1}}`, name, endpoint, versity.User, secret)
}

// A pod without a claim puts its bundle into an object store, from where a warehouse keeps
// it. Where the store refuses it the run has failed, and says so.
func realStore(t *testing.T, c *Cluster) {
	endpoint := versity.ServeAt(t, gateway)
	c.Apply(keys("good-keys", endpoint, versity.Secret))
	c.Apply(keys("bad-keys", endpoint, "wrong"+versity.Secret))
	const store = "s3://" + versity.Bucket + "/team"
	c.Apply(contained("stored", "1s", "store: \""+store+"\", secret: good-keys"))
	c.Apply(contained("not-stored", "1s", "store: \""+store+"\", secret: bad-keys"))
	s := phase(t, c, "stored", "Succeeded")
	if want := store + "/bundles/"; !strings.HasPrefix(s.RunDirectory, want) || !strings.Contains(s.RunDirectory, strings.TrimPrefix(s.BundleDigest, "sha256:")) {
		t.Errorf("the bundle %s is at %s", s.BundleDigest, s.RunDirectory)
	}
	t.Setenv("AWS_ENDPOINT_URL", endpoint)
	t.Setenv("AWS_ACCESS_KEY_ID", versity.User)
	t.Setenv("AWS_SECRET_ACCESS_KEY", versity.Secret)
	t.Setenv("AWS_REGION", "us-east-1")
	place := filepath.Join(t.TempDir(), "warehouse")
	if got := program.Run(t, t.TempDir(), "keep", "--from", store, "--warehouse", place); got.Code != 0 || !strings.Contains(got.Text(), s.RunID) {
		t.Errorf("keep --from: %s", got.Text())
	}
	err := filepath.WalkDir(place, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if bytes.Contains(text, []byte(versity.Secret)) {
			t.Errorf("%s holds the key of the store", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	failed := phase(t, c, "not-stored", "Failed")
	if got := conditionOf(failed, "Failed"); got.Reason != "NotStored" || failed.RunDirectory != "" {
		t.Errorf("failed as %+v, with a bundle at %q", got, failed.RunDirectory)
	}
}
