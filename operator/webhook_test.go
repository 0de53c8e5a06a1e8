package operator

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
	"sigs.k8s.io/yaml"
)

// asked is a question of the API server.
func asked(t *testing.T, now, before string) admission.Request {
	t.Helper()
	raw := func(text string) runtime.RawExtension {
		if text == "" {
			return runtime.RawExtension{}
		}
		data, err := yaml.YAMLToJSON([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return runtime.RawExtension{Raw: data}
	}
	return admission.Request{AdmissionRequest: admissionv1.AdmissionRequest{Namespace: "default", Object: raw(now), OldObject: raw(before)}}
}

const (
	goodRun = `
apiVersion: assay.dev/v1alpha1
kind: BenchmarkRun
metadata: {name: chat, namespace: default}
spec:
  workload: {model: m, tokenizer: {kind: server}, sequenceLengthMix: [{inputTokens: 16, outputTokens: 4, weight: 1}]}
  target: {url: "http://127.0.0.1:1"}
  load: {concurrency: [1], duration: 1s}
`
	goodSchedule = `
apiVersion: assay.dev/v1alpha1
kind: BenchmarkSchedule
metadata: {name: nightly, namespace: default}
spec:
  purpose: nightly
  schedule: "0 2 * * *"
  template:
    spec:
      workload: {model: m, tokenizer: {kind: server}, sequenceLengthMix: [{inputTokens: 16, outputTokens: 4, weight: 1}]}
      target: {url: "http://127.0.0.1:1"}
      load: {concurrency: [1], duration: 1s}
`
)

// What the reconciler would reject is refused in the same words, and what is there already
// can always be let go.
func TestGatekeeper(t *testing.T) {
	g := &gatekeeper{options: settings, now: time.Now}
	bad := goodRun + "  kubernetes: {resources: {cpu: lots}}\n"
	queued := goodRun + "  kubernetes: {queue: benchmarks}\n"
	leaving := strings.Replace(bad, "name: chat,", `name: chat, deletionTimestamp: "2026-11-17T00:00:00Z",`, 1)
	tests := []struct {
		name, now, before string
		want              string // in the refusal; empty: it is taken
	}{
		{"good", goodRun, "", ""},
		{"good schedule", goodSchedule, "", ""},
		{"no name yet", strings.Replace(goodRun, "name: chat", "generateName: chat-", 1), "", ""},
		{"bad", bad, "", "spec.kubernetes.resources.cpu"},
		{"bad from good", bad, goodRun, "spec.kubernetes.resources.cpu"},
		{"bad stays as it was", bad, bad, ""},
		{"bad is deleted", leaving, goodRun, ""},
		{"no Kueue", queued, "", "spec.kubernetes.queue"},
		{"bad schedule", strings.Replace(goodSchedule, `"0 2 * * *"`, `"0 2 * *"`, 1), "", "spec.schedule"},
		{"bad template", goodSchedule + "      kubernetes: {resources: {cpu: lots}}\n", "", "kubernetes.resources.cpu"},
		{"a secret", strings.Replace(goodRun, "url:", "headers: {Authorization: Bearer opensesame12345678}, url:", 1), "", "{env: NAME}"},
		{"no spec", "{apiVersion: assay.dev/v1alpha1, kind: BenchmarkRun, metadata: {name: x}}", "", "spec"},
		{"no object", `{kind: 3}`, "", "kind"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := g.Handle(t.Context(), asked(t, tt.now, tt.before))
			if got.Allowed != (tt.want == "") || !got.Allowed && !strings.Contains(strings.ToLower(got.Result.Message), strings.ToLower(tt.want)) {
				t.Errorf("allowed %v: %+v, want %q", got.Allowed, got.Result, tt.want)
			}
			if !got.Allowed && strings.Contains(got.Result.Message, "opensesame") {
				t.Errorf("the refusal repeats a secret: %s", got.Result.Message)
			}
		})
	}
	other := &gatekeeper{options: Options{Namespace: "bench"}, now: time.Now}
	if got := other.Handle(t.Context(), asked(t, bad, "")); !got.Allowed {
		t.Errorf("an object of another operator's namespace: %+v", got.Result)
	}
}

// The refusal is that of the reconciler, to the letter.
func TestGatekeeperSaysWhatTheReconcilerDoes(t *testing.T) {
	bad := asked(t, goodRun+"  kubernetes: {resources: {cpu: lots}}\n", "")
	u := &unstructured.Unstructured{}
	if err := u.UnmarshalJSON(bad.Object.Raw); err != nil {
		t.Fatal(err)
	}
	_, refused := accept(u, settings, false)
	got := (&gatekeeper{options: settings, now: time.Now}).Handle(t.Context(), bad)
	if refused == nil || got.Result == nil || got.Result.Message != refused.message || got.Result.Code != http.StatusUnprocessableEntity {
		t.Errorf("the webhook says %+v, the reconciler %+v", got.Result, refused)
	}
}

// A renewed certificate serves callers that trust the new authority, and so does the one
// before it, which other operators serve for a while.
func TestCertificateIsRenewed(t *testing.T) {
	s := &sharedCertificate{namespace: "assay-system", now: time.Now}
	held := &corev1.Secret{}
	if err := s.renew(held); err != nil {
		t.Fatal(err)
	}
	first := held.DeepCopy()
	if err := s.renew(held); err != nil {
		t.Fatal(err)
	}
	f := func(serves, trusted *corev1.Secret, name string, want bool) {
		t.Helper()
		pair, err := tls.X509KeyPair(serves.Data[corev1.TLSCertKey], serves.Data[corev1.TLSPrivateKeyKey])
		if err != nil {
			t.Fatal(err)
		}
		server := httptest.NewUnstartedServer(http.NotFoundHandler())
		server.TLS = &tls.Config{Certificates: []tls.Certificate{pair}}
		server.Config.ErrorLog = log.New(io.Discard, "", 0)
		server.StartTLS()
		defer server.Close()
		roots := x509.NewCertPool()
		roots.AppendCertsFromPEM(trusted.Data[keyAuthority])
		c, err := tls.Dial("tcp", server.Listener.Addr().String(), &tls.Config{RootCAs: roots, ServerName: name})
		if err == nil {
			c.Close()
		}
		if (err == nil) != want {
			t.Errorf("as %s: %v", name, err)
		}
	}
	const name = "assay-operator-webhook.assay-system.svc"
	f(first, first, name, true)
	f(held, held, name, true)
	f(first, held, name, true)
	f(held, first, name, false)
	f(held, held, "assay-operator-webhook.other.svc", false)
	if left := time.Until(expiry(held.Data[corev1.TLSCertKey])); left < certificateRest || left > certificateLife {
		t.Errorf("it lasts %s", left)
	}
	if !expiry([]byte("nothing")).IsZero() {
		t.Error("no certificate has an end")
	}
}
