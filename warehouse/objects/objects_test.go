package objects

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"assay/analysis/scene"
	"assay/bundle"
	"assay/tests/versity"
	"assay/tests/whole"
)

const document = `{apiVersion: assay.dev/v1alpha1, kind: BenchmarkRun, metadata: {name: nightly},
spec: {workload: {model: m}, target: {url: "http://127.0.0.1:1"}, load: {concurrency: [2]}, trials: {minReplicates: 3}}}`

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func sealed(t *testing.T, id string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), id)
	_, err := scene.Run{Dir: dir, ID: id, Document: document, Launches: scene.Launches([]float64{1, 1.01, .99})}.Build(t.Context())
	must(t, err)
	return dir
}

func keys(secret string) func(string) (string, bool) {
	values := map[string]string{"AWS_ACCESS_KEY_ID": versity.User, "AWS_SECRET_ACCESS_KEY": secret, "AWS_REGION": "us-east-1"}
	return func(name string) (string, bool) { v, ok := values[name]; return v, ok }
}

// A real server of others accepts our signatures, refuses a second write, and gives back
// what it was given.
func TestRealServer(t *testing.T) {
	whole.Only(t)
	s := Store{Bucket: versity.Bucket, Prefix: "nights/a", Endpoint: versity.Serve(t), Lookup: keys(versity.Secret), Patience: 20 * time.Second}
	dir := sealed(t, "night-1")
	digest, isNew, err := s.Put(t.Context(), dir)
	if err != nil || !isNew {
		t.Fatalf("put: new %v, %v", isNew, err)
	}
	if again, isNew, err := s.Put(t.Context(), dir); err != nil || isNew || again != digest {
		t.Errorf("put again: %s, new %v, %v", again, isNew, err)
	}
	list, err := s.List(t.Context())
	if err != nil || len(list) != 1 || list[0] != digest {
		t.Errorf("list: %v, %v; want %s", list, err, digest)
	}
	to := filepath.Join(t.TempDir(), "back")
	must(t, s.Get(t.Context(), digest, to))
	if r, err := bundle.Verify(to); err != nil || !r.Verified || r.Digest != digest {
		t.Errorf("what came back does not verify: %v, %v", err, r.Failures())
	}

	// Ten writers of the same bundle: one of them wrote it.
	var wrote atomic.Int32
	var wait sync.WaitGroup
	other := sealed(t, "night-2")
	for range 10 {
		wait.Go(func() {
			if _, isNew, err := s.Put(t.Context(), other); err != nil {
				t.Error(err)
			} else if isNew {
				wrote.Add(1)
			}
		})
	}
	wait.Wait()
	if list, err := s.List(t.Context()); wrote.Load() != 1 || err != nil || len(list) != 2 {
		t.Errorf("%d wrote, %d are there, %v", wrote.Load(), len(list), err)
	}

	wrong := s
	wrong.Lookup = keys("guessed")
	if _, _, err := wrong.Put(t.Context(), sealed(t, "night-3")); err == nil || !strings.Contains(err.Error(), "SignatureDoesNotMatch") {
		t.Errorf("a wrong key: %v", err)
	}
	nowhere := s
	nowhere.Bucket = "no-such-bucket"
	if _, err := nowhere.List(t.Context()); err == nil || !strings.Contains(err.Error(), "NoSuchBucket") {
		t.Errorf("no bucket: %v", err)
	}
}

// A faulty connection breaks the first requests in each of the ways that there are: what
// was accepted is there once and whole.
func TestFaultsAreTriedAgain(t *testing.T) {
	whole.Only(t)
	behind, err := url.Parse(versity.Serve(t))
	must(t, err)
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(behind)
		r.Out.Host = r.In.Host // it is signed
	}}
	var n atomic.Int32
	faulty := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch n.Add(1) % 5 {
		case 1:
			http.Error(w, "busy", http.StatusServiceUnavailable)
		case 2: // the store does it, and the answer is lost
			proxy.ServeHTTP(httptest.NewRecorder(), r)
			panic(http.ErrAbortHandler)
		case 3: // nothing moves any more
			select {
			case <-r.Context().Done():
			case <-time.After(10 * time.Second): // who sends a body is not seen to give up
			}
			panic(http.ErrAbortHandler)
		case 4: // half of the answer
			whole := httptest.NewRecorder()
			proxy.ServeHTTP(whole, r)
			w.Header().Set("Content-Length", fmt.Sprint(whole.Body.Len()+1))
			w.WriteHeader(whole.Code)
			w.Write(whole.Body.Bytes()[:whole.Body.Len()/2])
			panic(http.ErrAbortHandler)
		default:
			proxy.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(faulty.Close)
	s := Store{Bucket: versity.Bucket, Endpoint: faulty.URL, Lookup: keys(versity.Secret), Patience: 2 * time.Minute, Idle: time.Second}
	for i := range 2 {
		digest, _, err := s.Put(t.Context(), sealed(t, fmt.Sprintf("night-%d", i)))
		must(t, err)
		to := filepath.Join(t.TempDir(), "back")
		must(t, s.Get(t.Context(), digest, to))
		if r, err := bundle.Verify(to); err != nil || !r.Verified || r.Digest != digest {
			t.Errorf("what came back does not verify: %v, %v", err, r.Failures())
		}
	}
	if list, err := s.List(t.Context()); err != nil || len(list) != 2 {
		t.Errorf("list: %d, %v; want 2", len(list), err)
	}
}

// A store that is down is given up with what was wrong, and one that refuses is not
// asked twice.
func TestGivingUp(t *testing.T) {
	var n atomic.Int32
	status := http.StatusInternalServerError
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		n.Add(1)
		w.WriteHeader(status)
		fmt.Fprint(w, `<Error><Code>Tired</Code><Message>come back later</Message></Error>`)
	}))
	defer server.Close()
	s := Store{Bucket: "b-b", Endpoint: server.URL, Lookup: keys("x"), Patience: time.Second}
	if _, err := s.List(t.Context()); err == nil || !strings.Contains(err.Error(), "given up") || !strings.Contains(err.Error(), "come back later") || n.Load() < 2 {
		t.Errorf("after %d requests: %v", n.Load(), err)
	}
	n.Store(0)
	status = http.StatusForbidden
	if _, err := s.List(t.Context()); err == nil || !strings.Contains(err.Error(), "Tired") || n.Load() != 1 {
		t.Errorf("after %d requests: %v", n.Load(), err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("enough"))
	if _, err := s.List(ctx); err == nil || !strings.Contains(err.Error(), "enough") {
		t.Errorf("cancelled: %v", err)
	}
	s.Lookup = func(string) (string, bool) { return "", false }
	if _, err := s.List(t.Context()); err == nil || !strings.Contains(err.Error(), "set AWS_ACCESS_KEY_ID") {
		t.Errorf("without keys: %v", err)
	}
}

// An object that is no bundle writes nothing outside of its folder.
func TestHostileObjects(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "outside")
	for _, h := range []tar.Header{
		{Name: "../outside", Typeflag: tar.TypeReg}, {Name: outside, Typeflag: tar.TypeReg}, {Name: "a/../../outside", Typeflag: tar.TypeReg},
		{Name: "link", Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"}, {Name: "hard", Typeflag: tar.TypeLink, Linkname: "/etc/passwd"},
		{Name: "pipe", Typeflag: tar.TypeFifo}, {Name: `a\b`, Typeflag: tar.TypeReg},
	} {
		var object bytes.Buffer
		w := tar.NewWriter(&object)
		must(t, w.WriteHeader(&h))
		must(t, w.Close())
		to := filepath.Join(filepath.Dir(outside), "to")
		must(t, errors.Join(os.RemoveAll(to), os.Mkdir(to, 0o755)))
		var final *refusal
		if err := unpack(&object, to); !errors.As(err, &final) {
			t.Errorf("%s: %v", h.Name, err)
		}
		if _, err := os.Lstat(outside); err == nil {
			t.Fatalf("%s was written", h.Name)
		}
	}
}

func TestParse(t *testing.T) {
	environ := func(values map[string]string) func(string) (string, bool) {
		return func(name string) (string, bool) { v, ok := values[name]; return v, ok }
	}
	s, err := Parse("s3://team-bucket/a/b/", environ(map[string]string{"AWS_ENDPOINT_URL": "http://127.0.0.1:9000/"}))
	if err != nil || s.Bucket != "team-bucket" || s.Prefix != "a/b" || s.address("k") != "http://127.0.0.1:9000/team-bucket/k" {
		t.Errorf("%+v, %v", s, err)
	}
	for _, text := range []string{"team-bucket", "s3://", "s3://A_B/x", "s3://team-bucket/a b", "s3://team-bucket/../x", "s3://team-bucket/a//b", "http://x", "s3://team-bucket/%2e"} {
		if _, err := Parse(text, environ(nil)); err == nil {
			t.Errorf("%s was taken", text)
		}
	}
	if _, err := Parse("s3://team-bucket", environ(map[string]string{"AWS_ENDPOINT_URL_S3": "127.0.0.1:9000"})); err == nil {
		t.Error("an endpoint without a scheme was taken")
	}
}
