package operator

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"math/big"
	"slices"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// A sharedCertificate is the webhook's, the same for every operator of a namespace. It lies
// in a Secret: somebody else's (cert-manager's, say), which is taken as it is, or one that
// the first operator makes and renews. Its authority stands in the configuration of the
// webhook, which each operator looks after.
type sharedCertificate struct {
	client    client.Client
	namespace string
	now       func() time.Time
	log       logr.Logger
	pair      atomic.Pointer[tls.Certificate]
}

// How long a certificate of our own lasts, how long before its end it is renewed, and how
// often the Secret is read: others serve the old one for so long, which the authority in
// the configuration covers.
const (
	certificateLife  = 365 * 24 * time.Hour
	certificateRest  = 30 * 24 * time.Hour
	certificateLooks = 10 * time.Minute
)

// keyAuthority is the key of the Secret that holds what the API server is to trust. Without
// it that is the certificate itself.
const keyAuthority = "ca.crt"

// annotationMade marks a Secret of ours, which alone is renewed.
const annotationMade = "assay.dev/made-by"

// NeedLeaderElection implements manager.LeaderElectionRunnable: every operator serves it.
func (s *sharedCertificate) NeedLeaderElection() bool { return false }

// Start implements manager.Runnable: it keeps up with the Secret until ctx ends.
func (s *sharedCertificate) Start(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(certificateLooks):
		}
		if err := s.refresh(ctx); err != nil {
			s.log.Error(err, "the webhook keeps the certificate that it has")
		}
	}
}

// refresh reads the Secret, makes or renews it where that is ours to do, and has the API
// server trust it.
func (s *sharedCertificate) refresh(ctx context.Context) error {
	held, err := s.secret(ctx)
	if err != nil {
		return fmt.Errorf("certificate of the webhook: %w", err)
	}
	pair, err := tls.X509KeyPair(held.Data[corev1.TLSCertKey], held.Data[corev1.TLSPrivateKeyKey])
	if err != nil {
		return fmt.Errorf("the Secret %s/%s holds no certificate for the webhook (delete it, and the operator makes one): %w", s.namespace, webhookName, err)
	}
	s.pair.Store(&pair)
	authority := held.Data[keyAuthority]
	if len(authority) == 0 {
		authority = held.Data[corev1.TLSCertKey]
	}
	return s.trust(ctx, authority)
}

// secret is the Secret, made where there is none.
func (s *sharedCertificate) secret(ctx context.Context) (held *corev1.Secret, err error) {
	held = &corev1.Secret{}
	key := client.ObjectKey{Namespace: s.namespace, Name: webhookName}
	switch err := s.client.Get(ctx, key, held); {
	case apierrors.IsNotFound(err):
		held = &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: webhookName, Annotations: map[string]string{annotationMade: manager}},
			Type:       corev1.SecretTypeTLS,
		}
		if err := s.renew(held); err != nil {
			return nil, err
		}
		err := s.client.Create(ctx, held)
		if apierrors.IsAlreadyExists(err) { // another operator was faster
			held = &corev1.Secret{}
			err = s.client.Get(ctx, key, held)
		}
		return held, err
	case err != nil:
		return nil, err
	}
	if held.Annotations[annotationMade] == "" || s.now().Before(expiry(held.Data[corev1.TLSCertKey]).Add(-certificateRest)) {
		return held, nil
	}
	if err := s.renew(held); err != nil {
		return nil, err
	}
	err = s.client.Update(ctx, held)
	if apierrors.IsConflict(err) { // the same
		held = &corev1.Secret{}
		err = s.client.Get(ctx, key, held)
	}
	return held, err
}

// expiry is when a certificate ends; the beginning of time where it is none.
func expiry(text []byte) time.Time {
	block, _ := pem.Decode(text)
	if block == nil {
		return time.Time{}
	}
	c, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return time.Time{}
	}
	return c.NotAfter
}

// renew puts a new certificate into a Secret. It is its own authority, so that there is no
// key that could sign another. The one before it stays trusted for operators that still
// serve it.
func (s *sharedCertificate) renew(held *corev1.Secret) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return err
	}
	name := webhookName + "." + s.namespace + ".svc"
	template := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: webhookName}, DNSNames: []string{name, name + ".cluster.local"},
		NotBefore: s.now().Add(-time.Hour), NotAfter: s.now().Add(certificateLife), // clocks differ
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return err
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	held.Data = map[string][]byte{
		keyAuthority: slices.Concat(text, held.Data[corev1.TLSCertKey]), corev1.TLSCertKey: text,
		corev1.TLSPrivateKeyKey: pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}),
	}
	return nil
}

// trust puts the authority into the configuration of the webhook where another stands.
func (s *sharedCertificate) trust(ctx context.Context, authority []byte) error {
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(webhookKind)
	if err := s.client.Get(ctx, client.ObjectKey{Name: leaseName}, u); err != nil {
		return fmt.Errorf("configuration of the webhook (--print-manifests --webhook has it): %w", err)
	}
	hooks, _, err := unstructured.NestedSlice(u.Object, "webhooks")
	if err != nil {
		return fmt.Errorf("configuration of the webhook: %w", err)
	}
	want, changed := base64.StdEncoding.EncodeToString(bytes.TrimSpace(authority)), false
	for _, one := range hooks {
		hook, ok := one.(object)
		if !ok {
			continue
		}
		if had, _, _ := unstructured.NestedString(hook, "clientConfig", "caBundle"); had == want {
			continue
		}
		if err := unstructured.SetNestedField(hook, want, "clientConfig", "caBundle"); err != nil {
			return fmt.Errorf("configuration of the webhook: %w", err)
		}
		changed = true
	}
	if !changed {
		return nil
	}
	u.Object["webhooks"] = hooks
	err = s.client.Update(ctx, u, client.FieldOwner(manager))
	if apierrors.IsConflict(err) { // another operator writes the same, or the next look does
		return nil
	}
	return err
}
