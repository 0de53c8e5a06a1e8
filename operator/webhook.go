package operator

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"assay/spec"
)

// A webhookServer has the API server refuse at kubectl apply what the reconciler would
// reject later, in the same words. It only spares people the wait: an object that it did not
// see, because it was away or came later, is checked again.
type webhookServer struct {
	webhook.Server
	certificate *sharedCertificate
}

// webhookPath is where the API server asks.
const webhookPath = "/validate"

// newWebhook prepares the webhook of an operator; nil where none is asked for.
func newWebhook(ctx context.Context, cfg *rest.Config, o Options) (*webhookServer, error) {
	if o.Webhook == "" {
		return nil, nil
	}
	host, text, err := net.SplitHostPort(o.Webhook)
	port, convErr := strconv.Atoi(text)
	if err != nil || convErr != nil {
		return nil, fmt.Errorf("--webhook %q: want an address, such as :%d", o.Webhook, webhookPort)
	}
	if o.LeaderNamespace == "" {
		return nil, fmt.Errorf("--webhook keeps its certificate in the operator's namespace: want --leader-namespace beside it")
	}
	c, err := client.New(cfg, client.Options{Scheme: scheme()})
	if err != nil {
		return nil, fmt.Errorf("reach the cluster: %w", err)
	}
	held := &sharedCertificate{client: c, namespace: o.LeaderNamespace, now: time.Now}
	if err := held.refresh(ctx); err != nil {
		return nil, err
	}
	serve := func(c *tls.Config) {
		c.MinVersion, c.NextProtos = tls.VersionTLS12, []string{"http/1.1"}
		c.GetCertificate = func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return held.pair.Load(), nil }
	}
	return &webhookServer{
		Server:      webhook.NewServer(webhook.Options{Host: host, Port: port, TLSOpts: []func(*tls.Config){serve}}),
		certificate: held,
	}, nil
}

// register serves the webhook as long as the manager lives. Operators that do not lead serve
// it too.
func (w *webhookServer) register(m ctrl.Manager, o Options, kueue bool) error {
	m.GetWebhookServer().Register(webhookPath, &webhook.Admission{Handler: &gatekeeper{options: o, kueue: kueue, now: time.Now}})
	w.certificate.log = m.GetLogger()
	return m.Add(w.certificate)
}

// A gatekeeper answers the API server.
type gatekeeper struct {
	options Options
	kueue   bool
	now     func() time.Time
}

// Handle implements admission.Handler.
func (g *gatekeeper) Handle(_ context.Context, request admission.Request) admission.Response {
	u, old := &unstructured.Unstructured{}, &unstructured.Unstructured{}
	if err := u.UnmarshalJSON(request.Object.Raw); err != nil {
		return admission.Errored(http.StatusBadRequest, err)
	}
	if len(request.OldObject.Raw) > 0 {
		if err := old.UnmarshalJSON(request.OldObject.Raw); err != nil {
			return admission.Errored(http.StatusBadRequest, err)
		}
		// What is there already must stay deletable, whatever this version thinks of it.
		if u.GetDeletionTimestamp() != nil || reflect.DeepEqual(u.Object["spec"], old.Object["spec"]) {
			return admission.Allowed("")
		}
	}
	if g.options.Namespace != "" && request.Namespace != g.options.Namespace {
		return admission.Allowed("") // another operator's
	}
	if refused := g.refusal(u); refused != nil {
		return admission.Response{AdmissionResponse: admissionv1.AdmissionResponse{Result: &metav1.Status{
			Status: metav1.StatusFailure, Code: http.StatusUnprocessableEntity, Reason: metav1.StatusReasonInvalid,
			Message: refused.message,
		}}}
	}
	return admission.Allowed("").WithWarnings(cautions(u)...)
}

// refusal is why an object could not be carried out; nil where it could.
func (g *gatekeeper) refusal(u *unstructured.Unstructured) *rejection {
	if u.GetName() == "" { // the API server is still to make one
		u.SetName(u.GetGenerateName() + "x")
	}
	if u.GetKind() == scheduleKind.Kind {
		_, _, refused := (&scheduler{options: g.options, kueue: g.kueue, now: g.now}).read(u)
		return refused
	}
	_, refused := accept(u, g.options, g.kueue)
	return refused
}

// What an API server hands on to kubectl: longer warnings are cut, and more are dropped.
const (
	mostCautions = 10
	mostCaution  = 250 // bytes
)

// cautions are what assay validate would warn of in an object that it takes.
func cautions(u *unstructured.Unstructured) (lines []string) {
	document, err := documentOf(u)
	if err != nil {
		return nil
	}
	_, faults := spec.Parse("", document)
	for _, f := range faults {
		line := strings.ReplaceAll(f.Words(), "\n", " ")
		if len(line) > mostCaution {
			line = strings.ToValidUTF8(line[:mostCaution-len("…")], "") + "…"
		}
		if len(lines) < mostCautions {
			lines = append(lines, line)
		}
	}
	return lines
}
