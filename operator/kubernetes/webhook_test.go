package kubernetes

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"assay/operator"
)

const webhookSecret = "assay-operator-webhook"

// webhooked holds the webhook of an operator that is no pod: somebody else's certificate is
// taken as it is, bad objects are refused while it is there, taken while it is not, and can
// be let go.
func webhooked(t *testing.T, c *Cluster) {
	install(t, c, operator.Options{Claim: "bundles", Webhook: ":9443"})
	address := free(t)
	config := &unstructured.Unstructured{}
	config.SetAPIVersion("admissionregistration.k8s.io/v1")
	config.SetKind("ValidatingWebhookConfiguration")
	config.SetName("assay-operator")
	outside := fmt.Appendf(nil, `[{"op": "replace", "path": "/webhooks/0/clientConfig", "value": {"url": "https://%s/validate"}}]`, address)
	if err := c.Patch(t.Context(), config, client.RawPatch("application/json-patch+json", outside)); err != nil {
		t.Fatal(err)
	}
	c.secret(t, map[string][]byte{"tls.crt": read(t, c.path("tls.crt")), "tls.key": read(t, c.path("tls.key")), "ca.crt": c.ca}, nil)
	stop := startOperator(t, c, func(o *operator.Options) { o.Webhook = address })
	bad := string(run(t, "refused", "1s", "resources: {cpu: lots}"))
	object := objects(t, []byte(bad))[0]
	try := func(ctx context.Context) error {
		return c.Client.Apply(ctx, client.ApplyConfigurationFromUnstructured(object.DeepCopy()), client.FieldOwner("tests"), client.ForceOwnership)
	}
	var err error
	Eventually(t, "refusal", func(ctx context.Context) error {
		if err = try(ctx); err != nil {
			return nil
		}
		c.Delete(ctx, object.DeepCopy())
		return fmt.Errorf("a bad run was taken")
	})
	saysWhatValidateDoes(t, bad, err)
	stop()
	Eventually(t, "taken without a webhook", try)
	stop = startOperator(t, c, func(o *operator.Options) { o.Webhook = address })
	phase(t, c, "refused", "Failed")
	if err := c.Delete(t.Context(), object); err != nil {
		t.Fatal(err)
	}
	gone(t, c, object)
	stop()
	renewed(t, c, address)
	if err := c.Delete(t.Context(), config); err != nil {
		t.Fatal(err)
	}
}

// renewed has an operator replace a certificate of its own that is about to end. The one
// before it stays trusted.
func renewed(t *testing.T, c *Cluster, address string) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(7), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	old := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	c.secret(t, map[string][]byte{"tls.crt": old, "tls.key": pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})}, map[string]string{"assay.dev/made-by": "assay-operator"})
	stop := startOperator(t, c, func(o *operator.Options) { o.Webhook = address })
	defer stop()
	Eventually(t, "renewal", func(ctx context.Context) error {
		var held corev1.Secret
		if err := c.Get(ctx, client.ObjectKey{Namespace: "assay-system", Name: webhookSecret}, &held); err != nil {
			return err
		}
		if bytes.Equal(held.Data["tls.crt"], old) || !bytes.Contains(held.Data["ca.crt"], old) || !bytes.Contains(held.Data["ca.crt"], held.Data["tls.crt"]) {
			return fmt.Errorf("the Secret holds\n%s and trusts\n%s", held.Data["tls.crt"], held.Data["ca.crt"])
		}
		return nil
	})
}

// secret puts a certificate where the operators look for theirs.
func (c *Cluster) secret(t *testing.T, data map[string][]byte, annotations map[string]string) {
	t.Helper()
	s := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: webhookSecret, Namespace: "assay-system", Annotations: annotations}, Type: corev1.SecretTypeTLS, Data: data}
	if err := client.IgnoreNotFound(c.Delete(t.Context(), s.DeepCopy())); err != nil {
		t.Fatal(err)
	}
	if err := c.Create(t.Context(), s); err != nil {
		t.Fatal(err)
	}
}
